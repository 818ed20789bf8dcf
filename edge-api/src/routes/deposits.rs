//! `/deposits` (interface specification, "Deposits").

use order_core::{Address, Code, FieldError};
use serde_json::Value;

use crate::api;
use crate::config::Deposits;
use crate::deposits::{self, Deposit};
use crate::failure::Failure;
use crate::network::network_key;
use crate::web::{Handled, Input, Success, ok};

/// The least deposit in EUR cents (interface specification, "Limits").
const LEAST: u64 = 1_000;
/// The largest deposit in EUR cents.
const MOST: u64 = 99_999_999;

/// POST /deposits
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    if matches!(input.ctx.config().deposits, Deposits::Off) {
        return Err(Failure::code(Code::DepositsNotConfigured));
    }
    let cents = amount(input.body.get("amount"))?;
    let network = input.request.client_address.as_deref().map(network_key);
    let is_repeated = input.conflicts.get() > 0;
    let (ctx, ledger, network) = (input.ctx, input.ledger, network.as_deref());
    let created = deposits::create(ctx, ledger, caller, cents, network, is_repeated);
    created
        .await?
        .answered(|deposit| Success::created(view(deposit)))
}

/// GET /deposits
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let (page, ids) = input
        .query
        .read(|query, errors| (query.page(errors), query.list("filterIds", errors)))?;
    let found = deposits::list(input.ctx.db(), &caller, ids, &page).await?;
    page.answer(found, |deposit| deposit.reference.clone(), view)
}

/// GET /deposits/:depositRef
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let found = deposits::find(input.ctx.db(), &caller, input.params.get("depositRef")).await?;
    ok(view(
        &found.ok_or_else(|| Failure::code(Code::DepositNotFound))?,
    ))
}

/// POST /deposits/stripe: what Stripe tells of payments.
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
