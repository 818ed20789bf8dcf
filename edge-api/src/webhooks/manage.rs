//! Changes that an account makes to its webhook by hand, with an answer: the change and the answer are one transaction. So an
//! answer is made before the change, from what was read, and the transaction holds only while that is still so.

use order_core::{Address, Code};

use super::config::{Candidate, State};
use super::list::delivery_columns;
use super::store::{self, promote_next, schedule_account, select_webhook, webhook_from};
use super::{Delivery, Event, Secret, Webhook};
use crate::context::Context;
use crate::db::Decision;
use crate::failure::Failure;
use crate::ports::{DatabaseError, Job, Statement, exactly};
use crate::text::account_key;

/// Milliseconds for which the secret before a rotation signs too, so that receivers can be told the new one in peace.
const ROTATION_MS: u64 = 24 * 3_600_000;

/// The refusal of an operation that requires a webhook.
fn none_registered() -> Failure {
    Failure::one(
        Code::WebhookUrlMissing,
        "",
        "no webhook is registered: register one through PUT /account/webhook first",
    )
}

/// The refusal of an operation that requires an active receiver.
fn not_active(webhook: &Webhook) -> Failure {
    let why = webhook.reason();
    let why = why
        .as_deref()
        .unwrap_or("its receiver has not yet answered the challenge");
    Failure::one(
        Code::WebhookNotActive,
        "",
        format!("the webhook is not active: {why}"),
    )
}

/// Replaces the secret. The one before signs beside it until the time that is told too.
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
        // The address that was registered last has a secret of its own, which has signed nothing but challenges.
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
         (SELECT 1 FROM webhooks WHERE account_id = ?1 AND url = ?2 AND kinds = ?3 AND secret = ?4)",
    )
    .bind(account_key(account))
    .bind(old.url.as_str())
    .bind(old.kinds.bits())
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
    /// It was written.
    New(Delivery),
    /// It waited already, and is tried now.
    Waiting(Delivery),
}

/// Writes a test event, unless one waits already, and has it tried now.
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

/// Sends an event again: one that waits is tried now, else a copy is put behind whatever waits under its key, with the
/// same event id, by which receivers know it.
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

/// The place where an event may wait: any event of the key, where none is named.
struct Slot {
    account: String,
    ordering_key: String,
    event_id: Option<String>,
}

/// An event to be written.
struct Entry {
    reference: String,
    event_id: String,
    body: String,
}

/// The state that a request for a delivery finds.
struct Found {
    webhook: Webhook,
    /// The first delivery that waits, of the event if one is named.
    waiting: Option<Delivery>,
    /// Whether the account's part of the key is empty.
    alone: bool,
}

impl Slot {
    /// `?1` and `?2` are the account and the key, `?3` the event.
    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.account.as_str())
            .bind(self.ordering_key.as_str())
            .bind(self.event_id.as_deref())
    }

    async fn look(&self, ctx: &Context<'_>) -> Result<Found, Failure> {
        let waiting = self.statement(concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE account_id = ?1 AND ordering_key = ?2 AND state = 0 \
             AND (?3 IS NULL OR event_id = ?3) ORDER BY id LIMIT 1"
        ));
        let any = Statement::new(
            "SELECT 1 AS waits FROM webhook_deliveries WHERE account_id = ?1 AND ordering_key = ?2 AND state = 0 LIMIT 1",
        )
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

    /// Statements that hold while the delivery waits as it did.
    fn guard_waiting(&self, waiting: &Delivery) -> Statement {
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 \
             AND ref = ?2 AND state = 0 AND attempts = ?3 AND due_at IS ?4 AND leased_until IS ?5)",
        )
        .bind(self.account.as_str())
        .bind(waiting.reference.as_str())
        .bind(waiting.attempts)
        .bind(waiting.due_at)
        .bind(waiting.leased_until)
    }

    /// Statements that write the event, and hold while there is a webhook and the key is as it was.
    fn insert(&self, entry: &Entry, alone: bool, now: u64) -> [Statement; 2] {
        let guard = self
            .statement(
                "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = 1) \
                 OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 AND ordering_key = ?2 AND state = 0 \
                 AND (?3 IS NULL OR event_id = ?3)) \
                 OR ?4 = EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 AND ordering_key = ?2 AND state = 0)",
            )
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

    /// Schedules waiting deliveries for now, even if the receiver rests; not during an attempt: there is one at a time.
    fn retry_now(&self, now: u64) -> Result<[Statement; 4], DatabaseError> {
        let due = self
            .statement(
                "UPDATE webhook_deliveries SET due_at = ?4, leased_until = NULL WHERE account_id = ?1 AND ordering_key = ?2 \
                 AND state = 0 AND (?3 IS NULL OR event_id = ?3) AND due_at > ?4 AND coalesce(leased_until, 0) <= ?4",
            )
            .bind(now);
        let rested = Statement::new("UPDATE webhooks SET rest_until = 0 WHERE account_id = ?1")
            .bind(self.account.as_str());
        let schedule = schedule_account(&[self.account.clone()].into())?;
        Ok([promote_next(&self.ordering_key, now), due, rested, schedule])
    }
}

impl Delivery {
    /// A delivery that waits, as [`Slot::retry_now`] leaves it.
    fn due_now(mut self, now: u64) -> Self {
        let is_leased = self.leased_until.is_some_and(|until| until > now);
        if !is_leased && self.due_at.is_some_and(|due| due > now) {
            self.due_at = Some(now);
        }
        self
    }
}

async fn queue(
    ctx: &Context<'_>,
    slot: &Slot,
    entry: impl Fn(&Webhook) -> Entry,
) -> Result<Decision<Queued>, Failure> {
    let now = ctx.now();
    let found = slot.look(ctx).await?;
    if found.webhook.registered_state() != State::Active {
        return Err(not_active(&found.webhook));
    }
    let (mut statements, queued) = match found.waiting {
        Some(waiting) => {
            let guard = slot.guard_waiting(&waiting);
            (vec![guard], Queued::Waiting(waiting.due_now(now)))
        }
        None => {
            let entry = entry(&found.webhook);
            let statements = slot.insert(&entry, found.alone, now);
            let delivery = Delivery {
                reference: entry.reference,
                event_id: entry.event_id,
                ordering_key: slot.ordering_key.clone(),
                body: entry.body,
                state: 0,
                attempts: 0,
                // The first under its key is due at once.
                due_at: found.alone.then_some(now),
                leased_until: None,
                response_status: None,
                error: None,
                created_at: now,
                updated_at: now,
            };
            (statements.into(), Queued::New(delivery))
        }
    };
    statements.extend(slot.retry_now(now)?);
    let deliver = Job::Deliver {
        ordering_key: slot.ordering_key.clone(),
    };
    Ok(Decision::new("webhook", statements, queued).hint(deliver))
}
