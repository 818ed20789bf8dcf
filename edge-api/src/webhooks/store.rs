//! The webhooks' SQL.
//!
//! Two statements keep the outbox in order, and stand in every batch that changes it: [`promote_next`] gives the first
//! delivery that waits under an ordering key its due time, [`schedule_account`] gives the account its next turn. Both compute what they
//! write from what is stored, so that no order of events can leave them wrong.

use std::collections::BTreeSet;

use order_core::Address;
use serde::Deserialize;

use super::config::{Kinds, State};
use super::events::Event;
use super::{Registration, Secret, Webhook, limits};
use crate::context::Context;
use crate::db::quota::{Period, quota_used};
use crate::db::{Decision, funded};
use crate::ports::{Database, DatabaseError, Job, Rows, Statement, exactly};
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
    host: String,
    state: u8,
    state_reason: Option<String>,
    challenges: u32,
    failures: u32,
    failing_since: Option<u64>,
}

/// The columns of [`WebhookRow`].
macro_rules! webhook_columns {
    () => {
        "url, service_origin, kinds, secret, previous_secret, previous_until, host, state, state_reason, challenges, \
         failures, failing_since"
    };
}
pub(super) use webhook_columns;

pub(super) fn webhook_from(rows: Rows) -> Result<Option<Webhook>, DatabaseError> {
    let Some(row) = rows.first::<WebhookRow>()? else {
        return Ok(None);
    };
    let host = row.host.clone();
    let corrupt = |why: String| DatabaseError::corrupt("webhooks", &host, why);
    let secret = |text| Secret::from_stored(text).map_err(corrupt);
    let previous = row.previous_secret.map(secret).transpose()?;
    Ok(Some(Webhook {
        url: row.url,
        service_origin: row.service_origin,
        kinds: Kinds::from_bits(row.kinds).ok_or_else(|| corrupt("it has no kinds".to_owned()))?,
        secret: secret(row.secret)?,
        previous: previous.zip(row.previous_until),
        host: row.host,
        state: State::from_stored(row.state)
            .ok_or_else(|| corrupt("it has no state".to_owned()))?,
        state_reason: row.state_reason,
        challenges: row.challenges,
        failures: row.failures,
        failing_since: row.failing_since,
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

/// Registers or changes a webhook, and has the receiver of a new address challenged, or one that is not active. Without confirmation
/// it is active at once. A new origin gets a new secret: the old one belongs to the old receiver.
pub(crate) fn register(
    ctx: &Context<'_>,
    account: &Address,
    registration: &Registration,
    secret: &Secret,
) -> Result<Decision<()>, DatabaseError> {
    /// Keeps a column if the receiver has confirmed this exact address, and resets it otherwise.
    macro_rules! unless_confirmed {
        ($column:literal, $new:literal) => {
            concat!(
                $column,
                " = CASE WHEN url = excluded.url AND state = 1 THEN ",
                $column,
                " ELSE ",
                $new,
                " END, "
            )
        };
    }
    let key = account_key(account);
    let (state, challenge_at) = if ctx.config().weakened.unconfirmed_webhooks {
        (State::Active, None)
    } else {
        (State::Pending, Some(ctx.now()))
    };
    let upsert = Statement::new(concat!(
        "INSERT INTO webhooks (account_id, url, origin, service_origin, kinds, secret, host, registered_at, wake_at, state) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (account_id) DO UPDATE SET \
         url = excluded.url, origin = excluded.origin, service_origin = excluded.service_origin, \
         kinds = excluded.kinds, host = excluded.host, ",
        unless_confirmed!("state", "excluded.state"),
        unless_confirmed!("state_reason", "NULL"),
        unless_confirmed!("challenges", "0"),
        unless_confirmed!("registered_at", "excluded.registered_at"),
        unless_confirmed!("wake_at", "excluded.wake_at"),
        unless_confirmed!("failures", "0"),
        unless_confirmed!("failing_since", "NULL"),
        unless_confirmed!("rest_until", "0"),
        "secret = CASE WHEN origin = excluded.origin THEN secret ELSE excluded.secret END, \
         previous_secret = CASE WHEN origin = excluded.origin THEN previous_secret END, \
         previous_until = CASE WHEN origin = excluded.origin THEN previous_until END RETURNING ",
        webhook_columns!()
    ))
    .bind(key.as_str())
    .bind(registration.url.as_str())
    .bind(registration.origin.as_str())
    .bind(registration.service_origin.as_str())
    .bind(registration.kinds.bits())
    .bind(secret.as_str())
    .bind(registration.host.as_str())
    .bind(ctx.now())
    .bind(challenge_at)
    .bind(state as u8);
    let statements = vec![
        crate::accounts::ensure(account, ctx.now()),
        upsert,
        schedule_account(&[key.clone()].into())?,
    ];
    Ok(Decision::new("webhook", statements, ()).hint(Job::Deliver { ordering_key: key }))
}

/// The webhook in the rows of [`register`]'s transaction.
pub(crate) fn registered(rows: Vec<Rows>) -> Result<Option<Webhook>, DatabaseError> {
    let [_, webhook, _] = exactly(rows)?;
    webhook_from(webhook)
}

/// Ends what waits for an account.
pub(super) fn cancel_waiting(account: &str, now: u64) -> Statement {
    Statement::new(
        "UPDATE webhook_deliveries SET state = 3, due_at = NULL, leased_until = NULL, updated_at = ?2 \
         WHERE account_id = ?1 AND state = 0",
    )
    .bind(account)
    .bind(now)
}

/// Ends a webhook; what waits is not sent any more.
pub(crate) fn remove(ctx: &Context<'_>, account: &Address) -> Decision<()> {
    let statements = vec![
        Statement::new("DELETE FROM webhooks WHERE account_id = ?1").bind(account_key(account)),
        cancel_waiting(&account_key(account), ctx.now()),
    ];
    // Free, so no used-up quota can prevent it.
    Decision::new("webhook", statements, ()).free()
}

/// Gives the first delivery that waits in each account's part of an ordering key its due time, unless it has one.
pub(super) fn promote_next(ordering_key: &str, now: u64) -> Statement {
    Statement::new(
        "UPDATE webhook_deliveries SET due_at = ?2 WHERE state = 0 AND ordering_key = ?1 AND due_at IS NULL AND id IN \
         (SELECT min(id) FROM webhook_deliveries WHERE state = 0 AND ordering_key = ?1 GROUP BY account_id)",
    )
    .bind(ordering_key)
    .bind(now)
}

/// Gives accounts their next turn: when the first of their deliveries is due, but not while they rest. The turn of one
/// that is pending is its challenge's.
pub(super) fn schedule_account(accounts: &BTreeSet<String>) -> Result<Statement, DatabaseError> {
    Statement::new(
        "UPDATE webhooks SET wake_at = max(rest_until, (SELECT min(d.due_at) FROM webhook_deliveries d \
         WHERE d.account_id = webhooks.account_id AND d.state = 0 AND d.due_at IS NOT NULL)) \
         WHERE state = 1 AND account_id IN (SELECT value FROM json_each(?1))",
    )
    .bind_json(accounts)
}

/// Statements that write events for those of the accounts that registered their kinds, as far as limits go: for active
/// ones, and for those whose receiver is being asked.
pub(crate) fn outbox(
    ordering_key: &str,
    events: &[Event],
    accounts: &BTreeSet<String>,
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let insert = Statement::new(concat!(
        "INSERT INTO webhook_deliveries (ref, account_id, event_id, ordering_key, body, created_at, updated_at) \
         SELECT e.value ->> 'id', w.account_id, e.value ->> 'id', ?3, e.value ->> 'body', ?4, ?4 \
         FROM json_each(?1) e CROSS JOIN json_each(?2) a CROSS JOIN webhooks w ON w.account_id = a.value \
         WHERE w.kinds & (1 << (e.value ->> 'kind')) AND (w.state = 1 OR w.state = 0 AND w.wake_at IS NOT NULL) \
         AND ",
        quota_used!("'events:' || w.account_id", "?5"),
        " < ?6 AND ",
        quota_used!("'events:host:' || w.host", "?5"),
        " < ?7 AND (",
        quota_used!("'events:unfunded'", "?5"),
        " < ?8 OR ",
        funded!("w.account_id"),
        ") ORDER BY e.key"
    ))
    .bind_json(&events)?
    .bind_json(accounts)?
    .bind(ordering_key)
    .bind(now)
    .bind(Period::Day.number(now))
    .bind(limits::EVENTS_OF_ACCOUNT)
    .bind(limits::EVENTS_TO_HOST)
    .bind(limits::EVENTS_OF_UNFUNDED);
    let counted = limits::count_events(&events, accounts, now)?;
    Ok(vec![
        insert,
        counted,
        promote_next(ordering_key, now),
        schedule_account(accounts)?,
    ])
}

/// Whether a delivery of an ordering key is due or will be. An account's own key has its challenges too.
pub(crate) async fn waits(db: &dyn Database, ordering_key: &str) -> Result<bool, DatabaseError> {
    let rows = db
        .query(
            Statement::new(
                "SELECT 1 AS waits FROM webhook_deliveries WHERE ordering_key = ?1 AND state = 0 \
                 UNION ALL SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = 0 AND wake_at IS NOT NULL LIMIT 1",
            )
            .bind(ordering_key),
        )
        .await?;
    Ok(!rows.is_empty())
}
