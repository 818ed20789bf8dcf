//! Values of 32 bytes, written as hexadecimal digits.

use core::fmt;
use core::str::FromStr;

use alloy_primitives::{B256, hex};

use super::{NotValid, serde_as_text};

/// Decodes exactly `N` bytes from `2 * N` hexadecimal digits of either case. `None` for any other text, including text with a prefix.
pub(crate) fn from_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    // The decoder strips `0x` itself. Then too few digits are left, and decoding fails.
    if digits.len() != N.checked_mul(2)? {
        return None;
    }
    hex::decode_to_array(digits).ok()
}

/// Decodes 32 bytes from 64 hexadecimal digits, with or without `0x`.
fn word(text: &str) -> Option<B256> {
    from_hex(text.strip_prefix("0x").unwrap_or(text)).map(B256::new)
}

/// The Merkle imprint of an asset: 32 bytes.
///
/// Read from exactly 64 hexadecimal digits, with or without `0x`; written as 64 lower-case digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Imprint(B256);

impl Imprint {
    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0.0
    }
}

impl From<[u8; 32]> for Imprint {
    fn from(bytes: [u8; 32]) -> Self {
        Imprint(B256::new(bytes))
    }
}

impl FromStr for Imprint {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        word(text).map(Imprint).ok_or(NotValid(
            "64 hexadecimal digits, with or without `0x` before them",
        ))
    }
}

impl fmt::Display for Imprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(hex::Buffer::<32, false>::new().format(&self.0))
    }
}

/// The identifier of a ledger's schema: 32 bytes.
///
/// Read from exactly 64 hexadecimal digits, with or without `0x`. Written as `0x` and 64 lower-case digits, as in the section "Asset
/// certificate" of the interface specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(B256);

impl SchemaId {
    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0.0
    }
}

impl From<[u8; 32]> for SchemaId {
    fn from(bytes: [u8; 32]) -> Self {
        SchemaId(B256::new(bytes))
    }
}

impl FromStr for SchemaId {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        word(text).map(SchemaId).ok_or(NotValid(
            "32 bytes as 64 hexadecimal digits, with or without `0x` before them",
        ))
    }
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(hex::Buffer::<32, true>::new().format(&self.0))
    }
}

impl fmt::Debug for Imprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

serde_as_text!(Imprint);
serde_as_text!(SchemaId);
