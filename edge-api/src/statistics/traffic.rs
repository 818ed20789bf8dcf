//! Counts of an account's requests per day.

use order_core::Address;
use serde::Deserialize;

use super::DayLookup;
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::{account_key, day_of};

/// The requests of an account in a day.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TrafficRow {
    pub(crate) day: u64,
    pub(crate) requests: u64,
    /// Requests that read.
    pub(crate) queries: u64,
    /// Requests that may change something.
    pub(crate) mutations: u64,
    /// Requests that were not answered with success.
    pub(crate) failures: u64,
}

/// Counts one request of an account that has a row.
pub(super) fn count(account: &Address, now: u64, mutation: bool, failure: bool) -> Statement {
    Statement::new(
        "INSERT INTO traffic (account_id, day, requests, queries, mutations, failures) \
         SELECT id, ?2, 1, 1 - ?3, ?3, ?4 FROM accounts WHERE id = ?1 \
         ON CONFLICT (account_id, day) DO UPDATE SET requests = requests + 1, queries = queries + excluded.queries, \
         mutations = mutations + excluded.mutations, failures = failures + excluded.failures",
    )
    .bind(account_key(account))
    .bind(day_of(now))
    .bind(mutation)
    .bind(failure)
}

/// Returns a page of an account's days, and the bounded total.
pub(crate) async fn traffic(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<TrafficRow>, u32), DatabaseError> {
    let columns = "day, requests, queries, mutations, failures";
    lookup.fetch(db, columns, "traffic").await
}
