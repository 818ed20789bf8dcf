//! Lists of an account's deliveries.

use order_core::Address;
use serde_json::json;

use crate::api::Delivery;
use crate::db::{List, Page, Sort};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

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

/// Returns a page of an account's deliveries, and the total up to `TOTAL_MAX`. The page has one row more than it shows
/// if another page follows.
pub(crate) async fn list(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<Delivery>, u32), DatabaseError> {
    /// SQL condition: a row comes after the delivery whose account and reference are in a JSON list.
    macro_rules! behind {
        ($comparison:literal) => {
            concat!(
                "id ",
                $comparison,
                " coalesce((SELECT id FROM webhook_deliveries WHERE account_id = ? ->> 0 AND ref = ? ->> 1), 0)"
            )
        };
    }
    let account = account_key(account);
    let all = || {
        List::<u64>::new(delivery_columns!(), "webhook_deliveries", &["id"])
            .only("account_id = ?", account.as_str())
    };
    let rest = match &page.after {
        None => all(),
        Some(reference) => all().only(
            match page.sort {
                Sort::Ascending => behind!(">"),
                Sort::Descending => behind!("<"),
            },
            json!([account, reference]).to_string(),
        ),
    };
    let statements = vec![rest.page(page, None), all().total()];
    let [rows, total] = exactly(db.batch(statements).await?)?;
    Ok((rows.all()?, total.total()?))
}
