//! Reads the counts of an account's requests per day.

use serde::{Deserialize, Serialize};

use super::DayLookup;
use crate::api::Date;
use crate::ports::{Database, DatabaseError};

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

/// Returns a page of an account's daily counts, the first row of the next page if there is one, and the total up to
/// `TOTAL_MAX`.
pub(crate) async fn traffic(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<Traffic>, u32), DatabaseError> {
    let columns = "day, requests, queries, mutations, failures";
    lookup.fetch(db, columns, "traffic").await
}
