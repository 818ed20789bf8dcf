//! Changes that an account makes to its webhook. The transaction of a change also stores the answer for its idempotency
//! key. The answer is therefore computed before the transaction, from values read earlier. Guards abort the transaction
//! if these values have changed.

use const_format::concatcp;
use order_core::{Address, Code};

use super::config::Candidate;
use super::list::DELIVERY_COLUMNS;
use super::store::{
    self, ROTATION_MS, promote_next, schedule_account, select_webhook, webhook_from,
};
use super::{Event, Secret, Webhook};
use crate::api::{
    Delivery, DeliveryState, Ref, Timestamp, WebhookState, delivery_state, webhook_state,
};
use crate::context::Context;
use crate::db::Decision;
use crate::failure::Failure;
use crate::ports::{Job, Statement, exactly};
use crate::text::account_key;

/// Returns the failure of an operation that needs a webhook.
fn none_registered() -> Failure {
    Failure::one(
        Code::WebhookUrlMissing,
        "",
        "no webhook is registered: register one through PUT /account/webhook first",
    )
}

/// Returns the failure of an operation that needs an active receiver.
fn not_active(webhook: &Webhook) -> Failure {
    let why = webhook.reason();
    let why = why
        .as_deref()
        .unwrap_or("the receiver has not yet answered the challenge");
    Failure::one(
        Code::WebhookNotActive,
        "",
        format!("the webhook is not active: {why}"),
    )
}

/// Condition for the waiting deliveries of account `?1` under the ordering key `?2`.
const WAITING_OF_KEY: &str = concatcp!(
    "account_id = ?1 AND ordering_key = ?2 AND state = ",
    delivery_state!(Waiting)
);

/// Replaces the secret of the latest registered address. The previous secret also signs until the returned time. This time is
/// now if an unconfirmed address has its own secret.
pub(crate) async fn rotate(
    ctx: &Context<'_>,
    account: &Address,
    secret: &Secret,
) -> Result<Decision<(Webhook, u64)>, Failure> {
    let until = ctx.now().saturating_add(ROTATION_MS);
    let found = store::webhook(ctx.db(), account).await?;
    let old = found.ok_or_else(none_registered)?;
    if let Some(candidate) = &old.candidate
        && let Some(current) = &candidate.secret
    {
        // The unconfirmed address has its own secret, which has signed only challenges so far. This secret is therefore
        // replaced immediately, without a period in which both secrets sign.
        let key = account_key(account);
        let guard = Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS \
             (SELECT 1 FROM webhook_challenges WHERE account_id = ?1 AND url = ?2 AND secret = ?3)",
        )
        .bind(key.as_str())
        .bind(candidate.url.as_str())
        .bind(current.as_str());
        let update =
            Statement::new("UPDATE webhook_challenges SET secret = ?2 WHERE account_id = ?1")
                .bind(key.as_str())
                .bind(secret.as_str());
        let candidate = Candidate {
            secret: Some(secret.clone()),
            ..candidate.clone()
        };
        let rotated = Webhook {
            candidate: Some(candidate),
            ..old
        };
        let statements = vec![guard, update];
        return Ok(Decision::new("webhook", statements, (rotated, ctx.now())));
    }
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS \
         (SELECT 1 FROM webhooks WHERE account_id = ?1 AND url = ?2 AND event_kinds IS ?3 AND secret = ?4)",
    )
    .bind(account_key(account))
    .bind(old.url.as_str())
    .bind(old.kinds)
    .bind(old.secret.as_str());
    let update = Statement::new(
        "UPDATE webhooks SET previous_secret = secret, previous_until = ?2, secret = ?3 WHERE account_id = ?1",
    )
    .bind(account_key(account))
    .bind(until)
    .bind(secret.as_str());
    let rotated = Webhook {
        secret: secret.clone(),
        previous: Some((old.secret.clone(), until)),
        ..old
    };
    let statements = vec![guard, update];
    Ok(Decision::new("webhook", statements, (rotated, until)))
}

/// A delivery that an account asked for.
pub(crate) enum Queued {
    /// A new delivery was stored.
    New(Delivery),
    /// The delivery was already waiting. It is now due, unless its attempt is in flight or an earlier delivery must be sent first.
    Waiting(Delivery),
}

/// Makes the account's waiting test event due now, or creates a test event. Fails if the webhook is not active.
pub(crate) async fn test(
    ctx: &Context<'_>,
    account: &Address,
) -> Result<Decision<Queued>, Failure> {
    let slot = Slot {
        account: account_key(account),
        ordering_key: account_key(account),
        event_id: None,
    };
    let entry = |webhook: &Webhook| {
        let event = Event::test(ctx, webhook.first_kind());
        Entry {
            reference: event.id.clone(),
            event_id: event.id,
            body: event.body,
        }
    };
    queue(ctx, &slot, entry).await
}

/// Sends an event again. If the event's delivery is waiting and is the first under its ordering key, it becomes due now. A later
/// waiting delivery keeps its place. If no delivery of the event is waiting, a copy is queued after the waiting deliveries under
/// the ordering key. The copy has the same event id, so receivers can recognize the event. Fails if the webhook is not active.
pub(crate) async fn redeliver(
    ctx: &Context<'_>,
    account: &Address,
    delivery: &Delivery,
) -> Result<Decision<Queued>, Failure> {
    let slot = Slot {
        account: account_key(account),
        ordering_key: delivery.ordering_key.clone(),
        event_id: Some(delivery.event_id.clone()),
    };
    let entry = |_: &Webhook| Entry {
        reference: ctx.new_reference(),
        event_id: delivery.event_id.clone(),
        body: delivery.body.clone(),
    };
    queue(ctx, &slot, entry).await
}

/// Selects an account's deliveries under an ordering key: all of them, or only the deliveries of one event.
struct Slot {
    account: String,
    ordering_key: String,
    event_id: Option<String>,
}

/// A delivery to store.
struct Entry {
    reference: String,
    event_id: String,
    body: String,
}

/// The webhook and the waiting deliveries before the change.
struct Found {
    webhook: Webhook,
    /// The first waiting delivery in the slot.
    waiting: Option<Delivery>,
    /// True if the account has no waiting delivery under the ordering key.
    alone: bool,
}

impl Slot {
    /// Returns a statement with the account bound to `?1`, the ordering key to `?2` and the event's id to `?3`.
    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.account.as_str())
            .bind(self.ordering_key.as_str())
            .bind(self.event_id.as_deref())
    }

    async fn look(&self, ctx: &Context<'_>) -> Result<Found, Failure> {
        let waiting = self.statement(concatcp!(
            "SELECT ",
            DELIVERY_COLUMNS,
            " FROM webhook_deliveries WHERE ",
            WAITING_OF_KEY,
            " AND (?3 IS NULL OR event_id = ?3) ORDER BY id LIMIT 1"
        ));
        let any = Statement::new(concatcp!(
            "SELECT 1 AS waits FROM webhook_deliveries WHERE ",
            WAITING_OF_KEY,
            " LIMIT 1"
        ))
        .bind(self.account.as_str())
        .bind(self.ordering_key.as_str());
        let statements = vec![select_webhook(&self.account), waiting, any];
        let [webhook, waiting, any] = exactly(ctx.db().batch(statements).await?)?;
        Ok(Found {
            webhook: webhook_from(webhook)?.ok_or_else(none_registered)?,
            waiting: waiting.first()?,
            alone: any.is_empty(),
        })
    }

    /// Returns a guard that fails if the waiting delivery has changed since it was read.
    fn guard_waiting(&self, waiting: &Delivery) -> Statement {
        Statement::new(concatcp!(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 \
             AND ref = ?2 AND state = ",
            delivery_state!(Waiting),
            " AND attempts = ?3 AND due_at IS ?4 AND leased_until IS ?5)"
        ))
        .bind(self.account.as_str())
        .bind(waiting.reference.0.as_str())
        .bind(waiting.attempts)
        .bind(waiting.next_attempt_at)
        .bind(waiting.leased_until)
    }

    /// Returns statements that store the delivery. Their guard fails if the webhook is no longer active, or if the waiting
    /// deliveries under the ordering key have changed since they were read.
    fn insert(&self, entry: &Entry, alone: bool, now: u64) -> [Statement; 2] {
        let guard = self
            .statement(concatcp!(
                "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = ",
                webhook_state!(Active),
                ") OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE ",
                WAITING_OF_KEY,
                " AND (?3 IS NULL OR event_id = ?3)) OR ?4 = EXISTS (SELECT 1 FROM webhook_deliveries WHERE ",
                WAITING_OF_KEY,
                ")"
            ))
            .bind(alone);
        let insert = Statement::new(
            "INSERT INTO webhook_deliveries (ref, account_id, event_id, ordering_key, body, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )
        .bind(entry.reference.as_str())
        .bind(self.account.as_str())
        .bind(entry.event_id.as_str())
        .bind(self.ordering_key.as_str())
        .bind(entry.body.as_str())
        .bind(now);
        [guard, insert]
    }

    /// Returns statements that make the slot's waiting deliveries due now, even if the receiver is resting. A delivery does not
    /// change if its attempt is in flight, or if it is not the first under its ordering key.
    fn retry_now(&self, now: u64) -> [Statement; 4] {
        let due = self
            .statement(concatcp!(
                "UPDATE webhook_deliveries SET due_at = ?4, leased_until = NULL WHERE ",
                WAITING_OF_KEY,
                " AND (?3 IS NULL OR event_id = ?3) AND due_at > ?4 AND coalesce(leased_until, 0) <= ?4"
            ))
            .bind(now);
        let rested = Statement::new("UPDATE webhooks SET rest_until = 0 WHERE account_id = ?1")
            .bind(self.account.as_str());
        let schedule = schedule_account(&self.account);
        [promote_next(&self.ordering_key, now), due, rested, schedule]
    }
}

/// Makes a waiting delivery due now, as [`Slot::retry_now`] does in the database.
fn due_now(mut delivery: Delivery, now: Timestamp) -> Delivery {
    let is_leased = delivery.leased_until.is_some_and(|until| until > now);
    if !is_leased && delivery.next_attempt_at.is_some_and(|due| due > now) {
        delivery.next_attempt_at = Some(now);
    }
    delivery
}

async fn queue(
    ctx: &Context<'_>,
    slot: &Slot,
    entry: impl Fn(&Webhook) -> Entry,
) -> Result<Decision<Queued>, Failure> {
    let now = ctx.now();
    let found = slot.look(ctx).await?;
    if found.webhook.registered_state() != WebhookState::Active {
        return Err(not_active(&found.webhook));
    }
    let (mut statements, queued) = match found.waiting {
        Some(waiting) => {
            let guard = slot.guard_waiting(&waiting);
            (
                vec![guard],
                Queued::Waiting(due_now(waiting, Timestamp(now))),
            )
        }
        None => {
            let entry = entry(&found.webhook);
            let statements = slot.insert(&entry, found.alone, now);
            let delivery = Delivery {
                reference: Ref(entry.reference),
                event_id: entry.event_id,
                ordering_key: slot.ordering_key.clone(),
                body: entry.body,
                state: DeliveryState::Waiting,
                attempts: 0,
                // If no other delivery waits under the ordering key, the new one is due immediately.
                next_attempt_at: found.alone.then_some(Timestamp(now)),
                leased_until: None,
                response_status: None,
                error: None,
                created_at: Timestamp(now),
                updated_at: Timestamp(now),
            };
            (statements.into(), Queued::New(delivery))
        }
    };
    statements.extend(slot.retry_now(now));
    let deliver = Job::Deliver {
        ordering_key: slot.ordering_key.clone(),
    };
    Ok(Decision::new("webhook", statements, queued).hint(deliver))
}
