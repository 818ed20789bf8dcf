//! `/stats` (`docs/interface.md`, "Statistics").

use order_core::Address;

use super::common::PeriodQuery;
use crate::db::{Page, Period};
use crate::failure::Failure;
use crate::statistics::{self, Cost, DayLookup, Ticker, TickerLookup, Traffic};
use crate::web::{Handled, Ids, Input, Parameters, Route, private, public, query};

query! {
    /// The parameters of the list of tickers.
    pub(super) struct TickerQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        ids ("filterIds"): Ids<String>,
        ..period: Period,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::get("/stats/costs", private!(Read, costs))
        .query::<PeriodQuery>()
        .lists::<Cost>("getCostsStats", "List payments by day"),
    Route::get("/stats/traffic", private!(Read, traffic))
        .query::<PeriodQuery>()
        .lists::<Traffic>("getTrafficStats", "List requests by day"),
    Route::get("/stats/tickers", public!(tickers))
        .query::<TickerQuery>()
        .lists::<Ticker>("getTickerStats", "List prices of the platform token"),
];

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
        let PeriodQuery { page, period } = PeriodQuery::read(query, errors);
        DayLookup::new(caller, period, page, errors)
    })
}

/// GET /stats/tickers
pub(super) async fn tickers(input: &Input<'_>) -> Handled {
    let query: TickerQuery = input.query.parsed()?;
    let lookup = TickerLookup {
        page: query.page,
        ids: query.ids,
        period: query.period,
    };
    let found = statistics::tickers(input.ctx.db(), &lookup).await?;
    lookup
        .page
        .answer_rows(found, |ticker: &Ticker| ticker.id.clone())
}
