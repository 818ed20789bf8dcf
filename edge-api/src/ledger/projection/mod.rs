//! The ledger's tables. Every backend writes them. Lists and the badge read them.

mod changes;
mod history;
mod holders;
mod read;
mod tables;
mod withdrawal;

pub(crate) use changes::write;
pub(crate) use history::PastImprint;
pub(in crate::ledger) use history::{KEPT_MAX, keep_imprints};
pub(crate) use holders::{
    AbilityHolder, AccountAbility, HolderLookup, abilities_of_account, holders,
};
pub(crate) use read::{
    AssetLookup, AssetRow, LedgerRow, amount_from_rows, asset, assets, find, ledger_key,
    ledgers_of_account, select_balance,
};
pub(in crate::ledger) use read::{select_asset, select_ledger};
pub(in crate::ledger) use tables::{guards, reads, snapshot, stored_reads, stored_snapshot};
pub(crate) use tables::{ledgers_from_rows, select_ledgers};
pub(in crate::ledger) use withdrawal::withdraw;
pub(crate) use withdrawal::{Certified, Withdrawal, certified, select_order, write_reason};
