//! Reads the prefixes and postfixes of ledgers again, at most once an hour for each ledger. A ledger's owner can change them, and the change
//! writes no log.
//!
//! A reorganisation can restore older prefixes and postfixes. The next round corrects them.

use order_core::chain::{View, views};
use serde_json::json;

use super::super::memory::Evm;
use super::super::rpc::{At, Replies, unavailable};
use super::super::views::{Source, view_all};
use super::index_head::IndexHead;
use super::ledgers::IndexedLedger;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::{Level, Statement};
use crate::text::account_key;

/// Reads the prefixes and postfixes of ledgers. Returns a statement that stores the changed ones, if there are any.
///
/// A single provider must not change them, so a quorum confirms each change. Without a quorum, they stay until the next round.
pub(super) async fn changes(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    rows: &[IndexedLedger],
) -> Result<Option<Statement>, LedgerError> {
    let at = At::Block(index_head.hash);
    let found = texts(evm, ctx, at, rows.iter(), Source::First).await?;
    let other = rows.iter().zip(&found);
    let other = other.filter(|(row, [prefix, postfix])| {
        (prefix, postfix) != (&row.uri_prefix, &row.uri_postfix)
    });
    let other: Vec<&IndexedLedger> = other.map(|(row, _)| row).collect();
    if other.is_empty() {
        return Ok(None);
    }
    let agreed = match texts(evm, ctx, at, other.iter().copied(), Source::Quorum).await {
        Ok(agreed) => agreed,
        Err(LedgerError::Unavailable(why)) => {
            let line = json!({ "event": "chain.uri-unconfirmed", "ledgers": other.len(), "block": index_head.number, "why": why });
            ctx.log(Level::Warn, line);
            return Ok(None);
        }
        Err(other) => return Err(other),
    };
    let mut changed = Vec::new();
    for (row, [prefix, postfix]) in other.iter().zip(agreed) {
        if (&prefix, &postfix) == (&row.uri_prefix, &row.uri_postfix) {
            continue;
        }
        let line =
            json!({ "event": "chain.uri-changed", "ledger": row.id, "block": index_head.number });
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

/// Returns the prefix and the postfix of each ledger.
async fn texts(
    evm: &Evm,
    ctx: &Context<'_>,
    at: At,
    rows: impl Iterator<Item = &IndexedLedger>,
    source: Source,
) -> Result<Vec<[String; 2]>, LedgerError> {
    let views = rows.map(|row| [views::uri_prefix(row.id), views::uri_postfix(row.id)]);
    let views: Vec<_> = views.collect();
    let calls = views.iter().flatten().map(|text| text.call.clone());
    let mut replies = Replies::from(view_all(evm, ctx, calls.collect(), at, source).await?);
    let mut read = |text: &View<Option<String>>| -> Result<String, LedgerError> {
        let text = replies.of(text)?;
        let text = text.ok_or_else(|| {
            unavailable("a ledger's contract does not answer its prefix or postfix")
        })?;
        // Contracts store any bytes. The index has an invalid text as empty, as for a new ledger.
        Ok(text.unwrap_or_default())
    };
    let texts = views
        .iter()
        .map(|[prefix, postfix]| Ok([read(prefix)?, read(postfix)?]));
    texts.collect()
}
