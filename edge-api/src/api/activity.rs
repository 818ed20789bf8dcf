//! Answers about the activity of an account and its ledgers.

use order_core::{Abilities, Address, AssetId};
use serde::Serialize;

use super::{Ref, Timestamp};

/// What happened.
///
/// - `issued`, `withdrawn`: an asset was created or destroyed.
/// - `replaced`: an asset got another imprint.
/// - `abilitiesSet`: an account got other abilities on a ledger.
/// - `domainSet`, `domainRemoved`: the domain of a ledger, or of all ledgers of an account.
/// - `keyCreated`, `keyRevoked`: an API key of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum ActivityKind {
    Issued,
    Withdrawn,
    AbilitiesSet,
    DomainSet,
    DomainRemoved,
    KeyCreated,
    KeyRevoked,
    Replaced,
}

impl ActivityKind {
    pub(crate) const ALL: [Self; 8] = [
        Self::Issued,
        Self::Withdrawn,
        Self::AbilitiesSet,
        Self::DomainSet,
        Self::DomainRemoved,
        Self::KeyCreated,
        Self::KeyRevoked,
        Self::Replaced,
    ];

    /// Returns the kind's number in the database.
    pub(crate) const fn number(self) -> u8 {
        self as u8
    }
}

/// An event. Fields that its kind does not have are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Activity {
    pub(crate) kind: ActivityKind,
    pub(crate) at: Timestamp,
    /// The account that signed the action or sent the request. Null if this service does not have the order.
    pub(crate) by: Option<Address>,
    pub(crate) ledger_ref: Option<Ref>,
    pub(crate) ledger_id: Option<Address>,
    /// The asset that was issued, replaced or withdrawn.
    pub(crate) asset_id: Option<AssetId>,
    /// The account that got the abilities.
    pub(crate) account_id: Option<Address>,
    /// All abilities that the account has after the change.
    pub(crate) abilities: Option<Abilities>,
    /// The public reason of the withdrawal.
    pub(crate) reason: Option<String>,
    /// The domain.
    pub(crate) domain: Option<String>,
    /// The name of the API key.
    pub(crate) key_name: Option<String>,
    /// The order. Only its parties can read it.
    pub(crate) order_ref: Option<Ref>,
}
