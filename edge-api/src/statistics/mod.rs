//! The log of requests, daily sums of costs and traffic, and the price of a token.

mod costs;
mod log;
mod requests;
mod tickers;
mod traffic;

pub(crate) use costs::{Cost, costs};
pub(crate) use log::{Line, Logged, RequestLog, write_answers};
pub(crate) use requests::{RequestLookup, RequestRow, request, requests};
pub(crate) use tickers::{Ticker, TickerLookup, current_price, record_price, tickers};
pub(crate) use traffic::{Traffic, traffic};

use order_core::Address;
use serde::de::DeserializeOwned;

use crate::db::{Bounds, List, Page, Period};
use crate::failure::{Problem, not_a_cursor};
use crate::ports::{Database, DatabaseError, INTEGER_MAX};
use crate::text::account_key;

/// A query for a page of an account's daily sums.
pub(crate) struct DayLookup {
    account: Address,
    days: Bounds<u64>,
    cursor: Option<u64>,
    pub(crate) page: Page,
}

impl DayLookup {
    pub(crate) fn new(
        account: Address,
        period: Period,
        page: Page,
        errors: &mut Vec<Problem>,
    ) -> Self {
        let cursor = page.after.as_ref().map(|key| key.parse::<u64>());
        if let Some(Err(_)) = cursor {
            errors.push(not_a_cursor());
        }
        Self {
            account,
            days: period.days(),
            cursor: cursor.and_then(Result::ok).map(|day| day.min(INTEGER_MAX)),
            page,
        }
    }

    /// Returns the page's rows, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
    async fn fetch<T: DeserializeOwned>(
        &self,
        db: &dyn Database,
        columns: &'static str,
        table: &'static str,
    ) -> Result<(Vec<T>, u32), DatabaseError> {
        let list = List::new(columns, table, &["day"])
            .only("account_id = ?", account_key(&self.account))
            .within(self.days.clone());
        list.fetch_behind(db, &self.page, self.cursor.as_ref())
            .await
    }
}
