//! The fonts, and the choice of a font for each character.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::Arc;

use flate2::read::ZlibDecoder;
use krilla::Data;
use krilla::text::Font;
use rustybuzz::Face;
use rustybuzz::ttf_parser::{self, Permissions};
use unicode_normalization::char::compose;

use crate::error::PdfError;
use crate::file::Certificate;
use crate::sheet::{Options, Sheet};

/// The largest slice, in bytes after decompression. The largest one of `fonts/cjk` has 115 KB.
const MAX_SLICE: u64 = 512 * 1024;
/// Tables of slices have no characters before this one. Other fonts have those, or no font has them.
const FIRST_IN_TABLES: char = '\u{1100}';

/// A file in the folder `fonts`, or a font of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FontFile {
    /// Latin, Greek and Cyrillic. Every PDF needs it.
    Serif,
    /// Bold letters of the same scripts. Every PDF needs it.
    SerifBold,
    /// Arabic.
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Devanagari.
    Devanagari,
    /// A font of the caller, with its number. It is used for characters that the fonts above lack.
    Given(u8),
    /// The characters of each slice of a font.
    Table(Han),
    /// A slice of a font, with its number.
    Slice(Han, u8),
}

/// A font of Chinese, Japanese or Korean, which is cut into slices. They draw the same Chinese character differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Han {
    /// Simplified Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
}

impl Han {
    /// All fonts.
    pub const ALL: [Self; 3] = [Self::Chinese, Self::Japanese, Self::Korean];

    fn stem(self) -> &'static str {
        match self {
            Self::Chinese => "sc",
            Self::Japanese => "jp",
            Self::Korean => "kr",
        }
    }

    /// Returns the fonts in the order in which a text's characters are looked for. Kana show that a text is Japanese, and Hangul that it is Korean.
    pub(crate) fn order<'t>(texts: impl Iterator<Item = &'t str>) -> [Self; 3] {
        let mut is_korean = false;
        for char in texts.flat_map(str::chars) {
            if is_kana(char) {
                return [Self::Japanese, Self::Chinese, Self::Korean];
            }
            is_korean = is_korean || is_hangul(char);
        }
        if is_korean {
            [Self::Korean, Self::Chinese, Self::Japanese]
        } else {
            Self::ALL
        }
    }
}

/// Returns the language of a text that only one language writes with such letters.
pub(crate) fn language_of(text: &str) -> Option<&'static str> {
    if text.chars().any(is_kana) {
        Some("ja")
    } else if text.chars().any(is_hangul) {
        Some("ko")
    } else {
        None
    }
}

fn is_kana(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}')
}

fn is_hangul(char: char) -> bool {
    matches!(char, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7fb}')
}

impl FontFile {
    /// The fonts that are not cut, in the order in which a character's font is looked for.
    const WHOLE: [Self; 5] = [
        Self::Serif,
        Self::SerifBold,
        Self::Arabic,
        Self::Hebrew,
        Self::Devanagari,
    ];

    /// Returns the path of the file in the folder `fonts`.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Serif => "NotoSerif-Regular.ttf".into(),
            Self::SerifBold => "NotoSerif-Bold.ttf".into(),
            Self::Arabic => "NotoNaskhArabic-Regular.ttf".into(),
            Self::Hebrew => "NotoSerifHebrew-Regular.ttf".into(),
            Self::Devanagari => "NotoSerifDevanagari-Regular.ttf".into(),
            Self::Given(number) => format!("given-{number}").into(),
            Self::Table(han) => format!("cjk/{}.ranges", han.stem()).into(),
            Self::Slice(han, number) => format!("cjk/{}-{number}.slice", han.stem()).into(),
        }
    }

    /// Returns true if text with this character needs the font, apart from the two fonts that every PDF needs.
    fn is_for(self, char: char) -> bool {
        let blocks: &[(u32, u32)] = match self {
            Self::Arabic => &[
                (0x600, 0x6ff),
                (0x750, 0x77f),
                (0x8a0, 0x8ff),
                (0xfb50, 0xfdff),
                (0xfe70, 0xfeff),
            ],
            Self::Hebrew => &[(0x590, 0x5ff), (0xfb1d, 0xfb4f)],
            Self::Devanagari => &[(0x900, 0x97f), (0x1cd0, 0x1cff), (0xa8e0, 0xa8ff)],
            _ => &[],
        };
        let code = u32::from(char);
        blocks
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
    }

    /// Returns the fonts among [`Self::WHOLE`] that texts need.
    fn needed(texts: &[&str]) -> Vec<Self> {
        let mut is_needed = Self::WHOLE.map(|font| matches!(font, Self::Serif | Self::SerifBold));
        // ASCII needs no further font, so most characters are decided by one comparison.
        let chars = texts.iter().flat_map(|text| text.chars());
        for char in chars.filter(|char| !char.is_ascii()) {
            for (font, is_needed) in Self::WHOLE.iter().zip(&mut is_needed) {
                *is_needed = *is_needed || font.is_for(char);
            }
        }
        let all = Self::WHOLE.into_iter().zip(is_needed);
        all.filter_map(|(font, is_needed)| is_needed.then_some(font))
            .collect()
    }
}

/// The bytes of a font.
type Bytes = Arc<Cow<'static, [u8]>>;

/// A loaded font.
struct Loaded {
    bytes: Bytes,
    /// For embedding.
    font: Font,
}

/// The characters of each slice of a font: the first and the last one of a range, and the slice. In order.
struct Table(Vec<(char, char, u8)>);

impl Table {
    /// Reads the ranges of a slice from each line: `3042-3045,4e00`.
    fn parse(text: &str) -> Option<Self> {
        let char_of = |hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?);
        let mut ranges = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let number = u8::try_from(number).ok()?;
            for range in line.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                ranges.push((char_of(first)?, char_of(last)?, number));
            }
        }
        ranges.sort_unstable();
        Some(Self(ranges))
    }

    fn slice_of(&self, char: char) -> Option<u8> {
        let after = self.0.partition_point(|(first, _, _)| *first <= char);
        let (_, last, slice) = self.0.get(after.checked_sub(1)?)?;
        (char <= *last).then_some(*slice)
    }
}

/// Loaded fonts. Several PDFs can use the same ones.
#[derive(Default)]
pub struct Fonts {
    loaded: BTreeMap<FontFile, Loaded>,
    tables: BTreeMap<Han, Table>,
}

impl Fonts {
    /// Returns an empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. It replaces an earlier one of this name.
    ///
    /// # Errors
    /// [`PdfError::FontInvalid`] if the bytes are not such a file, and [`PdfError::FontRestricted`] if a PDF must not contain the font.
    pub fn add(
        &mut self,
        file: FontFile,
        bytes: impl Into<Cow<'static, [u8]>>,
    ) -> Result<(), PdfError> {
        let wrong = || PdfError::FontInvalid(file.name().into_owned());
        let bytes = bytes.into();
        let bytes = match file {
            FontFile::Table(han) => {
                let text = std::str::from_utf8(&bytes).ok();
                let table = text.and_then(Table::parse).ok_or_else(wrong)?;
                self.tables.insert(han, table);
                return Ok(());
            }
            FontFile::Slice(..) => Cow::Owned(inflated(&bytes).ok_or_else(wrong)?),
            _ => bytes,
        };
        let bytes: Bytes = Arc::new(bytes);
        let face = Face::from_slice(&bytes, 0).ok_or_else(wrong)?;
        if face.permissions() == Some(Permissions::Restricted) {
            return Err(PdfError::FontRestricted(file.name().into_owned()));
        }
        let data: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::clone(&bytes) as _;
        let font = Font::new(Data::from(data), 0).ok_or_else(wrong)?;
        self.loaded.insert(file, Loaded { bytes, font });
        Ok(())
    }

    /// Returns the files that the PDF of a certificate's file needs and that were not added. Which slices it needs is known only when the whole fonts
    /// and the tables are there: add the files, and ask again until there are none.
    ///
    /// # Errors
    /// Those of [`write()`](crate::write()) about the file.
    pub fn missing(&self, file: &str, options: &Options) -> Result<Vec<FontFile>, PdfError> {
        let sheet = Sheet::of(&Certificate::parse(file)?, options)?;
        let needs = self.needs(&sheet.strings());
        let is_missing = |file: &FontFile| !self.has(*file);
        Ok(needs.files.into_iter().filter(is_missing).collect())
    }

    fn has(&self, file: FontFile) -> bool {
        match file {
            FontFile::Table(han) => self.tables.contains_key(&han),
            file => self.loaded.contains_key(&file),
        }
    }

    /// Returns the fonts that texts need.
    pub(crate) fn needs(&self, texts: &[&str]) -> Needs {
        let mut files: BTreeSet<FontFile> = FontFile::needed(texts).into_iter().collect();
        let order = Han::order(texts.iter().copied());
        files.extend(self.given());
        if files.iter().all(|file| self.has(*file)) {
            let faces: Vec<_> = files.iter().filter_map(|file| self.plain(*file)).collect();
            let is_in_whole =
                |char: char| faces.iter().any(|face| face.glyph_index(char).is_some());
            let composed = texts
                .iter()
                .filter(|text| !text.is_ascii())
                .map(|text| composed(text));
            let chars: BTreeSet<char> = composed
                .flat_map(|text| text.chars().collect::<Vec<_>>())
                .collect();
            let others = chars.range(FIRST_IN_TABLES..).copied();
            for char in others.filter(|char| !is_ignorable(*char) && !is_in_whole(*char)) {
                for han in order {
                    let Some(table) = self.tables.get(&han) else {
                        files.insert(FontFile::Table(han));
                        break;
                    };
                    if let Some(slice) = table.slice_of(char) {
                        files.insert(FontFile::Slice(han, slice));
                        break;
                    }
                }
            }
        }
        Needs { files, order }
    }

    /// Returns the fonts of the caller.
    fn given(&self) -> impl Iterator<Item = FontFile> {
        let files = self.loaded.keys().copied();
        files.filter(|file| matches!(file, FontFile::Given(_)))
    }

    /// Returns a font without what shaping needs, which is slower to prepare.
    fn plain(&self, file: FontFile) -> Option<ttf_parser::Face<'_>> {
        ttf_parser::Face::parse(&self.loaded.get(&file)?.bytes, 0).ok()
    }
}

/// The fonts that a PDF needs.
pub(crate) struct Needs {
    pub(crate) files: BTreeSet<FontFile>,
    order: [Han; 3],
}

/// A font for one PDF.
pub(crate) struct OneFont<'f> {
    /// For shaping.
    pub(crate) face: Face<'f>,
    /// For embedding.
    pub(crate) font: Font,
    pub(crate) units: f32,
}

/// The fonts of one PDF.
pub(crate) struct Chosen<'f> {
    fonts: BTreeMap<FontFile, OneFont<'f>>,
    tables: Vec<(Han, &'f Table)>,
}

impl<'f> Chosen<'f> {
    /// Takes the needed fonts.
    ///
    /// # Errors
    /// [`PdfError::FontInvalid`] if one of them was not added.
    pub(crate) fn of(fonts: &'f Fonts, needs: &Needs) -> Result<Self, PdfError> {
        let mut chosen = Self {
            fonts: BTreeMap::new(),
            tables: Vec::new(),
        };
        for file in &needs.files {
            let wrong = || PdfError::FontInvalid(file.name().into_owned());
            if let FontFile::Table(_) = file {
                return Err(wrong());
            }
            let Loaded { bytes, font } = fonts.loaded.get(file).ok_or_else(wrong)?;
            let face = Face::from_slice(bytes, 0).ok_or_else(wrong)?;
            let units = i16::try_from(face.units_per_em()).map_err(|_| wrong())?;
            let one = OneFont {
                face,
                font: font.clone(),
                units: f32::from(units),
            };
            chosen.fonts.insert(*file, one);
        }
        let tables = needs.order.into_iter();
        chosen.tables = tables
            .filter_map(|han| Some((han, fonts.tables.get(&han)?)))
            .collect();
        Ok(chosen)
    }

    pub(crate) fn get(&self, file: FontFile) -> Option<&OneFont<'f>> {
        self.fonts.get(&file)
    }

    /// Returns the first font that has all characters of a cluster. `None` if there is none.
    pub(crate) fn font_for(&self, cluster: &str, is_bold: bool) -> Option<FontFile> {
        let first = if is_bold {
            FontFile::SerifBold
        } else {
            FontFile::Serif
        };
        self.has_all(first, cluster)
            .or_else(|| self.other_font_for(cluster))
            // The shaper composes letters and marks, if the font has the composed letter.
            .or_else(|| {
                let composed = composed(cluster);
                (composed != cluster).then(|| self.other_font_for(&composed))?
            })
    }

    fn other_font_for(&self, cluster: &str) -> Option<FontFile> {
        let is_slice = |file: &FontFile| matches!(file, FontFile::Slice(..));
        let whole = self.fonts.keys().filter(|file| !is_slice(file));
        let slices = || {
            let char = cluster.chars().find(|char| !is_ignorable(*char))?;
            let slices = self
                .tables
                .iter()
                .filter_map(|(han, table)| Some(FontFile::Slice(*han, table.slice_of(char)?)));
            slices.filter_map(|file| self.has_all(file, cluster)).next()
        };
        whole
            .filter_map(|file| self.has_all(*file, cluster))
            .next()
            .or_else(slices)
    }

    /// Returns the font if it has all characters of a cluster.
    fn has_all(&self, file: FontFile, cluster: &str) -> Option<FontFile> {
        let font = self.fonts.get(&file)?;
        let mut shown = cluster.chars().filter(|char| !is_ignorable(*char));
        shown
            .all(|char| font.face.glyph_index(char).is_some())
            .then_some(file)
    }
}

/// Returns a text with composed letters: `か` and a mark become `が`. Marks stay in their order, so the tables of decompositions are not needed.
fn composed(text: &str) -> String {
    let mut composed = String::with_capacity(text.len());
    let mut last: Option<char> = None;
    for char in text.chars() {
        last = match last.and_then(|last| compose(last, char)) {
            Some(letter) => Some(letter),
            None => {
                composed.extend(last);
                Some(char)
            }
        };
    }
    composed.extend(last);
    composed
}

/// Decompresses a slice. A few bytes can decompress to many, so it stops at the largest size.
fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut slice = Vec::new();
    let mut stream = ZlibDecoder::new(bytes).take(MAX_SLICE);
    stream.read_to_end(&mut slice).ok()?;
    Some(slice)
}

/// Returns true for characters that have no own glyph: joiners, marks of direction and selectors of variants. The shaper hides them.
pub(crate) fn is_ignorable(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(all(test, feature = "fonts"))]
impl Fonts {
    /// Returns the slices of a table with their characters.
    pub(crate) fn slices_of(&self, han: Han) -> BTreeMap<u8, Vec<char>> {
        let mut slices: BTreeMap<u8, Vec<char>> = BTreeMap::new();
        let ranges = self.tables.get(&han).into_iter().flat_map(|table| &table.0);
        for (first, last, number) in ranges {
            slices.entry(*number).or_default().extend(*first..=*last);
        }
        slices
    }

    pub(crate) fn has_char(&self, file: FontFile, char: char) -> bool {
        let face = self.plain(file);
        face.is_some_and(|face| face.glyph_index(char).is_some())
    }
}
