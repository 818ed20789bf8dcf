//! Keys and signatures of Ed25519, as badges and DID documents write them: multibase with the letter `z` for base58btc. Keys of P-256 are written as JWK.

use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

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

/// The number of bytes of a coordinate of P-256.
const COORDINATE: usize = 32;
/// The first byte of a point that is written with both coordinates (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// The public key of P-256 with which JWTs are checked. Whether the point is on the curve is checked with the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwtKey {
    x: [u8; COORDINATE],
    y: [u8; COORDINATE],
}

impl JwtKey {
    /// Reads an uncompressed point: `0x04` and both coordinates.
    ///
    /// # Errors
    ///
    /// [`Refusal::Key`] for any other bytes.
    pub fn from_point(point: &[u8]) -> Result<Self, Refusal> {
        let coordinates = point.strip_prefix(&[UNCOMPRESSED]).ok_or(Refusal::Key)?;
        let (x, y) = coordinates.split_first_chunk().ok_or(Refusal::Key)?;
        let y = y.try_into().map_err(|_| Refusal::Key)?;
        Ok(Self { x: *x, y })
    }

    /// Returns the uncompressed point.
    #[must_use]
    pub fn point(&self) -> Vec<u8> {
        [[UNCOMPRESSED].as_slice(), &self.x, &self.y].concat()
    }

    /// Reads a JWK. `None` for a key of another kind, and for a private key.
    #[must_use]
    pub fn from_jwk(jwk: &Value) -> Option<Self> {
        let is = |name: &str, text: &str| jwk.get(name).and_then(Value::as_str) == Some(text);
        let coordinate = |name: &str| {
            let bytes = Base64UrlUnpadded::decode_vec(jwk.get(name)?.as_str()?).ok()?;
            bytes.try_into().ok()
        };
        if !is("kty", "EC") || !is("crv", "P-256") || jwk.get("d").is_some() {
            return None;
        }
        Some(Self {
            x: coordinate("x")?,
            y: coordinate("y")?,
        })
    }

    /// Returns the key as JWK.
    #[must_use]
    pub fn jwk(&self) -> Value {
        let [x, y] = self.coordinates();
        json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y })
    }

    /// Returns both coordinates as a JWK writes them.
    pub(crate) fn coordinates(&self) -> [String; 2] {
        [&self.x, &self.y].map(|bytes| Base64UrlUnpadded::encode_string(bytes))
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
