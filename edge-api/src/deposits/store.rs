//! SQL for deposits.

use order_core::Address;
use serde::Deserialize;

use super::deposit::Deposit;
use super::reversals::{self, Reversals};
use crate::backoff;
use crate::db::{List, Page};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// The columns of a deposit.
const COLUMNS: &str = "ref, account_id, amount, tokens, price, source, status, livemode, intent_id, client_secret, failure, \
         refunded, reclaimed, taken, version, created_at";

/// SQL that selects the deposits that meet a condition.
macro_rules! select {
    ($condition:literal) => {
        const_format::concatcp!("SELECT ", COLUMNS, " FROM deposits WHERE ", $condition)
    };
}

/// Inserts a deposit. `next_reconcile_at` is the time of the first query to the provider. `client` is the keyed hash of the
/// client network.
pub(super) fn insert(
    deposit: &Deposit,
    next_reconcile_at: Option<u64>,
    client: Option<&str>,
) -> Statement {
    Statement::new(
        "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, \
         updated_at, next_reconcile_at, client) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12)",
    )
    .bind(deposit.reference.as_str())
    .bind(account_key(&deposit.account))
    .bind(deposit.cents)
    .bind(deposit.tokens.to_hex64())
    .bind(deposit.price.to_string())
    .bind(deposit.source.as_str())
    .bind(deposit.status.as_str())
    .bind(deposit.livemode)
    .bind(deposit.debited.to_hex64())
    .bind(deposit.created_at)
    .bind(next_reconcile_at)
    .bind(client)
}

/// Returns the references of at most `limit` deposits that are due for reconciling. Sets the next due time of each, or none
/// after the last attempt.
pub(super) async fn lease_due(
    db: &dyn Database,
    now: u64,
    limit: u32,
) -> Result<Vec<String>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
    }
    let statement = Statement::new(
        "UPDATE deposits SET reconcile_attempts = reconcile_attempts + 1, \
         next_reconcile_at = ?1 + (?3 ->> reconcile_attempts) \
         WHERE ref IN (SELECT ref FROM deposits WHERE next_reconcile_at <= ?1 ORDER BY next_reconcile_at LIMIT ?2) RETURNING ref",
    )
    .bind(now)
    .bind(limit);
    let statement = backoff::RECONCILIATION.bind(statement)?;
    let rows = db.query(statement).await?.all::<Row>()?;
    Ok(rows.into_iter().map(|row| row.reference).collect())
}

/// Makes an unpaid deposit due for reconciling now. `intent` is the provider's id of its payment or session.
pub(super) fn due_now(intent: &str, now: u64) -> Statement {
    Statement::new(
        "UPDATE deposits SET next_reconcile_at = ?2 WHERE intent_id = ?1 AND status IN ('pending', 'failed')",
    )
    .bind(intent)
    .bind(now)
}

/// Replaces `old` with `new`. Fails with [`DatabaseError::Guard`] if the deposit was changed in between.
pub(super) fn replace(old: &Deposit, new: &Deposit, now: u64) -> [Statement; 2] {
    [
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM deposits WHERE ref = ?1 AND version = ?2)",
        )
        .bind(old.reference.as_str())
        .bind(old.version),
        Statement::new(
            "UPDATE deposits SET status = ?2, intent_id = ?3, client_secret = ?4, failure = ?5, refunded = ?6, \
             reclaimed = ?7, taken = ?8, updated_at = ?9, version = version + 1, \
             client = CASE WHEN ?2 IN ('pending', 'failed') AND ?3 IS NOT NULL THEN client END, \
             next_reconcile_at = CASE WHEN ?2 IN ('pending', 'failed') AND ?3 IS NOT NULL THEN next_reconcile_at END \
             WHERE ref = ?1",
        )
        .bind(old.reference.as_str())
        .bind(new.status.as_str())
        .bind(new.intent.as_deref())
        .bind(new.client_secret.as_deref())
        .bind(new.failure.as_deref())
        .bind(new.refunded)
        .bind(new.reclaimed)
        .bind(new.debited.to_hex64())
        .bind(now),
    ]
}

/// Finds a deposit by the provider's id of its payment. Also returns the refunds and disputes of the payment.
pub(super) async fn by_intent(
    db: &dyn Database,
    intent: &str,
) -> Result<Option<(Deposit, Reversals)>, DatabaseError> {
    let [found, disputes, refunds] = exactly(
        db.batch(vec![
            Statement::new(select!("intent_id = ?1")).bind(intent),
            reversals::select_disputes(intent),
            reversals::select_refunds(intent),
        ])
        .await?,
    )?;
    let reversals = Reversals::from_rows(disputes, refunds)?;
    Ok(found.first()?.map(|deposit| (deposit, reversals)))
}

/// Finds a deposit of any account by its reference.
pub(super) async fn by_reference(
    db: &dyn Database,
    reference: &str,
) -> Result<Option<Deposit>, DatabaseError> {
    let statement = Statement::new(select!("ref = ?1")).bind(reference);
    db.query(statement).await?.first()
}

/// Finds a deposit of an account by its reference.
pub(crate) async fn find(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<Deposit>, DatabaseError> {
    let statement = Statement::new(select!("account_id = ?1 AND ref = ?2"))
        .bind(account_key(account))
        .bind(reference);
    db.query(statement).await?.first()
}

/// Returns a page of an account's deposits, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn list(
    db: &dyn Database,
    account: &Address,
    references: Option<Vec<String>>,
    page: &Page,
) -> Result<(Vec<Deposit>, u32), DatabaseError> {
    List::new(COLUMNS, "deposits", &["ref"])
        .only("account_id = ?", account_key(account))
        .among("ref IN (SELECT value FROM json_each(?))", references)
        .fetch(db, page)
        .await
}
