//! What an account does to its webhook by hand and is told of: the change and the answer are one transaction. So an
//! answer is made before the change, from what was read, and the transaction holds only while that is still so.

use order_core::{Address, Code};
use serde::Deserialize;

use super::config::State;
use super::list::delivery_columns;
use super::store::{self, release, select_webhook, wake, webhook_from};
use super::{Delivery, Secret, Webhook, test_event};
use crate::api;
use crate::app::{Call, commit_answer};
use crate::http::{Failure, Success};
use crate::ports::{DatabaseError, Job, Statement, exactly};
use crate::text::account_key;

/// Milliseconds for which the secret before a rotation signs too, so that receivers can be told the new one in peace.
const ROTATION_MS: u64 = 24 * 3_600_000;
/// Tries to be faster than others.
const RACES: usize = 8;

/// What needs a webhook and finds none.
fn none_registered() -> Failure {
    Failure::one(
        Code::WebhookUrlMissing,
        "",
        "no webhook is registered: register one through PUT /account/webhook first",
    )
}

/// The refusal of an operation that requires an active receiver.
fn not_active(webhook: &Webhook) -> Failure {
    let why = webhook
        .state_reason
        .as_deref()
        .unwrap_or("its receiver has not yet answered the challenge");
    Failure::one(
        Code::WebhookNotActive,
        "",
        format!("the webhook is not active: {why}"),
    )
}

fn changed_too_often() -> Failure {
    Failure::internal("a webhook changed too often")
}

/// Replaces the secret. The one before signs beside it until the time that `view` gets too.
pub(crate) async fn rotate(
    call: &Call<'_>,
    account: &Address,
    secret: &Secret,
    view: impl Fn(&Webhook, u64) -> Result<Success, Failure>,
) -> Result<Success, Failure> {
    let until = call.now().saturating_add(ROTATION_MS);
    for _ in 0..RACES {
        let old = store::webhook(call.db(), account)
            .await?
            .ok_or_else(none_registered)?;
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
        let answer = view(&rotated, until)?;
        match commit_answer(call, "webhook", vec![guard, update], &answer).await {
            Ok(_) => return Ok(answer),
            Err(DatabaseError::Guard) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(changed_too_often())
}

/// Writes a test event, unless one waits already, and has it tried now: 201 with one that is new, 200 with the one that
/// waited.
pub(crate) async fn test(
    call: &Call<'_>,
    account: &Address,
    view: impl Fn(&Delivery) -> api::Delivery,
) -> Result<Success, Failure> {
    let place = Place {
        account: account_key(account),
        stream: account_key(account),
        event_id: None,
    };
    let entry = |webhook: &Webhook| {
        let event = test_event(call, webhook.first_kind());
        Entry {
            reference: event.id.clone(),
            event_id: event.id,
            body: event.body,
        }
    };
    queue(call, &place, entry, view).await
}

/// Sends an event again: one that waits is tried now, else a copy is put behind whatever waits in its stream, with the
/// same event id, by which receivers know it. Answers as [`test`].
pub(crate) async fn redeliver(
    call: &Call<'_>,
    account: &Address,
    delivery: &Delivery,
    view: impl Fn(&Delivery) -> api::Delivery,
) -> Result<Success, Failure> {
    let place = Place {
        account: account_key(account),
        stream: delivery.stream.clone(),
        event_id: Some(delivery.event_id.clone()),
    };
    let entry = |_: &Webhook| Entry {
        reference: call.new_reference(),
        event_id: delivery.event_id.clone(),
        body: delivery.body.clone(),
    };
    queue(call, &place, entry, view).await
}

/// Where an event may wait: any event of the stream, where none is named.
struct Place {
    account: String,
    stream: String,
    event_id: Option<String>,
}

/// An event to be written.
struct Entry {
    reference: String,
    event_id: String,
    body: String,
}

/// A delivery that waits.
#[derive(Deserialize)]
struct Waiting {
    #[serde(flatten)]
    delivery: Delivery,
    leased_until: Option<u64>,
}

/// What is there when somebody asks for a delivery.
struct Found {
    webhook: Webhook,
    /// The first of the event.
    waiting: Option<Waiting>,
    /// Whether the account's part of the stream is empty.
    alone: bool,
}

impl Place {
    /// `?1` and `?2` are the account and the stream, `?3` the event.
    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.account.as_str())
            .bind(self.stream.as_str())
            .bind(self.event_id.as_deref())
    }

    async fn look(&self, call: &Call<'_>) -> Result<Found, Failure> {
        let waiting = self.statement(concat!(
            "SELECT ",
            delivery_columns!(),
            ", leased_until FROM webhook_deliveries WHERE account_id = ?1 AND stream = ?2 AND state = 0 \
             AND (?3 IS NULL OR event_id = ?3) ORDER BY id LIMIT 1"
        ));
        let any = Statement::new(
            "SELECT 1 AS waits FROM webhook_deliveries WHERE account_id = ?1 AND stream = ?2 AND state = 0 LIMIT 1",
        )
        .bind(self.account.as_str())
        .bind(self.stream.as_str());
        let statements = vec![select_webhook(&self.account), waiting, any];
        let [webhook, waiting, any] = exactly(call.db().batch(statements).await?)?;
        Ok(Found {
            webhook: webhook_from(webhook)?.ok_or_else(none_registered)?,
            waiting: waiting.first()?,
            alone: any.is_empty(),
        })
    }

    /// Statements that hold while the delivery waits as it did.
    fn guard_waiting(&self, waiting: &Waiting) -> Statement {
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 \
             AND ref = ?2 AND state = 0 AND attempts = ?3 AND due_at IS ?4 AND leased_until IS ?5)",
        )
        .bind(self.account.as_str())
        .bind(waiting.delivery.reference.as_str())
        .bind(waiting.delivery.attempts)
        .bind(waiting.delivery.due_at)
        .bind(waiting.leased_until)
    }

    /// Statements that write the event, and hold while there is a webhook and the stream is as it was.
    fn insert(&self, entry: &Entry, alone: bool, now: u64) -> [Statement; 2] {
        let guard = self
            .statement(
                "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = ?1 AND state = 1) \
                 OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 AND stream = ?2 AND state = 0 \
                 AND (?3 IS NULL OR event_id = ?3)) \
                 OR ?4 = EXISTS (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 AND stream = ?2 AND state = 0)",
            )
            .bind(alone);
        let insert = Statement::new(
            "INSERT INTO webhook_deliveries (ref, account_id, event_id, stream, body, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )
        .bind(entry.reference.as_str())
        .bind(self.account.as_str())
        .bind(entry.event_id.as_str())
        .bind(self.stream.as_str())
        .bind(entry.body.as_str())
        .bind(now);
        [guard, insert]
    }

    /// Schedules waiting deliveries for now, even if the receiver rests; not during an attempt: there is one at a time.
    fn hasten(&self, now: u64) -> Result<[Statement; 4], DatabaseError> {
        let due = self
            .statement(
                "UPDATE webhook_deliveries SET due_at = ?4, leased_until = NULL WHERE account_id = ?1 AND stream = ?2 \
                 AND state = 0 AND (?3 IS NULL OR event_id = ?3) AND due_at > ?4 AND coalesce(leased_until, 0) <= ?4",
            )
            .bind(now);
        let rested = Statement::new("UPDATE webhooks SET rest_until = 0 WHERE account_id = ?1")
            .bind(self.account.as_str());
        let wake = wake(&[self.account.clone()].into())?;
        Ok([release(&self.stream, now), due, rested, wake])
    }
}

impl Waiting {
    /// The delivery as [`Place::hasten`] leaves it.
    fn hastened(mut self, now: u64) -> Delivery {
        let leased = self.leased_until.is_some_and(|until| until > now);
        if !leased && self.delivery.due_at.is_some_and(|due| due > now) {
            self.delivery.due_at = Some(now);
        }
        self.delivery
    }
}

async fn queue(
    call: &Call<'_>,
    place: &Place,
    entry: impl Fn(&Webhook) -> Entry,
    view: impl Fn(&Delivery) -> api::Delivery,
) -> Result<Success, Failure> {
    let now = call.now();
    for _ in 0..RACES {
        let found = place.look(call).await?;
        if found.webhook.state != State::Active {
            return Err(not_active(&found.webhook));
        }
        let (mut statements, answer) = match found.waiting {
            Some(waiting) => {
                let guard = place.guard_waiting(&waiting);
                (vec![guard], Success::ok(view(&waiting.hastened(now)))?)
            }
            None => {
                let entry = entry(&found.webhook);
                let statements = place.insert(&entry, found.alone, now);
                let delivery = Delivery {
                    reference: entry.reference,
                    event_id: entry.event_id,
                    stream: place.stream.clone(),
                    body: entry.body,
                    state: 0,
                    attempts: 0,
                    // The first of a stream is due at once.
                    due_at: found.alone.then_some(now),
                    response_status: None,
                    error: None,
                    created_at: now,
                    updated_at: now,
                };
                (statements.into(), Success::created(view(&delivery))?)
            }
        };
        statements.extend(place.hasten(now)?);
        match commit_answer(call, "webhook", statements, &answer).await {
            Ok(_) => {
                call.send_after(Job::Deliver {
                    stream: place.stream.clone(),
                });
                return Ok(answer);
            }
            Err(DatabaseError::Guard) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(changed_too_often())
}
