//! Stripe's events about payments: their signature and their content.

use http::{HeaderMap, HeaderName};
use order_core::{Code, json};
use serde::Deserialize;
use serde_json::Value;

use super::apply::{PaymentEvent, PaymentUpdate, apply_event};
use super::request::identifier;
use super::reversals::{Dispute, DisputeStatus, Refund};
use super::{signature, store};
use crate::config::Stripe;
use crate::context::Context;
use crate::db::Decision;
use crate::failure::Failure;
use crate::ledger::Ledger;

/// The header with the signature of an event.
const STRIPE_SIGNATURE: HeaderName = HeaderName::from_static("stripe-signature");

/// The fields of an event that are read.
#[derive(Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    livemode: bool,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

/// Verifies an event's signature and applies the event. If the response is a success, Stripe does not send the event again.
pub(crate) async fn receive(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    settings: &Stripe,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Decision<()>, Failure> {
    let header = headers.get(STRIPE_SIGNATURE);
    let header = header.and_then(|value| value.to_str().ok());
    let seconds = ctx.now().div_euclid(1000);
    let secret = settings.webhook_secret.expose();
    signature::verify(secret, header.unwrap_or_default(), body, seconds)
        .map_err(|why| Failure::one(Code::SignatureNotValid, "stripe-signature", why))?;
    let event = json::parse(body).and_then(json::from_value::<Event>);
    let event = event.map_err(|error| {
        let message = format!("the body is not an event: {error}");
        Failure::one(Code::BodyNotValid, "", message)
    })?;
    if let Some(session) = session(&event)? {
        let statements = vec![store::due_now(session, ctx.now())];
        return Ok(Decision::new("session", statements, ()));
    }
    let Some(payment) = payment(&event)? else {
        return Ok(Decision::read(()));
    };
    Ok(apply_event(ctx, ledger, &event.id, &payment).await?)
}

/// Returns the id of the session on Stripe's page that an event reports as paid or expired. The next sweep asks Stripe about it. `None` for other
/// events.
///
/// # Errors
/// 400 if the id cannot be read.
fn session(event: &Event) -> Result<Option<&str>, Failure> {
    let kind = event.kind.strip_prefix("checkout.session.");
    if !matches!(kind, Some("completed" | "expired")) {
        return Ok(None);
    }
    let id = event.data.object.get("id").and_then(Value::as_str);
    let unreadable = || {
        let (path, message) = ("data.object.id", "`data.object.id` cannot be read");
        Failure::one(Code::BodyNotValid, path, message)
    };
    id.map(Some).ok_or_else(unreadable)
}

/// Reads an event's content. `None` if the kind of the event is not handled, or if its object belongs to no payment.
///
/// # Errors
/// 400 if the kind is handled, but the content cannot be read. Stripe then sends the event again.
fn payment(event: &Event) -> Result<Option<PaymentEvent>, Failure> {
    let unreadable = |name: &str| {
        let path = format!("data.object.{name}");
        let message = format!("`{path}` of a `{}` event cannot be read", event.kind);
        Failure::one(Code::BodyNotValid, path, message)
    };
    let object = &event.data.object;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let needed = |name: &str| text(name).ok_or_else(|| unreadable(name));
    let cents = |name: &str| {
        let number = object.get(name).and_then(Value::as_u64);
        number.ok_or_else(|| unreadable(name))
    };
    let code = |pointer: &str| identifier(object.pointer(pointer)?.as_str()?);
    let (intent, update) = match event.kind.as_str() {
        "payment_intent.succeeded" => (
            "id",
            PaymentUpdate::Succeeded {
                cents: cents("amount")?,
                received: cents("amount_received")?,
            },
        ),
        "payment_intent.payment_failed" => (
            "id",
            PaymentUpdate::Failed {
                code: code("/last_payment_error/code"),
            },
        ),
        "payment_intent.canceled" => (
            "id",
            PaymentUpdate::Canceled {
                code: code("/cancellation_reason"),
            },
        ),
        kind => {
            let Some(returned) = Returned::of(kind) else {
                return Ok(None);
            };
            // Every charge of this service belongs to a payment, so an object without a payment belongs to another service.
            if object.get("payment_intent").is_none_or(Value::is_null) {
                return Ok(None);
            }
            let update = match returned {
                Returned::Charge => PaymentUpdate::Refunded {
                    cents: cents("amount_refunded")?,
                },
                Returned::Refund => PaymentUpdate::Refund(Refund {
                    id: needed("id")?.to_owned(),
                    cents: cents("amount")?,
                    failed: matches!(needed("status")?, "failed" | "canceled"),
                }),
                Returned::Dispute => PaymentUpdate::Dispute(Dispute {
                    id: needed("id")?.to_owned(),
                    cents: cents("amount")?,
                    status: dispute_status(needed("status")?),
                }),
            };
            ("payment_intent", update)
        }
    };
    // Of the objects, only refunds have no member `livemode`. The event itself always has one.
    let livemode = match object.get("livemode") {
        None if matches!(update, PaymentUpdate::Refund(_)) => Some(event.livemode),
        value => value.and_then(Value::as_bool),
    };
    Ok(Some(PaymentEvent {
        intent: needed(intent)?.to_owned(),
        currency: needed("currency")?.to_owned(),
        livemode: livemode
            .filter(|livemode| *livemode == event.livemode)
            .ok_or_else(|| unreadable("livemode"))?,
        update,
    }))
}

/// The kind of object in an event about returned money.
enum Returned {
    /// A charge, with the sum of its refunds.
    Charge,
    /// A refund, at its creation and at each change.
    Refund,
    Dispute,
}

impl Returned {
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "charge.refunded" => Some(Self::Charge),
            "refund.created" | "refund.updated" | "refund.failed" | "charge.refund.updated" => {
                Some(Self::Refund)
            }
            kind if kind.starts_with("charge.dispute.") => Some(Self::Dispute),
            _ => None,
        }
    }
}

fn dispute_status(status: &str) -> DisputeStatus {
    match status {
        "won" | "prevented" => DisputeStatus::Won,
        "lost" => DisputeStatus::Lost,
        inquiry if inquiry.starts_with("warning_") => DisputeStatus::Inquiry,
        _ => DisputeStatus::Open,
    }
}
