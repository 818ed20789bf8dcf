//! `/deposits` (interface specification, "Deposits").

use order_core::{Address, Code, FieldError};
use serde_json::Value;

use crate::api;
use crate::app::{Call, Input};
use crate::config::Deposits;
use crate::deposits::{self, Deposit};
use crate::http::{Failure, Success};
use crate::limits::network_key;
use crate::strangers;

/// The least deposit in EUR cents (interface specification, "Limits").
const LEAST: u64 = 1_000;
/// The largest deposit in EUR cents.
const MOST: u64 = 99_999_999;

/// POST /deposits
pub(super) async fn create(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    if matches!(call.config().deposits, Deposits::Off) {
        return Err(Failure::code(Code::DepositsNotConfigured));
    }
    let cents = amount(input.body.get("amount"))?;
    let network = input.request.client_address.as_deref().map(network_key);
    call.budget.set(strangers::ENTRANCE);
    deposits::create(call, caller, cents, network.as_deref(), view).await
}

/// GET /deposits
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let (page, ids) = input
        .query
        .read(|query, errors| (query.page(errors), query.list("filterIds", errors)))?;
    let found = deposits::list(call.db(), &caller, ids, &page).await?;
    page.answer(found, |deposit| deposit.reference.clone(), view)
}

/// GET /deposits/:depositRef
pub(super) async fn get(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let found = deposits::find(call.db(), &caller, input.params.get("depositRef")).await?;
    Success::ok(view(
        &found.ok_or_else(|| Failure::code(Code::DepositNotFound))?,
    ))
}

/// POST /deposits/stripe: what Stripe tells of payments.
pub(super) async fn stripe(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    let Deposits::Stripe(settings) = &call.config().deposits else {
        return Err(Failure::one(
            Code::DepositsNotConfigured,
            "",
            "this service takes no payments: `DEPOSITS` is not `stripe`",
        ));
    };
    deposits::receive(call, settings, input.request).await?;
    Success::ok(api::Received { received: true })
}

fn amount(value: Option<&Value>) -> Result<u64, Failure> {
    let fail = |code: Code, message: String| {
        Failure::from(vec![FieldError::with_message(code, "amount", message)])
    };
    // JSON has one kind of number: 1000.0 is the whole number 1000 (RFC 8259, 6).
    let whole = value.and_then(|value| match value.as_u64() {
        Some(number) => Some(number),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be whole and in range"
        )]
        None => value
            .as_f64()
            .filter(|n| n.fract() == 0.0 && (0.0..=1e15).contains(n))
            .map(|number| number as u64),
    });
    let negative = value
        .and_then(Value::as_f64)
        .is_some_and(|number| number < 0.0 && number.fract() == 0.0);
    match whole {
        _ if negative => Err(fail(
            Code::DepositAmountTooLow,
            format!("`amount` must be at least {LEAST} EUR cents"),
        )),
        None => Err(fail(
            Code::DepositAmountMissing,
            "`amount` must be a whole number of EUR cents".to_owned(),
        )),
        Some(cents) if cents < LEAST => Err(fail(
            Code::DepositAmountTooLow,
            format!("`amount` must be at least {LEAST} EUR cents"),
        )),
        Some(cents) if cents > MOST => Err(fail(
            Code::FieldNotValid,
            format!("`amount` must be at most {MOST} EUR cents"),
        )),
        Some(cents) => Ok(cents),
    }
}

fn view(deposit: &Deposit) -> api::Deposit {
    api::Deposit {
        reference: api::Ref(deposit.reference.clone()),
        amount: deposit.cents,
        currency: "eur",
        tokens: deposit.tokens,
        status: deposit.status.as_str(),
        client_secret: deposit.client_secret.clone(),
        livemode: deposit.livemode,
        reclaimed: deposit.reclaimed,
        created_at: api::Timestamp(deposit.created_at),
    }
}
