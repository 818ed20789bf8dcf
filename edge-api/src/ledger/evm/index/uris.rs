//! Reads the prefixes and postfixes of ledgers again, at most once an hour for each ledger. A ledger's owner can change them, which writes no
//! log.
//!
//! A reorganisation can restore the texts of an earlier block. The next round corrects them.

use order_core::chain::{View, views};
use serde_json::json;

use super::super::Evm;
use super::super::rpc::{At, Replies, unavailable};
use super::super::views::view_all;
use super::Cursor;
use super::rounds::Row;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::{Level, Statement};
use crate::text::account_key;

/// Reads the texts of ledgers. Returns a statement that stores the changed ones, if there are any.
pub(super) async fn changes(
    evm: &Evm,
    ctx: &Context<'_>,
    cursor: &Cursor,
    rows: &[Row],
) -> Result<Option<Statement>, LedgerError> {
    let texts = rows
        .iter()
        .map(|row| [views::uri_prefix(row.id), views::uri_postfix(row.id)]);
    let texts: Vec<_> = texts.collect();
    let calls = texts.iter().flatten().map(|text| text.call.clone());
    let calls: Vec<_> = calls.collect();
    let mut replies = Replies::from(view_all(evm, ctx, &calls, At::Block(cursor.hash)).await?);
    let mut changed = Vec::new();
    for (row, [prefix, postfix]) in rows.iter().zip(&texts) {
        let mut read = |text: &View<Option<String>>| -> Result<String, LedgerError> {
            let text = replies.of(text)?;
            let text = text.ok_or_else(|| unavailable("a ledger does not answer its prefix"))?;
            // Contracts store any bytes. The index shows a text that is not valid as empty, as for a new ledger.
            Ok(text.unwrap_or_default())
        };
        let (prefix, postfix) = (read(prefix)?, read(postfix)?);
        if (&prefix, &postfix) == (&row.uri_prefix, &row.uri_postfix) {
            continue;
        }
        let line =
            json!({ "event": "chain.uri-changed", "ledger": row.id, "block": cursor.number });
        ctx.log(Level::Info, line);
        changed.push(json!([account_key(&row.id), prefix, postfix]));
    }
    if changed.is_empty() {
        return Ok(None);
    }
    let update = Statement::new(
        "UPDATE ledgers SET uri_prefix = u.value ->> 1, uri_postfix = u.value ->> 2 FROM json_each(?1) u WHERE ledgers.id = u.value ->> 0",
    );
    Ok(Some(update.bind_json(&changed)?))
}
