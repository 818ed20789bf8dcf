//! SQL for sending: finding due accounts, leasing an attempt, and storing its outcome.

use std::collections::BTreeMap;

use const_format::concatcp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Webhook;
use super::store::{
    cancel_waiting, promote_next, schedule_account, schedule_unless_leased, select_webhook,
    webhook_from,
};
use crate::api::{DeliveryState, WebhookState, delivery_state, webhook_state};
use crate::context::Context;
use crate::db::rows::flag;
use crate::db::{commit, funded};
use crate::ports::{Database, DatabaseError, Param, Rows, Statement, exactly};

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
    let statement = Statement::new(concatcp!(
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
/// Number of consecutive failures after which a receiver is doubtful. A slow receiver is doubtful immediately.
const FAILURES_OF_DOUBTFUL: u8 = 3;
/// Rank of the doubtful receivers of funded accounts. Their tokens cost money, so dead receivers of many new accounts cannot delay them.
const DOUBTFUL: u8 = 3;
/// Rank of the doubtful receivers of other accounts.
const DOUBTFUL_UNFUNDED: u8 = 4;
/// Maximum number of doubtful receivers of each rank, and of challenges, among which a round of the sweep chooses.
const CHOICE: u32 = 100;
/// An attempt that takes at least this number of milliseconds counts as slow, because it delays other accounts.
pub(super) const SLOW_MS: u64 = 1_000;

/// The accounts for which work is due.
pub(super) struct Due {
    /// Accounts with working receivers, ordered by failures and then by due time.
    pub(super) working: Vec<DueAccount>,
    /// Accounts with doubtful receivers, and accounts with due challenges.
    pub(super) doubtful: Vec<DueAccount>,
}

/// An account that waits for a turn with a doubtful receiver or with a challenge.
#[derive(Deserialize)]
struct Waiting {
    account_id: String,
    /// The host of the account's receiver.
    host: String,
    #[serde(deserialize_with = "flag")]
    is_funded: bool,
}

/// Chooses at most `limit` accounts. Funded and other accounts take turns, and so do the hosts of their receivers. Many dead receivers
/// at a host therefore delay only the receivers at this host. Accounts of one host keep their order.
fn in_turns(waiting: Vec<Waiting>, limit: usize) -> Vec<String> {
    let mut turns: BTreeMap<(bool, String), usize> = BTreeMap::new();
    let mut in_turn: Vec<(usize, Waiting)> = Vec::new();
    for account in waiting {
        let turns_before = turns
            .entry((account.is_funded, account.host.clone()))
            .or_default();
        in_turn.push((*turns_before, account));
        *turns_before = turns_before.saturating_add(1);
    }
    in_turn.sort_by_key(|(turn, _)| *turn);
    let accounts = in_turn.into_iter().map(|(_, account)| account);
    let (funded, others): (Vec<_>, Vec<_>) = accounts.partition(|account| account.is_funded);
    let mut places: Vec<_> = funded.into_iter().enumerate().collect();
    places.extend(others.into_iter().enumerate());
    // The sort is stable, so a funded account precedes the other account of its place.
    places.sort_by_key(|(place, _)| *place);
    let chosen = places.into_iter().map(|(_, account)| account.account_id);
    chosen.take(limit).collect()
}

/// Returns accounts for which work is due. These are at most `working` accounts with working receivers, at most `doubtful` with
/// doubtful receivers, and at most `doubtful` with due challenges.
pub(super) async fn due(
    db: &dyn Database,
    now: u64,
    working: usize,
    doubtful: usize,
) -> Result<Due, DatabaseError> {
    let of_rank = |rank: u8, limit: u32| {
        Statement::new(concatcp!(
            "SELECT account_id, host, turn_rank = ?4 AS is_funded, 0 AS is_pending FROM webhooks WHERE state = ",
            webhook_state!(Active),
            " AND turn_rank = ?1 AND wake_at <= ?2 ORDER BY wake_at LIMIT ?3"
        ))
        .bind(rank)
        .bind(now)
        .bind(limit)
        .bind(DOUBTFUL)
    };
    let challenges = Statement::new(concatcp!(
        "SELECT account_id, host, ",
        funded!("webhook_challenges.account_id"),
        " AS is_funded FROM webhook_challenges WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2",
    ))
    .bind(now)
    .bind(CHOICE);
    let most = u32::try_from(working).unwrap_or(u32::MAX);
    let [a, b, c] = WORKING.map(|rank| of_rank(rank, most));
    let [funded, others] = [DOUBTFUL, DOUBTFUL_UNFUNDED].map(|rank| of_rank(rank, CHOICE));
    let statements = vec![a, b, c, funded, others, challenges];
    let [a, b, c, funded, others, challenges] = exactly(db.batch(statements).await?)?;
    let mut due = Due {
        working: a.all()?,
        doubtful: Vec::new(),
    };
    due.working.extend(b.all()?);
    due.working.extend(c.all()?);
    due.working.truncate(working);
    let mut failing: Vec<Waiting> = funded.all()?;
    failing.extend(others.all()?);
    for (waiting, is_pending) in [(failing, false), (challenges.all()?, true)] {
        let chosen = in_turns(waiting, doubtful).into_iter();
        due.doubtful.extend(chosen.map(|account_id| DueAccount {
            account_id,
            is_pending,
        }));
    }
    Ok(due)
}

/// Deliveries of an account under one ordering key, in their order. The lease of the first covers all of them, because the
/// others wait for it. No other run makes their attempts until the lease ends.
pub(super) struct Leased {
    pub(super) account: String,
    pub(super) webhook: Webhook,
    pub(super) first: Claimed,
    pub(super) others: Vec<Claimed>,
    until: u64,
}

#[derive(Deserialize)]
pub(super) struct Claimed {
    pub(super) id: u64,
    pub(super) event_id: String,
    ordering_key: String,
    pub(super) body: String,
    /// Number of attempts so far. For the first of [`Leased`], it includes the attempt that follows.
    pub(super) attempts: u32,
    pub(super) first_attempt_at: Option<u64>,
}

/// Maximum number of deliveries that are leased together: the events of an order of one asset. If the service stops before it
/// stores their outcomes, they are sent again.
const LEASED_AT_ONCE: u32 = 5;

/// Leases the account's delivery that has been due longest, together with deliveries that wait for it. Returns `None` if no
/// delivery is due, or if the receiver is not active or is resting.
pub(super) async fn claim(
    ctx: &Context<'_>,
    account: &str,
    now: u64,
    until: u64,
) -> Result<Option<Leased>, DatabaseError> {
    let statements = claim_statements(account, now, until).into();
    let rows = commit(ctx, None, "claim", statements).await?;
    claimed(account, until, exactly(rows)?)
}

/// Returns the statements that lease the account's next deliveries. [`claimed`] reads their rows.
fn claim_statements(account: &str, now: u64, until: u64) -> [Statement; 4] {
    [
        Statement::new(concatcp!(
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
        // If two deliveries were leased until the same time, this statement may select the rows behind either. `claimed` compares the keys.
        Statement::new(concatcp!(
            "SELECT id, event_id, ordering_key, body, attempts, first_attempt_at FROM webhook_deliveries \
             WHERE ordering_key = (SELECT ordering_key FROM webhook_deliveries WHERE account_id = ?1 AND due_at = ?2 AND state = ",
            delivery_state!(Waiting),
            ") AND account_id = ?1 AND due_at IS NULL AND state = ",
            delivery_state!(Waiting),
            " ORDER BY id LIMIT ?3"
        ))
        .bind(account)
        .bind(until)
        .bind(LEASED_AT_ONCE.saturating_sub(1)),
        schedule_unless_leased(account, until),
        select_webhook(account),
    ]
}

/// Returns the deliveries in the rows of [`claim_statements`].
fn claimed(
    account: &str,
    until: u64,
    [first, others, _, webhook]: [Rows; 4],
) -> Result<Option<Leased>, DatabaseError> {
    let (Some(first), Some(webhook)) = (first.first::<Claimed>()?, webhook_from(webhook)?) else {
        return Ok(None);
    };
    let mut others: Vec<Claimed> = others.all()?;
    others.retain(|other| other.ordering_key == first.ordering_key);
    Ok(Some(Leased {
        account: account.to_owned(),
        webhook,
        first,
        others,
        until,
    }))
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

/// An attempt that has ended.
pub(super) struct Attempt {
    /// The delivery's number in the database.
    pub(super) id: u64,
    pub(super) outcome: Outcome,
    /// The status of the receiver's answer.
    pub(super) status: Option<u16>,
    pub(super) error: Option<String>,
    /// The number of attempts of the delivery, including this one, and the time of the first.
    pub(super) attempts: u32,
    pub(super) first_attempt_at: u64,
}

/// The service's treatment of a receiver after attempts.
pub(super) enum Treatment {
    /// Continue with the next delivery.
    More,
    /// Send nothing until this time, in milliseconds since 1970.
    Rest(u64),
    /// Stop until the owner registers the receiver again. The text is the reason.
    Pause(String),
}

/// Stores the outcomes of attempts and the treatment of their receiver. If the lease was lost in the meantime, the deliveries
/// do not change. With `next_until`, also leases the account's next deliveries until this time, and returns them.
pub(super) async fn finish(
    ctx: &Context<'_>,
    leased: &Leased,
    attempts: &[Attempt],
    treatments: Vec<Treatment>,
    is_slow: bool,
    next_until: Option<u64>,
) -> Result<Option<Leased>, DatabaseError> {
    let now = ctx.time();
    let value = |attempt: &Attempt| {
        let (state, due_at) = match attempt.outcome {
            Outcome::Delivered => (DeliveryState::Delivered, None),
            Outcome::Retry(at) => (DeliveryState::Waiting, Some(at)),
            Outcome::GivenUp => (DeliveryState::Failed, None),
        };
        let value = json!([
            Param::from(state),
            due_at,
            attempt.status,
            attempt.error,
            attempt.attempts,
            attempt.first_attempt_at
        ]);
        (attempt.id.to_string(), value)
    };
    // The columns of each delivery by its id. Their ids are in a range of one index.
    let values: Map<String, Value> = attempts.iter().map(value).collect();
    let mut statements = vec![
        Statement::new(concatcp!(
            "UPDATE webhook_deliveries SET state = ?1 -> ('$.' || id) ->> 0, due_at = ?1 -> ('$.' || id) ->> 1, leased_until = NULL, \
             response_status = ?1 -> ('$.' || id) ->> 2, error = ?1 -> ('$.' || id) ->> 3, attempts = ?1 -> ('$.' || id) ->> 4, first_attempt_at = ?1 -> ('$.' || id) ->> 5, \
             updated_at = ?4 WHERE ordering_key = ?5 AND account_id = ?6 AND id BETWEEN ?2 AND ?7 AND state = ",
            delivery_state!(Waiting),
            " AND ?1 -> ('$.' || id) IS NOT NULL AND EXISTS (SELECT 1 FROM webhook_deliveries WHERE id = ?2 AND leased_until = ?3 AND state = ",
            delivery_state!(Waiting),
            ")"
        ))
        .bind_json(&values)?
        .bind(leased.first.id)
        .bind(leased.until)
        .bind(now)
        .bind(leased.first.ordering_key.as_str())
        .bind(leased.account.as_str())
        .bind(attempts.last().map(|last| last.id)),
        promote_next(&leased.first.ordering_key, now),
    ];
    /// SQL for the rank of the receiver of account `?1`, if a condition makes it doubtful, and otherwise.
    macro_rules! rank {
        ($is_doubtful:literal, $working:literal) => {
            const_format::concatcp!(
                "CASE WHEN NOT (",
                $is_doubtful,
                ") THEN ",
                $working,
                " WHEN ",
                funded!(),
                " THEN ?4 ELSE ?5 END"
            )
        };
    }
    // Updates only the receiver of these attempts, because the owner may have registered another receiver since.
    let receiver = |sql| {
        Statement::new(sql)
            .bind(leased.account.as_str())
            .bind(leased.webhook.url.as_str())
    };
    for treatment in treatments {
        match treatment {
        Treatment::More => statements.push(
            receiver(concatcp!(
                "UPDATE webhooks SET failures = 0, failing_since = NULL, rest_until = 0, turn_rank = ",
                rank!("?3", "0"),
                " WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active),
                " AND (failures > 0 OR rest_until > 0 OR turn_rank > 0 OR ?3)"
            ))
            .bind(is_slow)
            .bind(DOUBTFUL)
            .bind(DOUBTFUL_UNFUNDED),
        ),
        Treatment::Rest(until) => statements.push(
            receiver(concatcp!(
                "UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ?6), rest_until = ?7, \
                 turn_rank = ",
                rank!("?3 OR failures + 1 >= ?8", "failures + 1"),
                " WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active)
            ))
            .bind(is_slow)
            .bind(DOUBTFUL)
            .bind(DOUBTFUL_UNFUNDED)
            .bind(now)
            .bind(until)
            .bind(FAILURES_OF_DOUBTFUL),
        ),
        Treatment::Pause(why) => {
            let pause = receiver(concatcp!(
                "UPDATE webhooks SET state = ?4, state_reason = ?3, wake_at = NULL \
                 WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Active)
            ))
            .bind(why)
            .bind(WebhookState::Paused);
            let cancel = receiver(concatcp!(
                cancel_waiting!("?3"),
                " AND EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND url = ?2 AND state = ",
                webhook_state!(Paused),
                ")"
            ));
            statements.extend([pause, cancel.bind(now)]);
        }
    }
    }
    let account = leased.account.as_str();
    let Some(until) = next_until else {
        statements.push(schedule_account(account));
        commit(ctx, None, "delivered", statements).await?;
        return Ok(None);
    };
    let own = statements.len();
    statements.extend(claim_statements(account, now, until));
    let mut rows = commit(ctx, None, "delivered", statements).await?;
    let next = rows.split_off(own.min(rows.len()));
    claimed(account, until, exactly(next)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn funded_accounts_and_hosts_take_turns() {
        let account = |account: &str, host: &str, is_funded| Waiting {
            account_id: account.to_owned(),
            host: host.to_owned(),
            is_funded,
        };
        let waiting = vec![
            account("f1", "a", true),
            account("f2", "a", true),
            account("f3", "b", true),
            account("u1", "a", false),
            account("u2", "a", false),
            account("u3", "a", false),
            account("u4", "c", false),
        ];
        let in_order = ["f1", "u1", "f3", "u4", "f2", "u2", "u3"];
        assert_eq!(in_turns(waiting, 10), in_order);
        let alone = |number: u32| account(&number.to_string(), "a", false);
        assert_eq!(in_turns((0..5).map(alone).collect(), 3), ["0", "1", "2"]);
    }
}
