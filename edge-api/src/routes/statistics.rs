//! `/stats` (`docs/interface.md`, "Statistics").

use order_core::Address;

use crate::failure::Failure;
use crate::statistics::{self, Cost, DayLookup, Ticker, TickerLookup, Traffic};
use crate::web::{Handled, Input};

/// GET /stats/costs: lists each day on which the caller paid.
pub(super) async fn costs(input: &Input<'_>, caller: Address) -> Handled {
    let lookup = days(input, caller)?;
    let found = statistics::costs(input.ctx.db(), &lookup).await?;
    lookup
        .page
        .answer_rows(found, |cost: &Cost| cost.day.0.to_string())
}

/// GET /stats/traffic: lists each day with requests of the caller.
pub(super) async fn traffic(input: &Input<'_>, caller: Address) -> Handled {
    let lookup = days(input, caller)?;
    let found = statistics::traffic(input.ctx.db(), &lookup).await?;
    lookup
        .page
        .answer_rows(found, |traffic: &Traffic| traffic.day.0.to_string())
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
    lookup
        .page
        .answer_rows(found, |ticker: &Ticker| ticker.id.clone())
}
