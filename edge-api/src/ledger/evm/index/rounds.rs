//! Rounds over all ledgers, in the order of their addresses. Each step asks the contracts of a page of ledgers.

use serde::Deserialize;

use super::super::memory::Evm;
use super::index_head::IndexHead;
use super::ledgers::IndexedLedger;
use super::{supply, uris};
use crate::context::Context;
use crate::ledger::{LedgerError, Observed};
use crate::ports::Statement;
use crate::text::{DAY_MS, account_key};

/// Maximum number of ledgers in one step.
const AT_ONCE: usize = 50;

/// Milliseconds between the rounds that read prefixes and postfixes, and between the steps of such a round.
const URIS_MS: (u64, u64) = (3_600_000, 60_000);

/// The state of both rounds. `…_after` is the last ledger of the last step. It is empty before the first ledger. `…_at` is the time of the
/// next step, in milliseconds since 1970.
#[derive(Deserialize)]
struct Turns {
    supply_after: String,
    supply_at: u64,
    uris_after: String,
    uris_at: u64,
}

/// The SQL of a round: the guard for its state, and the update to its next state.
macro_rules! round {
    ($after:literal, $at:literal) => {
        [
            const_format::concatcp!(
                "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM chain WHERE only = 1 AND ",
                $after,
                " = ?1 AND ",
                $at,
                " = ?2)"
            ),
            const_format::concatcp!("UPDATE chain SET ", $after, " = ?1, ", $at, " = ?2 WHERE only = 1"),
        ]
    };
}

/// Decides the next step of a round that is due. `None` if no round is due.
pub(super) async fn next_step(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
) -> Result<Option<Observed>, LedgerError> {
    let select = Statement::new(
        "SELECT supply_after, supply_at, uris_after, uris_at FROM chain WHERE only = 1",
    );
    let Some(turns) = ctx.db().query(select).await?.first::<Turns>()? else {
        return Ok(None);
    };
    let now = ctx.now();
    let is_supply = turns.supply_at <= now;
    if !is_supply && turns.uris_at > now {
        return Ok(None);
    }
    let (after, at) = match is_supply {
        true => (turns.supply_after, turns.supply_at),
        false => (turns.uris_after, turns.uris_at),
    };
    let select = Statement::new(
        "SELECT id, asset_count, uri_prefix, uri_postfix FROM ledgers WHERE id > ?1 ORDER BY id LIMIT ?2",
    )
    .bind(after.as_str())
    .bind(u64::try_from(AT_ONCE).unwrap_or(u64::MAX));
    let rows: Vec<IndexedLedger> = ctx.db().query(select).await?.all()?;
    let last = rows.last().filter(|_| rows.len() == AT_ONCE);
    let last = last.map(|row| account_key(&row.id));
    let ([guard, next], changes, wait) = if is_supply {
        supply::compare(evm, ctx, index_head, &rows).await?;
        // The steps of a round follow each other without a pause.
        let wait = if last.is_some() { 0 } else { DAY_MS };
        (round!("supply_after", "supply_at"), None, wait)
    } else {
        let changes = uris::changes(evm, ctx, index_head, &rows).await?;
        let (round, step) = URIS_MS;
        let wait = if last.is_some() { step } else { round };
        (round!("uris_after", "uris_at"), changes, wait)
    };
    let turn = Statement::new(guard).bind(after).bind(at);
    let next = Statement::new(next)
        .bind(last.unwrap_or_default())
        .bind(now.saturating_add(wait));
    Ok(Some(Observed {
        statements: [index_head.guard(), turn, next]
            .into_iter()
            .chain(changes)
            .collect(),
        records: Vec::new(),
    }))
}
