//! Compares the number of assets in the index with the contracts, once a day for each ledger. A difference means that logs are missing.

use order_core::Address;
use order_core::chain::views;
use serde::Deserialize;
use serde_json::json;

use super::super::Evm;
use super::super::rpc::{Ask, At, Reply, unavailable};
use super::Cursor;
use crate::context::Context;
use crate::ledger::{LedgerError, Observed};
use crate::ports::{Level, Statement};
use crate::text::{DAY_MS, account_key};

/// Maximum number of ledgers that one step compares.
const AT_ONCE: usize = 50;

/// The ledgers that are compared next.
#[derive(Deserialize)]
struct Turn {
    /// The last ledger that was compared today; empty before the first.
    supply_after: String,
    /// The time of the next comparison, in milliseconds since 1970.
    supply_at: u64,
}

#[derive(Deserialize)]
struct Row {
    id: Address,
    asset_count: u64,
}

/// Compares the next ledgers, if a day has passed since the last comparison.
pub(super) async fn next(
    evm: &Evm,
    ctx: &Context<'_>,
    cursor: &Cursor,
) -> Result<Option<Observed>, LedgerError> {
    let select = Statement::new("SELECT supply_after, supply_at FROM chain WHERE only = 1");
    let turn: Option<Turn> = ctx.db().query(select).await?.first()?;
    let Some(turn) = turn.filter(|turn| turn.supply_at <= ctx.now()) else {
        return Ok(None);
    };
    let select =
        Statement::new("SELECT id, asset_count FROM ledgers WHERE id > ?1 ORDER BY id LIMIT ?2")
            .bind(turn.supply_after.as_str())
            .bind(u64::try_from(AT_ONCE).unwrap_or(u64::MAX));
    let rows: Vec<Row> = ctx.db().query(select).await?.all()?;
    let calls: Vec<Ask> = rows
        .iter()
        .map(|row| Ask::view(&views::supply(row.id).call, At::Block(cursor.hash)))
        .collect();
    let replies = evm.rpc(ctx).ask(&calls).await?;
    for (row, reply) in rows.iter().zip(replies) {
        let answer = Reply::bytes(reply)?.unwrap_or_default();
        let supply = views::supply(row.id).read(&answer);
        let supply = supply.map_err(|_| unavailable("a ledger does not answer its supply"))?;
        if supply != row.asset_count {
            let line = json!({
                "event": "chain.supply-differs",
                "ledger": row.id,
                "block": cursor.number,
                "indexed": row.asset_count,
                "supply": supply,
            });
            ctx.log(Level::Error, line);
        }
    }
    let (after, at) = match rows.last() {
        Some(last) if rows.len() == AT_ONCE => (account_key(&last.id), turn.supply_at),
        _ => (String::new(), ctx.now().saturating_add(DAY_MS)),
    };
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM chain WHERE only = 1 AND supply_after = ?1 AND supply_at = ?2)",
    );
    let turn = guard.bind(turn.supply_after).bind(turn.supply_at);
    let next = Statement::new("UPDATE chain SET supply_after = ?1, supply_at = ?2 WHERE only = 1");
    Ok(Some(Observed {
        statements: vec![cursor.guard(), turn, next.bind(after).bind(at)],
        records: Vec::new(),
    }))
}
