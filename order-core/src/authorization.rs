//! The Authorization header. Source: `docs/interface.md`, "Authentication".

use alloc::format;
use alloc::string::String;

use alloy_primitives::B256;
use k256::sha2::{Digest, Sha256};

use crate::claim::{Claim, ClaimError, ClaimKind, eip191_digest};
use crate::error::{Code, FieldError};
use crate::types::Address;

/// The message that a signature of type 0 (ETH_SIGN) signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EthSignReading {
    /// The text itself, like type 3.
    #[default]
    Text,
    /// The 32 bytes of the text's SHA-256, as in the original JavaScript client.
    Sha256,
}

/// The message that callers sign to prove that they own an account.
///
/// The header does not name the account, which is recovered from the signature. If a signature type had two digests, a signature would
/// recover to two accounts. Each type therefore has exactly one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationPolicy {
    text: String,
    eth_sign: B256,
    personal_sign: B256,
}

impl AuthorizationPolicy {
    /// Creates the policy for a fixed text, such as `<service_name> api`.
    #[must_use]
    pub fn new(text: impl Into<String>, eth_sign: EthSignReading) -> AuthorizationPolicy {
        let text = text.into();
        let personal_sign = eip191_digest(text.as_bytes());
        AuthorizationPolicy {
            eth_sign: match eth_sign {
                EthSignReading::Text => personal_sign,
                EthSignReading::Sha256 => eip191_digest(&Sha256::digest(text.as_bytes())),
            },
            personal_sign,
            text,
        }
    }

    /// The text that callers sign.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn digest(&self, kind: ClaimKind) -> &B256 {
        match kind {
            ClaimKind::EthSign => &self.eth_sign,
            ClaimKind::PersonalSign => &self.personal_sign,
        }
    }

    /// Returns the account that signed a header `{type}:{signature}`.
    ///
    /// # Errors
    ///
    /// 400001 if the header is not a signature. Recovery from a well-formed signature always yields an account.
    pub fn recover(&self, header: &str) -> Result<Address, FieldError> {
        let recovered = header
            .parse()
            .and_then(|claim: Claim| claim.recover_digest(self.digest(claim.kind())));
        recovered.map_err(|error: ClaimError| {
            FieldError::with_message(
                Code::SignatureNotValid,
                "Authorization",
                format!("`Authorization` {error}"),
            )
        })
    }
}

#[cfg(any(test, feature = "sign"))]
impl crate::claim::PrivateKey {
    /// Returns the Authorization header with this key's signature.
    #[must_use]
    pub fn authorization(&self, kind: ClaimKind, policy: &AuthorizationPolicy) -> String {
        format!("{}", self.sign_digest(kind, policy.digest(kind)))
    }
}

#[cfg(test)]
mod tests;
