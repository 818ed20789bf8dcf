//! What Stripe tells of payments: who signed it, and what it says.

use http::HeaderName;
use order_core::Code;
use serde::Deserialize;
use serde_json::Value;

use super::fold::{News, Notice, fold};
use super::intent::identifier;
use super::returns::{Dispute, Refund, Standing};
use super::signature;
use crate::app::Call;
use crate::config::Stripe;
use crate::http::{Failure, Request};

/// Who signs, and what.
const STRIPE_SIGNATURE: HeaderName = HeaderName::from_static("stripe-signature");

/// An event, as far as it is read.
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

/// Takes an event in. Success means that it need not be sent again.
pub(crate) async fn receive(
    call: &Call<'_>,
    settings: &Stripe,
    request: &Request,
) -> Result<(), Failure> {
    let header = request.header(&STRIPE_SIGNATURE).unwrap_or_default();
    let seconds = call.now().div_euclid(1000);
    let secret = settings.webhook_secret.expose();
    signature::verify(secret, header, &request.body, seconds)
        .map_err(|why| Failure::one(Code::SignatureNotValid, "stripe-signature", why))?;
    let event: Event = serde_json::from_slice(&request.body).map_err(|error| {
        let message = format!("the body is no event: {error}");
        Failure::one(Code::BodyNotValid, "", message)
    })?;
    let Some(notice) = notice(&event)? else {
        return Ok(());
    };
    Ok(fold(call, &event.id, &notice).await?)
}

/// What an event says, if it is of a kind that matters here and about a payment.
///
/// # Errors
/// When it is of such a kind, and cannot be read: it must not count as taken in.
fn notice(event: &Event) -> Result<Option<Notice>, Failure> {
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
    let (intent, news) = match event.kind.as_str() {
        "payment_intent.succeeded" => (
            "id",
            News::Succeeded {
                cents: cents("amount")?,
                received: cents("amount_received")?,
            },
        ),
        "payment_intent.payment_failed" => (
            "id",
            News::Failed {
                code: code("/last_payment_error/code"),
            },
        ),
        "payment_intent.canceled" => (
            "id",
            News::Canceled {
                code: code("/cancellation_reason"),
            },
        ),
        kind => {
            let Some(returned) = Returned::of(kind) else {
                return Ok(None);
            };
            // A charge without a payment is none of this service's.
            if object.get("payment_intent").is_none_or(Value::is_null) {
                return Ok(None);
            }
            let news = match returned {
                Returned::Charge => News::Refunded {
                    cents: cents("amount_refunded")?,
                },
                Returned::Refund => News::Refund(Refund {
                    id: needed("id")?.to_owned(),
                    cents: cents("amount")?,
                    failed: matches!(needed("status")?, "failed" | "canceled"),
                }),
                Returned::Dispute => News::Dispute(Dispute {
                    id: needed("id")?.to_owned(),
                    cents: cents("amount")?,
                    standing: standing(needed("status")?),
                }),
            };
            ("payment_intent", news)
        }
    };
    // A refund is the one object that does not say whether money moves.
    let livemode = match object.get("livemode") {
        None if matches!(news, News::Refund(_)) => Some(event.livemode),
        value => value.and_then(Value::as_bool),
    };
    Ok(Some(Notice {
        intent: needed(intent)?.to_owned(),
        currency: needed("currency")?.to_owned(),
        livemode: livemode
            .filter(|livemode| *livemode == event.livemode)
            .ok_or_else(|| unreadable("livemode"))?,
        news,
    }))
}

/// What an event about returned money is told by.
enum Returned {
    /// A charge, with the sum of its refunds.
    Charge,
    /// One refund: from its creation on, and once more if it fails.
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

fn standing(status: &str) -> Standing {
    match status {
        "won" | "prevented" => Standing::Won,
        "lost" => Standing::Lost,
        inquiry if inquiry.starts_with("warning_") => Standing::Inquiry,
        _ => Standing::Open,
    }
}
