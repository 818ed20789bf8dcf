//! Lists of an account's deliveries.

use const_format::concatcp;
use order_core::Address;

use crate::api::Delivery;
use crate::context::Context;
use crate::db::{List, Page};
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::account_key;

/// The columns of [`Delivery`].
pub(super) const DELIVERY_COLUMNS: &str = "ref, event_id, ordering_key, body, state, attempts, due_at, leased_until, response_status, error, created_at, \
         updated_at";

/// Returns a delivery of an account, or `None`.
pub(crate) async fn find(
    ctx: &Context<'_>,
    account: &Address,
    reference: &str,
) -> Result<Option<Delivery>, DatabaseError> {
    let statement = Statement::new(concatcp!(
        "SELECT ",
        DELIVERY_COLUMNS,
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
    let list = List::new(DELIVERY_COLUMNS, "webhook_deliveries", &["ref"])
        .only("account_id = ?", account_key(account));
    let statements = vec![list.page(page, page.after.as_ref()), list.total()];
    let [rows, total] = exactly(ctx.db().batch(statements).await?)?;
    Ok((rows.all()?, total.total()?))
}
