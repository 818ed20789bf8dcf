//! Claims: signatures by which accounts agree to an order, a deployment or an approval.
//!
//! ECDSA signatures are malleable. A high `s` is therefore refused, the recovery bytes 0 and 1 are read as 27 and 28, and a claim is stored in one form.
//! Replay protection uses the hash of the request, never the bytes of a signature. Recovery agrees with Wycheproof's vectors, except for points
//! whose x coordinate is at least the curve's order: Ethereum's recovery byte cannot express them, and contracts do not recover them either.

mod eip191;
#[cfg(any(test, feature = "sign"))]
mod sign;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use alloy_primitives::{B256, hex, keccak256};
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Code, FieldError};
use crate::fields::Field;
use crate::types::{Address, bytes, serde_as_text};

pub(crate) use eip191::eip191_digest;
#[cfg(any(test, feature = "sign"))]
pub use sign::PrivateKey;

/// The method by which a wallet signs. Source: `docs/interface.md`, "Authentication".
///
/// Claims of both kinds sign the same digest. In the Authorization header, kind 0 may sign a different digest
/// ([`EthSignReading`](crate::EthSignReading)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ClaimKind {
    /// `eth_sign`.
    EthSign = 0,
    /// `personal_sign`. Contract calls encode this kind as 0.
    PersonalSign = 3,
}

/// The reason why a text is not a claim, or is not the claim of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimError {
    /// Not `{kind}:0x` and 130 hexadecimal digits.
    Form,
    /// A kind other than 0 and 3.
    Kind,
    /// The last byte is not 27, 28, 0 or 1.
    RecoveryByte,
    /// `r` or `s` is zero, or not below the order of the curve.
    Range,
    /// `s` is in the upper half of the curve's order. Every such signature has an equivalent form with a low `s`.
    HighS,
    /// No public key can be recovered from the signature.
    NotRecoverable,
    /// The signature is by a different account, or of a different hash.
    OtherAccount,
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClaimError::Form => {
                "must be `{kind}:{signature}`, where the signature is `0x` and 130 hexadecimal digits"
            }
            ClaimError::Kind => "must be of kind 0 (ETH_SIGN) or 3 (PERSONAL_SIGN)",
            ClaimError::RecoveryByte => "must end in the byte 27 or 28 (or 0 or 1)",
            ClaimError::Range => "must have r and s from 1 to below the order of secp256k1",
            ClaimError::HighS => "must have an s in the lower half of secp256k1's order",
            ClaimError::NotRecoverable => "must be a signature from which a public key can be recovered",
            ClaimError::OtherAccount => "must be this account's signature of exactly this content",
        })
    }
}

impl core::error::Error for ClaimError {}

/// A well-formed signature with its kind.
///
/// Read from `{kind}:{0x r32 s32 v1}` in exactly one form: kind 0 or 3, 65 bytes, and `s` in the lower half (EIP-2).
/// `v` is 27 or 28; 0 and 1 are read as 27 and 28. Written in lower case with 27 or 28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    kind: ClaimKind,
    signature: Signature,
    odd: bool,
}

impl Claim {
    /// Returns the method by which the wallet signed.
    #[must_use]
    pub fn kind(&self) -> ClaimKind {
        self.kind
    }

    /// The signature's `r`, the most significant byte first.
    #[must_use]
    pub fn r(&self) -> [u8; 32] {
        self.signature.split_bytes().0.into()
    }

    /// The signature's `s`, the most significant byte first.
    #[must_use]
    pub fn s(&self) -> [u8; 32] {
        self.signature.split_bytes().1.into()
    }

    /// The recovery byte, 27 or 28.
    #[must_use]
    pub fn v(&self) -> u8 {
        if self.odd { 28 } else { 27 }
    }

    /// Returns the account that signed the hash of an order, a deployment or an approval.
    ///
    /// # Errors
    ///
    /// [`ClaimError::NotRecoverable`] if no public key can be recovered from the signature.
    pub fn recover(&self, hash: &B256) -> Result<Address, ClaimError> {
        self.recover_digest(&eip191_digest(hash.as_slice()))
    }

    /// Returns the account that signed a digest without a prefix.
    pub(crate) fn recover_digest(&self, digest: &B256) -> Result<Address, ClaimError> {
        let id = RecoveryId::new(self.odd, false);
        VerifyingKey::recover_from_prehash(digest.as_slice(), &self.signature, id)
            .ok()
            .and_then(|key| account_of(&key))
            .ok_or(ClaimError::NotRecoverable)
    }
}

/// Returns the account of a public key: the last 20 bytes of the hash of its two coordinates. `None` for the zero address.
pub(crate) fn account_of(key: &VerifyingKey) -> Option<Address> {
    let point = key.to_sec1_point(false);
    // The first byte only marks the point as uncompressed.
    let coordinates = point.as_bytes().get(1..)?;
    Address::from_hash(&keccak256(coordinates))
}

impl FromStr for Claim {
    type Err = ClaimError;

    fn from_str(text: &str) -> Result<Self, ClaimError> {
        let (kind, signature) = text.split_once(':').ok_or(ClaimError::Form)?;
        let digits = signature.strip_prefix("0x").ok_or(ClaimError::Form)?;
        let bytes: [u8; 65] = bytes::from_hex(digits).ok_or(ClaimError::Form)?;
        let kind = match kind {
            "0" => ClaimKind::EthSign,
            "3" => ClaimKind::PersonalSign,
            _ => return Err(ClaimError::Kind),
        };
        let (scalars, v) = bytes.split_at(64);
        let odd = match v {
            [27 | 0] => false,
            [28 | 1] => true,
            _ => return Err(ClaimError::RecoveryByte),
        };
        let signature = Signature::from_slice(scalars).map_err(|_| ClaimError::Range)?;
        if signature.normalize_s() != signature {
            return Err(ClaimError::HighS);
        }
        Ok(Claim {
            kind,
            signature,
            odd,
        })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalars = hex::encode(self.signature.to_bytes());
        write!(f, "{}:0x{scalars}{:02x}", self.kind as u8, self.v())
    }
}

serde_as_text!(Claim);

/// The text of a claim as it was sent, not empty and not yet checked.
///
/// Form and signer are checked together, after all other fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimText(String);

impl ClaimText {
    /// Returns the text as a claim. `None` if the text is empty, which means that the account signs later.
    #[must_use]
    pub fn new(text: &str) -> Option<ClaimText> {
        (!text.is_empty()).then(|| ClaimText(text.into()))
    }

    /// Reads the body of PUT /orders/:orderRef/sign.
    ///
    /// # Errors
    ///
    /// 400010 if the body's `claim` is absent, empty or not text.
    pub fn from_sign_request(body: &Value) -> Result<ClaimText, FieldError> {
        let field = Field::body(body).get("claim");
        field
            .text()
            .and_then(ClaimText::new)
            .ok_or_else(|| field.wrong(Code::ClaimMissing, "the text of a claim"))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks that `account` signed `hash`.
    ///
    /// # Errors
    ///
    /// The reason why the text is not a claim. [`ClaimError::OtherAccount`] if another account signed.
    pub fn verify(&self, hash: &B256, account: Address) -> Result<Claim, ClaimError> {
        let claim: Claim = self.0.parse()?;
        if claim.recover(hash)? == account {
            Ok(claim)
        } else {
            Err(ClaimError::OtherAccount)
        }
    }

    /// Like [`verify`](Self::verify), but returns an error at `path` of the request. If another account signed, or another hash was signed,
    /// the message contains the hash to sign.
    ///
    /// # Errors
    ///
    /// An error with the code `code`.
    pub fn check(
        &self,
        hash: &B256,
        account: Address,
        code: Code,
        path: &str,
    ) -> Result<(), FieldError> {
        let message = match self.verify(hash, account) {
            Ok(_) => return Ok(()),
            Err(ClaimError::OtherAccount) => {
                format!("`{path}` must be the signature of the hash `{hash}` by `{account}`")
            }
            Err(error) => format!("`{path}` {error}"),
        };
        Err(FieldError::with_message(code, path, message))
    }
}

impl From<Claim> for ClaimText {
    fn from(claim: Claim) -> Self {
        ClaimText(claim.to_string())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wycheproof;
