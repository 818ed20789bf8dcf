//! SQL for webhooks.
//!
//! Two statements keep the outbox consistent. Batches that change the outbox run them last, as far as they are needed.
//! [`promote_next`] sets the due time of the first waiting delivery under an ordering key. [`schedule_account`] sets the
//! account's next turn. Both compute their values from the stored rows, so batches can run in any order.

use std::collections::BTreeSet;

use const_format::concatcp;
use order_core::Address;
use serde::{Deserialize, Serialize};

use super::config::{Candidate, Kinds};
use super::events::{AssetKey, Event};
use super::{Registration, Secret, Webhook, limits};
use crate::api::{WebhookState, delivery_state, webhook_state};
use crate::context::Context;
use crate::db::quota::{Period, quota_used};
use crate::db::{Decision, funded};
use crate::ports::{Database, DatabaseError, Job, Rows, Statement, exactly};
use crate::text::account_key;

/// A row of `webhooks`, with the row of `webhook_challenges` if there is one.
#[derive(Deserialize)]
struct WebhookRow {
    url: String,
    service_origin: String,
    event_kinds: Kinds,
    secret: Secret,
    previous_secret: Option<Secret>,
    previous_until: Option<u64>,
    state: WebhookState,
    state_reason: Option<String>,
    failures: u32,
    failing_since: Option<u64>,
    next_url: Option<String>,
    next_service_origin: Option<String>,
    next_host: Option<String>,
    next_secret: Option<Secret>,
    next_client: Option<String>,
    next_sent: Option<u32>,
    next_reason: Option<String>,
}

/// Returns the webhook in the rows of [`select_webhook`], or `None` if there are no rows.
pub(super) fn webhook_from(rows: Rows) -> Result<Option<Webhook>, DatabaseError> {
    let Some(row) = rows.first::<WebhookRow>()? else {
        return Ok(None);
    };
    let candidate = match (row.next_url, row.next_service_origin, row.next_host) {
        (Some(url), Some(service_origin), Some(host)) => Some(Candidate {
            url,
            service_origin,
            host,
            secret: row.next_secret,
            client: row.next_client,
            sent: row.next_sent.unwrap_or_default(),
            reason: row.next_reason,
        }),
        _ => None,
    };
    Ok(Some(Webhook {
        url: row.url,
        service_origin: row.service_origin,
        kinds: row.event_kinds,
        secret: row.secret,
        previous: row.previous_secret.zip(row.previous_until),
        state: row.state,
        state_reason: row.state_reason,
        candidate,
        failures: row.failures,
        failing_since: row.failing_since,
    }))
}

pub(super) fn select_webhook(account: &str) -> Statement {
    Statement::new(
        "SELECT w.url, w.service_origin, w.event_kinds, w.secret, w.previous_secret, w.previous_until, w.state, w.state_reason, \
         w.failures, w.failing_since, c.url AS next_url, c.service_origin AS next_service_origin, c.host AS next_host, \
         c.secret AS next_secret, c.client AS next_client, c.sent AS next_sent, c.reason AS next_reason \
         FROM webhooks w LEFT JOIN webhook_challenges c ON c.account_id = w.account_id WHERE w.account_id = ?1",
    )
    .bind(account)
}

/// Returns the webhook of an account, or `None` if the account has none.
pub(crate) async fn webhook(
    db: &dyn Database,
    account: &Address,
) -> Result<Option<Webhook>, DatabaseError> {
    webhook_from(db.query(select_webhook(&account_key(account))).await?)
}

/// Milliseconds for which the previous secret also signs after a rotation, so receivers have time to adopt the new secret.
pub(super) const ROTATION_MS: u64 = 24 * 3_600_000;

/// Seconds from a registration to its first challenge, unless the owner gave the secret. Meanwhile, the answer with the new secret
/// reaches the owner, who passes it to the receiver. Without the secret, the receiver could not check the challenge.
const FIRST_CHALLENGE_SECONDS: u32 = 10;

/// Registers or changes a webhook. A new address gets a challenge. Until the new address confirms, a confirmed older address
/// stays in use. If the settings require no confirmation, the new address is used immediately.
///
/// A given secret is used from now on. If the address is in use, the old secret also signs for a while, as after a rotation. If
/// no secret is given, a new origin gets a new secret, because the old receiver knows the old secret.
pub(crate) fn register(
    ctx: &Context<'_>,
    account: &Address,
    registration: &Registration,
) -> Result<Decision<()>, DatabaseError> {
    const ACTIVE: &str = concatcp!("state = ", webhook_state!(Active));

    /// SQL condition: the current address stays in use until the new address confirms.
    const IN_USE: &str = concatcp!(ACTIVE, " AND NOT ?9");

    /// SQL that keeps a column's value if the current address stays in use or is active and registered again. Otherwise it replaces
    /// the value.
    macro_rules! unless_active {
        ($column:literal, $new:literal) => {
            const_format::concatcp!(
                $column,
                " = CASE WHEN ",
                IN_USE,
                " OR ",
                ACTIVE,
                " AND url = excluded.url THEN ",
                $column,
                " ELSE ",
                $new,
                " END, "
            )
        };
    }
    /// SQL condition: the owner gave the secret of the address in this row. It replaces the row's secret.
    const GIVEN: &str = concatcp!("(?10 AND NOT (", IN_USE, " AND url <> excluded.url))");

    /// SQL condition: a given secret replaces the secret of an address in use.
    const ROTATED: &str = concatcp!(
        GIVEN,
        " AND ",
        ACTIVE,
        " AND url = excluded.url AND secret <> excluded.secret"
    );

    let key = account_key(account);
    let is_given = registration.secret.is_some();
    let secret = match &registration.secret {
        Some(given) => given.clone(),
        None => Secret::random(ctx.ports().random.as_ref()),
    };
    let delay = if is_given { 0 } else { FIRST_CHALLENGE_SECONDS };
    let due_at = ctx.now().saturating_add(u64::from(delay) * 1_000);
    let is_unconfirmed = ctx.config().weakened.unconfirmed_webhooks;
    let state = if is_unconfirmed {
        WebhookState::Active
    } else {
        WebhookState::Pending
    };
    let client = ctx.client().map(|client| client.network.as_str());
    let upsert = Statement::new(concatcp!(
        "INSERT INTO webhooks (account_id, url, origin, service_origin, event_kinds, secret, host, state) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (account_id) DO UPDATE SET ",
        unless_active!("url", "excluded.url"),
        unless_active!("origin", "excluded.origin"),
        unless_active!("host", "excluded.host"),
        unless_active!("state_reason", "NULL"),
        unless_active!("wake_at", "NULL"),
        unless_active!("failures", "0"),
        unless_active!("failing_since", "NULL"),
        unless_active!("rest_until", "0"),
        unless_active!("turn_rank", "0"),
        "service_origin = CASE WHEN ",
        IN_USE,
        " AND url <> excluded.url THEN service_origin ELSE excluded.service_origin END, secret = CASE WHEN ",
        GIVEN,
        " THEN excluded.secret WHEN ",
        IN_USE,
        " OR origin = excluded.origin THEN secret ELSE excluded.secret END, previous_secret = CASE WHEN ",
        ROTATED,
        " THEN secret WHEN ",
        IN_USE,
        " OR origin = excluded.origin THEN previous_secret END, previous_until = CASE WHEN ",
        ROTATED,
        " THEN ?11 WHEN ",
        IN_USE,
        " OR origin = excluded.origin THEN previous_until END, \
         event_kinds = excluded.event_kinds, state = CASE WHEN ",
        ACTIVE,
        " THEN state ELSE excluded.state END"
    ))
    .bind(key.as_str())
    .bind(registration.url.as_str())
    .bind(registration.origin.as_str())
    .bind(registration.service_origin.as_str())
    .bind(registration.kinds)
    .bind(secret.as_str())
    .bind(registration.host.as_str())
    .bind(state)
    .bind(is_unconfirmed)
    .bind(is_given)
    .bind(ctx.now().saturating_add(ROTATION_MS));
    let challenge = Statement::new(concatcp!(
        "INSERT INTO webhook_challenges (account_id, url, origin, service_origin, host, secret, client, registered_at, due_at) \
         SELECT ?1, ?2, ?3, ?4, ?5, CASE WHEN origin = ?3 AND (NOT ?10 OR secret = ?6) THEN NULL ELSE ?6 END, ?7, ?8, ?9 FROM webhooks \
         WHERE account_id = ?1 AND NOT (",
        ACTIVE,
        " AND url = ?2) ON CONFLICT (account_id) DO UPDATE SET \
         url = excluded.url, origin = excluded.origin, service_origin = excluded.service_origin, host = excluded.host, \
         secret = CASE WHEN origin = excluded.origin AND NOT ?10 THEN coalesce(secret, excluded.secret) \
         ELSE excluded.secret END, client = excluded.client, sent = 0, registered_at = excluded.registered_at, \
         due_at = excluded.due_at, reason = NULL"
    ))
    .bind(key.as_str())
    .bind(registration.url.as_str())
    .bind(registration.origin.as_str())
    .bind(registration.service_origin.as_str())
    .bind(registration.host.as_str())
    .bind(secret.as_str())
    .bind(client)
    .bind(ctx.now())
    .bind(due_at)
    .bind(is_given);
    // If the active address is registered again, it needs no challenge.
    let confirmed = Statement::new(concatcp!(
        "DELETE FROM webhook_challenges WHERE account_id = ?1 AND EXISTS \
         (SELECT 1 FROM webhooks WHERE account_id = ?1 AND ",
        ACTIVE,
        " AND url = ?2)"
    ))
    .bind(key.as_str())
    .bind(registration.url.as_str());
    let statements = vec![
        crate::accounts::ensure(account, ctx.now()),
        upsert,
        challenge,
        confirmed,
        schedule_account(&key),
        select_webhook(&key),
    ];
    // Without a challenge, waiting events are due immediately.
    let seconds = if is_unconfirmed { 0 } else { delay };
    let deliver = Job::Deliver { ordering_key: key };
    Ok(Decision::new("webhook", statements, ()).hint_after(deliver, seconds))
}

/// Returns the webhook in the rows of [`register`]'s transaction.
pub(crate) fn registered(rows: Vec<Rows>) -> Result<Option<Webhook>, DatabaseError> {
    let [.., rows] = exactly::<6>(rows)?;
    webhook_from(rows)
}

/// SQL that cancels the waiting deliveries of account `?1`. `$now` is the SQL parameter with the time.
macro_rules! cancel_waiting {
    ($now:literal) => {
        const_format::concatcp!(
            "UPDATE webhook_deliveries SET state = ",
            $crate::api::delivery_state!(Canceled),
            ", due_at = NULL, leased_until = NULL, updated_at = ",
            $now,
            " WHERE account_id = ?1 AND state = ",
            $crate::api::delivery_state!(Waiting)
        )
    };
}
pub(super) use cancel_waiting;

/// Deletes a webhook and cancels its waiting deliveries.
pub(crate) fn remove(ctx: &Context<'_>, account: &Address) -> Decision<()> {
    let statements = vec![
        Statement::new("DELETE FROM webhooks WHERE account_id = ?1").bind(account_key(account)),
        Statement::new("DELETE FROM webhook_challenges WHERE account_id = ?1")
            .bind(account_key(account)),
        Statement::new(cancel_waiting!("?2"))
            .bind(account_key(account))
            .bind(ctx.now()),
    ];
    // The removal counts against no quota, so an exhausted quota cannot prevent it.
    Decision::new("webhook", statements, ()).free()
}

/// Makes each account's first waiting delivery under an ordering key due at `now`, unless this delivery already has a due
/// time.
pub(super) fn promote_next(ordering_key: &str, now: u64) -> Statement {
    Statement::new(concatcp!(
        "UPDATE webhook_deliveries SET due_at = ?2 WHERE state = ",
        delivery_state!(Waiting),
        " AND ordering_key = ?1 AND due_at IS NULL AND id IN (SELECT min(id) FROM webhook_deliveries WHERE state = ",
        delivery_state!(Waiting),
        " AND ordering_key = ?1 GROUP BY account_id)"
    ))
    .bind(ordering_key)
    .bind(now)
}

/// SQL that sets the time of each account's next turn: the first time at which a delivery is due and the receiver is not
/// resting. Challenges have their own due times.
macro_rules! schedule {
    ($($accounts:expr),+) => {
        const_format::concatcp!(
            "UPDATE webhooks SET wake_at = max(rest_until, (SELECT min(d.due_at) FROM webhook_deliveries d \
             WHERE d.account_id = webhooks.account_id AND d.state = ",
            delivery_state!(Waiting),
            " AND d.due_at IS NOT NULL)) WHERE state = ",
            webhook_state!(Active),
            " AND account_id IN (",
            $($accounts,)+
            ")"
        )
    };
}

/// Sets the time of an account's next turn.
pub(super) fn schedule_account(account: &str) -> Statement {
    Statement::new(schedule!("?1")).bind(account)
}

/// Sets the time of an account's next turn, unless a delivery was leased until this time. After a lease, the outcome sets the time.
pub(super) fn schedule_unless_leased(account: &str, until: u64) -> Statement {
    Statement::new(concatcp!(
        schedule!("?1"),
        " AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 AND due_at = ?2 AND state = ",
        delivery_state!(Waiting),
        ")"
    ))
    .bind(account)
    .bind(until)
}

/// Sets the time of the next turn of each account for which a delivery waits under an ordering key. If there is such an account, starts
/// the deliveries after the commit.
fn schedule_receivers(ordering_key: &str) -> Statement {
    Statement::new(concatcp!(
        schedule!(
            "SELECT account_id FROM webhook_deliveries WHERE ordering_key = ?1 AND state = ",
            delivery_state!(Waiting)
        ),
        " RETURNING 1"
    ))
    .bind(ordering_key)
    .delivering(ordering_key)
}

/// Events with the same recipients, apart from the kinds to which the recipients subscribe.
#[derive(Serialize)]
struct Group<'a> {
    asset: Option<&'a AssetKey>,
    events: &'a [Event],
}

/// SQL for the groups `g` in `?1` and the webhooks `w` of their recipients. Recipients are the accounts in `?2`. Events about
/// an asset also go to the owner of the asset's ledger and to the asset's holder. If the record `?3` destroyed the asset, the
/// last holder gets the event.
const RECIPIENTS: &str = "json_each(?1) g CROSS JOIN webhooks w ON w.account_id IN (SELECT value FROM json_each(?2) \
         UNION ALL SELECT owner_id FROM ledgers WHERE id = g.value ->> '$.asset.ledger' \
         UNION ALL SELECT owner_id FROM assets WHERE ledger_id = g.value ->> '$.asset.ledger' AND id = g.value ->> '$.asset.id' \
         UNION ALL SELECT owner_id FROM withdrawals WHERE ledger_id = g.value ->> '$.asset.ledger' \
         AND asset_id = g.value ->> '$.asset.id' AND record_ref = ?3)";

/// SQL for the key prefix under which the events of a group are counted. Events about assets have their own prefix, because anybody may
/// issue assets to an account. These events must not use up the account's quota for events about its own requests.
const PREFIX: &str = "iif(g.value ->> 'asset' IS NULL, 'events:', 'asset-events:')";

/// Returns statements that write events, within the limits, for recipients that have subscribed to the events' kinds.
/// Recipients whose receivers are neither active nor able to confirm get no events. `ordering_key` is the record that caused
/// the events, or the account for events about its domains. If the record changes assets, these statements must run after the changes, because the holders of the assets
/// are recipients. If deliveries under the ordering key wait for an active receiver, a queue message starts them.
pub(crate) fn outbox(
    ordering_key: &str,
    events: &[Event],
    accounts: &BTreeSet<String>,
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let groups = events.chunk_by(|one, next| one.asset == next.asset);
    let groups: Vec<Group<'_>> = groups
        .map(|events| Group {
            asset: events.first().and_then(|event| event.asset.as_ref()),
            events,
        })
        .collect();
    // The joins keep their order, so an account's rows get ascending ids in the order of the events. The conditions about a receiver are
    // checked once for each group.
    let insert = Statement::new(concatcp!(
        "INSERT INTO webhook_deliveries (ref, account_id, event_id, ordering_key, body, created_at, updated_at) \
         SELECT e.value ->> 'id', w.account_id, e.value ->> 'id', ?3, e.value ->> 'body', ?4, ?4 FROM ",
        RECIPIENTS,
        " CROSS JOIN json_each(g.value -> 'events') e \
         WHERE (w.event_kinds IS NULL OR w.event_kinds & (1 << (e.value ->> 'kind'))) AND (w.state = ",
        webhook_state!(Active),
        " OR EXISTS (SELECT 1 FROM webhook_challenges c WHERE c.account_id = w.account_id AND c.due_at IS NOT NULL)) \
         AND ",
        quota_used!(concatcp!(PREFIX, " || w.account_id"), "?5"),
        " < ?6 AND ",
        quota_used!(concatcp!(PREFIX, " || 'host:' || w.host"), "?5"),
        " < ?7 AND (",
        quota_used!(concatcp!(PREFIX, " || 'unfunded'"), "?5"),
        " < ?8 OR ",
        funded!("w.account_id"),
        ")"
    ))
    .bind_json(&groups)?
    .bind_json(accounts)?
    .bind(ordering_key)
    .bind(now)
    .bind(Period::Day.number(now))
    .bind(limits::EVENTS_OF_ACCOUNT)
    .bind(limits::EVENTS_TO_HOST)
    .bind(limits::EVENTS_OF_UNFUNDED);
    let counted = limits::count_events(events, ordering_key, now)?;
    Ok(vec![
        insert,
        counted,
        promote_next(ordering_key, now),
        schedule_receivers(ordering_key),
    ])
}

#[cfg(test)]
mod tests {
    use order_core::EventKind;
    use serde_json::json;

    use super::*;
    use crate::native::Sqlite;

    #[test]
    fn an_event_kind_added_later_reaches_only_subscribers_of_all_kinds() {
        let added_later = EventKind::ALL.last().unwrap().number() + 1;
        let each_known = (0..added_later).fold(0, |bits, kind| bits | 1 << kind);
        let database = Sqlite::new().unwrap();
        for (account, stored) in [("all", json!(null)), ("each", json!(each_known))] {
            let kinds: Kinds = serde_json::from_value(stored).unwrap();
            let webhook = Statement::new(
                "INSERT INTO webhooks (account_id, url, origin, service_origin, event_kinds, secret, host, state) \
                 VALUES (?1, 'u', 'o', 's', ?2, 'k', 'h', ?3)",
            )
            .bind(account)
            .bind(kinds)
            .bind(WebhookState::Active);
            database.run(&[webhook]).unwrap();
        }
        let accounts = ["all", "each"].map(str::to_owned).into();
        for kind in [added_later, 0] {
            let event = Event {
                id: format!("event-{kind}"),
                kind,
                body: "{}".to_owned(),
                asset: None,
            };
            let statements = outbox("record", &[event], &accounts, 0).unwrap();
            database.run(&statements).unwrap();
        }
        let sent = Statement::new(
            "SELECT account_id || ' ' || event_id AS sent FROM webhook_deliveries ORDER BY account_id, event_id",
        );
        let sent = database.run(&[sent]).unwrap().remove(0).list;
        let later = format!("all event-{added_later}");
        let expected = ["all event-0", later.as_str(), "each event-0"];
        assert_eq!(sent, expected.map(|sent| json!({ "sent": sent })));
    }
}
