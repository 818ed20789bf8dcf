//! The state of the ledger that an operation reads.

use alloc::collections::{BTreeMap, BTreeSet};

use crate::gateways::Gateways;
use crate::types::{Abilities, Address, Amount, AssetId, Capabilities, Imprint};

/// The keys that an operation reads. Apart from the keys of a new ledger, the operation changes no other keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet {
    /// Asset ledgers.
    pub ledgers: BTreeSet<Address>,
    /// Assets: ledger, id.
    pub assets: BTreeSet<(Address, AssetId)>,
    /// Abilities: ledger, account.
    pub abilities: BTreeSet<(Address, Address)>,
    /// Operators of all of an owner's assets: ledger, owner, operator.
    pub operators: BTreeSet<(Address, Address, Address)>,
    /// Balances of the platform token: account.
    pub balances: BTreeSet<Address>,
    /// Allowances of the platform token: owner, spender.
    pub allowances: BTreeSet<(Address, Address)>,
    /// Receivers of the platform token, to check if the token allows them.
    pub recipients: BTreeSet<Address>,
    /// Ledgers and signatories, to check if the service's operator has blocked them.
    pub blockable: BTreeSet<Address>,
}

/// The values at the keys of a [`ReadSet`]. An absent key means no ledger, no asset, no ability, no operator or a zero amount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Asset ledgers.
    pub ledgers: BTreeMap<Address, LedgerFacts>,
    /// Assets: ledger, id.
    pub assets: BTreeMap<(Address, AssetId), Asset>,
    /// Abilities: ledger, account.
    pub abilities: BTreeMap<(Address, Address), Abilities>,
    /// Operators: ledger, owner, operator.
    pub operators: BTreeSet<(Address, Address, Address)>,
    /// Balances of the platform token in base units: account.
    pub balances: BTreeMap<Address, Amount>,
    /// Allowances of the platform token in base units: owner, spender.
    pub allowances: BTreeMap<(Address, Address), Amount>,
    /// The receivers that the platform token allows; `None` if it allows all.
    pub recipients: Option<BTreeSet<Address>>,
    /// The ledgers and signatories that the service's operator has blocked.
    pub blocked: BTreeSet<Address>,
}

impl Snapshot {
    /// Returns true if the asset ledger exists. The platform token is not an asset ledger.
    pub(super) fn has_asset_ledger(&self, ledger: Address, gateways: &Gateways) -> bool {
        ledger != gateways.token && self.ledgers.contains_key(&ledger)
    }
}

/// The facts about an asset ledger that the rules need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerFacts {
    /// The ledger's capabilities.
    pub capabilities: Capabilities,
}

/// An asset with the data that its ledger stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// The asset's owner.
    pub owner: Address,
    /// The asset's imprint.
    pub imprint: Imprint,
    /// The account that may move the asset, in addition to the owner and the owner's operators. The approval ends when the asset moves. The
    /// approved account may not destroy the asset.
    pub approved: Option<Address>,
}
