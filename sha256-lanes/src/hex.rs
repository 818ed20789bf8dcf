//! Hashes as text.

#[cfg(target_arch = "wasm32")]
use crate::simd::digits;
use crate::{Block, Words};

/// Writes a hash as 64 lower-case hexadecimal characters.
#[cfg(target_arch = "wasm32")]
pub fn write_hex(hash: &Words, text: &mut Block) {
    let (words, _) = hash.as_chunks();
    let (places, _) = text.as_chunks_mut::<32>();
    for (place, words) in places.iter_mut().zip(words) {
        for (place, digits) in place.as_chunks_mut().0.iter_mut().zip(digits(*words)) {
            *place = digits;
        }
    }
}

/// Writes a hash as 64 lower-case hexadecimal characters.
#[cfg(not(target_arch = "wasm32"))]
pub fn write_hex(hash: &Words, text: &mut Block) {
    // Four bits in every byte of 64: all words at each step, for compilers to make vectors of.
    let mut digits = [0; 8];
    for (digits, word) in digits.iter_mut().zip(hash) {
        *digits = u64::from(word.swap_bytes());
    }
    for digits in &mut digits {
        *digits = (*digits | *digits << 16) & 0x0000_ffff_0000_ffff;
        *digits = (*digits | *digits << 8) & 0x00ff_00ff_00ff_00ff;
        *digits = (*digits >> 4 | *digits << 8) & 0x0f0f_0f0f_0f0f_0f0f;
        // 1 in the bytes that are a letter: ten and more.
        let letters = (digits.wrapping_add(0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
        let to_letter = (letters << 5 | letters << 3).wrapping_sub(letters);
        *digits = digits
            .wrapping_add(0x3030_3030_3030_3030)
            .wrapping_add(to_letter);
    }
    for (place, digits) in text.as_chunks_mut().0.iter_mut().zip(digits) {
        *place = digits.to_le_bytes();
    }
}

/// Whether a text, given as its bytes, is 64 lower-case hexadecimal characters.
#[must_use]
pub fn is_hex(text: &[u8]) -> bool {
    // To the end in any case, so that many characters are looked at in one step.
    let is_digit = |byte: &u8| byte.wrapping_sub(b'0') < 10 || byte.wrapping_sub(b'a') < 6;
    text.len() == 64 && text.iter().fold(true, |all, byte| all & is_digit(byte))
}

/// Whether two texts, given as their bytes, are the same; of 64 bytes eight are looked at in one step.
#[must_use]
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (<&Block>::try_from(one), <&Block>::try_from(other)) {
        (Ok(one), Ok(other)) => one
            .as_chunks::<8>()
            .0
            .iter()
            .zip(other.as_chunks().0)
            .all(|(one, other)| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other)),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;

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
        let mut text = [0; 64];
        write_hex(&words, &mut text);
        assert_eq!(text, expected.as_bytes());
        assert!(is_hex(expected.as_bytes()));
    }

    #[test]
    fn texts_that_differ_anywhere_are_not_the_same() {
        let text = [b'a'; 70];
        for length in [0, 1, 63, 64, 65, 70] {
            let text = &text[..length];
            let copy = text.to_vec();
            assert!(is_same(text, &copy));
            assert!(!is_same(text, b"b") && !is_same(b"b", text));
            for at in 0..length {
                for byte in [b'a' ^ 1, b'a' ^ 0x80] {
                    let mut other = text.to_vec();
                    other[at] = byte;
                    assert!(!is_same(text, &other), "{length}, {at}");
                }
            }
        }
    }

    #[test]
    fn other_texts_are_no_hashes() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(is_hex(hash.as_bytes()));
        assert!(is_hex("0".repeat(64).as_bytes()));
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
            assert!(!is_hex(bad.as_bytes()), "{bad}");
        }
    }
}
