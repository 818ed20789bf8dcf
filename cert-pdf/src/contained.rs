//! The fonts inside this crate.

use crate::error::PdfError;
use crate::fonts::{FontFile, Fonts, Han};
use crate::sheet::Options;

/// The bytes of the numbered slices of a font.
macro_rules! slices {
    ($stem:literal: $($number:literal)*) => {
        [$(include_bytes!(concat!("../fonts/cjk/", $stem, "-", $number, ".slice")).as_slice()),*]
    };
}

static CHINESE: [&[u8]; 94] = slices! {
    "sc":
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
        20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
        80 81 82 83 84 85 86 87 88 89 90 91 92 93
};
static JAPANESE: [&[u8]; 120] = slices! {
    "jp":
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
        20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
        80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99
        100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119
};
static KOREAN: [&[u8]; 120] = slices! {
    "kr":
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
        20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79
        80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99
        100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119
};

/// Returns the bytes of a file. `None` for fonts of callers, and for numbers without a slice.
fn bytes_of(file: FontFile) -> Option<&'static [u8]> {
    Some(match file {
        FontFile::Serif => include_bytes!("../fonts/NotoSerif-Regular.ttf"),
        FontFile::SerifBold => include_bytes!("../fonts/NotoSerif-Bold.ttf"),
        FontFile::Arabic => include_bytes!("../fonts/NotoNaskhArabic-Regular.ttf"),
        FontFile::Hebrew => include_bytes!("../fonts/NotoSerifHebrew-Regular.ttf"),
        FontFile::Devanagari => include_bytes!("../fonts/NotoSerifDevanagari-Regular.ttf"),
        FontFile::Given(_) => return None,
        FontFile::Table(Han::Chinese) => include_bytes!("../fonts/cjk/sc.ranges"),
        FontFile::Table(Han::Japanese) => include_bytes!("../fonts/cjk/jp.ranges"),
        FontFile::Table(Han::Korean) => include_bytes!("../fonts/cjk/kr.ranges"),
        FontFile::Slice(Han::Chinese, number) => CHINESE.get(usize::from(number))?,
        FontFile::Slice(Han::Japanese, number) => JAPANESE.get(usize::from(number))?,
        FontFile::Slice(Han::Korean, number) => KOREAN.get(usize::from(number))?,
    })
}

impl Fonts {
    /// Adds a file that this crate contains.
    ///
    /// # Errors
    /// [`PdfError::FontInvalid`] if there is no such file.
    pub fn add_contained(&mut self, file: FontFile) -> Result<(), PdfError> {
        let wrong = || PdfError::FontInvalid(file.name().into_owned());
        self.add(file, bytes_of(file).ok_or_else(wrong)?)
    }

    /// Adds the files that the PDF of a certificate's file needs.
    ///
    /// # Errors
    /// Those of [`Self::missing`].
    pub fn add_missing(&mut self, file: &str, options: &Options) -> Result<(), PdfError> {
        loop {
            let missing = self.missing(file, options)?;
            if missing.is_empty() {
                return Ok(());
            }
            for file in missing {
                self.add_contained(file)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slice_has_the_characters_of_its_table() {
        for han in Han::ALL {
            let mut fonts = Fonts::new();
            fonts.add_contained(FontFile::Table(han)).unwrap();
            let mut count = 0;
            for (number, chars) in fonts.slices_of(han) {
                let file = FontFile::Slice(han, number);
                fonts.add_contained(file).unwrap();
                let lacking = chars.into_iter().find(|char| !fonts.has_char(file, *char));
                assert_eq!(lacking, None, "{file:?}");
                count += 1;
            }
            let next = FontFile::Slice(han, count);
            assert!(matches!(
                fonts.add_contained(next),
                Err(PdfError::FontInvalid(_))
            ));
        }
    }
}
