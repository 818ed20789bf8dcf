//! SQL for sending: finding due accounts, leasing an attempt, and storing its outcome.

use serde::Deserialize;

use super::Webhook;
use super::store::{cancel_waiting, promote_next, schedule_account, select_webhook, webhook_from};
use crate::api::{DeliveryState, WebhookState, delivery_state, webhook_state};
use crate::context::Context;
use crate::db::commit;
use crate::db::rows::flag;
use crate::ports::{Database, DatabaseError, Statement, exactly};

/// An account for which a delivery or a challenge is due.
#[derive(Deserialize)]
pub(super) struct DueAccount {
    pub(super) account_id: String,
    /// True if a challenge is due, false if a delivery is due.
    #[serde(deserialize_with = "flag")]
    pub(super) is_pending: bool,
}

/// Returns the accounts for which a delivery under an ordering key is due. If the key is an account and its challenge is due,
/// this account is returned too.
pub(super) async fn due_in(
    db: &dyn Database,
    ordering_key: &str,
    now: u64,
) -> Result<Vec<DueAccount>, DatabaseError> {
    let statement = Statement::new(concat!(
        "SELECT account_id, 0 AS is_pending FROM webhook_deliveries WHERE ordering_key = ?1 AND state = ",
        delivery_state!(Waiting),
        " AND due_at <= ?2 UNION ALL SELECT account_id, 1 FROM webhook_challenges WHERE account_id = ?1 AND due_at <= ?2"
    ))
    .bind(ordering_key)
    .bind(now);
    db.query(statement).await?.all()
}

/// Ranks of working receivers, which answer quickly and have failed at most twice in a row. The column
/// `webhooks.turn_rank` stores the rank.
const WORKING: [u8; 3] = [0, 1, 2];
/// Rank of doubtful receivers, which are slow or fail more often.
const DOUBTFUL: u8 = 3;
/// An attempt that takes at least this number of milliseconds counts as slow, because it delays other accounts.
const SLOW_MS: u64 = 1_000;

/// The accounts for which work is due.
pub(super) struct Due {
    /// Accounts with working receivers, ordered by failures and then by due time.
    pub(super) working: Vec<DueAccount>,
    /// Accounts with doubtful receivers, and accounts with due challenges.
    pub(super) doubtful: Vec<DueAccount>,
}

/// Returns accounts for which work is due. These are at most `working` accounts with working receivers, at most `doubtful` with
/// doubtful receivers, and at most `doubtful` with due challenges.
pub(super) async fn due(
    db: &dyn Database,
    now: u64,
    working: u32,
    doubtful: u32,
) -> Result<Due, DatabaseError> {
    let of_rank = |rank: u8, limit: u32| {
        Statement::new(concat!(
            "SELECT account_id, 0 AS is_pending FROM webhooks WHERE state = ",
            webhook_state!(Active),
            " AND turn_rank = ?1 AND wake_at <= ?2 ORDER BY wake_at LIMIT ?3"
        ))
        .bind(rank)
        .bind(now)
        .bind(limit)
    };
    let challenges = Statement::new(
        "SELECT account_id, 1 AS is_pending FROM webhook_challenges WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2",
    )
    .bind(now)
    .bind(doubtful);
    let [a, b, c] = WORKING.map(|rank| of_rank(rank, working));
    let statements = vec![a, b, c, of_rank(DOUBTFUL, doubtful), challenges];
    let [a, b, c, failing, challenges] = exactly(db.batch(statements).await?)?;
    let mut due = Due {
        working: a.all()?,
        doubtful: failing.all()?,
    };
    due.working.extend(b.all()?);
    due.working.extend(c.all()?);
    due.working
        .truncate(usize::try_from(working).unwrap_or(usize::MAX));
    due.doubtful.extend(challenges.all()?);
    Ok(due)
}

/// A leased attempt. No other run makes this attempt until the lease ends.
pub(super) struct Attempt {
    pub(super) account: String,
    pub(super) claimed: Claimed,
    pub(super) webhook: Webhook,
}

#[derive(Deserialize)]
pub(super) struct Claimed {
    id: u64,
    pub(super) event_id: String,
    ordering_key: String,
    pub(super) body: String,
    /// Number of attempts so far, including this one. [`finish`] compares this number to detect a lost lease.
    pub(super) attempts: u32,
    pub(super) first_attempt_at: u64,
}

/// Leases the account's delivery that has been due longest. Returns `None` if no delivery is due, or if the receiver is not
/// active or is resting.
pub(super) async fn claim(
    ctx: &Context<'_>,
    account: &str,
    now: u64,
    until: u64,
) -> Result<Option<Attempt>, DatabaseError> {
    let statements = vec![
        Statement::new(concat!(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?2), \
             due_at = ?3, leased_until = ?3, updated_at = ?2 WHERE id = (SELECT id FROM webhook_deliveries \
             WHERE account_id = ?1 AND state = ",
            delivery_state!(Waiting),
            " AND due_at <= ?2 AND EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = ",
            webhook_state!(Active),
            " AND rest_until <= ?2) ORDER BY due_at, id LIMIT 1) \
             RETURNING id, event_id, ordering_key, body, attempts, first_attempt_at"
        ))
        .bind(account)
        .bind(now)
        .bind(until),
        schedule_account(&[account.to_owned()].into())?,
        select_webhook(account),
    ];
    let [claimed, _, webhook] = exactly(commit(ctx, None, "claim", statements).await?)?;
    Ok(match (claimed.first()?, webhook_from(webhook)?) {
        (Some(claimed), Some(webhook)) => Some(Attempt {
            account: account.to_owned(),
            claimed,
            webhook,
        }),
        _ => None,
    })
}

/// The outcome of an attempt.
pub(super) enum Outcome {
    /// The receiver accepted the event.
    Delivered,
    /// The receiver did not accept the event. The next attempt is due at this time, in milliseconds since 1970.
    Retry(u64),
    /// The receiver did not accept the event, and there is no further attempt.
    GivenUp,
}

/// The service's treatment of a receiver after an attempt.
pub(super) enum Treatment {
    /// Continue with the next delivery.
    More,
    /// Send nothing until this time, in milliseconds since 1970.
    Rest(u64),
    /// Stop until the owner registers the receiver again. The text is the reason.
    Pause(String),
}

/// Stores the outcome of an attempt and the treatment of its receiver. If the attempt's lease was lost in the meantime, the
/// delivery does not change.
pub(super) async fn finish(
    ctx: &Context<'_>,
    attempt: &Attempt,
    outcome: &Outcome,
    treatment: Treatment,
    response_status: Option<u16>,
    error: Option<&str>,
    took_ms: u64,
) -> Result<(), DatabaseError> {
    let is_slow = took_ms >= SLOW_MS;
    let (state, due_at) = match outcome {
        Outcome::Delivered => (DeliveryState::Delivered, None),
        Outcome::Retry(at) => (DeliveryState::Waiting, Some(*at)),
        Outcome::GivenUp => (DeliveryState::Failed, None),
    };
    let now = ctx.time();
    let mut statements = vec![
        Statement::new(concat!(
            "UPDATE webhook_deliveries SET state = ?3, due_at = ?4, leased_until = NULL, response_status = ?5, \
             error = ?6, updated_at = ?7 WHERE id = ?1 AND attempts = ?2 AND state = ",
            delivery_state!(Waiting)
        ))
        .bind(attempt.claimed.id)
        .bind(attempt.claimed.attempts)
        .bind(state)
        .bind(due_at)
        .bind(response_status.map(u32::from))
        .bind(error)
        .bind(now),
        promote_next(&attempt.claimed.ordering_key, now),
    ];
    // Updates only the receiver of this attempt, because the owner may have registered another receiver since.
    let receiver = |sql| {
        Statement::new(sql)
            .bind(attempt.account.as_str())
            .bind(attempt.webhook.url.as_str())
    };
    match treatment {
        Treatment::More => statements.push(
            receiver(concat!(
                "UPDATE webhooks SET failures = 0, failing_since = NULL, rest_until = 0, turn_rank = ?3 \
                 WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active),
                " AND (failures > 0 OR rest_until > 0 OR turn_rank <> ?3)"
            ))
            .bind(if is_slow { DOUBTFUL } else { 0 }),
        ),
        Treatment::Rest(until) => statements.push(
            receiver(concat!(
                "UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ?3), rest_until = ?4, \
                 turn_rank = CASE WHEN ?5 THEN ?6 ELSE min(failures + 1, ?6) END \
                 WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active)
            ))
            .bind(now)
            .bind(until)
            .bind(is_slow)
            .bind(DOUBTFUL),
        ),
        Treatment::Pause(why) => {
            let pause = receiver(concat!(
                "UPDATE webhooks SET state = ?4, state_reason = ?3, wake_at = NULL \
                 WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active)
            ))
            .bind(why)
            .bind(WebhookState::Paused);
            let cancel = receiver(concat!(
                cancel_waiting!("?3"),
                " AND EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Paused),
                ")"
            ));
            statements.extend([pause, cancel.bind(now)]);
        }
    }
    statements.push(schedule_account(&[attempt.account.clone()].into())?);
    commit(ctx, None, "delivered", statements).await.map(drop)
}
