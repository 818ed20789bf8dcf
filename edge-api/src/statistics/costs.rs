//! The costs of an account's performed requests, day by day.

use order_core::Amount;
use serde::Deserialize;

use super::DayLookup;
use crate::db::rows::hex64;
use crate::ports::{Database, DatabaseError};

/// The costs of an account in a day.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CostRow {
    pub(crate) day: u64,
    pub(crate) orders: u64,
    pub(crate) deployments: u64,
    pub(crate) approvals: u64,
    pub(crate) actions: u64,
    #[serde(deserialize_with = "hex64")]
    pub(crate) amount: Amount,
}

/// Returns a page of an account's days, and the bounded total.
pub(crate) async fn costs(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<CostRow>, u32), DatabaseError> {
    let columns = "day, orders, deployments, approvals, actions, amount";
    lookup.fetch(db, columns, "costs").await
}
