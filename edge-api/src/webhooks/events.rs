//! The events that receivers get.

use order_core::EventKind;
use serde::Serialize;
use serde_json::json;

use crate::api::WebhookEvent;
use crate::context::Context;

/// An event, identical for all recipients.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(super) kind: u8,
    /// The exact bytes of the request body.
    pub(super) body: String,
}

impl Event {
    /// Creates an event of a kind. `about` adds its subject.
    pub(crate) fn new(
        ctx: &Context<'_>,
        kind: EventKind,
        about: impl FnOnce(WebhookEvent) -> WebhookEvent,
    ) -> Self {
        let id = ctx.new_reference();
        let event = about(WebhookEvent {
            kind: Some(kind.number()),
            event: Some(kind.number()),
            ..WebhookEvent::about_nothing(&id, ctx.now())
        });
        Self {
            id,
            kind: kind.number(),
            body: json!(event).to_string(),
        }
    }

    /// Creates a test event, which shows an account if its receiver works.
    pub(super) fn test(ctx: &Context<'_>, kind: EventKind) -> Self {
        Self::new(ctx, kind, |about| WebhookEvent {
            test: Some(true),
            ..about
        })
    }
}
