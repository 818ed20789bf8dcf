//! The changes that an operation makes.

use super::snapshot::Asset;
use crate::deployment::LedgerData;
use crate::types::{Abilities, Address, Amount, AssetId};

/// A change to write. There is one change for each key whose value differs.
///
/// `old` is the snapshot's value. A writer compares it with the stored value to detect a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new ledger. The abilities and approvals of its owner and proxies are separate changes.
    LedgerCreated {
        /// The ledger's address.
        ledger: Address,
        /// The ledger's data.
        data: LedgerData,
    },
    /// An asset that is created (no `old`), destroyed (no `new`), or gets a new owner or imprint.
    Asset {
        /// The asset's ledger.
        ledger: Address,
        /// The asset's id.
        id: AssetId,
        /// The value before the change.
        old: Option<Asset>,
        /// The value after the change.
        new: Option<Asset>,
    },
    /// The abilities of an account on a ledger.
    Abilities {
        /// The ledger.
        ledger: Address,
        /// The account.
        account: Address,
        /// The value before the change.
        old: Abilities,
        /// The value after the change.
        new: Abilities,
    },
    /// The approval of an operator to act on all assets of an owner.
    Operator {
        /// The assets' ledger.
        ledger: Address,
        /// The owner of the assets.
        owner: Address,
        /// The operator.
        operator: Address,
        /// The value before the change.
        old: bool,
        /// The value after the change.
        new: bool,
    },
    /// An account's platform tokens.
    Balance {
        /// The account.
        account: Address,
        /// The value before the change.
        old: Amount,
        /// The value after the change.
        new: Amount,
    },
    /// The amount of an owner's platform tokens that a spender may still use.
    Allowance {
        /// The owner.
        owner: Address,
        /// The spender.
        spender: Address,
        /// The value before the change.
        old: Amount,
        /// The value after the change.
        new: Amount,
    },
}
