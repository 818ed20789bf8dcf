//! The original contracts on an EVM chain: calls that perform and cancel requests, calls that read contracts, signed transactions, logs of
//! contracts, and reasons of reverts.
//!
//! This module has no connection to a chain: a backend sends the calls and reads the answers. The contracts are declared in Solidity, as
//! version 2.0.2 of the 0xcert contracts has them (`contracts.rs`).

mod calldata;
mod contracts;
mod deployments;
mod log;
mod revert;
mod strict;
mod transaction;
pub mod views;

use alloc::string::String;

pub use calldata::{Call, CallError, cancel, perform};
pub use deployments::{DeployInput, find_deployment, read_deployment};
pub use log::{DeployEvent, LedgerEvent, Log, OrderEvent, TokenMove};
pub use revert::{Meaning, Revert};
pub use transaction::{Fee, Parity, SignedTransaction, Transaction, TransactionSignature};
pub use views::View;

/// Returns bytes as text. `None` if they are not UTF-8, or have more than `most` characters. Contracts store any bytes.
fn text(bytes: &[u8], most: usize) -> Option<String> {
    let text = core::str::from_utf8(bytes).ok()?;
    (text.chars().count() <= most).then(|| text.into())
}

#[cfg(test)]
mod tests;
