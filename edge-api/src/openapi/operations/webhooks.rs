//! Descriptions of webhooks.

use http::Method;
use order_core::Code;

use super::Operation;
use crate::api::bodies::WebhookRequest;
use crate::api::{Delivery, RotationMeta, Webhook};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Webhook>(
            Method::PUT,
            "/account/webhook",
            "updateAccountWebhook",
            "Register the webhook",
        )
        .text(
            "Events flow as soon as the receiver has answered a challenge, which is sent at once \
             and, unless it is answered, after half a minute, five minutes and half an hour. \
             Registering a webhook again that is not active sends it again. The secret is made at \
             the first registration, and anew where the address's origin changes.",
        )
        .body::<WebhookRequest>()
        .errors(&[
            Code::WebhookEventsNotValid,
            Code::WebhookUrlMissing,
            Code::WebhookUrlNotValid,
        ]),
        Operation::one::<Webhook>(
            Method::GET,
            "/account/webhook",
            "getAccountWebhook",
            "Get the webhook",
        ),
        Operation::one::<Webhook>(
            Method::DELETE,
            "/account/webhook",
            "deleteAccountWebhook",
            "Remove the webhook",
        ),
        Operation::one::<Webhook>(
            Method::POST,
            "/account/webhook/rotate",
            "rotateAccountWebhookSecret",
            "Replace the webhook's secret",
        )
        .text("For a day, the previous secret also signs.")
        .meta::<RotationMeta>()
        .errors(&[Code::WebhookUrlMissing]),
        Operation::one::<Delivery>(
            Method::POST,
            "/account/webhook/test",
            "testAccountWebhook",
            "Send a test event",
        )
        .statuses(&[201, 200])
        .errors(&[Code::WebhookUrlMissing, Code::WebhookNotActive]),
        Operation::list::<Delivery>(
            "/account/webhook/deliveries",
            "getAccountWebhookDeliveries",
            "List deliveries",
        )
        .text("Kept for 90 days."),
        Operation::one::<Delivery>(
            Method::POST,
            "/account/webhook/deliveries/:ref/redeliver",
            "redeliverAccountWebhookEvent",
            "Deliver an event again",
        )
        .statuses(&[201, 200])
        .errors(&[
            Code::InvalidPath,
            Code::WebhookUrlMissing,
            Code::WebhookNotActive,
        ]),
    ]
}
