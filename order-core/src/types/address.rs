//! Ethereum addresses.

use core::fmt;
use core::str::FromStr;

use alloy_primitives::B256;

use super::{NotValid, bytes, serde_as_text};

const EXPECTED: NotValid = NotValid(
    "an Ethereum address: `0x` and 40 hexadecimal digits, not all zero, and with its checksum if \
     the letters are of mixed case",
);

/// An Ethereum address other than the zero address.
///
/// Read from `0x` and 40 hexadecimal digits. Digits of a single case have no checksum; mixed case must be the address's
/// EIP-55 form. Written in EIP-55 form, compared as bytes. The zero address is refused because it hashes like an empty
/// sender or receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(alloy_primitives::Address);

impl Address {
    /// Returns the address with these bytes. `None` if they are all zero.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Option<Address> {
        let address = alloy_primitives::Address::new(bytes);
        if address.0.const_is_zero() {
            None
        } else {
            Some(Address(address))
        }
    }

    /// Returns the address that Ethereum derives from a Keccak-256 hash: its last 20 bytes.
    ///
    /// `None` if these bytes are all zero. No known input has such a hash.
    #[must_use]
    pub fn from_hash(hash: &B256) -> Option<Address> {
        let address = alloy_primitives::Address::from_word(*hash);
        (!address.is_zero()).then_some(Address(address))
    }

    /// The 20 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0.0
    }
}

impl From<Address> for alloy_primitives::Address {
    fn from(address: Address) -> Self {
        address.0
    }
}

impl FromStr for Address {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        let digits = text.strip_prefix("0x").ok_or(EXPECTED)?;
        let address = bytes::from_hex(digits)
            .and_then(Address::from_bytes)
            .ok_or(EXPECTED)?;
        let lower = digits.bytes().any(|digit| digit.is_ascii_lowercase());
        let upper = digits.bytes().any(|digit| digit.is_ascii_uppercase());
        if lower && upper && address.0.to_checksum_buffer(None).as_str() != text {
            return Err(EXPECTED);
        }
        Ok(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_checksum_buffer(None).as_str())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

serde_as_text!(Address);
