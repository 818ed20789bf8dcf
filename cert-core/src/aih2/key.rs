//! Document keys. A key is generated at random and stored, or derived from an issuer's secret.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use sha256_lanes::{hash, to_bytes};
use zeroize::{Zeroize as _, Zeroizing};

use crate::aih2::formula::Hash;
use crate::aih2::imprint::{SchemaId, digits_to_bytes};
use crate::error::{CertError, ErrorCode};
use crate::hash::hmac::{self, Hmac};
use crate::json::path::Path;
use crate::json::value::Value;
use crate::json::write;

/// The minimum length of an issuer's secret, in bytes.
pub const MIN_SECRET_BYTES: usize = 32;

/// The key of one document, from which all keys in the document are derived. Keep the key as secret as the document.
///
/// The key must be uniformly random and belong to one document only. If two documents shared a key, evidence that opens a place in one
/// document would also open the same place in the other one. Without the document key, nobody can make evidence for values that existing
/// evidence hides. The key is wiped on drop.
#[derive(Clone)]
pub struct DocumentKey([u8; 32]);

impl DocumentKey {
    /// Reads 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`ErrorCode::OptionInvalid`] for anything else.
    pub fn from_hex(digits: &str) -> Result<Self, CertError> {
        digits_to_bytes(digits)
            .map(Self)
            .ok_or_else(|| invalid("a document key must be 64 lower-case hexadecimal digits"))
    }

    /// Returns the bytes, so the caller can store the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for DocumentKey {
    fn from(key: [u8; 32]) -> Self {
        Self(key)
    }
}

impl TryFrom<&[u8]> for DocumentKey {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::OptionInvalid`] unless there are 32 bytes.
    fn try_from(key: &[u8]) -> Result<Self, CertError> {
        key.try_into()
            .map(Self)
            .map_err(|_| invalid("a document key must have 32 bytes"))
    }
}

impl fmt::Debug for DocumentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DocumentKey(..)")
    }
}

impl Drop for DocumentKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// An issuer's secret, from which the keys of all documents are derived. It must be uniformly random and have no other use.
#[derive(Clone)]
pub struct Secret {
    secret: Zeroizing<Vec<u8>>,
    asset_id: String,
}

impl Secret {
    /// Creates a secret from at least [`MIN_SECRET_BYTES`] bytes and the id of the asset. Pass an empty id if there is no asset.
    ///
    /// # Errors
    /// [`ErrorCode::SecretTooShort`] for fewer bytes.
    pub fn new(secret: &[u8], asset_id: impl Into<String>) -> Result<Self, CertError> {
        if secret.len() < MIN_SECRET_BYTES {
            return Err(CertError::new(
                ErrorCode::SecretTooShort,
                Path::root(),
                "a secret must have at least 32 bytes, all of them random",
            ));
        }
        Ok(Self {
            secret: Zeroizing::new(secret.into()),
            asset_id: asset_id.into(),
        })
    }

    /// Returns the key of a document: `HMAC-SHA-256(secret, "AIH-2 key" ‖ schema id ‖ H(canonical text) ‖ asset id)`.
    fn document_key(&self, schema_id: SchemaId, document: &Value) -> DocumentKey {
        let mut canonical = String::new();
        write::canonical(&mut canonical, document);
        let mut text = Vec::from(*b"AIH-2 key");
        text.extend(schema_id.as_bytes());
        text.extend(to_bytes(&hash(canonical.as_bytes(), &[])));
        text.extend(self.asset_id.as_bytes());
        DocumentKey(*hmac::bytes(Hmac::new(&self.secret).of(&text)))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The source of a document's key.
#[derive(Clone, Debug)]
pub enum Keys {
    /// The key itself.
    Key(DocumentKey),
    /// A secret from which the key is derived.
    Secret(Secret),
}

impl Keys {
    /// Returns the key of this document.
    pub(super) fn of(&self, schema_id: SchemaId, document: &Value) -> DocumentKey {
        match self {
            Self::Key(key) => key.clone(),
            Self::Secret(secret) => secret.document_key(schema_id, document),
        }
    }
}

impl DocumentKey {
    pub(super) fn hash(&self) -> Hash {
        self.0
    }
}

fn invalid(message: &str) -> CertError {
    CertError::new(ErrorCode::OptionInvalid, Path::root(), message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn keys_have_32_bytes_and_are_hidden_in_debug_output() {
        for length in [0, 31, 33, 64] {
            let error = DocumentKey::try_from(&[7; 64][..length]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::OptionInvalid, "{length}");
        }
        let key = DocumentKey::try_from(&[0xab; 32][..]).unwrap();
        assert_eq!(
            key.as_bytes(),
            DocumentKey::from_hex(&"ab".repeat(32)).unwrap().as_bytes()
        );
        for digits in [
            "",
            &"AB".repeat(32),
            &"ab".repeat(31),
            &format!("0x{}", "ab".repeat(32)),
        ] {
            let error = DocumentKey::from_hex(digits).unwrap_err();
            assert_eq!(error.code(), ErrorCode::OptionInvalid, "{digits}");
        }
        let keys = [
            Keys::Key(key),
            Keys::Secret(Secret::new(&[0xab; 32], "id").unwrap()),
        ];
        let shown = format!("{keys:?}");
        assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
        let error = Secret::new(&[1; MIN_SECRET_BYTES - 1], "").unwrap_err();
        assert_eq!(error.code(), ErrorCode::SecretTooShort);
    }
}
