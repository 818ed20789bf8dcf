//! Lists of an account's deliveries, from the main database and the database of logs ([`crate::db::logs`]).

use order_core::Address;
use serde::Deserialize;
use serde_json::Value;

use crate::api::Delivery;
use crate::context::Context;
use crate::db::{List, Page, Sort};
use crate::ports::{DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// The columns of [`Delivery`].
macro_rules! delivery_columns {
    () => {
        "ref, event_id, ordering_key, body, state, attempts, due_at, leased_until, response_status, error, created_at, \
         updated_at"
    };
}
pub(super) use delivery_columns;

/// Returns a delivery of an account, or `None`. The database of logs is read last, because a delivery is copied there before it
/// is deleted from the main database.
pub(crate) async fn find(
    ctx: &Context<'_>,
    account: &Address,
    reference: &str,
) -> Result<Option<Delivery>, DatabaseError> {
    rows(
        ctx,
        concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries WHERE account_id = ?1 AND ref = ?2"
        ),
        &account_key(account),
        reference,
    )
    .await?
    .first()
}

/// Returns the rows of an account's delivery, from either database.
async fn rows(
    ctx: &Context<'_>,
    sql: &'static str,
    account: &str,
    reference: &str,
) -> Result<Rows, DatabaseError> {
    let statement = Statement::new(sql).bind(account).bind(reference);
    let found = ctx.db().query(statement.clone()).await?;
    match ctx.log_db()? {
        Some(log) if found.is_empty() => log.query(statement).await,
        _ => Ok(found),
    }
}

/// Returns a page of an account's deliveries, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
/// While deliveries are moved to the database of logs, the total may count them twice.
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
            let found = rows(ctx, sql, &account, reference).await?;
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
    let log = ctx.log_db()?;
    let whole = match log {
        None => page.clone(),
        // Either database may contain the whole page and all skipped rows. The queries therefore skip no rows, and `merged` skips
        // them.
        Some(_) => Page {
            skip: 0,
            limit: page.limit.saturating_add(page.skip),
            ..page.clone()
        },
    };
    let statements = vec![list.page(&whole, cursor.as_ref()), list.total()];
    let [mut rows, total] = exactly(ctx.db().batch(statements.clone()).await?)?;
    let mut total = total.total()?;
    if let Some(log) = log {
        let [moved, there] = exactly(log.batch(statements).await?)?;
        rows.list = merged(rows.list, moved.list, page);
        total = total.saturating_add(there.total()?);
    }
    Ok((rows.all()?, total))
}

/// Merges the rows of both databases in the order of their numbers, and returns the rows of a page. A delivery that is in both
/// databases while it is moved is returned once.
fn merged(here: Vec<Value>, moved: Vec<Value>, page: &Page) -> Vec<Value> {
    let number = |row: Option<&Value>| row.and_then(|row| row.get("id")?.as_u64());
    let (mut here, mut moved) = (here.into_iter().peekable(), moved.into_iter().peekable());
    let mut skip = page.skip;
    let mut rows = Vec::new();
    while u32::try_from(rows.len()).is_ok_and(|count| count < page.fetch()) {
        let (first, second) = (number(here.peek()), number(moved.peek()));
        let is_here = match (first, second) {
            (_, None) => true,
            (None, _) => false,
            (Some(first), Some(second)) if page.sort == Sort::Ascending => first <= second,
            (Some(first), Some(second)) => first >= second,
        };
        if first == second {
            moved.next();
        }
        let Some(row) = (if is_here { here.next() } else { moved.next() }) else {
            break;
        };
        if skip > 0 {
            skip = skip.saturating_sub(1);
        } else {
            rows.push(row);
        }
    }
    rows
}
