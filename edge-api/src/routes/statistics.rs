//! `/stats` (interface specification, "Statistics").

use order_core::Address;
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::http::{Failure, Success, checked};
use crate::statistics::{self, DayLookup, TickerLookup};
use crate::text::{date, timestamp};

/// GET /stats/costs: `{date, orders, deployments, approvals, actions, amount}` of each day on which the caller paid.
pub(super) async fn costs(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let lookup = days(input, caller)?;
    let (mut days, total) = statistics::costs(call.db(), &lookup).await?;
    let meta = lookup
        .page
        .finish(&mut days, total, true, |row| row.day.to_string());
    let view = |row: &statistics::CostRow| -> Value {
        json!({
            "date": date(row.day),
            "orders": row.orders,
            "deployments": row.deployments,
            "approvals": row.approvals,
            "actions": row.actions,
            "amount": row.amount,
        })
    };
    Success::list(days.iter().map(view).collect::<Vec<_>>(), meta)
}

/// GET /stats/traffic: `{date, requests, queries, mutations, failures}` of each day with requests of the caller's.
pub(super) async fn traffic(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let lookup = days(input, caller)?;
    let (mut days, total) = statistics::traffic(call.db(), &lookup).await?;
    let meta = lookup
        .page
        .finish(&mut days, total, true, |row| row.day.to_string());
    let view = |row: &statistics::TrafficRow| -> Value {
        json!({
            "date": date(row.day),
            "requests": row.requests,
            "queries": row.queries,
            "mutations": row.mutations,
            "failures": row.failures,
        })
    };
    Success::list(days.iter().map(view).collect::<Vec<_>>(), meta)
}

fn days(input: &Input<'_>, caller: Address) -> Result<DayLookup, Failure> {
    let mut errors = Vec::new();
    let page = input.query.page(&mut errors);
    let period = input.query.period(&mut errors);
    let lookup = DayLookup::new(caller, period, page, &mut errors);
    checked(errors)?;
    Ok(lookup)
}

/// GET /stats/tickers: `{id, base, quote, price, createdAt}`.
pub(super) async fn tickers(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    let mut errors = Vec::new();
    let lookup = TickerLookup {
        page: input.query.page(&mut errors),
        ids: input.query.list("filterIds", &mut errors),
        period: input.query.period(&mut errors),
    };
    checked(errors)?;
    let (mut tickers, total) = statistics::tickers(call.db(), &lookup).await?;
    let meta = lookup
        .page
        .finish(&mut tickers, total, false, |ticker| ticker.id.clone());
    let view = |ticker: &statistics::TickerRow| -> Value {
        json!({
            "id": ticker.id,
            "base": ticker.base,
            "quote": ticker.quote,
            "price": ticker.price,
            "createdAt": timestamp(ticker.created_at),
        })
    };
    Success::list(tickers.iter().map(view).collect::<Vec<_>>(), meta)
}
