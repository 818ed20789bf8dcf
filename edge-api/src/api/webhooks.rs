//! Answers of `/account/webhook`, and the events that are sent.

use order_core::Status;
use serde::Serialize;
use serde_json::Value;

use super::{Ref, Timestamp};

/// Kinds of events, ascending.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct EventKinds(pub(crate) Vec<u8>);

/// The receiver of events; empty where nothing is registered.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    pub(crate) url: Option<String>,
    pub(crate) events: EventKinds,
    /// The key that signs the events, by the Standard Webhooks scheme.
    pub(crate) secret: Option<String>,
    /// `pending` until the receiver has answered a challenge, `active`, or `paused` since it has failed for a day.
    pub(crate) state: Option<&'static str>,
    /// Why events do not flow, and what to do.
    pub(crate) state_reason: Option<String>,
}

/// Additional information.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotationMeta {
    pub(crate) previous_secret_valid_until: Timestamp,
}

/// An event as it is sent by POST, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`: at least once, in order per record. A new address is first sent a challenge: an event whose `kind` is null, with a `challenge` that the answer (2xx) has to repeat, as text or as the only member of an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookEvent {
    pub(crate) id: Ref,
    pub(crate) kind: Option<u8>,
    /// The same as `kind`.
    pub(crate) event: Option<u8>,
    pub(crate) request_ref: Option<Ref>,
    /// 0 order, 1 deployment, 2 approval.
    pub(crate) request_kind: Option<u8>,
    pub(crate) status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "bool"))]
    pub(crate) test: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) challenge: Option<String>,
    pub(crate) created_at: Timestamp,
}

impl WebhookEvent {
    /// An event without a subject, at a time in milliseconds.
    pub(crate) fn about_nothing(id: &str, now: u64) -> Self {
        Self {
            id: Ref(id.to_owned()),
            kind: None,
            event: None,
            request_ref: None,
            request_kind: None,
            status: None,
            test: None,
            challenge: None,
            created_at: Timestamp(now),
        }
    }
}

/// An event on its way to the webhook.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delivery {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    #[cfg_attr(feature = "native", schemars(with = "WebhookEvent"))]
    pub(crate) event: Value,
    /// `waiting`, `delivered`, `failed` or `canceled`.
    pub(crate) state: &'static str,
    pub(crate) attempts: u32,
    pub(crate) next_attempt_at: Option<Timestamp>,
    pub(crate) response_status: Option<u16>,
    pub(crate) error: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

#[cfg(feature = "native")]
impl schemars::JsonSchema for EventKinds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EventKinds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "array",
            "description": "0 order or approval changed, 1 its error, 2 deployment changed, 3 its error.",
            "items": { "type": "integer", "enum": [0, 1, 2, 3] },
            "examples": [[0, 1, 2, 3]],
        })
    }
}
