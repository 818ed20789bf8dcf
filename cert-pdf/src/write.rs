//! Writes the pages as PDF/A-3u.

use std::collections::BTreeSet;

use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::configure::{Archival, ConfigurationBuilder};
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::error::KrillaError;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::{Data, Document, SerializeSettings};
use qrcodegen::QrCode;
use time::OffsetDateTime;

use crate::code;
use crate::compose::{self, Ink, MODULE, Op, Pages};
use crate::error::{Finding, PdfError};
use crate::file::Certificate;
use crate::fonts::{FontFile, Fonts};
use crate::layout::Layout;
use crate::sheet::{Options, Sheet};

/// The media type of a certificate's file.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.assay.certificate+json";
/// The most characters of the title and the attachment's name.
const MAX_NAME: usize = 200;

/// A certificate as PDF.
#[derive(Clone, Debug)]
pub struct Pdf {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The differences between the pages and the certificate.
    pub findings: BTreeSet<Finding>,
}

/// Returns the fonts that the PDF of a certificate's file needs.
///
/// # Errors
/// Those of [`write()`] about the file.
pub fn needed_fonts(file: &str, options: &Options) -> Result<Vec<FontFile>, PdfError> {
    let sheet = Sheet::of(&Certificate::parse(file)?, options)?;
    Ok(FontFile::needed(sheet.strings().into_iter()))
}

/// Writes a certificate's file as PDF/A-3u. The PDF shows the file's content and has the file attached. The evidence is not verified: the
/// caller decides which files get a PDF.
///
/// # Errors
/// The file, a picture or the result exceeds the bounds of this crate, the file is no certificate file, or a needed font is not in `fonts`.
pub fn write(file: &str, options: &Options, fonts: &Fonts<'_>) -> Result<Pdf, PdfError> {
    let sheet = Sheet::of(&Certificate::parse(file)?, options)?;
    for font in FontFile::needed(sheet.strings().into_iter()) {
        if fonts.get(font).is_none() {
            return Err(PdfError::FontInvalid(font.name()));
        }
    }
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
        .with_archival_validator(Archival::A3_U)
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
    draw(&mut document, &sheet, pages, fonts, &code)?;
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

fn draw(
    document: &mut Document,
    sheet: &Sheet,
    pages: Pages,
    fonts: &Fonts<'_>,
    code: &QrCode,
) -> Result<(), PdfError> {
    let wrong = || PdfError::NotWritten("a length is no number".to_owned());
    let settings = PageSettings::from_wh(pages.width, pages.height).ok_or_else(wrong)?;
    for ops in pages.pages {
        let mut page = document.start_page_with(settings.clone());
        let mut links = Vec::new();
        let mut surface = page.surface();
        frame(&mut surface, sheet, pages.width, pages.height);
        for op in ops {
            match op {
                Op::Text {
                    x,
                    y,
                    line,
                    size,
                    ink,
                } => {
                    surface.set_fill(Some(fill(colour(sheet, ink))));
                    let mut x = x;
                    for run in &line.runs {
                        let font = fonts.get(run.font).ok_or_else(wrong)?;
                        let (start, text) = (Point::from_xy(x, y), &line.text);
                        surface.draw_glyphs(
                            start,
                            &run.glyphs,
                            font.font.clone(),
                            text,
                            size,
                            false,
                        );
                        x += run.width;
                    }
                }
                Op::Rule {
                    x,
                    y,
                    width,
                    thickness,
                } => {
                    surface.set_fill(Some(fill(colour(sheet, Ink::Accent))));
                    rectangle(&mut surface, x, y, width, thickness);
                }
                Op::Picture {
                    x,
                    y,
                    width,
                    height,
                    image,
                } => {
                    let size = Size::from_wh(width, height).ok_or_else(wrong)?;
                    surface.push_transform(&Transform::from_translate(x, y));
                    surface.draw_image(image, size);
                    surface.pop();
                }
                Op::Code { x, y } => {
                    surface.set_fill(Some(fill(rgb::Color::black())));
                    if let Some(path) = code::path(code, x, y, MODULE) {
                        surface.draw_path(&path);
                    }
                }
                Op::Link {
                    x,
                    y,
                    width,
                    height,
                } => links.extend(Rect::from_xywh(x, y, width, height)),
            }
        }
        surface.finish();
        for place in links {
            let target = Target::Action(Action::Link(LinkAction::new(sheet.link.clone())));
            let text = Some(sheet.texts.qr.to_owned());
            page.add_annotation(Annotation::new_link(
                LinkAnnotation::new(place, target),
                text,
            ));
        }
        page.finish();
    }
    Ok(())
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
