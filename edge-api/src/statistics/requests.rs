//! The log of HTTP requests to the service. A request is logged after its answer. Only requests of accounts with a row in the
//! database are logged, because even random bytes as a signature recover to some address.

use http::{Method, StatusCode};
use order_core::Address;
use serde::Deserialize;
use serde_json::Value;

use super::traffic;
use crate::context::Context;
use crate::db::rows::json;
use crate::db::storage::pay_log;
use crate::db::{List, Page, Period, TOTAL_MAX};
use crate::failure::Problem;
use crate::network::Client;
use crate::ports::{DatabaseError, Statement};
use crate::text::{account_key, day_of, shortened};

/// Maximum stored bytes of a path, a URL and a host. A row takes at most 2 KB, usually 300 bytes.
const PATH_MAX: usize = 200;
const URL_MAX: usize = 500;
const HOST_MAX: usize = 100;
/// Maximum stored bytes of an error's path. Messages are not stored, because codes identify them.
const ERROR_PATH_MAX: usize = 40;
/// Maximum requests of an account that are logged per day. Further requests are only counted.
const LOGGED_A_DAY: u32 = 50_000;

/// An answered request, without its headers: the Authorization header would let a reader of the log impersonate the
/// caller.
pub(crate) struct Logged<'a> {
    /// The envelope's id.
    pub(crate) reference: &'a str,
    pub(crate) account: Address,
    pub(crate) method: &'a Method,
    /// The origin under which the service was called: scheme, host and port.
    pub(crate) origin: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) errors: Vec<Problem>,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: u64,
}

impl Logged<'_> {
    /// Returns statements that count the request and log it, if its account has a row. Above [`LOGGED_A_DAY`] they only
    /// count.
    pub(crate) fn statements(
        &self,
        client: Option<&Client>,
    ) -> Result<Vec<Statement>, DatabaseError> {
        let Self {
            method,
            origin,
            path,
            query,
            ..
        } = self;
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let mut url = format!("{origin}{path}");
        if !query.is_empty() {
            url.push('?');
            url.push_str(query);
        }
        let errors: Vec<Value> = self
            .errors
            .iter()
            .map(|error| {
                let path = shortened(&error.path, ERROR_PATH_MAX);
                serde_json::json!({ "code": error.code.number(), "path": path })
            })
            .collect();
        let log = Statement::new(
            "INSERT INTO requests (ref, account_id, method, host, path, url, status, errors, duration_ms, created_at) \
             SELECT ?2, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM accounts WHERE id = ?1 AND coalesce( \
             (SELECT requests FROM traffic WHERE account_id = ?1 AND day = ?11), 0) < ?12",
        )
        .bind(account_key(&self.account))
        .bind(self.reference)
        .bind(method.as_str())
        .bind(shortened(host, HOST_MAX).as_ref())
        .bind(shortened(path, PATH_MAX).as_ref())
        .bind(shortened(&url, URL_MAX).as_ref())
        .bind(u32::from(self.status.as_u16()))
        .bind(Value::from(errors).to_string())
        .bind(self.duration_ms)
        .bind(self.created_at)
        .bind(day_of(self.created_at))
        .bind(LOGGED_A_DAY);
        let mutation = !matches!(**method, Method::GET | Method::HEAD);
        let failure = self.status.as_u16() >= 400;
        let count = traffic::count(&self.account, self.created_at, mutation, failure);
        let mut statements = vec![log, count];
        let payment = pay_log(self.created_at, client, &self.account, &statements)?;
        statements.splice(..0, payment);
        Ok(statements)
    }
}

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
macro_rules! columns {
    () => {
        "ref, method, host, path, url, status, errors, duration_ms, created_at"
    };
}

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
    let mut list = List::new(columns!(), "requests", &["ref"])
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
    let statement = Statement::new(concat!(
        "SELECT ",
        columns!(),
        " FROM requests WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    ctx.db().query(statement).await?.first()
}
