//! Private keys, and the claims that they make.

use core::fmt;

use alloy_primitives::B256;
use k256::ecdsa::{Signature, SigningKey};

use super::{Claim, ClaimKind, account_of, eip191_digest};
use crate::types::{Address, NotValid, bytes};

const EXPECTED: NotValid =
    NotValid("a private key: 32 bytes as 64 hexadecimal digits, with or without `0x` before them");

/// A private key and the account that it signs for.
///
/// Dropping the value erases the key from memory. The key does not appear in `Debug` output.
#[derive(Clone)]
pub struct PrivateKey {
    key: SigningKey,
    address: Address,
}

impl PrivateKey {
    /// Creates the key with these bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are zero, or not below the order of secp256k1.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<PrivateKey, NotValid> {
        let key = SigningKey::from_slice(bytes).map_err(|_| EXPECTED)?;
        let address = account_of(key.verifying_key()).ok_or(EXPECTED)?;
        Ok(PrivateKey { key, address })
    }

    /// The account that the key signs for.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }

    /// Returns the claim for the hash of an order, a deployment or an approval.
    ///
    /// The claim is deterministic for a key and a hash (RFC 6979). Its `s` is in the lower half.
    #[must_use]
    pub fn claim(&self, kind: ClaimKind, hash: &B256) -> Claim {
        self.sign_digest(kind, &eip191_digest(hash.as_slice()))
    }

    /// Signs a digest without a prefix.
    pub(crate) fn sign_digest(&self, kind: ClaimKind, digest: &B256) -> Claim {
        let (signature, odd) = self.sign_prehash(digest);
        Claim {
            kind,
            signature,
            odd,
        }
    }

    /// Returns the signature, whose `s` is in the lower half. The boolean is true if the point's y coordinate is odd.
    pub(crate) fn sign_prehash(&self, digest: &B256) -> (Signature, bool) {
        let (signature, id) = self.key.sign_prehash_recoverable(digest.as_slice());
        (signature, id.is_y_odd())
    }
}

impl core::str::FromStr for PrivateKey {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, NotValid> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let bytes = bytes::from_hex(digits).ok_or(EXPECTED)?;
        PrivateKey::from_bytes(&bytes)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey of {}", self.address)
    }
}
