//! Imprints and schema ids: 32 bytes and their written forms.

use alloc::string::{String, ToString as _};
use core::fmt;
use core::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::aih2::formula::Hash;
use crate::aih2::message::refusal;
use crate::error::{CertError, ErrorCode};
use crate::hash::hex::is_hex;
use crate::json::path::Path;

/// The imprint of a document: a hash of the whole document, its schema and the profile's name.
///
/// The written form is `aih2:` and 64 lower-case hexadecimal digits. A ledger stores only the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Imprint([u8; 32]);

impl Imprint {
    /// Returns the 32 bytes that a ledger stores.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the digits alone, as a ledger writes them.
    #[must_use]
    pub fn digits(&self) -> String {
        digits_of(&self.0)
    }
}

impl From<[u8; 32]> for Imprint {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl FromStr for Imprint {
    type Err = CertError;

    /// Reads 64 lower-case hexadecimal digits, alone or after `aih2:` or `0x`.
    ///
    /// # Errors
    /// [`ErrorCode::ImprintInvalid`] for anything else.
    fn from_str(text: &str) -> Result<Self, CertError> {
        let prefixes = ["aih2:", "0x"];
        let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
        digits_to_bytes(digits.unwrap_or(text))
            .map(Self)
            .ok_or_else(|| {
                refusal(
                    ErrorCode::ImprintInvalid,
                    Path::root(),
                    "an imprint must be 64 lower-case hexadecimal digits, alone or after `aih2:` or `0x`",
                )
            })
    }
}

impl fmt::Display for Imprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("aih2:")?;
        write_digits(f, &self.0)
    }
}

impl Serialize for Imprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

/// Reads a string as [`Imprint::from_str`] does.
impl<'de> Deserialize<'de> for Imprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// The id of a schema: the hash of its canonical text (RFC 8785). Reformatting the schema does not change the id.
///
/// The written form is `0x` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId([u8; 32]);

impl SchemaId {
    /// Returns the 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses `0x` and 64 lower-case hexadecimal digits. Returns `None` for any other string.
    pub(super) fn read(text: &str) -> Option<Self> {
        digits_to_bytes(text.strip_prefix("0x")?).map(Self)
    }
}

impl From<[u8; 32]> for SchemaId {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        write_digits(f, &self.0)
    }
}

impl Serialize for SchemaId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

/// Reads the written form: `0x` and 64 lower-case hexadecimal digits.
impl<'de> Deserialize<'de> for SchemaId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| {
            D::Error::custom("a schema id must be `0x` and 64 lower-case hexadecimal digits")
        })
    }
}

/// Returns the bytes of 64 lower-case hexadecimal digits, or `None` for any other string.
pub(super) fn digits_to_bytes(digits: &str) -> Option<Hash> {
    if !is_hex(digits.as_bytes()) {
        return None;
    }
    let value = |digit: u8| match digit {
        b'a'..=b'f' => digit.wrapping_sub(b'a').wrapping_add(10),
        _ => digit.wrapping_sub(b'0'),
    };
    let mut bytes = [0; 32];
    let pairs = digits.as_bytes().as_chunks().0;
    for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(high).wrapping_mul(16).wrapping_add(value(low));
    }
    Some(bytes)
}

fn write_digits(f: &mut fmt::Formatter<'_>, bytes: &Hash) -> fmt::Result {
    f.write_str(&digits_of(bytes))
}

fn digits_of(bytes: &Hash) -> String {
    let mut digits = String::with_capacity(64);
    for byte in bytes {
        for digit in [byte >> 4, byte & 0x0f] {
            digits.extend(char::from_digit(digit.into(), 16));
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn imprints_round_trip_and_other_strings_are_refused() {
        let digits = "00112233445566778899aabbccddeeff".repeat(2);
        for prefix in ["aih2:", "0x", ""] {
            let imprint: Imprint = format!("{prefix}{digits}").parse().unwrap();
            assert_eq!(imprint.to_string(), format!("aih2:{digits}"));
            let json = serde_json::to_string(&format!("{prefix}{digits}")).unwrap();
            assert_eq!(serde_json::from_str::<Imprint>(&json).unwrap(), imprint);
        }
        for text in [
            "",
            "aih2:",
            &digits.to_uppercase(),
            &format!("AIH2:{digits}"),
            &format!("0X{digits}"),
            &format!("aih1:{digits}"),
            &format!("aih2:0x{digits}"),
            &format!("0xaih2:{digits}"),
            &format!(" {digits}"),
            &format!("{digits}\n"),
            &format!("{digits}0"),
            digits.trim_start_matches('0'),
        ] {
            let error = text.parse::<Imprint>().unwrap_err();
            assert_eq!(error.code(), ErrorCode::ImprintInvalid, "{text}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<Imprint>(&json).is_err(), "{text}");
        }
    }

    #[test]
    fn schema_ids_are_read_in_their_written_form_only() {
        let id = SchemaId::from([0xa7; 32]);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<SchemaId>(&json).unwrap(), id);
        for wrong in [
            json.replace("0x", ""),
            json.replace("0x", "0X"),
            json.to_uppercase(),
            json.replacen("a7", "", 1),
            json.replacen("a7", " a7", 1),
            "null".to_string(),
            "167".to_string(),
        ] {
            assert!(serde_json::from_str::<SchemaId>(&wrong).is_err(), "{wrong}");
        }
    }
}
