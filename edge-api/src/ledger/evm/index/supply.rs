//! Compares the number of assets in the index with the number in the ledger's contract, once a day for each ledger. A difference means that
//! logs are missing.

use order_core::chain::views;
use serde_json::json;

use super::super::memory::Evm;
use super::super::rpc::{At, Reply, unavailable};
use super::super::views::{Source, view_all};
use super::index_head::IndexHead;
use super::ledgers::IndexedLedger;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;

/// Compares these ledgers, and logs differences.
pub(super) async fn compare(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    rows: &[IndexedLedger],
) -> Result<(), LedgerError> {
    let calls: Vec<_> = rows.iter().map(|row| views::supply(row.id).call).collect();
    let replies = view_all(evm, ctx, calls, At::Block(index_head.hash), Source::First).await?;
    for (row, reply) in rows.iter().zip(replies) {
        let answer = Reply::bytes(reply)?.unwrap_or_default();
        let supply = views::supply(row.id).read(&answer);
        let supply = supply
            .map_err(|_| unavailable("a ledger's contract does not answer its number of assets"))?;
        if supply != row.asset_count {
            let line = json!({
                "event": "chain.supply-differs",
                "ledger": row.id,
                "block": index_head.number,
                "indexed": row.asset_count,
                "supply": supply,
            });
            ctx.log(Level::Error, line);
        }
    }
    Ok(())
}
