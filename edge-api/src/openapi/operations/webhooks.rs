//! Descriptions of the webhook routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
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
            "Events are sent once the receiver has answered a challenge. If you give the `secret`, the challenge is sent \
             immediately. Otherwise, it is sent 10 seconds after the answer, so that you can pass the secret of the answer to \
             the receiver first. Until the challenge is answered, it is sent again after half a minute, five minutes and half \
             an hour. To send the challenge again, register the webhook again. The first registration creates the secret. \
             Changing the origin of the URL creates a new secret. A given `secret` replaces the webhook's secret. If the \
             address is in use, events are signed with the previous secret too for a day.",
        )
        .body::<WebhookRequest>()
        .errors(&[
            Code::WebhookEventsNotValid,
            Code::WebhookUrlMissing,
            Code::WebhookUrlNotValid,
            Code::FieldNotValid,
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
        .text("For a day, events are signed with the previous secret too.")
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
        .text("Deliveries are kept for 90 days."),
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
