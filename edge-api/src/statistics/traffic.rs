//! Counts of an account's requests per day.

use order_core::Address;
use serde::{Deserialize, Serialize};

use super::DayLookup;
use crate::api::Date;
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::{account_key, day_of};

/// The caller's requests of a day.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Traffic {
    #[serde(rename(serialize = "date"))]
    pub(crate) day: Date,
    pub(crate) requests: u64,
    /// Requests that read.
    pub(crate) queries: u64,
    /// Requests that may change something.
    pub(crate) mutations: u64,
    /// Requests that were not answered with success.
    pub(crate) failures: u64,
}

/// Returns the statement that counts one request if the account has a row. The statement returns the account's number of
/// requests on this day.
pub(super) fn count(account: &Address, now: u64, mutation: bool, failure: bool) -> Statement {
    Statement::new(
        "INSERT INTO traffic (account_id, day, requests, queries, mutations, failures) \
         SELECT id, ?2, 1, 1 - ?3, ?3, ?4 FROM accounts WHERE id = ?1 \
         ON CONFLICT (account_id, day) DO UPDATE SET requests = requests + 1, queries = queries + excluded.queries, \
         mutations = mutations + excluded.mutations, failures = failures + excluded.failures RETURNING requests",
    )
    .bind(account_key(account))
    .bind(day_of(now))
    .bind(mutation)
    .bind(failure)
}

/// Returns a page of an account's daily counts, the first row of the next page if there is one, and the total up to
/// `TOTAL_MAX`.
pub(crate) async fn traffic(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<Traffic>, u32), DatabaseError> {
    let columns = "day, requests, queries, mutations, failures";
    lookup.fetch(db, columns, "traffic").await
}
