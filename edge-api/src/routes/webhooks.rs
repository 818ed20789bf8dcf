//! `/account/webhook` (interface specification, "Account" and "Events").

use order_core::{Address, Code};

use crate::api;
use crate::app::{Call, Input};
use crate::http::{Failure, Query, Success};
use crate::outbound::Policy;
use crate::webhooks::{self, Delivery, Registration, Secret, Webhook};

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
    let webhook = webhooks::webhook_today(call.db(), &caller, call.now()).await?;
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
    webhooks::rotate(call, &caller, &secret, |webhook, until| {
        Success::list(
            Webhook::view(Some(webhook)),
            api::RotationMeta {
                previous_secret_valid_until: api::Timestamp(until),
            },
        )
    })
    .await
}

/// POST /account/webhook/test
pub(super) async fn test(
    call: &Call<'_>,
    _: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    webhooks::test(call, &caller, view).await
}

/// GET /account/webhook/deliveries
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let page = input.query.read(Query::page)?;
    let found = webhooks::list(call.db(), &caller, &page).await?;
    page.answer(found, |delivery| delivery.reference.clone(), view)
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
    webhooks::redeliver(call, &caller, &delivery, view).await
}

fn view(delivery: &Delivery) -> api::Delivery {
    let state = match delivery.state {
        0 => "waiting",
        1 => "delivered",
        2 => "failed",
        _ => "canceled",
    };
    api::Delivery {
        reference: api::Ref(delivery.reference.clone()),
        event: serde_json::from_str(&delivery.body).unwrap_or_default(),
        state,
        attempts: delivery.attempts,
        next_attempt_at: delivery.due_at.map(api::Timestamp),
        response_status: delivery.response_status,
        error: delivery.error.clone(),
        created_at: api::Timestamp(delivery.created_at),
        updated_at: api::Timestamp(delivery.updated_at),
    }
}
