//! `/deposits` (`docs/interface.md`, "Deposits").

use order_core::{Address, Code, Field};
use serde_json::Value;

use crate::api;
use crate::config::Deposits;
use crate::db::Page;
use crate::deposits::{self, Deposit};
use crate::failure::Failure;
use crate::web::{Handled, Ids, Input, Route, Secret, Success, ok, private, public, query};

query! {
    /// The parameters of the list of deposits.
    pub(super) struct DepositQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        references ("filterIds"): Ids<String>,
    }
}

/// The smallest deposit in EUR cents (`docs/interface.md`, "Limits").
const LEAST: u64 = 1_000;
/// The largest deposit in EUR cents.
const MOST: u64 = 99_999_999;

/// The secret for the payment provider's payment form. The provider returns this secret when it creates the payment.
pub(super) const CLIENT_SECRET: Secret = Secret {
    field: "clientSecret",
    read: |ctx, caller, data| {
        Box::pin(async move {
            let reference = data["ref"].as_str().unwrap_or_default();
            let deposit = deposits::find(ctx.db(), &caller, reference).await?;
            let secret = deposit.as_ref().and_then(Deposit::client_secret);
            Ok(Value::from(secret))
        })
    },
};

pub(super) const ROUTES: &[Route] = &[
    Route::post("/deposits", private!(Account, create))
        .json::<api::bodies::DepositRequest>()
        .secret(CLIENT_SECRET)
        .answers::<api::Deposit>("createDeposit", "Create a deposit")
        .details(
            "For card payments, the account must have provided its information (400014). \
             Only a few deposits of an account may wait for payment at the same time \
             (429000).",
        )
        .statuses(&[201])
        .errors(&[
            Code::AccountNotIdentified,
            Code::DepositsNotConfigured,
            Code::DepositPriceUnknown,
            Code::DepositAmountMissing,
            Code::DepositAmountTooLow,
            Code::FieldNotValid,
        ]),
    Route::get("/deposits", private!(Read, list))
        .query::<DepositQuery>()
        .lists::<api::Deposit>("getDeposits", "List deposits"),
    Route::get("/deposits/:depositRef", private!(Read, get, DepositRef))
        .answers::<api::Deposit>("getDeposit", "Get a deposit")
        .errors(&[Code::DepositNotFound]),
    // The payment provider calls this route. It signs the body's bytes, and retries events that were refused.
    Route::post("/deposits/stripe", public!(stripe))
        .bytes()
        .answers::<api::Received>(
            "receiveStripeEvent",
            "Receive an event from the payment provider",
        )
        .details(
            "Only the payment provider can call this operation, because it signs its \
             events.",
        )
        .errors(&[
            Code::SignatureNotValid,
            Code::BodyNotValid,
            Code::DepositsNotConfigured,
            Code::BodyTooLarge,
        ]),
];

/// POST /deposits
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    if matches!(input.ctx.config().deposits, Deposits::Off) {
        return Err(Failure::code(Code::DepositsNotConfigured));
    }
    let cents = amount(&input.body)?;
    let origin = is_checkout(&input.body)?.then_some(input.request.origin.as_str());
    let is_repeated = input.conflicts.get() > 0;
    let created = deposits::create(
        input.ctx,
        input.ledger,
        caller,
        (cents, origin),
        is_repeated,
    );
    created
        .await?
        .answered(|deposit| Success::created(view(deposit)))
}

/// GET /deposits
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: DepositQuery = input.query.parsed()?;
    let found = deposits::list(input.ctx.db(), &caller, query.references, &query.page).await?;
    query
        .page
        .answer(found, |deposit| deposit.reference.clone(), view)
}

/// GET /deposits/:depositRef
pub(super) async fn get(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let found = deposits::find(input.ctx.db(), &caller, reference).await?;
    ok(view(
        &found.ok_or_else(|| Failure::code(Code::DepositNotFound))?,
    ))
}

/// POST /deposits/stripe: receives Stripe's events about payments.
pub(super) async fn stripe(input: &Input<'_>) -> Handled {
    let Deposits::Stripe(settings) = &input.ctx.config().deposits else {
        return Err(Failure::one(
            Code::DepositsNotConfigured,
            "",
            "this service takes no payments: `DEPOSITS` is not `stripe`",
        ));
    };
    let (headers, body) = (&input.request.headers, &input.request.body);
    let received = deposits::receive(input.ctx, input.ledger, settings, headers, body).await?;
    received.answered(|()| Success::ok(api::Received { received: true }))
}

/// Parses `amount` in EUR cents. Fails if it is missing, is not a whole number or is outside the limits.
fn amount(body: &Value) -> Result<u64, Failure> {
    let field = Field::body(body).get("amount");
    let negative = body.get("amount").and_then(Value::as_f64);
    let negative = negative.is_some_and(|number| number < 0.0 && number.fract() == 0.0);
    let (code, expected) = match field.whole_number() {
        Some(cents) if (LEAST..=MOST).contains(&cents) => return Ok(cents),
        Some(cents) if cents > MOST => (Code::FieldNotValid, format!("at most {MOST} EUR cents")),
        None if !negative => (
            Code::DepositAmountMissing,
            "a whole number of EUR cents".to_owned(),
        ),
        _ => (
            Code::DepositAmountTooLow,
            format!("at least {LEAST} EUR cents"),
        ),
    };
    Err(field.wrong(code, &expected).into())
}

/// Parses `checkout`, which is optional.
fn is_checkout(body: &Value) -> Result<bool, Failure> {
    let field = Field::body(body).get("checkout");
    match body.get("checkout") {
        None | Some(Value::Null) => Ok(false),
        Some(_) => field
            .boolean()
            .ok_or_else(|| field.wrong(Code::FieldNotValid, "true or false").into()),
    }
}

fn view(deposit: &Deposit) -> api::Deposit {
    api::Deposit {
        reference: api::Ref(deposit.reference.clone()),
        amount: deposit.cents,
        currency: "eur",
        tokens: deposit.tokens,
        status: deposit.status.as_str(),
        client_secret: deposit.client_secret().map(str::to_owned),
        checkout_url: deposit.checkout_url().map(str::to_owned),
        livemode: deposit.livemode,
        reclaimed: deposit.reclaimed,
        created_at: api::Timestamp(deposit.created_at),
    }
}
