//! The original contracts on an EVM chain: calls that perform and cancel requests, calls that read contracts, signed transactions, logs of
//! contracts, and reasons of reverts.
//!
//! This module has no connection to a chain: a backend sends the calls and reads the answers. Selectors, topics and
//! layouts belong to the 0xcert contracts, version 2.0.2.

mod abi;
mod calldata;
mod log;
mod revert;
mod rlp;
mod transaction;
pub mod views;

pub use calldata::{
    Call, CallError, DeployInput, cancel, find_deployment, perform, read_deployment,
};
pub use log::{DeployEvent, LedgerEvent, Log, OrderEvent, TokenEvent};
pub use revert::{Meaning, Revert};
pub use transaction::{Fee, Parity, SignedTransaction, Transaction, TransactionSignature};
pub use views::View;

#[cfg(test)]
mod tests;
