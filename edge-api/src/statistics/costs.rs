//! The daily costs of an account's performed orders, deployments and approvals.

use order_core::Amount;
use serde::{Deserialize, Serialize};

use super::DayLookup;
use crate::api::Date;
use crate::db::rows::hex64;
use crate::ports::{Database, DatabaseError};

/// The caller's payments of a day.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Cost {
    #[serde(rename(serialize = "date"))]
    pub(crate) day: Date,
    pub(crate) orders: u64,
    pub(crate) deployments: u64,
    pub(crate) approvals: u64,
    pub(crate) actions: u64,
    #[serde(deserialize_with = "hex64")]
    pub(crate) amount: Amount,
}

/// Returns a page of an account's daily costs, the first row of the next page if there is one, and the total up to
/// `TOTAL_MAX`.
pub(crate) async fn costs(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<Cost>, u32), DatabaseError> {
    let columns = "day, orders, deployments, approvals, actions, amount";
    lookup.fetch(db, columns, "costs").await
}
