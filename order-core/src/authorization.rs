//! The Authorization header. Source: `docs/interface.md`, "Authentication".

use alloc::format;
use alloc::string::String;

use alloy_primitives::B256;
use k256::sha2::{Digest, Sha256};

use crate::claim::{Claim, ClaimError, ClaimKind, eip191_digest};
use crate::error::{Code, FieldError};
use crate::types::Address;

/// The message that a signature of type 0 (ETH_SIGN) is made over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EthSignReading {
    /// The text itself, like type 3.
    #[default]
    Text,
    /// The 32 bytes of the text's SHA-256, as the original JavaScript client does it.
    Sha256,
}

/// The message that callers sign to show which account they are.
///
/// The header carries no account, it is recovered: were two digests allowed for one type, one signature would be good for
/// two accounts. So each type has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationPolicy {
    text: String,
    eth_sign: B256,
    personal_sign: B256,
}

impl AuthorizationPolicy {
    /// The policy for a fixed text, such as `<service_name> api`.
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

    /// The account that made a header `{type}:{signature}`.
    ///
    /// # Errors
    ///
    /// 400001 if the header is no signature. Every well-formed one belongs to some account.
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
    /// The Authorization header by which this key's account shows itself.
    #[must_use]
    pub fn authorization(&self, kind: ClaimKind, policy: &AuthorizationPolicy) -> String {
        format!("{}", self.sign_digest(kind, policy.digest(kind)))
    }
}

#[cfg(test)]
mod tests;
