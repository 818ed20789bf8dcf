//! Hashes as text.

use crate::sha256::{Block, Words};

/// A hash as 64 lower-case hexadecimal characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex([[u8; 8]; 8]);

impl Hex {
    /// The characters, as they are hashed in turn.
    pub(crate) fn as_bytes(&self) -> &Block {
        // There are 64 of them.
        self.0.as_flattened().first_chunk().unwrap_or(&[0; 64])
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl From<Words> for Hex {
    fn from([a, b, c, d, e, f, g, h]: Words) -> Self {
        let [a, b, c, d] = digits(a, b, c, d);
        let [e, f, g, h] = digits(e, f, g, h);
        Self([a, b, c, d, e, f, g, h])
    }
}

/// Whether a text is 64 lower-case hexadecimal characters.
pub(crate) fn is_hex(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The digits of four words: in WebAssembly every digit of eight bytes is looked up at once.
#[cfg(target_arch = "wasm32")]
fn digits(a: u32, b: u32, c: u32, d: u32) -> [[u8; 8]; 4] {
    use core::arch::wasm32::{
        u8x16_shr, u8x16_shuffle, u8x16_splat, u8x16_swizzle, u32x4, u64x2, u64x2_extract_lane,
        v128_and,
    };
    let words = u32x4(a, b, c, d);
    let (high, low) = (u8x16_shr(words, 4), v128_and(words, u8x16_splat(0xf)));
    let table = u64x2(
        u64::from_le_bytes(*b"01234567"),
        u64::from_le_bytes(*b"89abcdef"),
    );
    // The highest byte of a word comes first.
    let [ab, cd] = [
        u8x16_shuffle::<3, 19, 2, 18, 1, 17, 0, 16, 7, 23, 6, 22, 5, 21, 4, 20>(high, low),
        u8x16_shuffle::<11, 27, 10, 26, 9, 25, 8, 24, 15, 31, 14, 30, 13, 29, 12, 28>(high, low),
    ];
    let (ab, cd) = (u8x16_swizzle(table, ab), u8x16_swizzle(table, cd));
    [
        u64x2_extract_lane::<0>(ab).to_le_bytes(),
        u64x2_extract_lane::<1>(ab).to_le_bytes(),
        u64x2_extract_lane::<0>(cd).to_le_bytes(),
        u64x2_extract_lane::<1>(cd).to_le_bytes(),
    ]
}

#[cfg(not(target_arch = "wasm32"))]
fn digits(a: u32, b: u32, c: u32, d: u32) -> [[u8; 8]; 4] {
    [a, b, c, d].map(digits_of)
}

#[cfg(not(target_arch = "wasm32"))]
fn digits_of(word: u32) -> [u8; 8] {
    // Every four bits into a byte of their own, all eight at once.
    let mut nibbles = u64::from(word);
    nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff;
    nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff;
    nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in the bytes that are a letter: ten and more.
    let letters = (nibbles.wrapping_add(0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    let to_letter = letters.wrapping_mul(u64::from(b'a' - b'0' - 10));
    nibbles
        .wrapping_add(0x3030_3030_3030_3030)
        .wrapping_add(to_letter)
        .to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn every_digit_is_written() {
        let words = [
            0x0123_4567,
            0x89ab_cdef,
            0xfedc_ba98,
            0x7654_3210,
            0,
            u32::MAX,
            0x9a9a_9a9a,
            0xa9a9_a9a9,
        ];
        let expected: String = words.iter().map(|word| format!("{word:08x}")).collect();
        assert_eq!(Hex::from(words).as_str(), expected);
        assert!(is_hex(&expected));
    }

    #[test]
    fn other_texts_are_no_hashes() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(is_hex(hash));
        assert!(is_hex(&"0".repeat(64)));
        for bad in [
            "",
            "BA",
            &hash.to_uppercase(),
            hash.trim_start_matches('b'),
            &format!("{hash}0"),
            &hash.replace('a', "g"),
            &hash.replace('a', "/"),
            &hash.replace('a', ":"),
            &hash.replace('a', "`"),
            &hash.replace("ba", "é"),
        ] {
            assert!(!is_hex(bad), "{bad}");
        }
    }
}
