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
mod deployed;
mod events;
mod finality;
mod imprints;
mod logs;
mod parts;
mod range;
mod rounds;
mod supply;
mod tail;
mod undo;
mod unlogged;
mod uris;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use alloy_primitives::B256;
use order_core::Address;
use serde::{Deserialize, Deserializer};

use super::Evm;
use super::pulse::{Block, Pulse, pulse};
use super::rpc::unavailable;
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::{Ledger, LedgerError, Observed};
use crate::ports::{DatabaseError, Statement};
use crate::text::{account_key, hash_key};

use logs::Position;

pub(super) use finality::seen;

/// Data of the index that an isolate caches.
#[derive(Default)]
pub(super) struct Memory {
    /// A state of the index, and its ledgers in the order of their addresses.
    ledgers: RefCell<Option<(State, Rc<[Address]>)>>,
    /// The number of blocks of the next range.
    span: range::Span,
    /// The hash of a head, and the number of the last block that a quorum confirmed as final at that head.
    settled: Cell<Option<(B256, u64)>>,
    /// The last block that was logged as not final, so that it is logged only once.
    reported: Cell<u64>,
    /// The last block of a query for many blocks that failed. Blocks up to this one are read one by one.
    single_until: Cell<u64>,
}

/// A state of the index: the hash of the last indexed block, how many times blocks were taken back, and the number of indexed logs in the next
/// block. After a wrong log was taken back, a block can have other rows.
type State = (B256, u64, usize);

/// The last indexed block.
#[derive(Clone, Debug, Deserialize)]
struct Cursor {
    number: u64,
    #[serde(deserialize_with = "hash")]
    hash: B256,
    /// How many times blocks were taken back.
    undone: u64,
    /// The last block whose records are final.
    #[serde(rename = "final")]
    settled: u64,
    /// The first block after `settled` whose logs have not been compared with those of a quorum.
    unconfirmed: Option<u64>,
    /// The last block when the settings were checked against the chain.
    checked_block: u64,
    /// The position in the next block, if a part of this block is indexed.
    #[serde(deserialize_with = "position")]
    part: Option<Position>,
}

/// Reads a position that is stored as JSON. A damaged one is an error, because the next part would be indexed twice.
fn position<'de, D: Deserializer<'de>>(column: D) -> Result<Option<Position>, D::Error> {
    let text = Option::<String>::deserialize(column)?;
    let position = text.as_deref().map(serde_json::from_str).transpose();
    position.map_err(serde::de::Error::custom)
}

impl Cursor {
    async fn read(ctx: &Context<'_>) -> Result<Self, LedgerError> {
        let select = Statement::new(
            "SELECT number, hash, undone, final, (SELECT b.number FROM chain_blocks b WHERE b.number > c.final AND b.logs IS NOT NULL \
             ORDER BY b.number LIMIT 1) AS unconfirmed, checked_block, part FROM chain c WHERE only = 1",
        );
        let cursor = ctx.db().query(select).await?.first()?;
        cursor.ok_or_else(|| unavailable("the database does not know its chain yet"))
    }

    /// Returns a statement that aborts the batch if another process has moved the cursor.
    fn guard(&self) -> Statement {
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS \
             (SELECT 1 FROM chain WHERE only = 1 AND number = ?1 AND hash = ?2 AND undone = ?3 AND ifnull(part ->> 'count', 0) = ?4 \
             AND ifnull(part ->> 'tx', 0) = ?5)",
        )
        .bind(self.number)
        .bind(hash_key(&self.hash))
        .bind(self.undone)
        .bind(count(self.part.as_ref().map_or(0, |part| part.count)))
        .bind(count(self.part.as_ref().map_or(0, |part| part.tx)))
    }

    fn state(&self) -> State {
        let done = self.part.as_ref().map_or(0, |part| part.count);
        (self.hash, self.undone, done)
    }

    /// Returns a statement that stores the position in the next block.
    fn move_within(position: &Position) -> Result<Statement, DatabaseError> {
        Statement::new("UPDATE chain SET part = ?1 WHERE only = 1").bind_json(position)
    }

    /// Returns the first block whose logs must be confirmed before it becomes final. A quorum of one provider confirms nothing.
    fn unconfirmed(&self, evm: &Evm) -> Option<u64> {
        self.unconfirmed.filter(|_| evm.chain.quorum > 1)
    }

    /// Returns a statement that moves the cursor to a block. `time` is the block's time in milliseconds since 1970, if it is known.
    fn move_to(number: u64, hash: &B256, time: Option<u64>) -> Statement {
        Statement::new(
            "UPDATE chain SET number = ?1, hash = ?2, time = coalesce(?3, time), part = NULL WHERE only = 1",
        )
        .bind(number)
        .bind(hash_key(hash))
        .bind(time)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The blocks after the cursor.
enum Forward {
    /// The next blocks.
    Segment(logs::Segment),
    /// The block of the cursor is no longer in the chain.
    Replaced,
    /// No block after the cursor can be indexed now.
    Nothing,
}

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
    let is_confirmed = cursor.unconfirmed(evm).is_none();
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

/// Maximum number of ledgers that one statement reads.
const LEDGERS_AT_ONCE: usize = 1_000;

/// Returns the ledgers that the indexed blocks created, in the order of their addresses.
async fn ledgers(
    evm: &Evm,
    ctx: &Context<'_>,
    cursor: &Cursor,
) -> Result<Rc<[Address]>, LedgerError> {
    #[derive(Deserialize)]
    struct Row {
        id: Address,
    }
    let state = cursor.state();
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
        let page: Vec<Row> = ctx.db().query(select).await?.all()?;
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
fn remember(evm: &Evm, state: State, ledgers: Vec<Address>) -> Rc<[Address]> {
    let ledgers: Rc<[Address]> = ledgers.into();
    evm.index
        .ledgers
        .replace(Some((state, Rc::clone(&ledgers))));
    ledgers
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
