//! `/orders` (interface specification, "Orders").

use order_core::{Address, Code, OrderRequest};
use serde_json::Value;

use crate::app::{Call, Input};
use crate::http::{Failure, Success};
use crate::orders;
use crate::records::{self, Kind};
use crate::routes::records::page;

/// POST /orders
pub(super) async fn create(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let request = OrderRequest::parse(&input.body, call.now())?;
    let work = records::Work::Order(Box::new(request));
    records::create(call, caller, work, |record| orders::view(record, &caller)).await
}

/// GET /orders
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    page(call, input, caller, Kind::Order, |record| {
        orders::view(record, &caller)
    })
    .await
}

/// GET /orders/:orderRef
pub(super) async fn get(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let record = orders::find(call, input.params.get("orderRef")).await?;
    if !orders::readable(&record, &caller) {
        return Err(Failure::code(Code::OrderNotFound));
    }
    Success::ok(orders::view(&record, &caller))
}

/// PUT /orders/:orderRef/sign
pub(super) async fn sign(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let claim = input
        .body
        .get("claim")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let record = orders::sign(call, input.params.get("orderRef"), caller, claim).await?;
    Success::ok(orders::view(&record, &caller))
}

/// PUT /orders/:orderRef/perform
pub(super) async fn perform(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let record = orders::perform(call, input.params.get("orderRef"), caller).await?;
    Success::ok(orders::view(&record, &caller))
}

/// DELETE /orders/:orderRef
pub(super) async fn cancel(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let record = orders::cancel(call, input.params.get("orderRef"), caller).await?;
    Success::ok(orders::view(&record, &caller))
}
