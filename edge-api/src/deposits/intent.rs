//! Requests payments from Stripe: one PaymentIntent for each deposit or, with checkout, one session on Stripe's page
//! (`docs/decisions/0095-checkout.md`).

use order_core::json;
use serde::Deserialize;
use serde_json::json;

use super::deposit::{Deposit, DepositStatus, SESSION, first_query_at, is_address, is_id};
use super::request::{Form, identifier, request};
use super::{guards, store};
use crate::config::Stripe;
use crate::context::Context;
use crate::db::{Decision, commit, storage};
use crate::failure::Failure;
use crate::outbound::{FetchSession, Policy};
use crate::ports::{DatabaseError, Level};
use crate::text::account_key;

/// Maximum attempts to reach Stripe for one payment. All attempts have the same idempotency key, so they create only
/// one payment.
const TRIES: usize = 2;

/// The fields of a PaymentIntent, or of a session, that this service reads.
#[derive(Deserialize)]
struct Intent {
    id: String,
    /// The amount of a PaymentIntent, and of a session.
    amount: Option<u64>,
    amount_total: Option<u64>,
    currency: String,
    livemode: bool,
    /// The secret of a PaymentIntent. A session of Stripe's own page has none.
    client_secret: Option<String>,
    /// The page of a session.
    url: Option<String>,
}

/// The reason why no payment was created.
struct NoIntent {
    /// Stripe's error code, or a code of this service. Stored with the deposit.
    code: String,
    /// A sentence for the log.
    why: String,
}

/// Stores the deposit, requests its payment, and returns the decision that stores the payment. The payer gets the payment's
/// secret only after the payment is stored, so every event about an attempt to pay finds its deposit. If the request stops
/// earlier, nobody can pay the deposit.
///
/// This function commits the first transaction itself, because the request to Stripe must follow it.
pub(super) async fn create(
    ctx: &Context<'_>,
    settings: &Stripe,
    deposit: Deposit,
    client: Option<&str>,
    origin: Option<&str>,
) -> Result<Decision<Deposit>, Failure> {
    let mut statements = guards::of_one_kind(deposit.livemode);
    statements.push(guards::few(ctx, &deposit.account, client));
    statements.push(store::insert(
        &deposit,
        Some(first_query_at(ctx.now())),
        client,
    ));
    let payer = || Some((deposit.account, storage::ENTRANCE.into()));
    match commit(ctx, payer(), "intent", statements).await {
        Ok(_) => {}
        Err(DatabaseError::Guard) => {
            guards::few_open(ctx, &deposit.account, client).await?;
            return Err(guards::refused(ctx, deposit.livemode).await?);
        }
        Err(error) => return Err(error.into()),
    }
    match payment(ctx, settings, &deposit, origin).await {
        Ok(intent) => {
            let next = Deposit {
                intent: Some(intent.id),
                client_secret: intent.url.or(intent.client_secret),
                ..deposit.clone()
            };
            let mut statements = store::replace(&deposit, &next, ctx.now()).to_vec();
            statements.push(crate::accounts::ensure(&deposit.account, ctx.now()));
            Ok(Decision::new("intent-known", statements, next).once())
        }
        Err(NoIntent { code, why }) => {
            ctx.log(
                Level::Error,
                json!({ "event": "stripe.failed", "deposit": deposit.reference, "why": why }),
            );
            let next = Deposit {
                status: DepositStatus::Failed,
                failure: Some(code),
                ..deposit.clone()
            };
            let statements = store::replace(&deposit, &next, ctx.now()).to_vec();
            commit(ctx, payer(), "intent-failed", statements).await?;
            Err(Failure::internal("Stripe created no payment"))
        }
    }
}

async fn payment(
    ctx: &Context<'_>,
    settings: &Stripe,
    deposit: &Deposit,
    origin: Option<&str>,
) -> Result<Intent, NoIntent> {
    let fail = |code: &str, why: String| NoIntent {
        code: code.to_owned(),
        why,
    };
    let policy = Policy::of(ctx, None);
    let path = if origin.is_some() {
        "checkout/sessions"
    } else {
        "payment_intents"
    };
    let body = form(ctx, deposit, origin);
    let form = Form {
        key: deposit.reference.clone(),
        body,
    };
    let outgoing = request(settings, &policy, path, Some(form))
        .map_err(|error| fail("configuration", error.to_string()))?;
    let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
    let mut last = fail("unreachable", "it was not called".to_owned());
    for _ in 0..TRIES {
        let answer = match session.send(outgoing.clone()).await {
            Ok(received) => received.answer,
            Err(error) => {
                last = fail("unreachable", error.to_string());
                continue;
            }
        };
        match answer.status {
            200 => {
                let read = read(&answer.body, deposit, origin.is_some());
                return read.map_err(|why| fail("answer", why));
            }
            // 409: a request with the same idempotency key is in flight. 429 and 5xx: temporary failures.
            status @ (409 | 429 | 500..=599) => {
                last = fail("unavailable", format!("it answered with status {status}"));
            }
            status => {
                let code = error_code(&answer.body);
                let why = format!("it answered with status {status}, `{code}`");
                return Err(fail(&code, why));
            }
        }
    }
    Err(last)
}

/// Returns the form that requests a payment. With an origin, it requests a session on Stripe's page, which leads back to the console.
fn form(ctx: &Context<'_>, deposit: &Deposit, origin: Option<&str>) -> String {
    let (reference, account) = (deposit.reference.as_str(), account_key(&deposit.account));
    let cents = deposit.cents.to_string();
    let mut form = form_urlencoded::Serializer::new(String::new());
    match origin {
        None => {
            form.append_pair("amount", &cents)
                .append_pair("currency", "eur");
        }
        Some(origin) => {
            let back = format!("{origin}/console/#money");
            form.append_pair("mode", "payment")
                .append_pair("line_items[0][quantity]", "1")
                .append_pair("line_items[0][price_data][currency]", "eur")
                .append_pair("line_items[0][price_data][unit_amount]", &cents)
                .append_pair(
                    "line_items[0][price_data][product_data][name]",
                    &ctx.config().service_name,
                )
                .append_pair("success_url", &back)
                .append_pair("cancel_url", &back)
                .append_pair("payment_intent_data[metadata][deposit]", reference)
                .append_pair("payment_intent_data[metadata][account]", &account);
        }
    }
    form.append_pair("payment_method_types[]", "card")
        .append_pair("metadata[deposit]", reference)
        .append_pair("metadata[account]", &account)
        .finish()
}

/// Reads the payment in Stripe's response and checks that it is the requested one. Fails with a sentence for the log.
fn read(body: &[u8], deposit: &Deposit, is_checkout: bool) -> Result<Intent, String> {
    // The parser's error is dropped, because it would quote the response, which may contain a secret.
    let intent = json::parse(body).and_then(json::from_value::<Intent>);
    let intent = intent.map_err(|_| "its answer has another shape".to_owned())?;
    let cents = if is_checkout {
        intent.amount_total
    } else {
        intent.amount
    };
    let same = cents == Some(deposit.cents)
        && intent.currency == "eur"
        && intent.livemode == deposit.livemode
        && if is_checkout {
            is_id(&intent.id, SESSION) && intent.url.as_deref().is_some_and(is_address)
        } else {
            is_id(&intent.id, "pi_") && intent.client_secret.is_some() && intent.url.is_none()
        };
    same.then_some(intent)
        .ok_or_else(|| "its answer is about another payment".to_owned())
}

/// Returns `error.code` of a response, otherwise its `error.type`, and `refused` if neither is an [`identifier`].
fn error_code(body: &[u8]) -> String {
    let answer = json::parse(body).unwrap_or_default();
    ["/error/code", "/error/type"]
        .iter()
        .find_map(|pointer| identifier(answer.pointer(pointer)?.as_str()?))
        .unwrap_or_else(|| "refused".to_owned())
}
