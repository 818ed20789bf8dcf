//! Events: what receivers are sent.

use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::text::timestamp;

/// An event as it is written for everybody who gets it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(super) kind: u8,
    /// What is sent, to the byte.
    pub(super) body: String,
}

impl Event {
    /// An event of a kind about a subject, whose fields stand beside its own.
    pub(crate) fn new(ctx: &Context<'_>, kind: u8, subject: Value) -> Self {
        let id = ctx.new_reference();
        let mut body = json!({
            "id": id,
            "kind": kind,
            "event": kind,
            "createdAt": timestamp(ctx.now()),
        });
        if let (Some(body), Value::Object(subject)) = (body.as_object_mut(), subject) {
            body.extend(subject);
        }
        Self {
            id,
            kind,
            body: body.to_string(),
        }
    }

    /// The event by which an account finds out whether its receiver works.
    pub(super) fn test(ctx: &Context<'_>, kind: u8) -> Self {
        let subject =
            json!({ "requestRef": null, "requestKind": null, "status": null, "test": true });
        Self::new(ctx, kind, subject)
    }
}
