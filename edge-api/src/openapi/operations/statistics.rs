//! Descriptions of statistics.

use super::Operation;
use crate::statistics::{Cost, Ticker, Traffic};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::list::<Cost>("/stats/costs", "getCostsStats", "Payments, by day")
            .query(&["fromDate", "toDate"]),
        Operation::list::<Traffic>("/stats/traffic", "getTrafficStats", "Requests, by day")
            .query(&["fromDate", "toDate"]),
        Operation::list::<Ticker>(
            "/stats/tickers",
            "getTickerStats",
            "Prices of the platform token",
        )
        .query(&["filterIds", "fromDate", "toDate"]),
    ]
}
