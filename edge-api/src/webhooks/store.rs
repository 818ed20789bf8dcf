//! The webhooks' SQL.
//!
//! Two statements keep the outbox in order, and stand in every batch that changes it: [`release`] gives the first
//! delivery that waits in a stream its due time, [`wake`] gives the account its next turn. Both compute what they
//! write from what is stored, so that no order of events can leave them wrong.

use std::collections::BTreeSet;

use order_core::Address;
use serde::Deserialize;

use super::config::Kinds;
use super::events::Event;
use super::{Registration, Secret, Webhook};
use crate::app::{Call, commit};
use crate::http::{Page, Sort};
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// A row of `webhooks`.
#[derive(Deserialize)]
struct WebhookRow {
    url: String,
    service_origin: String,
    kinds: u8,
    secret: String,
    previous_secret: Option<String>,
    previous_until: Option<u64>,
}

/// The columns of [`WebhookRow`].
macro_rules! webhook_columns {
    () => {
        "url, service_origin, kinds, secret, previous_secret, previous_until"
    };
}

pub(super) fn webhook_from(rows: Rows) -> Result<Option<Webhook>, DatabaseError> {
    let Some(row) = rows.first::<WebhookRow>()? else {
        return Ok(None);
    };
    let secret = |text| Secret::from_stored(text).map_err(DatabaseError::Unavailable);
    let previous = row.previous_secret.map(secret).transpose()?;
    Ok(Some(Webhook {
        url: row.url,
        service_origin: row.service_origin,
        kinds: Kinds::from_bits(row.kinds)
            .ok_or_else(|| DatabaseError::Unavailable("a webhook has no kinds".to_owned()))?,
        secret: secret(row.secret)?,
        previous: previous.zip(row.previous_until),
    }))
}

pub(super) fn select_webhook(account: &str) -> Statement {
    Statement::new(concat!(
        "SELECT ",
        webhook_columns!(),
        " FROM webhooks WHERE account_id = ?1"
    ))
    .bind(account)
}

/// The webhook of an account.
pub(crate) async fn webhook(
    db: &dyn Database,
    account: &Address,
) -> Result<Option<Webhook>, DatabaseError> {
    webhook_from(db.query(select_webhook(&account_key(account))).await?)
}

/// Registers or changes a webhook. A new origin gets a new secret: the old one belongs to the old receiver.
pub(crate) async fn register(
    call: &Call<'_>,
    account: &Address,
    registration: &Registration,
    secret: &Secret,
) -> Result<Option<Webhook>, DatabaseError> {
    let upsert = Statement::new(concat!(
        "INSERT INTO webhooks (account_id, url, origin, service_origin, kinds, secret) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (account_id) DO UPDATE SET \
         url = excluded.url, origin = excluded.origin, service_origin = excluded.service_origin, \
         kinds = excluded.kinds, \
         secret = CASE WHEN origin = excluded.origin THEN secret ELSE excluded.secret END, \
         previous_secret = CASE WHEN origin = excluded.origin THEN previous_secret END, \
         previous_until = CASE WHEN origin = excluded.origin THEN previous_until END RETURNING ",
        webhook_columns!()
    ))
    .bind(account_key(account))
    .bind(registration.url.as_str())
    .bind(registration.origin.as_str())
    .bind(registration.service_origin.as_str())
    .bind(registration.kinds.bits())
    .bind(secret.as_str());
    let statements = vec![crate::accounts::ensure(account, call.now()), upsert];
    let [_, rows] = exactly(commit(call, "webhook", statements).await?)?;
    webhook_from(rows)
}

/// Ends a webhook; what waits is not sent any more.
pub(crate) async fn remove(call: &Call<'_>, account: &Address) -> Result<(), DatabaseError> {
    let statements = vec![
        Statement::new("DELETE FROM webhooks WHERE account_id = ?1").bind(account_key(account)),
        Statement::new(
            "UPDATE webhook_deliveries SET state = 3, due_at = NULL, leased_until = NULL, updated_at = ?2 \
             WHERE account_id = ?1 AND state = 0",
        )
        .bind(account_key(account))
        .bind(call.now()),
    ];
    commit(call, "webhook", statements).await.map(drop)
}

/// Gives the first delivery that waits in each account's part of a stream its due time, unless it has one.
pub(super) fn release(stream: &str, now: u64) -> Statement {
    Statement::new(
        "UPDATE webhook_deliveries SET due_at = ?2 WHERE state = 0 AND stream = ?1 AND due_at IS NULL AND id IN \
         (SELECT min(id) FROM webhook_deliveries WHERE state = 0 AND stream = ?1 GROUP BY account_id)",
    )
    .bind(stream)
    .bind(now)
}

/// Gives accounts their next turn: when the first of their deliveries is due, but not before `rest_until`.
pub(super) fn wake(
    accounts: &BTreeSet<String>,
    rest_until: u64,
) -> Result<Statement, DatabaseError> {
    Ok(Statement::new(
        "UPDATE webhooks SET wake_at = max(?2, (SELECT min(d.due_at) FROM webhook_deliveries d \
         WHERE d.account_id = webhooks.account_id AND d.state = 0 AND d.due_at IS NOT NULL)) \
         WHERE account_id IN (SELECT value FROM json_each(?1))",
    )
    .bind_json(accounts)?
    .bind(rest_until))
}

/// Statements that write events for those of the accounts that registered their kinds.
pub(super) fn enqueue(
    stream: &str,
    events: &[Event],
    accounts: &BTreeSet<String>,
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO webhook_deliveries (ref, account_id, event_id, stream, body, created_at, updated_at) \
         SELECT e.value ->> 'id', w.account_id, e.value ->> 'id', ?3, e.value ->> 'body', ?4, ?4 \
         FROM json_each(?1) e CROSS JOIN json_each(?2) a CROSS JOIN webhooks w ON w.account_id = a.value \
         WHERE w.kinds & (1 << (e.value ->> 'kind')) ORDER BY e.key",
    )
    .bind_json(&events)?
    .bind_json(accounts)?
    .bind(stream)
    .bind(now);
    Ok(vec![insert, release(stream, now), wake(accounts, 0)?])
}

/// A delivery as its account sees it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Delivery {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) event_id: String,
    pub(crate) stream: String,
    pub(crate) body: String,
    pub(crate) state: u8,
    pub(crate) attempts: u32,
    pub(crate) due_at: Option<u64>,
    pub(crate) response_status: Option<u16>,
    pub(crate) error: Option<String>,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
}

/// The columns of [`Delivery`].
macro_rules! delivery_columns {
    () => {
        "ref, event_id, stream, body, state, attempts, due_at, response_status, error, created_at, updated_at"
    };
}
pub(super) use delivery_columns;

/// An account's delivery.
pub(crate) async fn find(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<Delivery>, DatabaseError> {
    db.query(
        Statement::new(concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2"
        ))
        .bind(account_key(account))
        .bind(reference),
    )
    .await?
    .first()
}

/// A page of an account's deliveries, one row more than it shows, and how many there are.
pub(crate) async fn list(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<Delivery>, u32), DatabaseError> {
    macro_rules! select {
        ($behind:literal, $end:literal, $order:literal) => {
            concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM webhook_deliveries WHERE account_id = ?1 AND id ",
                $behind,
                " CASE WHEN ?2 IS NULL THEN ",
                $end,
                " ELSE coalesce((SELECT id FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2), 0) END ORDER BY id ",
                $order,
                " LIMIT ?3 OFFSET ?4"
            )
        };
    }
    let rows = Statement::new(match page.sort {
        Sort::Ascending => select!(">", "0", "ASC"),
        Sort::Descending => select!("<", "9e15", "DESC"),
    })
    .bind(account_key(account))
    .bind(page.after.as_deref())
    .bind(page.fetch())
    .bind(page.skip);
    let total = Statement::new(
        "SELECT count(*) AS total FROM (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 LIMIT 10001)",
    )
    .bind(account_key(account));
    let [rows, total] = exactly(db.batch(vec![rows, total]).await?)?;
    Ok((rows.all()?, total.total()?))
}

/// Whether a delivery of a stream is due or will be.
pub(crate) async fn waits(db: &dyn Database, stream: &str) -> Result<bool, DatabaseError> {
    let rows = db
        .query(
            Statement::new(
                "SELECT 1 AS waits FROM webhook_deliveries WHERE stream = ?1 AND state = 0 LIMIT 1",
            )
            .bind(stream),
        )
        .await?;
    Ok(!rows.is_empty())
}

#[derive(Deserialize)]
struct AccountRow {
    account_id: String,
}

fn accounts(rows: Rows) -> Result<Vec<String>, DatabaseError> {
    Ok(rows
        .all::<AccountRow>()?
        .into_iter()
        .map(|row| row.account_id)
        .collect())
}

/// The accounts for which a delivery of a stream is due.
pub(super) async fn due_in(
    db: &dyn Database,
    stream: &str,
    now: u64,
) -> Result<Vec<String>, DatabaseError> {
    accounts(
        db.query(
            Statement::new(
                "SELECT account_id FROM webhook_deliveries WHERE stream = ?1 AND state = 0 AND due_at <= ?2",
            )
            .bind(stream)
            .bind(now),
        )
        .await?,
    )
}

/// The accounts whose turn it is, who waits longest first.
pub(super) async fn due(
    db: &dyn Database,
    now: u64,
    limit: u32,
) -> Result<Vec<String>, DatabaseError> {
    accounts(
        db.query(
            Statement::new(
                "SELECT account_id FROM webhooks WHERE wake_at <= ?1 ORDER BY wake_at LIMIT ?2",
            )
            .bind(now)
            .bind(limit),
        )
        .await?,
    )
}

/// Forgets deliveries that ended before a time, a part of them at a time.
pub(super) async fn forget(db: &dyn Database, before: u64) -> Result<(), DatabaseError> {
    db.query(
        Statement::new(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries \
             WHERE state <> 0 AND created_at < ?1 ORDER BY created_at LIMIT 1000)",
        )
        .bind(before),
    )
    .await
    .map(drop)
}

/// An attempt that nobody else makes until its lease ends.
pub(super) struct Attempt {
    pub(super) account: String,
    pub(super) claimed: Claimed,
    pub(super) webhook: Webhook,
}

#[derive(Deserialize)]
pub(super) struct Claimed {
    id: u64,
    pub(super) event_id: String,
    stream: String,
    pub(super) body: String,
    /// Attempts so far, this one included: who finishes must be who took this one.
    pub(super) attempts: u32,
    pub(super) first_attempt_at: u64,
}

/// Takes the account's delivery that is due longest.
pub(super) async fn claim(
    call: &Call<'_>,
    account: &str,
    now: u64,
    until: u64,
) -> Result<Option<Attempt>, DatabaseError> {
    let statements = vec![
        Statement::new(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?2), \
             due_at = ?3, leased_until = ?3, updated_at = ?2 WHERE id = (SELECT id FROM webhook_deliveries \
             WHERE account_id = ?1 AND state = 0 AND due_at <= ?2 ORDER BY due_at, id LIMIT 1) \
             RETURNING id, event_id, stream, body, attempts, first_attempt_at",
        )
        .bind(account)
        .bind(now)
        .bind(until),
        wake(&[account.to_owned()].into(), 0)?,
        select_webhook(account),
    ];
    let [claimed, _, webhook] = exactly(commit(call, "claim", statements).await?)?;
    Ok(match (claimed.first()?, webhook_from(webhook)?) {
        (Some(claimed), Some(webhook)) => Some(Attempt {
            account: account.to_owned(),
            claimed,
            webhook,
        }),
        _ => None,
    })
}

/// What an attempt came to.
pub(super) enum Outcome {
    /// Received.
    Delivered,
    /// Not received; the next attempt is due then.
    Retry(u64),
    /// Not received, and not tried again.
    GivenUp,
}

/// Writes what an attempt came to, unless its lease was lost in the meantime.
pub(super) async fn finish(
    call: &Call<'_>,
    attempt: &Attempt,
    outcome: &Outcome,
    response_status: Option<u16>,
    error: Option<&str>,
    rest_until: u64,
) -> Result<(), DatabaseError> {
    let (state, due_at) = match outcome {
        Outcome::Delivered => (1_u8, None),
        Outcome::Retry(at) => (0, Some(*at)),
        Outcome::GivenUp => (2, None),
    };
    let now = call.time();
    let statements = vec![
        Statement::new(
            "UPDATE webhook_deliveries SET state = ?3, due_at = ?4, leased_until = NULL, response_status = ?5, \
             error = ?6, updated_at = ?7 WHERE id = ?1 AND attempts = ?2 AND state = 0",
        )
        .bind(attempt.claimed.id)
        .bind(attempt.claimed.attempts)
        .bind(state)
        .bind(due_at)
        .bind(response_status.map(u32::from))
        .bind(error)
        .bind(now),
        release(&attempt.claimed.stream, now),
        wake(&[attempt.account.clone()].into(), rest_until)?,
    ];
    commit(call, "delivered", statements).await.map(drop)
}
