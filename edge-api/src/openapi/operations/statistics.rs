//! Descriptions of the statistics routes.

use super::super::description::Operation;
use crate::statistics::{Cost, Ticker, Traffic};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::list::<Cost>("/stats/costs", "getCostsStats", "List payments by day"),
        Operation::list::<Traffic>("/stats/traffic", "getTrafficStats", "List requests by day"),
        Operation::list::<Ticker>(
            "/stats/tickers",
            "getTickerStats",
            "List prices of the platform token",
        ),
    ]
}
