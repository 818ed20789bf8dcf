//! Writes the pages as tagged PDF/A-3a.

use std::collections::BTreeSet;

use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::error::KrillaError;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, BBox, ContentTag, SpanTag, TagTree};
use krilla::{Data, Document, SerializeSettings};
use qrcodegen::QrCode;
use time::OffsetDateTime;

use crate::code;
use crate::compose::{self, Ink, MODULE, Op, Pages};
use crate::error::{Finding, PdfError};
use crate::file::Certificate;
use crate::fonts::{Chosen, FontFile, Fonts};
use crate::layout::Layout;
use crate::sheet::{Options, Sheet};
use crate::structure::{Drawn, Leaf};

/// The media type of a certificate's file.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.assay.certificate+json";
/// The most characters of the title and the attachment's name.
const MAX_NAME: usize = 200;
/// The width of the outline around letters in place of bold ones, relative to their size.
const THICKER: f32 = 0.03;

/// A certificate as PDF.
#[derive(Clone, Debug)]
pub struct Pdf {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The differences between the pages and the certificate.
    pub findings: BTreeSet<Finding>,
}

/// Writes a certificate's file as PDF/A-3a. The PDF shows the file's content and has the file attached. The evidence is not verified: the
/// caller decides which files get a PDF.
///
/// # Errors
/// The file, a picture or the result exceeds the bounds of this crate, the file is no certificate file, or a font of [`Fonts::missing`] was not added.
pub fn write(file: &str, options: &Options, fonts: &Fonts) -> Result<Pdf, PdfError> {
    let sheet = Sheet::of(&Certificate::parse(file)?, options)?;
    let fonts = &Chosen::of(fonts, &fonts.needs(&sheet.strings()))?;
    let wrong = |why: &str| PdfError::NotWritten(why.to_owned());
    let code =
        code::printed(&sheet.link).ok_or_else(|| wrong("the link is too long for a code"))?;
    let mut layout = Layout {
        fonts,
        findings: BTreeSet::new(),
    };
    let pages = compose::compose(&sheet, &mut layout, code.size())?;
    let mut findings = layout.findings;
    findings.extend(sheet.findings.iter().cloned());

    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A3_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|_| wrong("this version of PDF/A is not known"))?;
    let mut document = Document::new_with(SerializeSettings {
        configuration,
        ..SerializeSettings::default()
    });
    let created = date(options.created)?;
    let mut metadata = Metadata::new()
        .title(short(&sheet.heading))
        .language(options.language.tag().to_owned())
        .creator("Assay".to_owned())
        .creation_date(created);
    if let Some(issuer) = &sheet.issuer_name {
        metadata = metadata.authors(vec![short(issuer)]);
    }
    document.set_metadata(metadata);
    let attached = document.embed_file(EmbeddedFile {
        path: file_name(&options.name),
        mime_type: MimeType::new(MEDIA_TYPE),
        description: Some(sheet.texts.untitled.to_owned()),
        association_kind: AssociationKind::Source,
        data: Data::from(file.as_bytes().to_vec()),
        modification_date: Some(created),
        compress: Some(true),
        location: None,
    });
    attached.ok_or_else(|| wrong("the file could not be attached"))?;
    let mut outline = Outline::new();
    let start = XyzDestination::new(0, Point::from_xy(0.0, 0.0));
    outline.push_child(OutlineNode::new(short(&sheet.heading), start));
    document.set_outline(outline);
    let structure = draw(&mut document, &sheet, pages, fonts, &code)?;
    document.set_tag_tree(structure);
    let bytes = document.finish().map_err(refused)?;
    Ok(Pdf { bytes, findings })
}

/// A picture that cannot be decoded is an error of the input. All other errors are faults of this program.
fn refused(error: KrillaError) -> PdfError {
    match error {
        KrillaError::Image(..) | KrillaError::SixteenBitImage(..) => PdfError::PictureInvalid,
        error => PdfError::NotWritten(error.to_string()),
    }
}

/// Draws the pages, and returns the tags of their content.
fn draw(
    document: &mut Document,
    sheet: &Sheet,
    pages: Pages,
    fonts: &Chosen<'_>,
    code: &QrCode,
) -> Result<TagTree, PdfError> {
    let wrong = || PdfError::NotWritten("a length is no number".to_owned());
    let settings = PageSettings::from_wh(pages.width, pages.height).ok_or_else(wrong)?;
    let mut drawn = Drawn::default();
    for (index, ops) in pages.pages.into_iter().enumerate() {
        let mut page = document.start_page_with(settings.clone());
        let mut links = Vec::new();
        let mut surface = page.surface();
        surface.start_tagged(decoration(ArtifactType::Layout));
        frame(&mut surface, sheet, pages.width, pages.height);
        let mut current = Mark::Layout;
        for op in ops {
            let mark = match &op {
                Op::Text { leaf: None, .. } => Mark::PageNumber,
                Op::Rule { .. } => Mark::Layout,
                Op::Text {
                    leaf: Some(leaf), ..
                }
                | Op::Picture { leaf, .. }
                | Op::Code { leaf, .. } => Mark::Content(*leaf),
                Op::Link {
                    x,
                    y,
                    width,
                    height,
                    leaf,
                } => {
                    let place = Rect::from_xywh(*x, *y, *width, *height);
                    links.extend(place.map(|place| (place, *leaf)));
                    continue;
                }
            };
            if mark != current {
                surface.end_tagged();
                let tag = match mark {
                    Mark::Layout => decoration(ArtifactType::Layout),
                    Mark::PageNumber => decoration(ArtifactType::PageNumber),
                    Mark::Content(_) => ContentTag::Span(SpanTag::empty()),
                };
                let identifier = surface.start_tagged(tag);
                if let Mark::Content(leaf) = mark {
                    drawn.mark(leaf, identifier);
                }
                current = mark;
            }
            if let Some((leaf, place)) = draw_op(&mut surface, sheet, op, fonts, code)? {
                drawn.place(leaf, BBox::new(index, place));
            }
        }
        surface.end_tagged();
        surface.finish();
        for (place, leaf) in links {
            let target = Target::Action(Action::Link(LinkAction::new(sheet.link.clone())));
            let text = Some(sheet.texts.qr.to_owned());
            let link = Annotation::new_link(LinkAnnotation::new(place, target), text);
            drawn.mark(leaf, page.add_tagged_annotation(link));
        }
        page.finish();
    }
    Ok(drawn.tree(pages.document, sheet.language.tag()))
}

/// The part of the structure that has some content, or its kind of decoration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Content(Leaf),
    Layout,
    PageNumber,
}

/// Returns the tag of content that is not read.
fn decoration(kind: ArtifactType) -> ContentTag<'static> {
    ContentTag::Artifact(Artifact::with_kind(kind))
}

/// Draws one operation. Returns the place of a picture.
fn draw_op(
    surface: &mut Surface<'_>,
    sheet: &Sheet,
    op: Op,
    fonts: &Chosen<'_>,
    code: &QrCode,
) -> Result<Option<(Leaf, Rect)>, PdfError> {
    let wrong = || PdfError::NotWritten("a length is no number".to_owned());
    match op {
        Op::Text {
            x,
            y,
            line,
            face,
            ink,
            ..
        } => {
            let colour = colour(sheet, ink);
            surface.set_fill(Some(fill(colour)));
            let mut x = x - line.overhang;
            for run in &line.runs {
                let font = fonts.get(run.font).ok_or_else(wrong)?.font.clone();
                // Other scripts have no bold font. Thicker outlines take its place.
                let is_thick = face.is_bold && run.font != FontFile::SerifBold;
                surface.set_stroke(is_thick.then(|| Stroke {
                    paint: colour.into(),
                    width: face.size * THICKER,
                    ..Stroke::default()
                }));
                let start = Point::from_xy(x, y);
                surface.draw_glyphs(start, &run.glyphs, font, &line.text, face.size, false);
                x += run.width;
            }
            surface.set_stroke(None);
            Ok(None)
        }
        Op::Rule {
            x,
            y,
            width,
            thickness,
        } => {
            surface.set_fill(Some(fill(colour(sheet, Ink::Accent))));
            rectangle(surface, x, y, width, thickness);
            Ok(None)
        }
        Op::Picture {
            x,
            y,
            width,
            height,
            image,
            leaf,
        } => {
            let size = Size::from_wh(width, height).ok_or_else(wrong)?;
            surface.push_transform(&Transform::from_translate(x, y));
            surface.draw_image(image, size);
            surface.pop();
            Ok(Rect::from_xywh(x, y, width, height).map(|place| (leaf, place)))
        }
        Op::Code { x, y, side, leaf } => {
            surface.set_fill(Some(fill(rgb::Color::black())));
            if let Some(path) = code::path(code, x, y, MODULE) {
                surface.draw_path(&path);
            }
            Ok(Rect::from_xywh(x, y, side, side).map(|place| (leaf, place)))
        }
        // Links are no content of the page.
        Op::Link { .. } => Ok(None),
    }
}

/// Draws a double frame.
fn frame(surface: &mut Surface<'_>, sheet: &Sheet, width: f32, height: f32) {
    surface.set_fill(Some(fill(colour(sheet, Ink::Accent))));
    for (inset, thickness) in [(20.0, 1.6), (24.5, 0.5)] {
        let (across, down) = (width - 2.0 * inset, height - 2.0 * inset);
        rectangle(surface, inset, inset, across, thickness);
        rectangle(
            surface,
            inset,
            height - inset - thickness,
            across,
            thickness,
        );
        rectangle(surface, inset, inset, thickness, down);
        rectangle(surface, width - inset - thickness, inset, thickness, down);
    }
}

fn rectangle(surface: &mut Surface<'_>, x: f32, y: f32, width: f32, height: f32) {
    let mut path = PathBuilder::new();
    if let Some(rect) = Rect::from_xywh(x, y, width, height) {
        path.push_rect(rect);
    }
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
}

fn colour(sheet: &Sheet, ink: Ink) -> rgb::Color {
    match ink {
        Ink::Text => rgb::Color::new(0x1b, 0x1f, 0x24),
        Ink::Quiet => rgb::Color::new(0x4a, 0x52, 0x5c),
        Ink::Accent => {
            let [red, green, blue] = sheet.colour;
            rgb::Color::new(red, green, blue)
        }
    }
}

fn fill(colour: rgb::Color) -> Fill {
    Fill {
        paint: colour.into(),
        opacity: NormalizedF32::ONE,
        ..Fill::default()
    }
}

fn date(seconds: i64) -> Result<DateTime, PdfError> {
    let wrong = || PdfError::NotWritten("the time is outside of the years 0 to 9999".to_owned());
    let at = OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| wrong())?;
    let year = u16::try_from(at.year()).map_err(|_| wrong())?;
    let date = DateTime::new(year).month(at.month().into()).day(at.day());
    let date = date.hour(at.hour()).minute(at.minute()).second(at.second());
    Ok(date.utc_offset_hour(0).utc_offset_minute(0))
}

/// Returns the name of the attachment without characters that mean something in a path.
fn file_name(name: &str) -> String {
    let plain = |char: &char| !char.is_control() && !matches!(char, '/' | '\\' | ':');
    let name = short(&name.chars().filter(plain).collect::<String>());
    match name.trim_start_matches('.') {
        "" => "certificate.assay.json".to_owned(),
        name => name.to_owned(),
    }
}

fn short(text: &str) -> String {
    text.chars().take(MAX_NAME).collect()
}
