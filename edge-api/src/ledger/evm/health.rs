//! The state of the chain for `/health`.

use order_core::MAX_SAFE_INTEGER;
use serde_json::json;

use super::head_state::head_state;
use super::identity::identity;
use super::memory::Evm;
use super::read::{IndexHeights, select_index_heights};
use super::relay;
use crate::api::{ChainHealth, RelayerHealth};
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;

/// The public text about a problem with the providers. The reason is only logged, because it may quote a provider.
const PROBLEM: &str =
    "the providers do not answer, or their answers differ: the log has the reason";

/// Returns the state of the chain. If the providers do not answer, or if their answers cannot be used, the state has a `problem`. This is
/// no error, because a restart of the service would not help.
///
/// # Errors
/// If a setting does not fit the chain, or if the database fails.
pub(super) async fn health(evm: &Evm, ctx: &Context<'_>) -> Result<ChainHealth, LedgerError> {
    // The check of the settings stores the first index head.
    let checked = identity(evm, ctx).await;
    let heights: Option<IndexHeights> = ctx.db().query(select_index_heights()).await?.first()?;
    let mut health = ChainHealth {
        id: evm.chain.id,
        head: None,
        final_block: None,
        indexed: heights.map(|heights| heights.number),
        relayer: None,
        problem: None,
    };
    let answered = match checked {
        Ok(_) => add_answers(evm, ctx, &mut health).await,
        Err(error) => Err(error),
    };
    match answered {
        Err(LedgerError::Unavailable(why)) => {
            ctx.log(
                Level::Warn,
                json!({ "event": "chain.no-answer", "why": why }),
            );
            health.problem = Some(PROBLEM);
        }
        answered => answered?,
    }
    Ok(health)
}

/// Adds the last blocks and the relayer's state. Both need answers of the providers.
async fn add_answers(
    evm: &Evm,
    ctx: &Context<'_>,
    health: &mut ChainHealth,
) -> Result<(), LedgerError> {
    let head_state = head_state(evm, ctx).await?;
    health.head = Some(head_state.head.number);
    health.final_block = Some(head_state.settled.number);
    let status = relay::status(evm, ctx).await?;
    health.relayer = Some(RelayerHealth {
        address: status.address,
        balance: status.balance.to_string(),
        orders_left: status.requests_left.min(MAX_SAFE_INTEGER),
        paused: status.paused,
        oldest_ms: status.oldest_ms,
    });
    Ok(())
}
