//! Reads of contracts.

use super::Evm;
use crate::context::Context;
use crate::ledger::{AssetState, Balance, Identity, LedgerError};
use order_core::{Address, AssetId, ReadSet, Snapshot};
use std::rc::Rc;
pub(super) async fn identity(_: &Evm, _: &Context<'_>) -> Result<Rc<Identity>, LedgerError> {
    todo!()
}
pub(super) async fn snapshot(
    _: &Evm,
    _: &Context<'_>,
    _: &ReadSet,
) -> Result<Snapshot, LedgerError> {
    todo!()
}
pub(super) async fn asset(
    _: &Evm,
    _: &Context<'_>,
    _: &str,
    _: Option<&AssetId>,
) -> Result<AssetState, LedgerError> {
    todo!()
}
pub(super) async fn balance(_: &Evm, _: &Context<'_>, _: &Address) -> Result<Balance, LedgerError> {
    todo!()
}
