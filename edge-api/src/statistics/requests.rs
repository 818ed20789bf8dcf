//! Reads the log of HTTP requests to the service.

use const_format::concatcp;
use http::{Method, StatusCode};
use order_core::Address;
use serde::Deserialize;
use serde_json::Value;

use crate::context::Context;
use crate::db::rows::json;
use crate::db::{List, Page, Period, TOTAL_MAX};
use crate::ports::{DatabaseError, Statement};
use crate::text::account_key;

/// A row of the log.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RequestRow {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) method: String,
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) url: String,
    pub(crate) status: u16,
    #[serde(deserialize_with = "json")]
    pub(crate) errors: Value,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: u64,
}

/// The columns of [`RequestRow`].
const COLUMNS: &str = "ref, method, host, path, url, status, errors, duration_ms, created_at";

/// A query for a list of requests.
pub(crate) struct RequestLookup {
    pub(crate) account: Address,
    pub(crate) methods: Option<Vec<Method>>,
    pub(crate) status: Option<StatusCode>,
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// The answer to a [`RequestLookup`].
pub(crate) struct Found {
    /// The page's rows, and the first row of the next page if there is one.
    pub(crate) rows: Vec<RequestRow>,
    /// The number of counted rows that match the filter.
    pub(crate) total: u32,
    /// True if the count read all rows of the list, so `total` is exact.
    pub(crate) counted_all: bool,
    /// The reference of the last row that the filter read, if the filter stopped at its limit of rows. The next page starts
    /// after this row.
    pub(crate) end: Option<String>,
}

/// Returns a page of an account's requests.
pub(crate) async fn requests(
    ctx: &Context<'_>,
    lookup: &RequestLookup,
) -> Result<Found, DatabaseError> {
    #[derive(Deserialize)]
    struct Counted {
        seen: u32,
        total: u32,
    }
    #[derive(Deserialize)]
    struct End {
        last: String,
    }
    let (page, cursor) = (&lookup.page, lookup.page.after.as_ref());
    let mut list = List::new(COLUMNS, "requests", &["ref"])
        .only("account_id = ?", account_key(&lookup.account))
        .within(lookup.period.span());
    if let Some(methods) = &lookup.methods {
        let methods = Value::from_iter(methods.iter().map(Method::as_str)).to_string();
        list = list.scanned("method IN (SELECT value FROM json_each(?))", methods);
    }
    if let Some(status) = lookup.status {
        list = list.scanned("status = ?", u32::from(status.as_u16()));
    }
    let mut statements = vec![list.page(page, cursor), list.total()];
    if list.is_scanned() {
        statements.push(list.scan_end(page, cursor));
    }
    let mut answers = ctx.db().batch(statements).await?.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let rows = next().all()?;
    let counted = next().first::<Counted>()?;
    let (seen, total) = counted.map_or((0, 0), |counted| (counted.seen, counted.total));
    Ok(Found {
        rows,
        total,
        counted_all: seen <= TOTAL_MAX,
        end: next().first::<End>()?.map(|end| end.last),
    })
}

/// Finds a request of an account by its reference.
pub(crate) async fn request(
    ctx: &Context<'_>,
    account: &Address,
    reference: &str,
) -> Result<Option<RequestRow>, DatabaseError> {
    let statement = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM requests WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    ctx.db().query(statement).await?.first()
}
