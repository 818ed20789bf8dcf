//! Events of an account that no other table tells: its domains and API keys. `GET /activity` lists them.

use order_core::Address;

use crate::api::ActivityKind;
use crate::context::Context;
use crate::ports::Statement;
use crate::text::account_key;

/// Maximum rows that one call erases.
const ERASED_AT_ONCE: u32 = 1_000;

/// Returns the statement that stores an event. `detail` is the domain or the name of the key. `exists` is SQL for a condition with the
/// account as `?1`, the ledger or an empty text as `?2`, and `about` as `?3`. If it does not hold, nothing is stored.
pub(crate) fn event(
    ctx: &Context<'_>,
    account: &Address,
    ledger: Option<&Address>,
    kind: ActivityKind,
    about: &str,
    (detail, exists): (&'static str, &'static str),
) -> Statement {
    let sql = format!(
        "INSERT INTO account_events (ref, account_id, at, kind, ledger_id, detail) \
         SELECT ?4, ?1, ?5, ?6, nullif(?2, ''), {detail} WHERE {exists}"
    );
    Statement::built(sql.into(), Vec::new())
        .bind(account_key(account))
        .bind(ledger.map(account_key).unwrap_or_default())
        .bind(about)
        .bind(ctx.new_reference())
        .bind(ctx.now())
        .bind(kind.number())
}

/// Returns the statement that erases an account's events, at most 1,000 of them.
pub(crate) fn erase_events(account: &Address) -> Statement {
    Statement::new(
        "DELETE FROM account_events WHERE ref IN (SELECT ref FROM account_events WHERE account_id = ?1 ORDER BY at LIMIT ?2)",
    )
    .bind(account_key(account))
    .bind(ERASED_AT_ONCE)
}
