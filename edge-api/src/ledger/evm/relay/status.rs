//! The relayer's state for operators.

use super::fees::{requests_left, today};
use super::slots::{Pause, Relayer, queue};
use crate::context::Context;
use crate::ledger::evm::head_state::head_state;
use crate::ledger::evm::memory::Evm;
use crate::ledger::{LedgerError, RelayerStatus};

/// The priority at whose price the remaining requests are counted.
pub(super) const PRIORITY: u8 = 2;

/// Returns the relayer's state.
pub(in super::super) async fn status(
    evm: &Evm,
    ctx: &Context<'_>,
) -> Result<RelayerStatus, LedgerError> {
    let head_state = head_state(evm, ctx).await?;
    let queue = queue(ctx, &evm.relayer(), &head_state).await?;
    let price = today(&head_state, evm.chain.fee_cap, PRIORITY);
    let since = queue.slots.iter().map(|slot| slot.since).min();
    Ok(RelayerStatus {
        address: evm.relayer(),
        balance: head_state.balance,
        requests_left: price.map_or(0, |price| {
            requests_left(evm, &head_state, queue.waiting.cost, queue.usual_gas, price)
        }),
        paused: queue
            .relayer
            .as_ref()
            .and_then(Relayer::paused)
            .map(Pause::name),
        oldest_ms: since.map(|since| ctx.now().saturating_sub(since)),
    })
}
