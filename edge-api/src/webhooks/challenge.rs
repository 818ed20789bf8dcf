//! Asking a receiver whether it wants an account's events: anybody can write down anybody's address.
//!
//! The challenge is new at every attempt and is stored nowhere, so that nobody can put the answer in place beforehand.
//! The answer must be nothing but the challenge, so that a server which repeats what it is sent confirms nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::Webhook;
use super::config::State;
use super::deliver::{LEASE_MS, post};
use super::limits;
use super::store::{
    cancel_waiting, schedule_account, select_webhook, webhook_columns, webhook_from,
};
use crate::api::WebhookEvent;
use crate::context::Context;
use crate::db::commit;
use crate::db::quota::{Quota, count_quotas, quotas_exceeded_until, uncount, within_quotas};
use crate::ports::{DatabaseError, Fetched, Statement, exactly};
use crate::text::timestamp;

/// Milliseconds from a challenge to the next. After the last one the webhook waits until it is registered again.
const AGAIN_AFTER: [u64; 3] = [30_000, 300_000, 1_800_000];
/// Milliseconds after the registration from which no further challenge is sent, where limits have held them up.
const GIVE_UP_MS: u64 = 24 * 3_600_000;
/// Bytes that the answer may have: the challenge has 43.
const ANSWER_MAX: usize = 1_024;

/// How an owner gets another challenge.
const HOW_TO_RESUME: &str = "send PUT /account/webhook again for another challenge";

/// Sends the challenge that is due, if there is one.
pub(super) async fn challenge(ctx: &Context<'_>, account: &str) -> Result<(), DatabaseError> {
    let now = ctx.time();
    let found = webhook_from(ctx.db().query(select_webhook(account)).await?)?;
    let Some(found) = found.filter(|webhook| webhook.state == State::Pending) else {
        return Ok(());
    };
    let quotas = limits::of_challenge(account, &found.host, now);
    let Some(webhook) = take(ctx, account, &quotas, now).await? else {
        return Ok(());
    };
    let mut random = [0; 32];
    ctx.ports().random.fill(&mut random);
    let challenge = URL_SAFE_NO_PAD.encode(random);
    let id = ctx.new_reference();
    let body = json!(WebhookEvent {
        challenge: Some(challenge.clone()),
        ..WebhookEvent::about_nothing(&id, now)
    });
    let outcome = match post(ctx, &webhook, &id, &body.to_string(), ANSWER_MAX).await {
        Ok(answer) => confirmed(&answer, &challenge),
        Err(why) => Err(why),
    };
    finish(ctx, account, &webhook, &quotas, outcome).await
}

/// Whether the answer is the challenge: as text, or as the only member of an object.
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

/// Takes the challenge, unless it is somebody else's or a limit is reached; then it is due again when the limit is not.
async fn take(
    ctx: &Context<'_>,
    account: &str,
    quotas: &[Quota],
    now: u64,
) -> Result<Option<Webhook>, DatabaseError> {
    let until = now.saturating_add(LEASE_MS);
    let taken = Statement::new(concat!(
        "UPDATE webhooks SET challenges = challenges + 1, wake_at = ?3 \
         WHERE account_id = ?1 AND state = 0 AND wake_at <= ?2 AND ",
        within_quotas!("?4"),
        " RETURNING ",
        webhook_columns!()
    ))
    .bind(account)
    .bind(now)
    .bind(until)
    .bind_json(&quotas)?;
    let count = Statement::new(count_quotas!(
        "EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?2 AND state = 0 AND wake_at = ?3)"
    ))
    .bind_json(&quotas)?
    .bind(account)
    .bind(until);
    // Only where a limit kept it from being taken.
    let postpone = Statement::new(concat!(
        "UPDATE webhooks SET wake_at = CASE WHEN registered_at + ?3 <= ?2 THEN NULL ELSE ",
        quotas_exceeded_until!("?4"),
        " END, state_reason = 'too many challenges of this account, or to this host, went unanswered: the next is sent later' \
         WHERE account_id = ?1 AND state = 0 AND wake_at <= ?2"
    ))
    .bind(account)
    .bind(now)
    .bind(GIVE_UP_MS)
    .bind_json(&quotas)?;
    let [taken, ..] =
        exactly::<3>(commit(ctx, None, "challenge", vec![taken, count, postpone]).await?)?;
    webhook_from(taken)
}

/// Writes what came of a challenge, unless the webhook was registered anew in the meantime.
async fn finish(
    ctx: &Context<'_>,
    account: &str,
    webhook: &Webhook,
    quotas: &[Quota],
    outcome: Result<(), String>,
) -> Result<(), DatabaseError> {
    let now = ctx.time();
    let confirmed = outcome.is_ok();
    let again = usize::try_from(webhook.challenges)
        .ok()
        .and_then(|sent| AGAIN_AFTER.get(sent.checked_sub(1)?))
        .map(|after| now.saturating_add(*after));
    let (state, wake_at, reason) = match outcome {
        Ok(()) => (State::Active, None, None),
        Err(why) => {
            let next = match again {
                Some(at) => format!("{why}; the next challenge is sent at {}", timestamp(at)),
                None => format!("{why}; {HOW_TO_RESUME}"),
            };
            (State::Pending, again, Some(next))
        }
    };
    let mut statements = vec![
        Statement::new(
            "UPDATE webhooks SET state = ?4, wake_at = ?5, state_reason = ?6 \
             WHERE account_id = ?1 AND state = 0 AND url = ?2 AND challenges = ?3",
        )
        .bind(account)
        .bind(webhook.url.as_str())
        .bind(webhook.challenges)
        .bind(state as u8)
        .bind(wake_at)
        .bind(reason),
    ];
    if confirmed {
        // Only unanswered ones are of concern.
        statements.extend([
            uncount(quotas)?,
            schedule_account(&[account.to_owned()].into())?,
        ]);
    } else if again.is_none() {
        statements.push(cancel_waiting(account, now));
    }
    commit(ctx, None, "challenged", statements).await.map(drop)
}
