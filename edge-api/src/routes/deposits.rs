//! `/deposits` (interface specification, "Deposits").

use order_core::{Address, Code, FieldError};
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::config::Deposits;
use crate::deposits::{self, Deposit};
use crate::http::{Failure, Success};
use crate::text::timestamp;

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
    if call.config().deposits == Deposits::Off {
        return Err(Failure::code(Code::DepositsNotConfigured));
    }
    let cents = amount(input.body.get("amount"))?;
    deposits::credit_test(call, &caller, cents, view).await
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

/// `{ref, amount, currency, tokens, status, clientSecret, livemode, createdAt}`
fn view(deposit: &Deposit) -> Value {
    json!({
        "ref": deposit.reference,
        "amount": deposit.cents,
        "currency": "eur",
        "tokens": deposit.tokens,
        "status": deposit.status,
        "clientSecret": null,
        "livemode": deposit.livemode,
        "createdAt": timestamp(deposit.created_at),
    })
}
