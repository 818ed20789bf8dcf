//! Delivers events to receivers. Attempts are never lost, and attempts of one delivery never overlap.

use std::cell::RefCell;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::json;

use super::Webhook;
use super::attempts::{self, Attempt, DueAccount, Leased, Outcome, SLOW_MS, Treatment};
use super::challenge::challenge;
use crate::backoff;
use crate::context::Context;
use crate::outbound::{FetchSession, Outgoing, Policy};
use crate::ports::{DatabaseError, Fetched, Level};
use crate::text::timestamp;

/// Milliseconds for which deliveries are leased. A request's timeout is far shorter. If a lease ends without an outcome, the
/// host has therefore abandoned the run.
pub(super) const LEASE_MS: u64 = 60_000;
/// Maximum milliseconds between a lease and the start of an attempt. After this time, a later run makes the attempt.
const START_MS: u64 = 30_000;
/// Maximum milliseconds between an event's first and last attempt.
const GIVE_UP_MS: u64 = 24 * 3_600_000;
/// Milliseconds of consecutive failures after which a receiver is paused.
const PAUSE_AFTER_MS: u64 = 24 * 3_600_000;
/// The status "Gone" (RFC 9110, section 15.5.11). A receiver answers with it to stop further events, as in the Standard Webhooks
/// scheme.
const GONE: u16 = 410;
/// Number of an account's deliveries after which a turn leases no more.
const TURN: usize = 20;
/// Maximum number of concurrent turns.
const AT_ONCE: usize = 6;
/// Maximum number of accounts with working receivers in a round of the sweep.
const SWEEP: usize = 50;
/// Maximum number of accounts with doubtful receivers in a round of the sweep, and of accounts with challenges. Both numbers
/// are small, so a round is short and the next round soon finds accounts with newly due work.
const SWEEP_DOUBTFUL: usize = 3;
/// Milliseconds after which a sweep starts no further round. The next sweep continues the work.
const SWEEP_MS: u64 = 30_000;
/// Maximum number of rounds in a sweep.
const ROUNDS: usize = 20;

/// Runs a turn for each account for which a delivery under the ordering key is due. If the key is an account, a due challenge
/// is sent too. Safe to call at any time and any number of times.
pub(crate) async fn deliver(ctx: &Context<'_>, ordering_key: &str) -> Result<(), DatabaseError> {
    let due = attempts::due_in(ctx.db(), ordering_key, ctx.time()).await?;
    take_turns(ctx, due).await
}

/// Delivers due events and challenges of all accounts, as many as the limits of a sweep allow. Receivers that are slow or fail
/// get only a bounded share of the time.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    let until = ctx.now().saturating_add(SWEEP_MS);
    for _ in 0..ROUNDS {
        let due = attempts::due(ctx.db(), ctx.time(), SWEEP, SWEEP_DOUBTFUL).await?;
        let nothing = due.working.is_empty() && due.doubtful.is_empty();
        if nothing || ctx.time() > until {
            break;
        }
        // Doubtful receivers and challenges come last in each round. A round has few of them, so they delay the next
        // round by at most two timeouts.
        let in_order = due.working.into_iter().chain(due.doubtful);
        take_turns(ctx, in_order.collect()).await?;
    }
    Ok(())
}

/// Runs a turn for each account, a few at a time. If turns fail, the others still run, and the last error is returned.
async fn take_turns(ctx: &Context<'_>, due: Vec<DueAccount>) -> Result<(), DatabaseError> {
    let failed = RefCell::new(None);
    stream::iter(due)
        .for_each_concurrent(AT_ONCE, async |due: DueAccount| {
            if let Err(error) = take_turn(ctx, &due).await {
                failed.replace(Some(error));
            }
        })
        .await;
    failed.into_inner().map_or(Ok(()), Err)
}

/// Runs an account's turn: a challenge, or about [`TURN`] deliveries. The turn ends early when no delivery is due, at the first
/// failure, or if leasing or the attempts took too long.
async fn take_turn(ctx: &Context<'_>, due: &DueAccount) -> Result<(), DatabaseError> {
    let account = due.account_id.as_str();
    if due.is_pending {
        // After a confirmation, the receiver gets its events in the account's next turn.
        return challenge(ctx, account).await;
    }
    let mut leased_at = ctx.time();
    let until = leased_at.saturating_add(LEASE_MS);
    let mut next = attempts::claim(ctx, account, leased_at, until).await?;
    let mut left = TURN;
    while let Some(leased) = next {
        left = left.saturating_sub(leased.others.len().saturating_add(1));
        (next, leased_at) = deliver_leased(ctx, &leased, leased_at, left > 0).await?;
    }
    Ok(())
}

/// Makes the attempts of leased deliveries one after another until one fails, and stores their outcomes. If the receiver accepted
/// all events and `continues` is true, the same transaction leases the account's next deliveries. Returns these deliveries and the
/// time of their lease.
async fn deliver_leased(
    ctx: &Context<'_>,
    leased: &Leased,
    leased_at: u64,
    continues: bool,
) -> Result<(Option<Leased>, u64), DatabaseError> {
    let mut webhook = leased.webhook.clone();
    let mut ended: Vec<Attempt> = Vec::new();
    let mut treatments = Vec::new();
    let (mut is_slow, mut continues) = (false, continues);
    let first = (&leased.first, 0);
    let others = leased.others.iter().map(|other| (other, 1));
    for (event, more) in [first].into_iter().chain(others) {
        let started = ctx.time();
        if started.saturating_sub(leased_at) > START_MS {
            // If the attempt started this late, it could outlast the lease.
            continues = false;
            break;
        }
        let answer = post(ctx, &webhook, &event.event_id, &event.body, 0).await;
        let (status, error) = match answer.map(|answer| answer.status) {
            Ok(status) if (200..=299).contains(&status) => (Some(status), None),
            Ok(status) => (
                Some(status),
                Some(format!("the server answered {status} instead of 2xx")),
            ),
            Err(why) => (None, Some(why)),
        };
        let now = ctx.time();
        is_slow |= now.saturating_sub(started) >= SLOW_MS;
        let attempts = event.attempts.saturating_add(more);
        let first_attempt_at = event.first_attempt_at.unwrap_or(started);
        let outcome = match error {
            None => Outcome::Delivered,
            Some(_) if status == Some(GONE) => Outcome::GivenUp,
            Some(_) => next_attempt(now, first_attempt_at, attempts),
        };
        match &error {
            // Ends the failures so far.
            None => {
                webhook.failures = 0;
                webhook.failing_since = None;
                if ended.is_empty() {
                    treatments.push(Treatment::More);
                }
            }
            Some(why) => treatments.push(after_failure(&webhook, now, status, why)),
        }
        let is_failure = error.is_some();
        ended.push(Attempt {
            id: event.id,
            outcome,
            status,
            error,
            attempts,
            first_attempt_at,
        });
        if is_failure {
            continues = false;
            break;
        }
    }
    if ended.is_empty() {
        return Ok((None, leased_at));
    }
    let now = ctx.time();
    let until = continues.then(|| now.saturating_add(LEASE_MS));
    let next = attempts::finish(ctx, leased, &ended, treatments, is_slow, until).await?;
    Ok((next, now))
}

/// Decides how to treat a receiver after another failure.
fn after_failure(webhook: &Webhook, now: u64, status: Option<u16>, why: &str) -> Treatment {
    const RESUME: &str = "send PUT /account/webhook again to resume";
    if status == Some(GONE) {
        return Treatment::Pause(format!("the receiver answered 410 (gone): {RESUME}"));
    }
    let since = webhook.failing_since.unwrap_or(now);
    if now >= since.saturating_add(PAUSE_AFTER_MS) {
        return Treatment::Pause(format!(
            "every attempt since {} has failed, the last one because {why}: {RESUME}",
            timestamp(since)
        ));
    }
    Treatment::Rest(backoff::RECEIVER_REST.next(now, webhook.failures))
}

/// Returns the outcome of a failed attempt: the time of the next attempt, or the end of the attempts.
fn next_attempt(now: u64, first: u64, attempts: u32) -> Outcome {
    let last = first.saturating_add(GIVE_UP_MS);
    if now >= last {
        return Outcome::GivenUp;
    }
    let retry = backoff::DELIVERY.next(now, attempts.saturating_sub(1));
    Outcome::Retry(retry.min(last))
}

/// Sends a signed POST to the webhook's address. Returns the receiver's answer, or a sentence that tells the account why there
/// is none.
pub(super) async fn post(
    ctx: &Context<'_>,
    webhook: &Webhook,
    id: &str,
    body: &str,
    limit: usize,
) -> Result<Fetched, String> {
    // The address is checked again, because the rules may have become stricter since its registration.
    let policy = Policy::of(ctx, Some(&webhook.service_origin));
    let target = policy
        .check(&webhook.url)
        .map_err(|refused| refused.to_string())?;
    let now = ctx.time();
    let seconds = now / 1000;
    let signatures = webhook
        .secrets(now)
        .map(|secret| secret.sign(id, seconds, body))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|why| {
            ctx.log(
                Level::Error,
                json!({ "event": "webhook.unsigned", "why": why }),
            );
            "the event could not be signed".to_owned()
        })?;
    let outgoing = Outgoing {
        target,
        headers: [
            ("content-type", "application/json".to_owned()),
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        body: Some(body.as_bytes().to_vec()),
        limit,
        redirects: 0,
    };
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
    match session.send(outgoing).await {
        Ok(received) => Ok(received.answer),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_between_attempts_grow_and_attempts_end_after_a_day() {
        let (mut now, mut attempts, mut waits) = (1_000_000, 1, Vec::new());
        let first = now;
        while let Outcome::Retry(at) = next_attempt(now, first, attempts) {
            waits.push((at - now) / 1000);
            now = at;
            attempts += 1;
        }
        assert_eq!(
            waits,
            [
                30, 60, 300, 900, 1800, 3600, 7200, 14400, 14400, 14400, 14400, 14400, 510
            ]
        );
        assert_eq!(now - first, GIVE_UP_MS);
    }

    #[test]
    fn an_attempt_that_starts_in_time_ends_within_its_lease() {
        // The module `outbound` allows a fetch session 10 seconds.
        const { assert!(START_MS + 10_000 < LEASE_MS) }
    }
}
