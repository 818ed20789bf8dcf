//! Numbers as text, the way ECMAScript writes them (ECMA-262, Number::toString), and decimal digits.

/// The text of a finite number: `1e21`, `0.000001`, `-0` as `0`.
pub(crate) struct NumberText(ryu_js::Buffer);

impl NumberText {
    pub(crate) fn new() -> Self {
        Self(ryu_js::Buffer::new())
    }

    /// `None` for an infinity and for NaN.
    pub(crate) fn format(&mut self, number: f64) -> Option<&str> {
        number.is_finite().then(|| self.0.format_finite(number))
    }
}

/// The decimal digits of an index, without an allocation.
pub(crate) struct Digits {
    /// A `usize` has at most 20 digits.
    bytes: [u8; 20],
    start: usize,
}

impl Digits {
    pub(crate) fn new(number: usize) -> Self {
        let mut digits = Self {
            bytes: [b'0'; 20],
            start: 20,
        };
        let mut rest = number;
        loop {
            digits.start = digits.start.saturating_sub(1);
            if let (Some(byte), Ok(digit)) = (
                digits.bytes.get_mut(digits.start),
                u8::try_from(rest.wrapping_rem(10)),
            ) {
                *byte = b'0'.wrapping_add(digit);
            }
            rest = rest.wrapping_div(10);
            if rest == 0 {
                return digits;
            }
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// The number that a canonical decimal text stands for: digits without a sign or leading zeros.
pub(crate) fn parse_index(text: &str) -> Option<usize> {
    if text.len() > 1 && text.starts_with('0') || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_read_as_in_ecmascript() {
        // ECMA-262, Number::toString: exponents from 21 digits up and from seven zeros down.
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
            assert_eq!(NumberText::new().format(number), Some(text));
        }
        assert_eq!(NumberText::new().format(f64::NAN), None);
        assert_eq!(NumberText::new().format(f64::NEG_INFINITY), None);
    }

    #[test]
    fn digits_are_the_decimal_text() {
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
