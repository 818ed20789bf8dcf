//! What Stripe tells of payments. Events come more than once, in any order, at the same time, and may be cut off at any
//! step: each one is folded into the stored deposit, and what follows from it is written in one guarded transaction.

use http::HeaderName;
use order_core::{Amount, Code};
use serde::Deserialize;
use serde_json::{Value, json};

use super::intent::identifier;
use super::store::{Dispute, Standing};
use super::{Deposit, RACES, Status, signature, store};
use crate::app::{Call, commit};
use crate::config::Stripe;
use crate::http::{BODY_LIMIT, Failure, Request};
use crate::ledger::Embedded;
use crate::ports::{DatabaseError, Level, Statement};

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

/// What an event says of a payment.
struct Notice {
    intent: String,
    currency: String,
    livemode: bool,
    news: News,
}

enum News {
    /// So many cents were asked for, and so many arrived.
    Succeeded {
        cents: u64,
        received: u64,
    },
    Failed {
        code: Option<String>,
    },
    Canceled {
        code: Option<String>,
    },
    /// So many cents were refunded until now.
    Refunded {
        cents: u64,
    },
    Dispute(Dispute),
}

/// Takes an event in. Success means that it need not be sent again.
pub(crate) async fn receive(
    call: &Call<'_>,
    settings: &Stripe,
    request: &Request,
) -> Result<(), Failure> {
    if request.body.len() > BODY_LIMIT {
        return Err(Failure::code(Code::BodyTooLarge));
    }
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
    for _ in 0..RACES {
        match take_in(call, &event.id, &notice).await {
            Err(DatabaseError::Guard) => {}
            result => return Ok(result?),
        }
    }
    Err(Failure::internal("a deposit changed too often"))
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
        kind if kind == "charge.refunded" || kind.starts_with("charge.dispute.") => {
            // A charge without a payment is none of this service's.
            if object.get("payment_intent").is_none_or(Value::is_null) {
                return Ok(None);
            }
            let news = if kind == "charge.refunded" {
                News::Refunded {
                    cents: cents("amount_refunded")?,
                }
            } else {
                News::Dispute(Dispute {
                    id: needed("id")?.to_owned(),
                    cents: cents("amount")?,
                    standing: standing(needed("status")?),
                })
            };
            ("payment_intent", news)
        }
        _ => return Ok(None),
    };
    let livemode = object.get("livemode").and_then(Value::as_bool);
    Ok(Some(Notice {
        intent: needed(intent)?.to_owned(),
        currency: needed("currency")?.to_owned(),
        livemode: livemode
            .filter(|livemode| *livemode == event.livemode)
            .ok_or_else(|| unreadable("livemode"))?,
        news,
    }))
}

fn standing(status: &str) -> Standing {
    match status {
        "won" | "prevented" => Standing::Won,
        "lost" => Standing::Lost,
        inquiry if inquiry.starts_with("warning_") => Standing::Inquiry,
        _ => Standing::Open,
    }
}

/// Folds the news into the deposit that it is about. [`DatabaseError::Guard`] when somebody else was faster.
async fn take_in(call: &Call<'_>, event: &str, notice: &Notice) -> Result<(), DatabaseError> {
    let Some((deposit, mut disputes)) = store::by_intent(call.db(), &notice.intent).await? else {
        // Payments that others take through the same account are none of our business.
        call.log(
            Level::Info,
            json!({ "event": "stripe.unknown-payment", "id": event }),
        );
        return Ok(());
    };
    if let Some(what) = mismatch(&deposit, notice) {
        call.log(
            Level::Error,
            json!({ "event": "stripe.mismatch", "id": event, "deposit": deposit.reference, "what": what }),
        );
        return Ok(());
    }
    let mut next = deposit.clone();
    let mut written: Vec<Statement> = Vec::new();
    match &notice.news {
        News::Succeeded { .. } => next.status = Status::Succeeded,
        News::Failed { code }
            if deposit.status == Status::Pending || deposit.status == Status::Failed =>
        {
            next.status = Status::Failed;
            next.failure.clone_from(code);
        }
        News::Canceled { code } if deposit.status != Status::Succeeded => {
            next.status = Status::Canceled;
            next.failure.clone_from(code);
        }
        News::Failed { .. } | News::Canceled { .. } => {}
        News::Refunded { cents } => next.refunded = next.refunded.max(*cents),
        News::Dispute(news) => {
            let known = disputes.iter().position(|dispute| dispute.id == news.id);
            let stands = match known.and_then(|index| disputes.get(index)) {
                Some(dispute) => dispute.standing.gives_way_to(news.standing),
                None => true,
            };
            if stands {
                disputes.retain(|dispute| dispute.id != news.id);
                disputes.push(news.clone());
                written.push(store::put_dispute(&deposit, news, call.now()));
            }
        }
    }
    if matches!(next.status, Status::Succeeded | Status::Canceled) {
        next.client_secret = None;
    }
    written.extend(settle(call, &deposit, &mut next, &disputes).await?);
    if written.is_empty() && next == deposit {
        return Ok(());
    }
    let mut statements = store::replace(&deposit, &next, call.now()).to_vec();
    statements.extend(written);
    commit(call, "credit", statements).await?;
    call.log(
        Level::Info,
        json!({
            "event": "deposit.changed",
            "ref": next.reference,
            "status": next.status.as_str(),
            "reclaimed": next.reclaimed,
            "id": event,
        }),
    );
    Ok(())
}

/// Why the news cannot be about this deposit.
fn mismatch(deposit: &Deposit, notice: &Notice) -> Option<&'static str> {
    if notice.currency != "eur" {
        return Some("currency");
    }
    if notice.livemode != deposit.livemode {
        return Some("livemode");
    }
    match notice.news {
        News::Succeeded { cents, received } if cents != deposit.cents || received != cents => {
            Some("amount")
        }
        _ => None,
    }
}

/// Statements that give or take the tokens that follow from the deposit's new state, and what they make of it.
async fn settle(
    call: &Call<'_>,
    old: &Deposit,
    next: &mut Deposit,
    disputes: &[Dispute],
) -> Result<Vec<Statement>, DatabaseError> {
    if next.status != Status::Succeeded {
        return Ok(Vec::new());
    }
    let held = disputes
        .iter()
        .filter(|dispute| dispute.standing.holds())
        .fold(next.refunded, |sum, dispute| {
            sum.saturating_add(dispute.cents)
        });
    next.reclaimed = held.min(next.cents);
    // At the deposit's own price: all of the cents are all of the tokens.
    let tokens = |cents: u64| {
        next.price
            .tokens_for(cents)
            .ok_or_else(|| DatabaseError::Unavailable("a deposit overflows".to_owned()))
    };
    let (due, due_before) = (tokens(next.reclaimed)?, tokens(old.reclaimed)?);
    let ledger = Embedded::new(call, call.instance().await?);
    if old.status != Status::Succeeded {
        // What has gone back already is never given.
        next.taken = due;
        let mut statements = vec![crate::accounts::ensure(&next.account, call.now())];
        let tokens = next.tokens.saturating_sub(due);
        statements.extend(ledger.credit(next.account, tokens).await?);
        return Ok(statements);
    }
    if due > due_before {
        let wanted = due.saturating_sub(due_before);
        let (statements, taken) = ledger.debit(next.account, wanted).await?;
        next.taken = old.taken.checked_add(taken).unwrap_or(Amount::MAX);
        return Ok(statements);
    }
    // A dispute was won: no more comes back than was taken.
    next.taken = old.taken.min(due);
    let back = old.taken.saturating_sub(next.taken);
    if back.is_zero() {
        return Ok(Vec::new());
    }
    ledger.credit(next.account, back).await
}
