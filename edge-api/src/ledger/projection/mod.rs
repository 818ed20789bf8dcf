//! The ledger's tables. Every backend writes them. Lists and the badge read them.

mod author;
mod certificates;
mod changes;
mod counts;
mod history;
mod holders;
mod past;
mod read;
mod tables;
mod withdrawal;

pub(crate) use author::{Author, Authored, unauthored};
pub(crate) use certificates::{CertificateLookup, CertificateRow, LEDGERS_MAX, certificates};
pub(crate) use changes::write;
pub(crate) use counts::{CountsLookup, certificate_counts};
pub(crate) use history::PastImprint;
pub(in crate::ledger) use history::{KEPT_MAX, keep_imprints};
pub(crate) use holders::{
    AbilityHolder, AccountAbility, HolderLookup, abilities_of_account, holders,
};
pub(crate) use past::past_of_asset;
pub(crate) use read::{
    AssetLookup, AssetRow, LedgerRow, asset, assets, find, funds_from_rows, ledger_key,
    ledgers_of_account, select_funds,
};
pub(in crate::ledger) use read::{select_asset, select_ledger};
#[cfg(feature = "evm")]
pub(in crate::ledger) use tables::{ABILITIES, ASSETS, BALANCES, LEDGERS, Table, joined, over};
pub(in crate::ledger) use tables::{guards, stored_reads, stored_snapshot};
pub(crate) use tables::{ledgers_from_rows, reads, select_ledgers, snapshot};
pub(in crate::ledger) use withdrawal::withdraw;
pub(crate) use withdrawal::{Certified, SELECT_ORDER, Withdrawal, certified, write_reason};
