//! Lists of deliveries for their accounts.

use order_core::Address;
use serde::Deserialize;

use crate::db::{Page, Sort};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// A delivery as its account sees it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Delivery {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) event_id: String,
    pub(crate) ordering_key: String,
    pub(crate) body: String,
    pub(crate) state: u8,
    pub(crate) attempts: u32,
    pub(crate) due_at: Option<u64>,
    /// End of the lease while an attempt may be in flight.
    pub(crate) leased_until: Option<u64>,
    pub(crate) response_status: Option<u16>,
    pub(crate) error: Option<String>,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
}

/// The columns of [`Delivery`].
macro_rules! delivery_columns {
    () => {
        "ref, event_id, ordering_key, body, state, attempts, due_at, leased_until, response_status, error, created_at, \
         updated_at"
    };
}
pub(super) use delivery_columns;

/// Returns a delivery of an account.
pub(crate) async fn find(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<Delivery>, DatabaseError> {
    db.query(
        Statement::new(concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2"
        ))
        .bind(account_key(account))
        .bind(reference),
    )
    .await?
    .first()
}

/// Returns a page of an account's deliveries, with one row more than the page shows, and the bounded total.
pub(crate) async fn list(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<Delivery>, u32), DatabaseError> {
    macro_rules! select {
        ($behind:literal, $end:literal, $order:literal) => {
            concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM webhook_deliveries WHERE account_id = ?1 AND id ",
                $behind,
                " CASE WHEN ?2 IS NULL THEN ",
                $end,
                " ELSE coalesce((SELECT id FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2), 0) END ORDER BY id ",
                $order,
                " LIMIT ?3 OFFSET ?4"
            )
        };
    }
    let rows = Statement::new(match page.sort {
        Sort::Ascending => select!(">", "0", "ASC"),
        Sort::Descending => select!("<", "9e15", "DESC"),
    })
    .bind(account_key(account))
    .bind(page.after.as_deref())
    .bind(page.fetch())
    .bind(page.skip);
    let total = Statement::new(
        "SELECT count(*) AS total FROM (SELECT 1 FROM webhook_deliveries WHERE account_id = ?1 LIMIT 10001)",
    )
    .bind(account_key(account));
    let [rows, total] = exactly(db.batch(vec![rows, total]).await?)?;
    Ok((rows.all()?, total.total()?))
}
