//! Reads blocks into the projection, and updates the records whose requests were performed or canceled on the chain.
//!
//! Each call of [`next`] decides one step, which `records` commits. A guard on the last indexed block makes each step happen once.
//!
//! ```text
//! reorganised   undo.rs       takes back the blocks that are no longer in the chain
//! far behind    range.rs      blocks up to the last final one, by ranges of numbers
//! behind        tail.rs       later blocks, by their hashes
//! large block   parts.rs      a block with too many logs for an answer or a step, in parts
//! up to date    finality.rs   records whose block is final;  first, confirm.rs and unlogged.rs compare the block's logs and other data
//! daily         supply.rs     compares the numbers of assets with the contracts
//! hourly        uris.rs       reads the prefixes and postfixes of ledgers again
//!
//! If the index is far behind but has unconfirmed blocks, finality.rs confirms them before range.rs runs. While it cannot, tail.rs runs.
//!
//! rounds.rs  the order of the ledgers in daily and hourly work
//! logs.rs  logs from providers;  events.rs  logs into events;  changes.rs  events into statements
//! deployed.rs  data of new ledgers;  imprints.rs  imprints of new assets
//! ```

mod changes;
mod confirm;
pub(super) mod cursor;
mod deployed;
mod events;
mod finality;
mod imprints;
mod ledgers;
mod logs;
pub(super) mod memory;
mod parts;
mod range;
mod rounds;
mod span;
mod supply;
mod tail;
mod undo;
mod unlogged;
mod uris;

use std::rc::Rc;

use alloy_primitives::B256;
use serde::Deserialize;

use super::block::{Block, Pulse};
use super::memory::Evm;
use super::pulse::pulse;
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::{Ledger, LedgerError, Observed};
use crate::ports::Statement;

use cursor::Cursor;
pub(super) use finality::seen;
use ledgers::ledgers;
use logs::Forward;

/// Decides the next step of the index. `None` if there is nothing to do.
pub(super) async fn next(evm: &Evm, ctx: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
    // Stores the first cursor in a new database.
    evm.identity(ctx).await?;
    let cursor = Cursor::read(ctx).await?;
    let pulse = current(evm, ctx, &cursor).await?;
    if has_replaced(ctx, &cursor, &pulse.head).await? {
        return undo::reorganise(evm, ctx, &cursor).await.map(Some);
    }
    let ledgers = ledgers(evm, ctx, &cursor).await?;
    let settled = finality::confirmed(evm, ctx, &cursor, &pulse).await?;
    let is_behind = cursor.number < settled;
    let is_confirmed = cursor.unconfirmed(evm.chain.quorum).is_none();
    if is_behind
        && !is_confirmed
        && let Some(observed) = finality::next(evm, ctx, &cursor, &ledgers, settled).await?
    {
        return Ok(Some(observed));
    }
    // A range deletes the rows of earlier blocks in `chain_blocks`. These blocks can then be neither compared nor taken back.
    let forward = if cursor.part.is_some() {
        parts::read(evm, ctx, &cursor, None, &ledgers).await?
    } else if is_behind && is_confirmed {
        range::read(evm, ctx, &cursor, settled, &ledgers).await?
    } else {
        tail::read(evm, ctx, &cursor, &pulse.head, &ledgers).await?
    };
    match forward {
        Forward::Segment(segment) => {
            let observed = changes::observed(evm, ctx, &cursor, &segment, &ledgers).await;
            if matches!(observed, Err(LedgerError::Unavailable(_))) {
                // The provider may have invented a log. Another provider does not have this log.
                evm.rpc(ctx)
                    .prefer_other("its logs do not fit its other answers");
            }
            return observed.map(Some);
        }
        Forward::Replaced => return undo::reorganise(evm, ctx, &cursor).await.map(Some),
        Forward::Nothing => {}
    }
    match finality::next(evm, ctx, &cursor, &ledgers, settled).await? {
        Some(observed) => Ok(Some(observed)),
        None => rounds::next(evm, ctx, &cursor).await,
    }
}

/// Two ages of the last block: in milliseconds, and in blocks. Above the longer of the two, another provider is asked for a later block.
const STALE: (u64, u32) = (60_000, 20);

/// Returns the state of the chain's head. If a provider's last block is old or before the cursor's block, asks the next provider.
async fn current(evm: &Evm, ctx: &Context<'_>, cursor: &Cursor) -> Result<Rc<Pulse>, LedgerError> {
    let (age, blocks) = STALE;
    let blocks = evm.chain.block_seconds.saturating_mul(blocks);
    let age = age.max(u64::from(blocks).saturating_mul(1_000));
    for _ in &evm.chain.providers {
        let pulse = pulse(evm, ctx).await?;
        let is_old = pulse.head.time.saturating_add(age) < ctx.now();
        if !is_old && pulse.head.number >= cursor.number {
            return Ok(pulse);
        }
        if !evm.rpc(ctx).prefer_other("the last block is old") {
            break;
        }
        evm.forget_pulse();
    }
    pulse(evm, ctx).await
}

/// Returns true if the head shows that the chain has another block in place of an indexed one. A head before the cursor alone does not show
/// this, because the provider may only lack the last blocks.
async fn has_replaced(
    ctx: &Context<'_>,
    cursor: &Cursor,
    head: &Block,
) -> Result<bool, LedgerError> {
    #[derive(Deserialize)]
    struct Known {
        #[serde(deserialize_with = "hash")]
        hash: B256,
    }
    if head.number > cursor.number {
        // The parents of the next blocks will show a replacement.
        return Ok(false);
    }
    if head.number == cursor.number {
        return Ok(head.hash != cursor.hash);
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
