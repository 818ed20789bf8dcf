//! Reads blocks into the projection.

use super::Evm;
use crate::context::Context;
use crate::ledger::{LedgerError, Observed};
pub(super) async fn next(_: &Evm, _: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
    todo!()
}
pub(super) async fn next_block(_: &Evm, _: &Context<'_>) -> Result<Option<u32>, LedgerError> {
    todo!()
}
