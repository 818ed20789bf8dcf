//! The order of JavaScript's `sort()`: by UTF-16 code units.

use core::cmp::Ordering;

/// Compares two texts by their UTF-16 code units.
///
/// The order of code units differs from the order of UTF-8 bytes only between a character above U+FFFF and a character from U+E000 to
/// U+FFFF. The first is a surrogate pair, whose code units are below 0xE000, so it sorts before the second. In UTF-8, the first bytes of
/// the two characters already differ: 0xF0 or more for the first, 0xEE or 0xEF for the second.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    #[cfg(test)]
    crate::steps::count();
    let rank = |byte: u8| (matches!(byte, 0xee | 0xef), byte);
    let mut bytes = left.bytes().zip(right.bytes());
    match bytes.find(|(one, other)| one != other) {
        Some((one, other)) => rank(one).cmp(&rank(other)),
        None => left.len().cmp(&right.len()),
    }
}

/// Returns the number of UTF-16 code units in a text, given as UTF-8 bytes.
pub(crate) fn length(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut units = 0_usize;
    for byte in text {
        // Each leading byte starts a character. A character of four bytes has two code units.
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
    fn texts_are_compared_by_utf16_code_units() {
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
