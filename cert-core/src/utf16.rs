//! The order of JavaScript's `sort()`: by UTF-16 code units.

use core::cmp::Ordering;

/// Compares two texts by their UTF-16 code units.
///
/// That differs from the order of UTF-8 bytes where a code point above U+FFFF, a surrogate pair from
/// 0xD800 on, meets one from U+E000 to U+FFFF.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn astral_comes_before_private_use() {
        assert_eq!(compare("😀", "\u{ff01}"), Ordering::Less);
        assert_eq!("😀".cmp("\u{ff01}"), Ordering::Greater);
        assert_eq!(compare("a", "aa"), Ordering::Less);
        assert_eq!(compare("", ""), Ordering::Equal);
    }
}
