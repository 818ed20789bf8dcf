//! The price of a token.

use order_core::Amount;

/// A server that provides the price of a token.
#[derive(Clone, Debug)]
pub struct PriceSource {
    /// The address to query.
    pub url: String,
    /// The JSON pointer (RFC 6901) to the price in EUR in the server's answer.
    pub pointer: String,
}

/// A price in EUR as an exact decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    units: u64,
    decimals: u8,
}

impl Price {
    /// Maximum number of digits after the decimal point.
    pub const DECIMALS_MAX: usize = 12;

    /// Parses a positive decimal such as `0.042`, with at most 12 digits after the point and 15 digits in total. Returns
    /// `None` if the string is not valid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = [whole, fraction].concat();
        if whole.is_empty()
            || fraction.len() > Self::DECIMALS_MAX
            || digits.len() > 15
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let units = digits.parse().ok().filter(|units| *units > 0)?;
        Some(Self {
            units,
            decimals: u8::try_from(fraction.len()).ok()?,
        })
    }

    /// Returns true if two prices differ by less than a factor of 100. A larger difference probably means that one
    /// price has another unit or is a mistake.
    #[must_use]
    pub fn is_near(self, other: Self) -> bool {
        // Scales each price to a whole number of a common unit: at most 10^15 × 10^12 × 100, which fits into 128 bits.
        let scaled = |price: Self, by: Self| {
            10_u128
                .saturating_pow(u32::from(by.decimals))
                .saturating_mul(u128::from(price.units))
        };
        let (one, two) = (scaled(self, other), scaled(other, self));
        one < two.saturating_mul(100) && two < one.saturating_mul(100)
    }

    /// Returns the base units of the token (10^18 for one token) that `cents` buy, rounded down. Returns `None` on overflow.
    #[must_use]
    pub fn tokens_for(self, cents: u64) -> Option<Amount> {
        // cents × 10^18 / (price × 100) with price = units / 10^decimals, in integers.
        let scale = 10_u128
            .checked_pow(u32::from(self.decimals))?
            .checked_mul(10_u128.pow(16))?;
        let tokens = u128::from(cents)
            .checked_mul(scale)?
            .checked_div(u128::from(self.units))?;
        Some(Amount::from(tokens))
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decimals = usize::from(self.decimals);
        let digits = format!(
            "{:0>width$}",
            self.units,
            width = decimals.saturating_add(1)
        );
        let (whole, fraction) = digits
            .split_at_checked(digits.len().saturating_sub(decimals))
            .unwrap_or((&digits, ""));
        if fraction.is_empty() {
            f.write_str(whole)
        } else {
            write!(f, "{whole}.{fraction}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_of_another_unit_are_not_near() {
        let price = |text| Price::parse(text).unwrap();
        for (one, other, near) in [
            ("0.042", "0.042", true),
            ("0.042", "0.5", true),
            ("0.042", "4.19", true),
            ("0.042", "4.2", false),
            ("0.042", "0.00043", true),
            ("0.042", "0.00042", false),
            ("999999999999999", "0.000000000001", false),
            ("100", "1.00", false),
        ] {
            assert_eq!(price(one).is_near(price(other)), near, "{one} {other}");
            assert_eq!(price(other).is_near(price(one)), near, "{one} {other}");
        }
    }

    #[test]
    fn prices_are_exact() {
        assert_eq!(
            Price::parse("0.042")
                .unwrap()
                .tokens_for(4200)
                .unwrap()
                .to_string(),
            "1000000000000000000000"
        );
        assert_eq!(
            Price::parse("0.042")
                .unwrap()
                .tokens_for(1000)
                .unwrap()
                .to_string(),
            "238095238095238095238"
        );
        assert_eq!(
            Price::parse("3")
                .unwrap()
                .tokens_for(1000)
                .unwrap()
                .to_string(),
            "3333333333333333333"
        );
        for text in ["0.042", "3", "10.50", "0.000000000001"] {
            assert_eq!(Price::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "0", ".5", "-1", "1e3", "0.0000000000001", "1.2.3", "1 "] {
            assert_eq!(Price::parse(text), None, "{text}");
        }
    }
}
