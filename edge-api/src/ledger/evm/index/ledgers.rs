//! The ledgers that the index knows.

use std::rc::Rc;

use order_core::Address;
use serde::Deserialize;

use super::index_head::{IndexHead, State};
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ledger::evm::memory::Evm;
use crate::ports::Statement;
use crate::text::account_key;

/// A ledger as the index knows it.
#[derive(Deserialize)]
pub(super) struct IndexedLedger {
    pub(super) id: Address,
    pub(super) asset_count: u64,
    pub(super) uri_prefix: String,
    pub(super) uri_postfix: String,
}

/// Maximum number of ledgers that one statement reads.
const LEDGERS_AT_ONCE: usize = 1_000;

/// Returns the ledgers that the indexed blocks created, in the order of their addresses.
pub(super) async fn ledgers(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
) -> Result<Rc<[Address]>, LedgerError> {
    #[derive(Deserialize)]
    struct LedgerId {
        id: Address,
    }
    let state = index_head.state();
    if let Some((known, ledgers)) = &*evm.index.ledgers.borrow()
        && *known == state
    {
        return Ok(Rc::clone(ledgers));
    }
    let mut ledgers: Vec<Address> = Vec::new();
    loop {
        let after = ledgers.last().map(account_key).unwrap_or_default();
        let select = Statement::new("SELECT id FROM ledgers WHERE id > ?1 ORDER BY id LIMIT ?2")
            .bind(after)
            .bind(u64::try_from(LEDGERS_AT_ONCE).unwrap_or(u64::MAX));
        let page: Vec<LedgerId> = ctx.db().query(select).await?.all()?;
        let is_last = page.len() < LEDGERS_AT_ONCE;
        ledgers.extend(page.into_iter().map(|row| row.id));
        if is_last {
            break;
        }
    }
    Ok(remember(evm, state, ledgers))
}

/// Caches the ledgers that exist in a state of the index. If another process has indexed other blocks first, the state differs, and the cached
/// list is not used.
pub(super) fn remember(evm: &Evm, state: State, ledgers: Vec<Address>) -> Rc<[Address]> {
    let ledgers: Rc<[Address]> = ledgers.into();
    evm.index
        .ledgers
        .replace(Some((state, Rc::clone(&ledgers))));
    ledgers
}
