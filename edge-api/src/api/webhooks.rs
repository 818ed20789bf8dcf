//! Answers of `/account/webhook`, and the events that the service sends.

#[cfg(feature = "native")]
use order_core::EventKind;
use order_core::{Address, AssetId, Imprint, Status};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{DomainState, ReasonAuthor, Ref, Timestamp};
use crate::ports::stored_state;

/// The number of a [`WebhookState`] as a literal for SQL. SQLite uses a partial index only if the statement repeats the
/// index's condition literally.
macro_rules! webhook_state {
    (Pending) => {
        0_u8
    };
    (Active) => {
        1_u8
    };
    (Paused) => {
        2_u8
    };
}
pub(crate) use webhook_state;

/// The number of a [`DeliveryState`] as a literal for SQL.
macro_rules! delivery_state {
    (Waiting) => {
        0_u8
    };
    (Delivered) => {
        1_u8
    };
    (Failed) => {
        2_u8
    };
    (Canceled) => {
        3_u8
    };
}
pub(crate) use delivery_state;

stored_state! {
    /// The state of a receiver. Events are sent only to an active receiver.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    WebhookState, webhook_state:
    /// The receiver has not confirmed that it wants events.
    Pending,
    /// Events are sent.
    Active,
    /// The receiver failed for a day, so no events are sent.
    Paused,
}

stored_state! {
    /// The state of a delivery.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    DeliveryState, delivery_state:
    /// An attempt is due or in flight, or the delivery waits for an earlier delivery with the same ordering key.
    Waiting,
    /// The receiver accepted the event.
    Delivered,
    /// Delivery failed, and no further attempt follows.
    Failed,
    /// The webhook was removed or paused, or its receiver never answered the challenge.
    Canceled,
}

/// Kinds of events, in ascending order.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct EventKinds(pub(crate) Vec<u8>);

/// The webhook: the receiver of an account's events. All fields are empty if the account has no webhook.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    pub(crate) url: Option<String>,
    pub(crate) events: EventKinds,
    /// The key that signs the events, by the Standard Webhooks scheme.
    pub(crate) secret: Option<String>,
    /// `pending` until the receiver has answered a challenge, then `active`. `paused` after a day of failures.
    #[cfg_attr(feature = "native", schemars(with = "Option<String>"))]
    pub(crate) state: Option<WebhookState>,
    /// The reason why no events are sent, with advice.
    pub(crate) state_reason: Option<String>,
}

/// Additional information.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotationMeta {
    pub(crate) previous_secret_valid_until: Timestamp,
}

/// The new status of an asset.
///
/// - `inForce`: the asset was issued, or issued again after a withdrawal.
/// - `replaced`: the imprint was updated, so documents with an earlier imprint are out of date.
/// - `withdrawn`: the asset was destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum ChangedStatus {
    InForce,
    Replaced,
    Withdrawn,
}

/// An asset whose status changed. `/badge.json` publishes the same facts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedAsset {
    pub(crate) ledger_id: Address,
    pub(crate) asset_id: AssetId,
    pub(crate) status: ChangedStatus,
    /// The imprint in force. Null for a withdrawn asset.
    pub(crate) imprint: Option<Imprint>,
    /// The reason for a withdrawal. Null in the first event of a withdrawal. A reason given later causes another event.
    pub(crate) reason: Option<String>,
    pub(crate) reason_by: Option<ReasonAuthor>,
}

/// A domain of the account whose confirmation changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedDomain {
    /// The domain in lower case and Punycode.
    pub(crate) domain: String,
    /// The domain as people should see it.
    pub(crate) display_domain: String,
    /// `confirmed` while the confirmation counts. `notConfirmed` or `disowned` after its end.
    pub(crate) state: DomainState,
    /// The time at which the confirmation ends if no check succeeds. Null unless the last check failed and the confirmation still counts.
    pub(crate) confirmed_until: Option<Timestamp>,
    /// The reason why the last check failed: a short identifier that does not change between versions. Null if it succeeded.
    pub(crate) reason: Option<String>,
    /// A sentence that explains the reason and gives advice.
    pub(crate) message: Option<String>,
}

/// An event. It is sent by POST with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, at least once.
/// The events of a record are sent in order, and then the events of the assets that the record changed.
///
/// An event of kind 4 has `asset` and does not name the order. It also goes to the ledger's owner and the asset's holder, who may not be
/// allowed to see the order.
///
/// An event of kind 5 has `domain`. It is sent when a check of a confirmed domain fails for the first time, when the confirmation ends,
/// and when the domain confirms the account again.
///
/// A new address first gets a challenge: an event whose `kind` is null. The receiver's answer (2xx) must repeat
/// the event's `challenge`, as plain text or as the only member of a JSON object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookEvent {
    pub(crate) id: Ref,
    pub(crate) kind: Option<u8>,
    /// The same value as `kind`.
    pub(crate) event: Option<u8>,
    pub(crate) request_ref: Option<Ref>,
    /// 0: order. 1: deployment. 2: approval.
    pub(crate) request_kind: Option<u8>,
    pub(crate) status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "ChangedAsset"))]
    pub(crate) asset: Option<ChangedAsset>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "ChangedDomain"))]
    pub(crate) domain: Option<ChangedDomain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "bool"))]
    pub(crate) test: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) challenge: Option<String>,
    pub(crate) created_at: Timestamp,
}

impl WebhookEvent {
    /// Creates an event that names no request, asset or domain. `now` is in milliseconds since 1970.
    pub(crate) fn about_nothing(id: &str, now: u64) -> Self {
        Self {
            id: Ref(id.to_owned()),
            kind: None,
            event: None,
            request_ref: None,
            request_kind: None,
            status: None,
            asset: None,
            domain: None,
            test: None,
            challenge: None,
            created_at: Timestamp(now),
        }
    }
}

/// The delivery of an event to the webhook.
// A row of `webhook_deliveries`. Fields that are not serialized are internal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Delivery {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    // The exact bytes of the request body.
    #[serde(rename(serialize = "event"), serialize_with = "json_text")]
    #[cfg_attr(feature = "native", schemars(with = "WebhookEvent"))]
    pub(crate) body: String,
    /// `waiting`, `delivered`, `failed` or `canceled`.
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) state: DeliveryState,
    pub(crate) attempts: u32,
    #[serde(rename(deserialize = "due_at"))]
    pub(crate) next_attempt_at: Option<Timestamp>,
    pub(crate) response_status: Option<u16>,
    pub(crate) error: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing)]
    pub(crate) event_id: String,
    #[serde(skip_serializing)]
    pub(crate) ordering_key: String,
    // End of the lease while an attempt may be in flight.
    #[serde(skip_serializing)]
    pub(crate) leased_until: Option<Timestamp>,
}

/// Serializes a JSON string as the value that it represents, or as null if it is not valid JSON.
fn json_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    value.serialize(serializer)
}

#[cfg(feature = "native")]
impl schemars::JsonSchema for EventKinds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EventKinds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kinds = EventKind::ALL;
        let meaning = |kind: &EventKind| match kind {
            EventKind::OrderChanged => "0: an order or approval has changed",
            EventKind::OrderError => "1: an order or approval has an error",
            EventKind::DeploymentChanged => "2: a deployment has changed",
            EventKind::DeploymentError => "3: a deployment has an error",
            EventKind::AssetChanged => "4: the status of an asset has changed",
            EventKind::DomainChanged => {
                "5: a domain fails to confirm the account, no longer confirms it, or confirms it again"
            }
        };
        let meanings: Vec<_> = kinds.iter().map(meaning).collect();
        schemars::json_schema!({
            "type": "array",
            "description": format!("{}.", meanings.join(". ")),
            "items": {
                "type": "integer",
                "enum": kinds,
                "x-enum-varnames": kinds.iter().map(|kind| format!("{kind:?}")).collect::<Vec<_>>(),
            },
            "examples": [kinds],
        })
    }
}
