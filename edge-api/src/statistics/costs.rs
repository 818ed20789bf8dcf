//! What performing cost an account, day by day.

use order_core::Amount;
use serde::Deserialize;

use super::DayLookup;
use crate::ports::{Database, DatabaseError, exactly};

/// What an account paid in a day.
#[derive(Clone, Debug)]
pub(crate) struct CostRow {
    pub(crate) day: u64,
    pub(crate) orders: u64,
    pub(crate) deployments: u64,
    pub(crate) approvals: u64,
    pub(crate) actions: u64,
    pub(crate) amount: Amount,
}

/// A page of an account's days, and how many there are.
pub(crate) async fn costs(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<CostRow>, u32), DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        day: u64,
        orders: u64,
        deployments: u64,
        approvals: u64,
        actions: u64,
        amount: String,
    }
    let statements = lookup.statements(
        "SELECT day, orders, deployments, approvals, actions, amount FROM costs \
         WHERE account_id = ?1 AND day >= ?2 AND day < ?3 ORDER BY day LIMIT ?4 OFFSET ?5",
        "SELECT day, orders, deployments, approvals, actions, amount FROM costs \
         WHERE account_id = ?1 AND day >= ?2 AND day < ?3 ORDER BY day DESC LIMIT ?4 OFFSET ?5",
        "SELECT count(*) AS total FROM costs WHERE account_id = ?1 AND day >= ?2 AND day < ?3",
    );
    let [rows, total] = exactly(db.batch(statements).await?)?;
    let rows = rows.all::<Row>()?.into_iter().map(|row| {
        Ok(CostRow {
            day: row.day,
            orders: row.orders,
            deployments: row.deployments,
            approvals: row.approvals,
            actions: row.actions,
            amount: Amount::from_hex64(&row.amount)
                .map_err(|_| DatabaseError::Unavailable("a stored sum is not valid".to_owned()))?,
        })
    });
    Ok((rows.collect::<Result<_, DatabaseError>>()?, total.total()?))
}
