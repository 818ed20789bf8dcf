//! `/account/webhook` (`docs/interface.md`, "Account" and "Events").

use order_core::{Address, Code};
use serde_json::Value;

use crate::api::{self, Delivery};
use crate::db::Decision;
use crate::db::Page;
use crate::failure::Failure;
use crate::outbound::Policy;
use crate::web::{self, Handled, Input, Route, Success, ok, private};
use crate::webhooks::{self, Queued, Registration, Secret, Webhook};

/// The secret that signs deliveries.
pub(super) const SECRET: web::Secret = web::Secret {
    field: "secret",
    read: |ctx, caller, _| {
        Box::pin(async move {
            let webhook = webhooks::webhook(ctx.db(), &caller).await?;
            Ok(Value::from(
                webhook.map(|webhook| webhook.secret().as_str().to_owned()),
            ))
        })
    },
};

pub(super) const ROUTES: &[Route] = &[
    Route::put("/account/webhook", private!(Webhooks, put))
        .json::<api::bodies::WebhookRequest>()
        .answers::<api::Webhook>("updateAccountWebhook", "Register the webhook")
        .details(
            "Events are sent once the receiver has answered a challenge. If you give the \
             `secret`, the challenge is sent immediately. Otherwise, it is sent 10 seconds \
             after the answer, so that you can pass the secret of the answer to the \
             receiver first. Until the challenge is answered, it is sent again after half a \
             minute, five minutes and half an hour. To send the challenge again, register \
             the webhook again. The first registration creates the secret. Changing the \
             origin of the URL creates a new secret. A given `secret` replaces the \
             webhook's secret. If the address is in use, events are signed with the \
             previous secret too for a day.",
        )
        .errors(&[
            Code::WebhookEventsNotValid,
            Code::WebhookUrlMissing,
            Code::WebhookUrlNotValid,
            Code::FieldNotValid,
        ]),
    Route::get("/account/webhook", private!(Webhooks, get))
        .answers::<api::Webhook>("getAccountWebhook", "Get the webhook"),
    Route::delete("/account/webhook", private!(Webhooks, delete))
        .answers::<api::Webhook>("deleteAccountWebhook", "Remove the webhook"),
    Route::post("/account/webhook/rotate", private!(Webhooks, rotate))
        .secret(SECRET)
        .answers::<api::Webhook>("rotateAccountWebhookSecret", "Replace the webhook's secret")
        .details("For a day, events are signed with the previous secret too.")
        .meta::<api::RotationMeta>()
        .errors(&[Code::WebhookUrlMissing]),
    Route::post("/account/webhook/test", private!(Webhooks, test))
        .answers::<Delivery>("testAccountWebhook", "Send a test event")
        .statuses(&[201, 200])
        .errors(&[Code::WebhookUrlMissing, Code::WebhookNotActive]),
    Route::get("/account/webhook/deliveries", private!(Webhooks, list))
        .query::<Page>()
        .lists::<Delivery>("getAccountWebhookDeliveries", "List deliveries")
        .details("Deliveries are kept for 90 days."),
    Route::post(
        "/account/webhook/deliveries/:ref/redeliver",
        private!(Webhooks, redeliver, DeliveryRef),
    )
    .answers::<Delivery>("redeliverAccountWebhookEvent", "Deliver an event again")
    .statuses(&[201, 200])
    .errors(&[
        Code::InvalidPath,
        Code::WebhookUrlMissing,
        Code::WebhookNotActive,
    ]),
];

/// PUT /account/webhook
pub(super) async fn put(input: &Input<'_>, caller: Address) -> Handled {
    let (ctx, origin) = (input.ctx, input.request.origin.as_str());
    let policy = Policy::of(ctx, Some(origin));
    let registration = Registration::parse(&input.body, &policy, origin)?;
    let registered = webhooks::register(ctx, &caller, &registration)?;
    registered
        .answered_from_rows(|rows| Success::ok(Webhook::view(webhooks::registered(rows)?.as_ref())))
}

/// GET /account/webhook
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let (db, now) = (input.ctx.db(), input.ctx.now());
    let webhook = webhooks::webhook_today(db, &caller, now).await?;
    ok(Webhook::view(webhook.as_ref()))
}

/// DELETE /account/webhook
pub(super) async fn delete(input: &Input<'_>, caller: Address) -> Handled {
    webhooks::remove(input.ctx, &caller).answered(|()| Success::ok(Webhook::view(None)))
}

/// POST /account/webhook/rotate
pub(super) async fn rotate(input: &Input<'_>, caller: Address) -> Handled {
    let secret = Secret::random(input.ctx.ports().random.as_ref());
    let rotated = webhooks::rotate(input.ctx, &caller, &secret).await?;
    rotated.answered(|(webhook, until)| {
        Success::with_meta(
            Webhook::view(Some(webhook)),
            api::RotationMeta {
                previous_secret_valid_until: api::Timestamp(*until),
            },
        )
    })
}

/// POST /account/webhook/test
pub(super) async fn test(input: &Input<'_>, caller: Address) -> Handled {
    queued(webhooks::test(input.ctx, &caller).await?)
}

/// GET /account/webhook/deliveries
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = webhooks::list(input.ctx, &caller, &page).await?;
    page.answer(
        found,
        |delivery| delivery.reference.0.clone(),
        Delivery::clone,
    )
}

/// POST /account/webhook/deliveries/:ref/redeliver
pub(super) async fn redeliver(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let Some(delivery) = webhooks::find(input.ctx, &caller, reference).await? else {
        return Err(Failure::one(
            Code::InvalidPath,
            "",
            "no delivery of this account has this reference",
        ));
    };
    queued(webhooks::redeliver(input.ctx, &caller, &delivery).await?)
}

/// Answers 201 with a new delivery, or 200 with a delivery that was already waiting.
fn queued(decision: Decision<Queued>) -> Handled {
    decision.answered(|queued| match queued {
        Queued::New(delivery) => Success::created(delivery),
        Queued::Waiting(delivery) => Success::ok(delivery),
    })
}
