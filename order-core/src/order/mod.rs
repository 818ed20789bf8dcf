//! Orders: their fields, actions and claims.

mod action;
mod request;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::B256;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::claim::ClaimText;
use crate::error::{Code, FieldError};
use crate::types::{Address, Expiration, Expiry, Seed};

#[cfg(feature = "schema")]
pub(crate) use action::Fields as ActionFields;
pub use action::{Action, ActionKind};
pub use request::{MAX_ACTIONS, MAX_SIGNERS, OrderRequest};

/// An order of one or more actions that are performed together or not at all.
///
/// Serializes as the `order` of requests and answers: `{signers, wildcardClaim, actions, seed, expiration}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The accounts that must sign, each with its claim once it has signed.
    pub signers: Vec<SignerClaim>,
    /// The account that signed as the wildcard, if any. This account fills missing senders and receivers.
    #[serde(default)]
    pub wildcard_claim: Option<SignerClaim>,
    /// The actions, in the order in which they are performed.
    pub actions: Vec<Action>,
    /// The salt of the order's hash.
    pub seed: Seed,
    /// The first second in which the order is no longer valid.
    pub expiration: Expiration,
}

/// An account and its claim.
///
/// Serializes as `{accountId, claim}`. A missing claim is empty text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignerClaim {
    /// The account.
    pub account_id: Address,
    /// The account's claim. `None` if the account has not signed yet.
    #[serde(with = "claim_or_empty", default)]
    pub claim: Option<ClaimText>,
}

/// Serializes a claim as text, or as empty text if there is none.
mod claim_or_empty {
    use super::{ClaimText, Deserialize, Deserializer, Serialize, Serializer, String};

    pub(super) fn serialize<S: Serializer>(
        claim: &Option<ClaimText>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        claim
            .as_ref()
            .map_or("", ClaimText::as_str)
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ClaimText>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.as_deref().and_then(ClaimText::new))
    }
}

impl Order {
    /// The rule by which the order's expiration is compared with the time.
    pub const EXPIRY: Expiry = Expiry::Exclusive;

    /// Returns the first moment at which the order is no longer valid, in milliseconds of UNIX time.
    #[must_use]
    pub const fn ends_at(&self) -> u64 {
        self.expiration.ends_at(Self::EXPIRY)
    }

    /// Returns true if this account is listed as a signer.
    #[must_use]
    pub fn is_signer(&self, account: Address) -> bool {
        self.signers
            .iter()
            .any(|signer| signer.account_id == account)
    }

    /// Returns the signers with their claims. The account that signed as the wildcard comes last.
    pub fn claims(&self) -> impl Iterator<Item = &SignerClaim> {
        self.signers.iter().chain(self.wildcard_claim.as_ref())
    }

    /// Returns the account that signed as the wildcard, which fills missing senders and receivers. `None` if no account has.
    #[must_use]
    pub fn wildcard(&self) -> Option<Address> {
        self.wildcard_claim.as_ref().map(|claim| claim.account_id)
    }

    /// Checks every claim that is present.
    ///
    /// # Errors
    ///
    /// 400001 for each claim that is not its account's signature of `hash`.
    pub fn verify_claims(&self, hash: &B256) -> Result<(), Vec<FieldError>> {
        let listed = self
            .signers
            .iter()
            .enumerate()
            .map(|(index, signer)| (signer, format!("order.signers[{index}].claim")));
        let wildcard = self
            .wildcard_claim
            .iter()
            .map(|signer| (signer, String::from("order.wildcardClaim.claim")));
        let errors: Vec<FieldError> = listed
            .chain(wildcard)
            .filter_map(|(signer, path)| {
                let claim = signer.claim.as_ref()?;
                claim
                    .check(hash, signer.account_id, Code::SignatureNotValid, &path)
                    .err()
            })
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Returns the order without claims, for accounts that may see the order but not its claims.
    #[must_use]
    pub fn without_claims(&self) -> Order {
        let without = |signer: &SignerClaim| SignerClaim {
            claim: None,
            ..signer.clone()
        };
        Order {
            signers: self.signers.iter().map(without).collect(),
            wildcard_claim: self.wildcard_claim.as_ref().map(without),
            ..self.clone()
        }
    }

    /// Returns the part of the order that stays stored after a cancellation: its signers, seed and expiration.
    #[must_use]
    pub fn without_content(&self) -> Order {
        Order {
            actions: Vec::new(),
            ..self.without_claims()
        }
    }

    /// Returns true if the orders are equal apart from their claims.
    #[must_use]
    pub fn same_content(&self, other: &Order) -> bool {
        let content = |order: &Order| Order {
            wildcard_claim: None,
            ..order.without_claims()
        };
        content(self) == content(other)
    }
}

#[cfg(test)]
mod tests;
