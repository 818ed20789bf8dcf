//! Signs, stores and sends the transactions that perform requests.

use super::Evm;
use crate::context::Context;
use crate::ledger::{Cancellation, Execution, LedgerError, Observed, Step};
pub(super) async fn advance(
    _: &Evm,
    _: &Context<'_>,
    _: &Execution<'_>,
) -> Result<Step, LedgerError> {
    todo!()
}
pub(super) async fn cancel(
    _: &Evm,
    _: &Context<'_>,
    _: &Execution<'_>,
) -> Result<Cancellation, LedgerError> {
    todo!()
}
pub(super) async fn tick(_: &Evm, _: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
    todo!()
}
