//! Reconciles payments with Stripe, because events can get lost: Stripe repeats an event only for a limited time.
//!
//! The sweep asks Stripe about an unpaid deposit with backoff, a limited number of times. Afterwards, only events change the
//! deposit. Stripe's response is applied like an event, so the order of responses and events does not matter. The first
//! query after a day cancels a payment that is still open, because its token price applies to one day.

use futures_util::StreamExt;
use futures_util::stream;
use order_core::json;
use serde::Deserialize;
use serde_json::{Value, json};

use super::apply::{PaymentEvent, PaymentUpdate, apply_event};
use super::deposit::{Deposit, DepositStatus, LIFE_MS};
use super::request::{Form, identifier, request};
use super::store;
use crate::config::{Deposits, Stripe};
use crate::context::Context;
use crate::db::{commit, run};
use crate::ledger::Ledger;
use crate::outbound::{FetchSession, Policy};
use crate::ports::{DatabaseError, Level};

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
    let Some(deposit) = found.map_err(text)? else {
        return Ok(());
    };
    if !matches!(
        deposit.status,
        DepositStatus::Pending | DepositStatus::Failed
    ) {
        return Ok(());
    }
    let Some(intent) = &deposit.intent else {
        return abandon(ctx, &deposit).await.map_err(text);
    };
    let path = format!("payment_intents/{intent}?expand[]=latest_charge");
    let mut payment = exchange(ctx, settings, intent, &path, None).await?;
    let age = ctx.now().saturating_sub(deposit.created_at);
    if payment.is_open() && age >= LIFE_MS {
        let path = format!("payment_intents/{intent}/cancel");
        let form = Form {
            key: format!("{reference}-cancel"),
            body: "cancellation_reason=abandoned".to_owned(),
        };
        payment = exchange(ctx, settings, intent, &path, Some(form)).await?;
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
    match commit(ctx, None, "abandon", statements).await {
        // Another request has stored the payment, or changed the deposit.
        Ok(_) | Err(DatabaseError::Guard) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Reads a payment at Stripe or, if there is a form, sends the form to change the payment. Returns the payment's state, or a
/// sentence for the log.
async fn exchange(
    ctx: &Context<'_>,
    settings: &Stripe,
    intent: &str,
    path: &str,
    form: Option<Form>,
) -> Result<Payment, String> {
    let policy = Policy::of(ctx, None);
    let outgoing = request(settings, &policy, path, form).map_err(|refused| refused.to_string())?;
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
    let received = session.send(outgoing).await;
    let answer = received.map_err(|error| error.to_string())?.answer;
    if answer.status != 200 {
        return Err(format!("it answered with status {}", answer.status));
    }
    // The parser's error is dropped, because it would quote the response, which may contain a secret.
    let payment = json::parse(&answer.body).and_then(json::from_value::<Payment>);
    let payment = payment.map_err(|_| "its answer has another shape".to_owned())?;
    if payment.id != intent {
        return Err("its answer is about another payment".to_owned());
    }
    Ok(payment)
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
