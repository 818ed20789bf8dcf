//! `/account/webhook` (interface specification, "Account" and "Events").

use order_core::{Address, Code};
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::http::{Failure, Success, checked};
use crate::outbound::Policy;
use crate::ports::Job;
use crate::text::timestamp;
use crate::webhooks::{self, Delivery, Registration, Secret, Webhook};

/// What needs a webhook and finds none.
fn none_registered() -> Failure {
    Failure::one(
        Code::WebhookUrlMissing,
        "",
        "no webhook is registered: register one through PUT /account/webhook first",
    )
}

/// PUT /account/webhook
pub(super) async fn put(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let origin = input.request.origin.as_str();
    let policy = Policy::new(call.config(), Some(origin));
    let registration = Registration::parse(&input.body, &policy, origin)?;
    let secret = Secret::random(call.ports().random.as_ref());
    let webhook = webhooks::register(call, &caller, &registration, &secret).await?;
    Success::ok(Webhook::view(webhook.as_ref()))
}

/// GET /account/webhook
pub(super) async fn get(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let webhook = webhooks::webhook(call.db(), &caller).await?;
    Success::ok(Webhook::view(webhook.as_ref()))
}

/// DELETE /account/webhook
pub(super) async fn delete(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    webhooks::remove(call, &caller).await?;
    Success::ok(Webhook::view(None))
}

/// POST /account/webhook/rotate
pub(super) async fn rotate(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let secret = Secret::random(call.ports().random.as_ref());
    let Some((webhook, until)) = webhooks::rotate(call, &caller, &secret).await? else {
        return Err(none_registered());
    };
    Success::list(
        Webhook::view(Some(&webhook)),
        json!({ "previousSecretValidUntil": timestamp(until) }),
    )
}

/// POST /account/webhook/test
pub(super) async fn test(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let webhook = webhooks::webhook(call.db(), &caller)
        .await?
        .ok_or_else(none_registered)?;
    let event = webhooks::test_event(call, webhook.first_kind());
    let queued = webhooks::test(call, &caller, &event).await?;
    answer(call, queued, |delivery| delivery.event_id == event.id)
}

/// GET /account/webhook/deliveries
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let mut errors = Vec::new();
    let page = input.query.page(&mut errors);
    checked(errors)?;
    let (mut deliveries, total) = webhooks::list(call.db(), &caller, &page).await?;
    let meta = page.finish(&mut deliveries, total, false, |delivery| {
        delivery.reference.clone()
    });
    Success::list(deliveries.iter().map(view).collect::<Vec<_>>(), meta)
}

/// POST /account/webhook/deliveries/:ref/redeliver
pub(super) async fn redeliver(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let reference = input.params.get("ref");
    let Some(delivery) = webhooks::find(call.db(), &caller, reference).await? else {
        return Err(Failure::one(
            Code::InvalidPath,
            "",
            "the delivery does not exist",
        ));
    };
    let copy = call.new_reference();
    let queued = webhooks::redeliver(call, &caller, &delivery, &copy).await?;
    answer(call, queued, |queued| queued.reference == copy)
}

/// 201 with a delivery that is new, 200 with one that waited already.
fn answer(
    call: &Call<'_>,
    delivery: Option<Delivery>,
    is_new: impl Fn(&Delivery) -> bool,
) -> Result<Success, Failure> {
    let delivery = delivery.ok_or_else(none_registered)?;
    call.send_after(Job::Deliver {
        stream: delivery.stream.clone(),
    });
    if is_new(&delivery) {
        Success::created(view(&delivery))
    } else {
        Success::ok(view(&delivery))
    }
}

/// `{ref, event, state, attempts, nextAttemptAt, responseStatus, error, createdAt, updatedAt}`
fn view(delivery: &Delivery) -> Value {
    let state = match delivery.state {
        0 => "waiting",
        1 => "delivered",
        2 => "failed",
        _ => "canceled",
    };
    json!({
        "ref": delivery.reference,
        "event": serde_json::from_str::<Value>(&delivery.body).unwrap_or_default(),
        "state": state,
        "attempts": delivery.attempts,
        "nextAttemptAt": delivery.due_at.map(timestamp),
        "responseStatus": delivery.response_status,
        "error": delivery.error,
        "createdAt": timestamp(delivery.created_at),
        "updatedAt": timestamp(delivery.updated_at),
    })
}
