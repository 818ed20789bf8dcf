//! Keys and signatures of Ed25519, as badges and DID documents write them: multibase with the letter `z` for base58btc.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::refusal::Refusal;

/// The multicodec of a public key of Ed25519.
const ED25519: [u8; 2] = [0xed, 0x01];

/// The public key of Ed25519 with which badges are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Parses the form of `publicKeyMultibase`.
    ///
    /// # Errors
    ///
    /// [`Refusal::Key`] for any other text.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        match decode::<34>(text)?.split_first_chunk() {
            Some((&ED25519, key)) => key.try_into().map(Self).map_err(|_| Refusal::Key),
            _ => Err(Refusal::Key),
        }
    }
}

/// Writes the form of `publicKeyMultibase`.
impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = ED25519.into_iter().chain(self.0).collect();
        write!(formatter, "z{}", bs58::encode(bytes).into_string())
    }
}

/// A signature of Ed25519.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("z{}", bs58::encode(self.0).into_string()))
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

/// Decodes multibase of exactly `N` bytes. Longer text is refused before it is decoded, because the time grows with the square of its length.
fn decode<const N: usize>(text: &str) -> Result<[u8; N], Refusal> {
    let digits = text.strip_prefix('z').ok_or(Refusal::Key)?;
    if digits.len() > N.saturating_mul(2) {
        return Err(Refusal::Key);
    }
    let bytes = bs58::decode(digits).into_vec().map_err(|_| Refusal::Key)?;
    bytes.try_into().map_err(|_| Refusal::Key)
}
