//! `/stats` (`docs/interface.md`, "Statistics").

use order_core::Address;

use crate::api;
use crate::failure::Failure;
use crate::statistics::{self, DayLookup, TickerLookup};
use crate::web::{Handled, Input};

/// GET /stats/costs: lists each day on which the caller paid.
pub(super) async fn costs(input: &Input<'_>, caller: Address) -> Handled {
    let lookup = days(input, caller)?;
    let found = statistics::costs(input.ctx.db(), &lookup).await?;
    let view = |row: &statistics::CostRow| api::Cost {
        date: api::Date(row.day),
        orders: row.orders,
        deployments: row.deployments,
        approvals: row.approvals,
        actions: row.actions,
        amount: row.amount,
    };
    lookup.page.answer(found, |row| row.day.to_string(), view)
}

/// GET /stats/traffic: lists each day with requests of the caller.
pub(super) async fn traffic(input: &Input<'_>, caller: Address) -> Handled {
    let lookup = days(input, caller)?;
    let found = statistics::traffic(input.ctx.db(), &lookup).await?;
    let view = |row: &statistics::TrafficRow| api::Traffic {
        date: api::Date(row.day),
        requests: row.requests,
        queries: row.queries,
        mutations: row.mutations,
        failures: row.failures,
    };
    lookup.page.answer(found, |row| row.day.to_string(), view)
}

fn days(input: &Input<'_>, caller: Address) -> Result<DayLookup, Failure> {
    input.query.read(|query, errors| {
        let (page, period) = (query.page(errors), query.period(errors));
        DayLookup::new(caller, period, page, errors)
    })
}

/// GET /stats/tickers
pub(super) async fn tickers(input: &Input<'_>) -> Handled {
    let lookup = input.query.read(|query, errors| TickerLookup {
        page: query.page(errors),
        ids: query.list("filterIds", errors),
        period: query.period(errors),
    })?;
    let found = statistics::tickers(input.ctx.db(), &lookup).await?;
    let view = |ticker: &statistics::TickerRow| api::Ticker {
        id: api::Ref(ticker.id.clone()),
        base: ticker.base.clone(),
        quote: ticker.quote.clone(),
        price: ticker.price.clone(),
        created_at: api::Timestamp(ticker.created_at),
    };
    lookup.page.answer(found, |ticker| ticker.id.clone(), view)
}
