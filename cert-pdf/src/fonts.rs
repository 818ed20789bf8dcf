//! The fonts, and the choice of a font for each character.

use krilla::Data;
use krilla::text::Font;
use rustybuzz::Face;

use crate::error::PdfError;

/// A file in the folder `fonts`.
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
}

impl FontFile {
    /// All fonts, in the order in which a character's font is looked for.
    pub const ALL: [Self; 5] = [
        Self::Serif,
        Self::SerifBold,
        Self::Arabic,
        Self::Hebrew,
        Self::Devanagari,
    ];

    /// Returns the name of the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Serif => "NotoSerif-Regular.ttf",
            Self::SerifBold => "NotoSerif-Bold.ttf",
            Self::Arabic => "NotoNaskhArabic-Regular.ttf",
            Self::Hebrew => "NotoSerifHebrew-Regular.ttf",
            Self::Devanagari => "NotoSerifDevanagari-Regular.ttf",
        }
    }

    /// Returns true if text with this character needs the font, apart from the two fonts that every PDF needs.
    fn is_for(self, char: char) -> bool {
        let blocks: &[(u32, u32)] = match self {
            Self::Serif | Self::SerifBold => &[],
            Self::Arabic => &[
                (0x600, 0x6ff),
                (0x750, 0x77f),
                (0x8a0, 0x8ff),
                (0xfb50, 0xfdff),
                (0xfe70, 0xfeff),
            ],
            Self::Hebrew => &[(0x590, 0x5ff), (0xfb1d, 0xfb4f)],
            Self::Devanagari => &[(0x900, 0x97f), (0x1cd0, 0x1cff), (0xa8e0, 0xa8ff)],
        };
        let code = u32::from(char);
        blocks
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
    }

    /// Returns the fonts that texts need.
    pub(crate) fn needed<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Self> {
        let mut is_needed = Self::ALL.map(|font| matches!(font, Self::Serif | Self::SerifBold));
        // ASCII needs no further font, so most characters are decided by one comparison.
        for char in texts.flat_map(str::chars).filter(|char| !char.is_ascii()) {
            for (font, is_needed) in Self::ALL.iter().zip(&mut is_needed) {
                *is_needed = *is_needed || font.is_for(char);
            }
        }
        let all = Self::ALL.into_iter().zip(is_needed);
        all.filter_map(|(font, is_needed)| is_needed.then_some(font))
            .collect()
    }
}

/// A loaded font.
pub(crate) struct Loaded<'a> {
    pub(crate) file: FontFile,
    /// For shaping.
    pub(crate) face: Face<'a>,
    /// For embedding.
    pub(crate) font: Font,
    pub(crate) units: f32,
}

/// Loaded fonts. Several PDFs can use the same ones.
pub struct Fonts<'a> {
    loaded: Vec<Loaded<'a>>,
}

impl<'a> Fonts<'a> {
    /// Loads fonts from the bytes of their files.
    ///
    /// # Errors
    /// [`PdfError::FontInvalid`] if a file is no font.
    pub fn new(files: impl IntoIterator<Item = (FontFile, &'a [u8])>) -> Result<Self, PdfError> {
        let load = |(file, bytes): (FontFile, &'a [u8])| {
            let wrong = || PdfError::FontInvalid(file.name());
            let face = Face::from_slice(bytes, 0).ok_or_else(wrong)?;
            Ok(Loaded {
                file,
                units: f32::from(i16::try_from(face.units_per_em()).map_err(|_| wrong())?),
                face,
                font: Font::new(Data::from(bytes.to_vec()), 0).ok_or_else(wrong)?,
            })
        };
        let mut loaded = files.into_iter().map(load).collect::<Result<Vec<_>, _>>()?;
        loaded.sort_by_key(|font| font.file);
        Ok(Self { loaded })
    }

    pub(crate) fn get(&self, file: FontFile) -> Option<&Loaded<'a>> {
        self.loaded.iter().find(|font| font.file == file)
    }

    /// Returns the first font that has all characters of a cluster. `None` if there is none.
    pub(crate) fn font_for(&self, cluster: &str, is_bold: bool) -> Option<FontFile> {
        let first = if is_bold {
            FontFile::SerifBold
        } else {
            FontFile::Serif
        };
        let has_all = |font: &&Loaded<'_>| {
            let mut shown = cluster.chars().filter(|char| !is_ignorable(*char));
            shown.all(|char| font.face.glyph_index(char).is_some())
        };
        let own = self.get(first).filter(|font| has_all(font));
        let other = || self.loaded.iter().find(has_all);
        own.or_else(other).map(|font| font.file)
    }
}

#[cfg(feature = "fonts")]
impl Fonts<'static> {
    /// Loads the fonts that this crate contains.
    ///
    /// # Errors
    /// [`PdfError::FontInvalid`] if a file is no font. A test of this crate excludes that.
    pub fn contained() -> Result<Self, PdfError> {
        Self::new([
            (
                FontFile::Serif,
                include_bytes!("../fonts/NotoSerif-Regular.ttf").as_slice(),
            ),
            (
                FontFile::SerifBold,
                include_bytes!("../fonts/NotoSerif-Bold.ttf"),
            ),
            (
                FontFile::Arabic,
                include_bytes!("../fonts/NotoNaskhArabic-Regular.ttf"),
            ),
            (
                FontFile::Hebrew,
                include_bytes!("../fonts/NotoSerifHebrew-Regular.ttf"),
            ),
            (
                FontFile::Devanagari,
                include_bytes!("../fonts/NotoSerifDevanagari-Regular.ttf"),
            ),
        ])
    }
}

/// Returns true for characters that have no own glyph: joiners, marks of direction and selectors of variants. The shaper hides them.
fn is_ignorable(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}')
}
