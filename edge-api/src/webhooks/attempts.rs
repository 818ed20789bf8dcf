//! The SQL of sending: whose turn it is, the lease of an attempt, and what it came to.

use serde::Deserialize;

use super::Webhook;
use super::store::{promote_next, schedule_account, select_webhook, webhook_from};
use crate::context::Context;
use crate::db::commit;
use crate::ports::{Database, DatabaseError, Statement, exactly};

/// An account whose turn it is.
#[derive(Deserialize)]
pub(super) struct Turn {
    pub(super) account_id: String,
    /// 1 where its receiver is to be asked first.
    #[serde(deserialize_with = "flag")]
    pub(super) is_pending: bool,
}

/// SQLite's 0 or 1.
fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    u8::deserialize(deserializer).map(|flag| flag != 0)
}

/// The accounts for which a delivery or the challenge of an ordering key is due.
pub(super) async fn due_in(
    db: &dyn Database,
    ordering_key: &str,
    now: u64,
) -> Result<Vec<Turn>, DatabaseError> {
    let statement = Statement::new(
        "SELECT account_id, 0 AS is_pending FROM webhook_deliveries WHERE ordering_key = ?1 AND state = 0 AND due_at <= ?2 \
         UNION ALL SELECT account_id, 1 FROM webhook_challenges WHERE account_id = ?1 AND due_at <= ?2",
    )
    .bind(ordering_key)
    .bind(now);
    db.query(statement).await?.all()
}

/// Ranks of receivers that answer quickly and have failed at most twice in a row; see `webhooks.turn_rank`.
const WORKING: [u8; 3] = [0, 1, 2];
/// Rank of receivers that are slow or fail more often.
const DOUBTFUL: u8 = 3;
/// Milliseconds from which an attempt is slow: it keeps others from their turns.
const SLOW_MS: u64 = 1_000;

/// Accounts whose turn it is.
pub(super) struct Due {
    /// Those whose receivers work: fewer failures first, then those that wait longest.
    pub(super) working: Vec<Turn>,
    /// Those whose receivers are slow, keep failing, or have not confirmed yet.
    pub(super) doubtful: Vec<Turn>,
}

/// Selects accounts whose turn it is: at most `working`, and at most `doubtful` each with doubtful receivers and with challenges.
pub(super) async fn due(
    db: &dyn Database,
    now: u64,
    working: u32,
    doubtful: u32,
) -> Result<Due, DatabaseError> {
    let of_rank = |rank: u8, limit: u32| {
        Statement::new(
            "SELECT account_id, 0 AS is_pending FROM webhooks WHERE state = 1 AND turn_rank = ?1 AND wake_at <= ?2 \
             ORDER BY wake_at LIMIT ?3",
        )
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
    ordering_key: String,
    pub(super) body: String,
    /// Attempts so far, this one included: who finishes must be who took this one.
    pub(super) attempts: u32,
    pub(super) first_attempt_at: u64,
}

/// Takes the account's delivery that is due longest, unless the account rests.
pub(super) async fn claim(
    ctx: &Context<'_>,
    account: &str,
    now: u64,
    until: u64,
) -> Result<Option<Attempt>, DatabaseError> {
    let statements = vec![
        Statement::new(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?2), \
             due_at = ?3, leased_until = ?3, updated_at = ?2 WHERE id = (SELECT id FROM webhook_deliveries \
             WHERE account_id = ?1 AND state = 0 AND due_at <= ?2 AND EXISTS (SELECT 1 FROM webhooks \
             WHERE account_id = ?1 AND state = 1 AND rest_until <= ?2) ORDER BY due_at, id LIMIT 1) \
             RETURNING id, event_id, ordering_key, body, attempts, first_attempt_at",
        )
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
    /// Received.
    Delivered,
    /// Not received; the next attempt is due then.
    Retry(u64),
    /// Not received, and not tried again.
    GivenUp,
}

/// Treatment of a receiver after an attempt.
pub(super) enum Treatment {
    /// Continue with the next delivery.
    More,
    /// Pause deliveries until this time.
    Rest(u64),
    /// Stop until the owner registers it again, for this reason.
    Pause(String),
}

/// Writes the outcome of an attempt, unless its lease was lost in the meantime.
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
        Outcome::Delivered => (1_u8, None),
        Outcome::Retry(at) => (0, Some(*at)),
        Outcome::GivenUp => (2, None),
    };
    let now = ctx.time();
    let mut statements = vec![
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
        promote_next(&attempt.claimed.ordering_key, now),
    ];
    // Updates only the receiver that was asked: the owner may have registered another one since.
    let receiver = |sql| {
        Statement::new(sql)
            .bind(attempt.account.as_str())
            .bind(attempt.webhook.url.as_str())
    };
    match treatment {
        Treatment::More => statements.push(
            receiver(
                "UPDATE webhooks SET failures = 0, failing_since = NULL, rest_until = 0, turn_rank = ?3 \
                 WHERE account_id = ?1 AND url = ?2 AND state = 1 AND (failures > 0 OR rest_until > 0 OR turn_rank <> ?3)",
            )
            .bind(if is_slow { DOUBTFUL } else { 0 }),
        ),
        Treatment::Rest(until) => statements.push(
            receiver(
                "UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ?3), rest_until = ?4, \
                 turn_rank = CASE WHEN ?5 THEN ?6 ELSE min(failures + 1, ?6) END \
                 WHERE account_id = ?1 AND url = ?2 AND state = 1",
            )
            .bind(now)
            .bind(until)
            .bind(is_slow)
            .bind(DOUBTFUL),
        ),
        Treatment::Pause(why) => {
            let pause = receiver(
                "UPDATE webhooks SET state = 2, state_reason = ?3, wake_at = NULL \
                 WHERE account_id = ?1 AND url = ?2 AND state = 1",
            );
            let cancel = receiver(
                "UPDATE webhook_deliveries SET state = 3, due_at = NULL, leased_until = NULL, updated_at = ?3 \
                 WHERE account_id = ?1 AND state = 0 \
                 AND EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND url = ?2 AND state = 2)",
            );
            statements.extend([pause.bind(why), cancel.bind(now)]);
        }
    }
    statements.push(schedule_account(&[attempt.account.clone()].into())?);
    commit(ctx, None, "delivered", statements).await.map(drop)
}
