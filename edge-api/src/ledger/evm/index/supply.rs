//! Compares the number of assets in the index with the contracts, once a day for each ledger. A difference means that logs are missing.

use order_core::chain::views;
use serde_json::json;

use super::super::Evm;
use super::super::rpc::{Ask, At, Reply, unavailable};
use super::Cursor;
use super::rounds::Row;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;

/// Compares ledgers, and logs differences.
pub(super) async fn compare(
    evm: &Evm,
    ctx: &Context<'_>,
    cursor: &Cursor,
    rows: &[Row],
) -> Result<(), LedgerError> {
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
    Ok(())
}
