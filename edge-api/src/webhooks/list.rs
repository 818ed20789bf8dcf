//! Lists of an account's deliveries.

use order_core::Address;
use serde::Deserialize;

use crate::api::Delivery;
use crate::context::Context;
use crate::db::{List, Page};
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::account_key;

/// The columns of [`Delivery`].
macro_rules! delivery_columns {
    () => {
        "ref, event_id, ordering_key, body, state, attempts, due_at, leased_until, response_status, error, created_at, \
         updated_at"
    };
}
pub(super) use delivery_columns;

/// Returns a delivery of an account, or `None`.
pub(crate) async fn find(
    ctx: &Context<'_>,
    account: &Address,
    reference: &str,
) -> Result<Option<Delivery>, DatabaseError> {
    let statement = Statement::new(concat!(
        "SELECT ",
        delivery_columns!(),
        " FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    ctx.db().query(statement).await?.first()
}

/// Returns a page of an account's deliveries, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn list(
    ctx: &Context<'_>,
    account: &Address,
    page: &Page,
) -> Result<(Vec<Delivery>, u32), DatabaseError> {
    #[derive(Deserialize)]
    struct Number {
        id: u64,
    }
    let account = account_key(account);
    let cursor = match &page.after {
        None => None,
        Some(reference) => {
            let sql = "SELECT id FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2";
            let number = Statement::new(sql)
                .bind(account.as_str())
                .bind(reference.as_str());
            let found = ctx.db().query(number).await?;
            // An unknown reference counts as the number 0, which no delivery has.
            Some(found.first::<Number>()?.map_or(0, |row| row.id))
        }
    };
    let list = List::<u64>::new(
        concat!("id, ", delivery_columns!()),
        "webhook_deliveries",
        &["id"],
    )
    .only("account_id = ?", account.as_str());
    let statements = vec![list.page(page, cursor.as_ref()), list.total()];
    let [rows, total] = exactly(ctx.db().batch(statements).await?)?;
    Ok((rows.all()?, total.total()?))
}
