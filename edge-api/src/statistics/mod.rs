//! What an account asked and what it cost, and what a token is worth: the log of requests, daily sums, tickers.

mod costs;
mod requests;
mod tickers;
mod traffic;

pub(crate) use costs::{CostRow, costs};
pub(crate) use requests::{Logged, RequestLookup, RequestRow, request, requests};
pub(crate) use tickers::{TickerLookup, TickerRow, current_price, record_price, tickers};
pub(crate) use traffic::{TrafficRow, traffic};

use order_core::Address;

use crate::db::{Page, Period, Sort};
use crate::failure::{Problem, not_a_cursor};
use crate::ports::{INTEGER_MAX, Statement};
use crate::text::account_key;

/// A page of an account's daily sums.
pub(crate) struct DayLookup {
    account: Address,
    /// Days of the period: the first one, and the first behind the last.
    days: (u64, u64),
    /// The same behind the cursor.
    rest: (u64, u64),
    pub(crate) page: Page,
}

impl DayLookup {
    pub(crate) fn new(
        account: Address,
        period: Period,
        page: Page,
        errors: &mut Vec<Problem>,
    ) -> Self {
        let days = period.days();
        let mut rest = days;
        if let Some(place) = &page.after {
            match (place.parse::<u64>(), page.sort) {
                (Ok(day), Sort::Ascending) => {
                    rest.0 = rest.0.max(day.saturating_add(1).min(INTEGER_MAX))
                }
                (Ok(day), Sort::Descending) => rest.1 = rest.1.min(day),
                (Err(_), _) => errors.push(not_a_cursor()),
            }
        }
        Self {
            account,
            days,
            rest,
            page,
        }
    }

    /// The page's rows, one more than it shows, by a statement for each direction; then the total.
    fn statements(
        &self,
        ascending: &'static str,
        descending: &'static str,
        total: &'static str,
    ) -> Vec<Statement> {
        let bound = |sql, (first, end): (u64, u64)| {
            Statement::new(sql)
                .bind(account_key(&self.account))
                .bind(first)
                .bind(end)
        };
        let sql = match self.page.sort {
            Sort::Ascending => ascending,
            Sort::Descending => descending,
        };
        vec![
            bound(sql, self.rest)
                .bind(self.page.fetch())
                .bind(self.page.skip),
            bound(total, self.days),
        ]
    }
}
