//! Unsigned 256-bit integers: token amounts and asset ids.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use alloy_primitives::{U256, hex};

use super::{NotValid, bytes, serde_as_text};

/// The number of decimal digits of the largest value, 2^256 − 1.
const DECIMAL_DIGITS: usize = 78;
/// The number of hexadecimal digits of every value in the fixed-width form.
const HEX_DIGITS: usize = 64;

/// Reads one or more digits in base `radix`, which is 10 or 16. Ignores leading zeros. `None` for other text, or a number above 2^256 − 1.
fn digits(text: &str, radix: u32) -> Option<U256> {
    let widest = if radix == 16 {
        HEX_DIGITS
    } else {
        DECIMAL_DIGITS
    };
    // The library's own parser allows `_` between digits.
    if text.is_empty() || !text.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let significant = text.trim_start_matches('0');
    if significant.len() > widest {
        return None;
    }
    U256::from_str_radix(significant, radix.into()).ok()
}

macro_rules! uint {
    ($type:ident) => {
        impl $type {
            /// Returns 64 lower-case hexadecimal digits without a prefix. Texts of this form sort like the numbers.
            #[must_use]
            pub fn to_hex64(&self) -> String {
                hex::encode(self.to_be_bytes())
            }

            /// Reads the form that [`to_hex64`](Self::to_hex64) writes.
            ///
            /// # Errors
            ///
            /// If `text` is anything but 64 hexadecimal digits.
            pub fn from_hex64(text: &str) -> Result<Self, NotValid> {
                bytes::from_hex(text)
                    .map(|bytes| $type(U256::from_be_bytes::<32>(bytes)))
                    .ok_or(NotValid("64 hexadecimal digits"))
            }

            /// Returns the number with these bytes, the most significant first.
            #[must_use]
            pub const fn from_be_bytes(bytes: [u8; 32]) -> Self {
                $type(U256::from_be_bytes(bytes))
            }

            /// The 32 bytes, the most significant first.
            #[must_use]
            pub fn to_be_bytes(&self) -> [u8; 32] {
                self.0.to_be_bytes()
            }
        }

        impl From<U256> for $type {
            fn from(number: U256) -> Self {
                $type(number)
            }
        }

        impl From<$type> for U256 {
            fn from(number: $type) -> Self {
                number.0
            }
        }

        impl From<u128> for $type {
            fn from(number: u128) -> Self {
                $type(U256::from(number))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        serde_as_text!($type);
    };
}

/// The id of an asset on its ledger.
///
/// Read from decimal digits or from `0x` and hexadecimal digits; written as decimal digits without leading zeros.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(U256);

uint!(AssetId);

impl FromStr for AssetId {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        match text.strip_prefix("0x") {
            Some(hexadecimal) => digits(hexadecimal, 16),
            None => digits(text, 10),
        }
        .map(AssetId)
        .ok_or(NotValid(
            "an unsigned 256-bit integer, in decimal digits or in hexadecimal digits after `0x`",
        ))
    }
}

/// An amount of tokens in base units. A token has 10^18 base units.
///
/// Read from decimal digits; written as decimal digits without leading zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(U256);

uint!(Amount);

impl Amount {
    /// Zero.
    pub const ZERO: Amount = Amount(U256::ZERO);
    /// The largest amount, 2^256 − 1.
    pub const MAX: Amount = Amount(U256::MAX);

    /// Returns true if the amount is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Returns the sum. `None` if it exceeds [`Amount::MAX`].
    #[must_use]
    pub fn checked_add(self, other: Amount) -> Option<Amount> {
        self.0.checked_add(other.0).map(Amount)
    }

    /// Returns the difference. `None` if it is negative.
    #[must_use]
    pub fn checked_sub(self, other: Amount) -> Option<Amount> {
        self.0.checked_sub(other.0).map(Amount)
    }

    /// Returns the difference, or zero if it is negative.
    #[must_use]
    pub fn saturating_sub(self, other: Amount) -> Amount {
        Amount(self.0.saturating_sub(other.0))
    }
}

impl FromStr for Amount {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        digits(text, 10).map(Amount).ok_or(NotValid(
            "an unsigned 256-bit integer in decimal digits, in the token's smallest unit",
        ))
    }
}
