//! Reads blocks into the projection, and updates the records whose requests were performed or canceled on the chain.
//!
//! Each call of [`next_step`] decides one step, which `records` commits. A guard on the last indexed block makes each step happen once.
//!
//! ```text
//! reorganised   undo.rs       takes back the blocks that are no longer in the chain
//! far behind    range.rs      blocks up to the last final one, by ranges of numbers
//! behind        recent.rs     later blocks, by their hashes
//! large block   parts.rs      a block with too many logs for an answer or a step, in parts
//! up to date    finality.rs   records whose block is final;  first, confirm.rs and unlogged.rs compare the block's logs and other data
//! daily         supply.rs     compares the numbers of assets with the contracts
//! hourly        uris.rs       reads the prefixes and postfixes of ledgers again
//!
//! If the index is far behind but has unconfirmed blocks, finality.rs confirms them before range.rs runs. While it cannot, recent.rs runs.
//!
//! rounds.rs  the order of the ledgers in daily and hourly work
//! logs.rs  logs from providers;  events.rs  logs into events;  fold.rs  events into changes;  statements.rs  changes into statements
//! changes.rs  one step through all of these, and the reads for fold.rs
//! deployed.rs  data of new ledgers;  imprints.rs  imprints of new assets
//! ```

mod changes;
mod confirm;
mod deployed;
mod events;
mod finality;
mod fold;
mod imprints;
pub(super) mod index_head;
mod ledgers;
mod logs;
pub(super) mod memory;
mod parts;
mod range;
mod recent;
mod rounds;
mod span;
mod statements;
mod supply;
mod undo;
mod unlogged;
mod uris;

use std::rc::Rc;

use alloy_primitives::B256;
use serde::Deserialize;

use super::block::{Block, HeadState};
use super::head_state::head_state;
use super::memory::Evm;
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::{Ledger, LedgerError, Observed};
use crate::ports::Statement;

pub(super) use finality::seen;
use index_head::IndexHead;
use ledgers::ledgers;
use logs::Forward;

/// Decides the next step of the index. `None` if there is nothing to do.
pub(super) async fn next_step(
    evm: &Evm,
    ctx: &Context<'_>,
) -> Result<Option<Observed>, LedgerError> {
    // Stores the first index head in a new database.
    evm.identity(ctx).await?;
    let index_head = IndexHead::read(ctx).await?;
    let head_state = current(evm, ctx, &index_head).await?;
    if has_replaced(ctx, &index_head, &head_state.head).await? {
        return undo::reorganise(evm, ctx, &index_head).await.map(Some);
    }
    let ledgers = ledgers(evm, ctx, &index_head).await?;
    let settled = finality::confirmed(evm, ctx, &index_head, &head_state).await?;
    let is_behind = index_head.number < settled;
    let is_confirmed = index_head.unconfirmed(evm.chain.quorum).is_none();
    if is_behind
        && !is_confirmed
        && let Some(observed) = finality::settle(evm, ctx, &index_head, &ledgers, settled).await?
    {
        return Ok(Some(observed));
    }
    // A range deletes the rows of earlier blocks in `chain_blocks`. These blocks can then be neither compared nor taken back.
    let forward = if index_head.part.is_some() {
        parts::read(evm, ctx, &index_head, None, &ledgers).await?
    } else if is_behind && is_confirmed {
        range::read(evm, ctx, &index_head, settled, &ledgers).await?
    } else {
        recent::read(evm, ctx, &index_head, &head_state.head, &ledgers).await?
    };
    match forward {
        Forward::Segment(segment) => {
            let observed = changes::observed(evm, ctx, &index_head, &segment, &ledgers).await;
            if matches!(observed, Err(LedgerError::Unavailable(_))) {
                // The provider may have invented a log. Another provider does not have this log.
                evm.rpc(ctx)
                    .prefer_other("its logs do not fit its other answers");
            }
            return observed.map(Some);
        }
        Forward::Replaced => return undo::reorganise(evm, ctx, &index_head).await.map(Some),
        Forward::Nothing => {}
    }
    match finality::settle(evm, ctx, &index_head, &ledgers, settled).await? {
        Some(observed) => Ok(Some(observed)),
        None => rounds::next_step(evm, ctx, &index_head).await,
    }
}

/// Two ages of the last block: in milliseconds, and in blocks. Above the longer of the two, another provider is asked for a later block.
const STALE: (u64, u32) = (60_000, 20);

/// Returns the state of the chain's head. If a provider's last block is old or before the last indexed block, asks the next provider.
async fn current(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
) -> Result<Rc<HeadState>, LedgerError> {
    let (age, blocks) = STALE;
    let blocks = evm.chain.block_seconds.saturating_mul(blocks);
    let age = age.max(u64::from(blocks).saturating_mul(1_000));
    for _ in &evm.chain.providers {
        let head_state = head_state(evm, ctx).await?;
        let is_old = head_state.head.time.saturating_add(age) < ctx.now();
        if !is_old && head_state.head.number >= index_head.number {
            return Ok(head_state);
        }
        if !evm.rpc(ctx).prefer_other("the last block is old") {
            break;
        }
        evm.forget_pulse();
    }
    head_state(evm, ctx).await
}

/// Returns true if the head shows that the chain has another block in place of an indexed one. A head before the index head alone does not show
/// this, because the provider may only lack the last blocks.
async fn has_replaced(
    ctx: &Context<'_>,
    index_head: &IndexHead,
    head: &Block,
) -> Result<bool, LedgerError> {
    #[derive(Deserialize)]
    struct Known {
        #[serde(deserialize_with = "hash")]
        hash: B256,
    }
    if head.number > index_head.number {
        // The parents of the next blocks will show a replacement.
        return Ok(false);
    }
    if head.number == index_head.number {
        return Ok(head.hash != index_head.hash);
    }
    let select = Statement::new("SELECT hash FROM chain_blocks WHERE number = ?1");
    let known: Option<Known> = ctx.db().query(select.bind(head.number)).await?.first()?;
    Ok(known.is_some_and(|known| known.hash != head.hash))
}

/// Returns the seconds until the next block. `None` if a look at the chain is already scheduled for that time.
pub(super) async fn next_block(evm: &Evm, ctx: &Context<'_>) -> Result<Option<u32>, LedgerError> {
    let seconds = evm.chain.block_seconds;
    let take = Statement::new(
        "UPDATE chain SET next_at = ?1 + ?2 WHERE only = 1 AND next_at <= ?1 RETURNING number",
    )
    .bind(ctx.now())
    .bind(u64::from(seconds).saturating_mul(1_000));
    let rows = ctx.db().query(take).await?;
    Ok((!rows.is_empty()).then_some(seconds))
}
