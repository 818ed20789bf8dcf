//! The order of JavaScript's `sort()`: by UTF-16 code units.

use core::cmp::Ordering;

/// Compares two texts by their UTF-16 code units.
///
/// The order of code units differs from that of UTF-8 bytes only where a code point above U+FFFF, a surrogate pair
/// from 0xD800 on, meets one from U+E000 to U+FFFF: there the first bytes that differ begin their
/// characters, the one with 0xF0 or more, the other with 0xEE or 0xEF.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let rank = |byte: u8| (matches!(byte, 0xee | 0xef), byte);
    let mut bytes = left.bytes().zip(right.bytes());
    match bytes.find(|(one, other)| one != other) {
        Some((one, other)) => rank(one).cmp(&rank(other)),
        None => left.len().cmp(&right.len()),
    }
}

/// Number of UTF-16 code units in a text, given as bytes.
pub(crate) fn length(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut units = 0_usize;
    for byte in text {
        // A character for each byte that begins one; four bytes are two code units.
        units = units.wrapping_add(usize::from(*byte & 0xc0 != 0x80));
        units = units.wrapping_add(usize::from(*byte >= 0xf0));
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn is_the_order_of_utf16() {
        assert_eq!(compare("😀", "\u{ff01}"), Ordering::Less);
        assert_eq!("😀".cmp("\u{ff01}"), Ordering::Greater);
        let texts = [
            "",
            "a",
            "aa",
            "b",
            "\u{7f}",
            "\u{80}",
            "é",
            "\u{7ff}",
            "\u{800}",
            "\u{d7ff}",
            "\u{e000}",
            "\u{efff}",
            "\u{f000}",
            "\u{ffff}",
            "\u{10000}",
            "\u{3ffff}",
            "\u{40000}",
            "\u{10ffff}",
        ];
        for one in texts {
            for other in texts {
                for (left, right) in [
                    (one.into(), other.into()),
                    (format!("é{one}x"), format!("é{other}")),
                    (format!("😀{one}"), format!("😀{other}\u{e000}")),
                ] {
                    let expected = left.encode_utf16().cmp(right.encode_utf16());
                    assert_eq!(compare(&left, &right), expected, "{left:?} {right:?}");
                }
            }
        }
    }
}
