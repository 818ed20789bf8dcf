//! Numbers, and decimal digits.

use core::fmt;

use sha256_lanes::copy;

use crate::invariant::certain;

/// A JSON number: an IEEE 754 double. It is stored as the text that ECMAScript writes for it (ECMA-262, Number::toString). This text is
/// hashed, compared and shown.
///
/// Different doubles have different texts. The text of −0 is `0`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The longest texts have 25 bytes, such as `-0.0000012345678901234567`.
    bytes: [u8; 25],
    length: u8,
}

impl Number {
    /// Returns the text, such as `1e+21` or `0.000001`. Numbers that are not finite are `Infinity`, `-Infinity` and `NaN`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length));
        let text = bytes.and_then(|bytes| str::from_utf8(bytes).ok());
        certain(text, "`bytes` begins with a text of this length")
    }

    /// Returns true if the number is neither an infinity nor NaN.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        !self.bytes.iter().any(|byte| matches!(byte, b'I' | b'N'))
    }

    /// Returns the number as a double. NaN if a binding passed a malformed text to [`Self::from_stringified`].
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }

    /// Creates a number from the text that ECMAScript wrote for it. Does not check the text. Returns `None` if the text is longer than
    /// the text of any number.
    #[must_use]
    pub fn from_stringified(text: &str) -> Option<Self> {
        let mut bytes = [0; 25];
        copy(bytes.get_mut(..text.len())?, text.as_bytes());
        Some(Self {
            bytes,
            length: u8::try_from(text.len()).ok()?,
        })
    }

    fn of_text(text: &str) -> Self {
        let number = Self::from_stringified(text);
        certain(number, "no number's text is longer than 25 bytes")
    }

    /// Returns the number if it can be a count or an index in memory, otherwise `None`.
    pub(crate) fn to_index(self) -> Option<usize> {
        /// Greater than any count in this crate, and within a 32-bit `usize`.
        const LIMIT: usize = 0xffff_ffff;
        parse_index(self.as_str()).filter(|index| *index < LIMIT)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self::of_text(ryu_js::Buffer::new().format(number))
    }
}

impl From<usize> for Number {
    /// The digits equal ECMAScript's text up to 2^53. No index is greater.
    fn from(number: usize) -> Self {
        Self::of_text(Digits::new(number).as_str())
    }
}

impl From<u64> for Number {
    /// The digits equal ECMAScript's text up to 2^53. No count is greater.
    fn from(number: u64) -> Self {
        Self::of_text(Digits::of(number).as_str())
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The decimal digits of an index or a count, without an allocation.
pub(crate) struct Digits {
    /// A `u64` has at most 20 digits. The digits are at the end of the array.
    bytes: [u8; 20],
    start: usize,
}

impl Digits {
    pub(crate) fn new(number: usize) -> Self {
        Self::of(number as u64)
    }

    fn of(number: u64) -> Self {
        let mut digits = Self {
            bytes: [b'0'; 20],
            start: 20,
        };
        let mut rest = number;
        loop {
            digits.start = digits.start.wrapping_sub(1);
            let byte = digits.bytes.get_mut(digits.start);
            *certain(byte, "there is a byte for every digit") =
                b'0'.wrapping_add(rest.wrapping_rem(10).to_le_bytes()[0]);
            rest = rest.wrapping_div(10);
            if rest == 0 {
                return digits;
            }
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        certain(
            self.bytes.get(self.start..),
            "`start` is an index of `bytes`",
        )
    }

    pub(crate) fn as_str(&self) -> &str {
        certain(str::from_utf8(self.as_bytes()).ok(), "digits are ASCII")
    }
}

/// Parses a canonical decimal text: digits without a sign or leading zeros. Returns `None` for any other text, and for a number that
/// `usize` cannot hold.
pub(crate) fn parse_index(text: &str) -> Option<usize> {
    if text.is_empty() || text.len() > 1 && text.starts_with('0') {
        return None;
    }
    let mut number = 0_usize;
    for byte in text.bytes() {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number = number.checked_mul(10)?.checked_add(usize::from(digit))?;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_are_written_as_in_ecmascript() {
        // ECMA-262, Number::toString: an exponent is written from 1e21 up and below 1e-6.
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (9007199254740993.0, "9007199254740992"),
        ] {
            assert_eq!(Number::from(number).as_str(), text);
            assert!(Number::from(number).is_finite());
            assert_eq!(Number::from(number).to_f64(), number);
        }
        for (number, text) in [
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(Number::from(number).as_str(), text);
            assert!(!Number::from(number).is_finite());
        }
        assert_eq!(Number::from(-2.2250738585072014e-308).as_str().len(), 24);
        assert_eq!(Number::from(-0.0000012345678901234567).as_str().len(), 25);
        assert_eq!(Number::from_stringified(&"1".repeat(26)), None);
    }

    #[test]
    fn indexes_round_trip_and_other_texts_are_refused() {
        for number in [0, 9, 10, 99, 100, 4_294_967_295, usize::MAX] {
            assert_eq!(Digits::new(number).as_str(), number.to_string());
            assert_eq!(parse_index(&number.to_string()), Some(number));
        }
        for text in [
            "",
            "00",
            "01",
            "-1",
            "+1",
            "1.0",
            " 1",
            "18446744073709551616",
            "١",
        ] {
            assert_eq!(parse_index(text), None, "{text}");
        }
    }
}
