//! Asks a receiver to confirm that it wants an account's events. Without this confirmation, anyone could make the service
//! send events to another person's server. See `docs/decisions/0031-webhooks.md`.
//!
//! Each challenge is random and is not stored, so a receiver cannot know the answer in advance. The answer must contain
//! only the challenge, so a server that echoes the whole request does not confirm.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use const_format::concatcp;
use serde_json::{Value, json};

use super::config::Candidate;
use super::deliver::{LEASE_MS, post};
use super::limits;
use super::store::{cancel_waiting, schedule_account, select_webhook, webhook_from};
use crate::api::{WebhookEvent, webhook_state};
use crate::backoff;
use crate::context::Context;
use crate::db::quota::{Quota, count_quotas, quotas_exceeded_until, uncount, within_quotas};
use crate::db::{commit, funded};
use crate::ports::{DatabaseError, Fetched, Statement, exactly};
use crate::text::timestamp;

/// Maximum milliseconds between a registration and its last challenge. Quotas can delay a challenge by at most this
/// time.
const GIVE_UP_MS: u64 = 24 * 3_600_000;
/// Maximum bytes of the answer to a challenge. The challenge itself has 43 bytes.
const ANSWER_MAX: usize = 1_024;

/// The sentence that tells the account's owner how to get another challenge.
const HOW_TO_RESUME: &str = "send PUT /account/webhook again for another challenge";

/// Sends the account's challenge if it is due and its quotas allow it, and stores the outcome.
pub(super) async fn challenge(ctx: &Context<'_>, account: &str) -> Result<(), DatabaseError> {
    let now = ctx.time();
    let is_funded = Statement::new(concatcp!("SELECT 1 AS one WHERE ", funded!())).bind(account);
    let statements = vec![select_webhook(account), is_funded];
    let [found, is_funded] = exactly(ctx.db().batch(statements).await?)?;
    let Some(webhook) = webhook_from(found)? else {
        return Ok(());
    };
    let Some(candidate) = &webhook.candidate else {
        return Ok(());
    };
    let quotas = limits::of_challenge(account, candidate, !is_funded.is_empty(), now);
    if !lease(ctx, account, candidate, &quotas, now).await? {
        return Ok(());
    }
    let mut random = [0; 32];
    ctx.ports().random.fill(&mut random);
    let challenge = URL_SAFE_NO_PAD.encode(random);
    let id = ctx.new_reference();
    let body = json!(WebhookEvent {
        challenge: Some(challenge.clone()),
        ..WebhookEvent::about_nothing(&id, now)
    });
    let receiver = webhook.registered();
    let outcome = match post(ctx, &receiver, &id, &body.to_string(), ANSWER_MAX).await {
        Ok(answer) => confirmed(&answer, &challenge),
        Err(why) => Err(why),
    };
    finish(ctx, account, candidate, &quotas, outcome).await
}

/// Checks that the answer is the challenge: as text, or as the only member `challenge` of a JSON object. Fails with a sentence
/// that explains the failure.
fn confirmed(answer: &Fetched, challenge: &str) -> Result<(), String> {
    if !(200..=299).contains(&answer.status) {
        return Err(format!(
            "the receiver answered {} to the challenge instead of 2xx",
            answer.status
        ));
    }
    let is_text = answer.body.trim_ascii() == challenge.as_bytes();
    let is_object = serde_json::from_slice::<Value>(&answer.body)
        .is_ok_and(|body| body == json!({ "challenge": challenge }));
    if is_text || is_object {
        Ok(())
    } else {
        Err("the receiver's answer was not the challenge".to_owned())
    }
}

/// Leases the challenge and counts it in the quotas. Returns false if the challenge is not due, another run has leased it, the
/// time for challenges is over, or a quota is used up. If a quota is used up, the challenge is due again when the quota's
/// period ends.
async fn lease(
    ctx: &Context<'_>,
    account: &str,
    candidate: &Candidate,
    quotas: &[Quota],
    now: u64,
) -> Result<bool, DatabaseError> {
    let until = now.saturating_add(LEASE_MS);
    let lease = Statement::new(concatcp!(
        "UPDATE webhook_challenges SET sent = sent + 1, due_at = ?3 \
         WHERE account_id = ?1 AND url = ?5 AND sent = ?6 AND due_at <= ?2 AND registered_at + ?7 >= ?2 AND ",
        within_quotas!("?4"),
        " RETURNING sent"
    ))
    .bind(account)
    .bind(now)
    .bind(until)
    .bind_json(&quotas)?
    .bind(candidate.url.as_str())
    .bind(candidate.sent)
    .bind(GIVE_UP_MS);
    let count = Statement::new(count_quotas!(
        "EXISTS (SELECT 1 FROM webhook_challenges WHERE account_id = ?2 AND due_at = ?3)"
    ))
    .bind_json(&quotas)?
    .bind(account)
    .bind(until);
    // If this challenge is still due after the lease statement, a quota prevented the lease or the time for challenges
    // is over.
    let postpone = Statement::new(concatcp!(
        "UPDATE webhook_challenges SET due_at = CASE WHEN registered_at + ?3 <= ?2 THEN NULL ELSE ",
        quotas_exceeded_until!("?4"),
        " END, reason = CASE WHEN registered_at + ?3 <= ?2 THEN 'no challenge was answered within 24 hours: ' || ?5 \
         ELSE 'too many challenges of this account, of accounts in this client network, or to this host, went unanswered: the next is sent later' END \
         WHERE account_id = ?1 AND url = ?6 AND sent = ?7 AND due_at <= ?2"
    ))
    .bind(account)
    .bind(now)
    .bind(GIVE_UP_MS)
    .bind_json(&quotas)?
    .bind(HOW_TO_RESUME)
    .bind(candidate.url.as_str())
    .bind(candidate.sent);
    let cancel = cancel_unconfirmed(account, candidate, candidate.sent, now);
    let statements = vec![lease, count, postpone, cancel];
    let [leased, ..] = exactly::<4>(commit(ctx, None, "challenge", statements).await?)?;
    Ok(!leased.is_empty())
}

/// Stores the outcome of a challenge, unless the webhook was registered again in the meantime.
async fn finish(
    ctx: &Context<'_>,
    account: &str,
    candidate: &Candidate,
    quotas: &[Quota],
    outcome: Result<(), String>,
) -> Result<(), DatabaseError> {
    let now = ctx.time();
    let sent = candidate.sent.saturating_add(1);
    // These statements change the webhook only if the account's row still belongs to this challenge.
    let about = |sql| {
        Statement::new(sql)
            .bind(account)
            .bind(candidate.url.as_str())
            .bind(sent)
    };
    let statements = match outcome {
        Ok(()) => vec![
            about(concatcp!(
                "UPDATE webhooks SET url = c.url, origin = c.origin, service_origin = c.service_origin, host = c.host, \
                 secret = coalesce(c.secret, webhooks.secret), \
                 previous_secret = CASE WHEN c.secret IS NULL THEN webhooks.previous_secret END, \
                 previous_until = CASE WHEN c.secret IS NULL THEN webhooks.previous_until END, \
                 state = ",
                webhook_state!(Active),
                ", state_reason = NULL, failures = 0, failing_since = NULL, rest_until = 0, turn_rank = 0 \
                 FROM webhook_challenges c WHERE webhooks.account_id = ?1 AND c.account_id = ?1 AND c.url = ?2 AND c.sent = ?3"
            )),
            about(
                "DELETE FROM webhook_challenges WHERE account_id = ?1 AND url = ?2 AND sent = ?3",
            ),
            // Only unanswered challenges count against quotas.
            uncount(quotas)?,
            schedule_account(account),
        ],
        Err(why) => {
            let next = backoff::CHALLENGE.next(now, candidate.sent);
            let reason = match next {
                Some(at) => format!("{why}; the next challenge is sent at {}", timestamp(at)),
                None => format!("{why}; {HOW_TO_RESUME}"),
            };
            let failed = about(
                "UPDATE webhook_challenges SET due_at = ?4, reason = ?5 WHERE account_id = ?1 AND url = ?2 AND sent = ?3",
            )
            .bind(next)
            .bind(reason);
            let mut statements = vec![failed];
            if next.is_none() {
                statements.push(cancel_unconfirmed(account, candidate, sent, now));
            }
            statements
        }
    };
    commit(ctx, None, "challenged", statements).await.map(drop)
}

/// Cancels the waiting deliveries of an account that has no active receiver, if no further challenge follows to this registration.
/// `sent` is the number of challenges that the registration has got.
fn cancel_unconfirmed(account: &str, candidate: &Candidate, sent: u32, now: u64) -> Statement {
    Statement::new(concatcp!(
        cancel_waiting!("?2"),
        " AND EXISTS (SELECT 1 FROM webhook_challenges WHERE account_id = ?1 AND url = ?3 AND sent = ?4 AND due_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = ",
        webhook_state!(Active),
        ")"
    ))
    .bind(account)
    .bind(now)
    .bind(candidate.url.as_str())
    .bind(sent)
}
