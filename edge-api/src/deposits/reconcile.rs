//! Reconciles payments with Stripe, because events can get lost: Stripe repeats an event only for a limited time.
//!
//! The sweep asks Stripe about an unpaid deposit with backoff, a limited number of times. Afterwards, only events change the
//! deposit. Stripe's response is applied like an event, so the order of responses and events does not matter. The first
//! query after a day cancels a payment that is still open, because its token price applies to one day.

use futures_util::StreamExt;
use futures_util::stream;
use order_core::json;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::apply::{PaymentEvent, PaymentUpdate, apply_event};
use super::deposit::{Deposit, DepositStatus, LIFE_MS, is_id};
use super::request::{Form, identifier, request};
use super::store;
use crate::config::{Deposits, Stripe};
use crate::context::Context;
use crate::db::{commit, run};
use crate::ledger::Ledger;
use crate::outbound::{FetchSession, Policy};
use crate::ports::{DatabaseError, Level, Statement};

/// Maximum number of queries in one sweep.
const SWEEP: u32 = 20;
/// Maximum number of concurrent queries.
const AT_ONCE: usize = 5;
/// The value of `id` in log lines about a query. A line about an event has the event's id there.
const SOURCE: &str = "asked";

/// The state of a payment at Stripe.
#[derive(Deserialize)]
struct Payment {
    id: String,
    status: String,
    amount: u64,
    amount_received: u64,
    currency: String,
    livemode: bool,
    cancellation_reason: Option<String>,
    last_payment_error: Option<Value>,
    latest_charge: Option<Value>,
}

impl Payment {
    /// Returns true if the payment waits for the payer.
    fn is_open(&self) -> bool {
        self.status.starts_with("requires_") && self.status != "requires_capture"
    }
}

/// Reconciles the due deposits. A failure of one deposit is logged and does not stop the others. No-op without Stripe.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let Deposits::Stripe(settings) = &ctx.config().deposits else {
        return Ok(());
    };
    let due = store::lease_due(ctx.db(), ctx.now(), SWEEP).await?;
    stream::iter(due)
        .for_each_concurrent(AT_ONCE, async |reference: String| {
            if let Err(why) = reconcile(ctx, ledger, settings, &reference).await {
                let line = json!({ "event": "deposit.not-asked", "ref": reference, "why": why });
                ctx.log(Level::Warn, line);
            }
        })
        .await;
    Ok(())
}

async fn reconcile(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    settings: &Stripe,
    reference: &str,
) -> Result<(), String> {
    let text = |error: DatabaseError| error.to_string();
    let found = store::by_reference(ctx.db(), reference).await;
    let Some(mut deposit) = found.map_err(text)? else {
        return Ok(());
    };
    if !matches!(
        deposit.status,
        DepositStatus::Pending | DepositStatus::Failed
    ) {
        return Ok(());
    }
    if deposit.intent.is_none() {
        return abandon(ctx, &deposit).await.map_err(text);
    }
    let age = ctx.now().saturating_sub(deposit.created_at);
    if let Some(session) = deposit.session() {
        match paid_session(ctx, settings, &deposit, session, age).await? {
            Session::Open => return Ok(()),
            Session::Expired => {
                let next = Deposit {
                    status: DepositStatus::Canceled,
                    client_secret: None,
                    failure: Some("expired".to_owned()),
                    ..deposit.clone()
                };
                let statements = store::replace(&deposit, &next, ctx.now()).to_vec();
                return change(ctx, "expire", statements).await.map_err(text);
            }
            // First stores which payment belongs to the deposit. A refund that is reported from now on finds its deposit, and earlier refunds
            // are in the answer to the next query.
            Session::Paid(payment) => {
                let next = Deposit {
                    intent: Some(payment),
                    ..deposit.clone()
                };
                let statements = store::replace(&deposit, &next, ctx.now()).to_vec();
                change(ctx, "adopt", statements).await.map_err(text)?;
                let found = store::by_reference(ctx.db(), reference).await;
                let Some(adopted) = found.map_err(text)? else {
                    return Ok(());
                };
                deposit = adopted;
            }
        }
    }
    let Some(intent) = &deposit.intent else {
        return Ok(());
    };
    let path = format!("payment_intents/{intent}?expand[]=latest_charge");
    let mut payment: Payment = exchange(ctx, settings, &path, None).await?;
    if payment.id != *intent {
        return Err(OTHER.to_owned());
    }
    if payment.is_open() && age >= LIFE_MS {
        let path = format!("payment_intents/{intent}/cancel");
        let form = Form {
            key: format!("{reference}-cancel"),
            body: "cancellation_reason=abandoned".to_owned(),
        };
        payment = exchange(ctx, settings, &path, Some(form)).await?;
        if payment.id != *intent {
            return Err(OTHER.to_owned());
        }
    }
    for event in events(payment) {
        let decide = async || apply_event(ctx, ledger, SOURCE, &event).await;
        run(ctx, decide).await.map_err(text)?;
    }
    Ok(())
}

/// Marks a deposit without a stored payment as failed. The request that created the deposit stopped before it stored the
/// payment, so the payer has no secret to pay with.
async fn abandon(ctx: &Context<'_>, deposit: &Deposit) -> Result<(), DatabaseError> {
    let next = Deposit {
        status: DepositStatus::Failed,
        failure: Some("abandoned".to_owned()),
        ..deposit.clone()
    };
    let statements = store::replace(deposit, &next, ctx.now()).to_vec();
    change(ctx, "abandon", statements).await
}

/// Commits a change of a deposit. If another request has changed the deposit, changes nothing.
async fn change(
    ctx: &Context<'_>,
    step: &str,
    statements: Vec<Statement>,
) -> Result<(), DatabaseError> {
    match commit(ctx, None, step, statements).await {
        Ok(_) | Err(DatabaseError::Guard) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The state of a session on Stripe's page.
enum Session {
    /// The payer may still pay.
    Open,
    Expired,
    /// The id of the payment.
    Paid(String),
}

/// Reads a session at Stripe. Ends a session that is still open after a day.
async fn paid_session(
    ctx: &Context<'_>,
    settings: &Stripe,
    deposit: &Deposit,
    session: &str,
    age: u64,
) -> Result<Session, String> {
    #[derive(Deserialize)]
    struct Answer {
        id: String,
        status: String,
        payment_intent: Option<String>,
    }
    let path = format!("checkout/sessions/{session}");
    let mut answer: Answer = exchange(ctx, settings, &path, None).await?;
    if answer.status == "open" && age >= LIFE_MS && answer.id == session {
        let form = Form {
            key: format!("{}-expire", deposit.reference),
            body: String::new(),
        };
        let path = format!("checkout/sessions/{session}/expire");
        answer = exchange(ctx, settings, &path, Some(form)).await?;
    }
    if answer.id != session {
        return Err(OTHER.to_owned());
    }
    match (answer.status.as_str(), answer.payment_intent) {
        ("open", _) => Ok(Session::Open),
        ("expired", _) => Ok(Session::Expired),
        ("complete", Some(payment)) if is_id(&payment, "pi_") => Ok(Session::Paid(payment)),
        _ => Err("its answer has another shape".to_owned()),
    }
}

/// The sentence for the log about an answer that does not fit the question.
const OTHER: &str = "its answer is about another payment";

/// Reads an object at Stripe or, if there is a form, sends the form to change the object. Returns the object, or a sentence for the log.
async fn exchange<T: DeserializeOwned>(
    ctx: &Context<'_>,
    settings: &Stripe,
    path: &str,
    form: Option<Form>,
) -> Result<T, String> {
    let policy = Policy::of(ctx, None);
    let outgoing = request(settings, &policy, path, form).map_err(|refused| refused.to_string())?;
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
    let received = session.send(outgoing).await;
    let answer = received.map_err(|error| error.to_string())?.answer;
    if answer.status != 200 {
        return Err(format!("it answered with status {}", answer.status));
    }
    // The parser's error is dropped, because it would quote the response, which may contain a secret.
    let object = json::parse(&answer.body).and_then(json::from_value::<T>);
    object.map_err(|_| "its answer has another shape".to_owned())
}

/// Converts the payment's state to events. The list is empty if no attempt to pay has succeeded or failed yet.
fn events(payment: Payment) -> Vec<PaymentEvent> {
    let refunded = payment
        .latest_charge
        .as_ref()
        .and_then(|charge| charge.get("amount_refunded")?.as_u64())
        .filter(|cents| *cents > 0);
    let updates = match payment.status.as_str() {
        "succeeded" => {
            let paid = PaymentUpdate::Succeeded {
                cents: payment.amount,
                received: payment.amount_received,
            };
            let refunded = refunded.map(|cents| PaymentUpdate::Refunded { cents });
            [Some(paid), refunded].into_iter().flatten().collect()
        }
        "canceled" => vec![PaymentUpdate::Canceled {
            code: payment.cancellation_reason.as_deref().and_then(identifier),
        }],
        // A payment without an error: no attempt to pay has failed, so there is no event.
        _ => match payment.last_payment_error {
            Some(error) => vec![PaymentUpdate::Failed {
                code: error
                    .get("code")
                    .and_then(|code| identifier(code.as_str()?)),
            }],
            None => Vec::new(),
        },
    };
    let event = |update| PaymentEvent {
        intent: payment.id.clone(),
        currency: payment.currency.clone(),
        livemode: payment.livemode,
        update,
    };
    updates.into_iter().map(event).collect()
}
