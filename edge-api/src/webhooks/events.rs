//! The events that receivers get.

use order_core::EventKind;
use serde::Serialize;
use serde_json::json;

use crate::api::{ChangedAsset, WebhookEvent};
use crate::context::Context;
use crate::text::account_key;

/// An event, identical for all recipients.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(super) kind: u8,
    /// The exact request body.
    pub(super) body: String,
    /// The asset that the event is about. Additional recipients are the ledger's owner and the asset's holder, or the last holder
    /// of a destroyed asset.
    #[serde(skip)]
    pub(super) asset: Option<AssetKey>,
}

/// The key of an asset as the database stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct AssetKey {
    ledger: String,
    id: String,
}

impl Event {
    /// Creates an event of the given kind. `about` adds the order, deployment, approval, asset or domain to it.
    pub(crate) fn new(
        ctx: &Context<'_>,
        kind: EventKind,
        about: impl FnOnce(WebhookEvent) -> WebhookEvent,
    ) -> Self {
        let id = ctx.new_event_id();
        let event = about(WebhookEvent {
            kind: Some(kind.number()),
            event: Some(kind.number()),
            ..WebhookEvent::about_nothing(&id, ctx.now())
        });
        Self {
            id,
            kind: kind.number(),
            body: json!(event).to_string(),
            asset: None,
        }
    }

    /// Creates an event about a change of an asset's status. The event names no order, because some recipients of the event are
    /// not allowed to see the order.
    pub(crate) fn of_asset(ctx: &Context<'_>, asset: ChangedAsset) -> Self {
        let key = AssetKey {
            ledger: account_key(&asset.ledger_id),
            id: asset.asset_id.to_hex64(),
        };
        let event = Self::new(ctx, EventKind::AssetChanged, |about| WebhookEvent {
            asset: Some(asset),
            ..about
        });
        Self {
            asset: Some(key),
            ..event
        }
    }

    /// Creates a test event, with which an account can check its receiver.
    pub(super) fn test(ctx: &Context<'_>, kind: EventKind) -> Self {
        Self::new(ctx, kind, |about| WebhookEvent {
            test: Some(true),
            ..about
        })
    }
}
