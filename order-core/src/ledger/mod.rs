//! The rules of the asset ledger and of its token, as pure functions.
//!
//! A caller gets the keys to read ([`ReadSet`]), reads their values ([`Snapshot`]), and gets the changes to write ([`Change`]) or the
//! reasons to refuse them. The rules are those of the 0xcert contracts, version 2. A snapshot has fields for facts that only a chain has, such as the
//! approval of a single asset and tokens that refuse receivers. The embedded ledger leaves them empty, so one set of rules serves every backend.

mod change;
mod order;
mod payments;
mod read;
mod snapshot;
mod state;

pub use change::Change;
pub use order::apply_order;
pub use payments::{apply_approval, apply_credit, apply_debit, apply_deployment, new_ledger};
pub use snapshot::{Asset, LedgerFacts, ReadSet, Snapshot};

#[cfg(test)]
mod tests;
