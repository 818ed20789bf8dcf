//! The log of calls made to the service. Written after the answer, for accounts that have a row: the bytes of a random
//! header recover to some address too.

use http::{Method, StatusCode};
use order_core::Address;
use serde::Deserialize;
use serde_json::{Value, json};

use super::traffic;
use crate::db::strangers::pay_log;
use crate::db::{Page, Period, Sort, Span, TOTAL_MAX};
use crate::failure::Problem;
use crate::ports::{Database, DatabaseError, Rows, Statement};
use crate::text::{account_key, day_of, shortened};

/// Bytes of a path, of a whole address and of a host that are kept: a row has 2 KB at most, and usually 300 bytes.
const PATH_MAX: usize = 200;
const URL_MAX: usize = 500;
const HOST_MAX: usize = 100;
/// Bytes of the path of an error that are kept; there are few errors, and what they said is the catalogue's to say again.
const ERROR_PATH_MAX: usize = 40;
/// Requests of an account that are logged in a day; beyond that they are counted.
const LOGGED_A_DAY: u32 = 50_000;

/// A request that was answered. Its headers are not part of it, and so neither is who could be impersonated with them.
pub(crate) struct Logged<'a> {
    /// The envelope's id.
    pub(crate) reference: &'a str,
    pub(crate) account: Address,
    pub(crate) method: &'a Method,
    /// `https://host[:port]` under which the service was called.
    pub(crate) origin: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) errors: Vec<Problem>,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: u64,
}

impl Logged<'_> {
    /// Statements that log and count it, if its account has a row.
    pub(crate) fn statements(&self) -> Result<Vec<Statement>, DatabaseError> {
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
                json!({ "code": error.code.number(), "path": path })
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
        let payment = pay_log(self.created_at, &self.account, &statements)?;
        statements.splice(..0, payment);
        Ok(statements)
    }
}

/// A row of the log.
#[derive(Clone, Debug)]
pub(crate) struct RequestRow {
    pub(crate) reference: String,
    pub(crate) method: String,
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) errors: Value,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: u64,
}

fn rows(rows: Rows) -> Result<Vec<RequestRow>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
        method: String,
        host: String,
        path: String,
        url: String,
        status: u16,
        errors: String,
        duration_ms: u64,
        created_at: u64,
    }
    let row = |row: Row| {
        Ok(RequestRow {
            errors: serde_json::from_str(&row.errors).map_err(|_| {
                DatabaseError::Unavailable("a logged list of errors is not JSON".to_owned())
            })?,
            reference: row.reference,
            method: row.method,
            host: row.host,
            path: row.path,
            url: row.url,
            status: row.status,
            duration_ms: row.duration_ms,
            created_at: row.created_at,
        })
    };
    rows.all::<Row>()?.into_iter().map(row).collect()
}

/// The columns of a row.
macro_rules! columns {
    () => {
        "SELECT ref, method, host, path, url, status, errors, duration_ms, created_at "
    };
}

/// Requests that a filter looks at: its answer goes on where they end. Filters are not in an index, because each would cost
/// another write with every request.
const FILTER_SCAN_LIMIT: u32 = 10_000;

/// The requests of account `?1` between `?2` and `?3`.
macro_rules! of_account {
    () => {
        "FROM requests WHERE account_id = ?1 AND ref > ?2 AND ref < ?3 "
    };
}

/// Whether it has one of the methods `?4`, as JSON, and the status `?5`; each may be null.
macro_rules! passes {
    () => {
        "(?4 IS NULL OR method IN (SELECT value FROM json_each(?4))) AND (?5 IS NULL OR status = ?5) "
    };
}

/// What a page takes in one direction: its rows among those that a filter looks at, and the last one of these.
macro_rules! page {
    (all $order:literal) => {
        concat!(
            columns!(),
            of_account!(),
            "AND ?4 IS NULL AND ?5 IS NULL AND ?8 IS NOT NULL ORDER BY ref ",
            $order,
            " LIMIT ?6 OFFSET ?7"
        )
    };
    (matching $order:literal) => {
        concat!(
            columns!(),
            "FROM (",
            columns!(),
            of_account!(),
            "ORDER BY ref ",
            $order,
            " LIMIT ?8) WHERE ",
            passes!(),
            "ORDER BY ref ",
            $order,
            " LIMIT ?6 OFFSET ?7"
        )
    };
    (end $order:literal) => {
        concat!(
            "SELECT ref ",
            of_account!(),
            "ORDER BY ref ",
            $order,
            " LIMIT 1 OFFSET ?4 - 1"
        )
    };
}

/// How many there are among the newest `?6`, and how many of these pass the filters.
fn counted(filters: bool) -> &'static str {
    if filters {
        concat!(
            "SELECT count(*) AS seen, coalesce(sum(",
            passes!(),
            "), 0) AS total FROM (SELECT method, status ",
            of_account!(),
            "ORDER BY ref DESC LIMIT ?6)"
        )
    } else {
        concat!(
            "SELECT count(*) AS seen, count(*) AS total FROM (SELECT 1 ",
            of_account!(),
            "AND ?4 IS NULL AND ?5 IS NULL LIMIT ?6)"
        )
    }
}

/// What a list of requests asks for.
pub(crate) struct RequestLookup {
    pub(crate) account: Address,
    pub(crate) methods: Option<Vec<String>>,
    pub(crate) status: Option<StatusCode>,
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// What was found.
pub(crate) struct Found {
    /// The page, one row more than it shows.
    pub(crate) rows: Vec<RequestRow>,
    /// How many there are among those that were counted.
    pub(crate) total: u32,
    /// Whether all were.
    pub(crate) counted_all: bool,
    /// Where the filter stopped looking.
    pub(crate) end: Option<String>,
}

/// A page of an account's requests.
pub(crate) async fn requests(
    db: &dyn Database,
    lookup: &RequestLookup,
) -> Result<Found, DatabaseError> {
    #[derive(Deserialize)]
    struct Counted {
        seen: u32,
        total: u32,
    }
    #[derive(Deserialize)]
    struct End {
        #[serde(rename = "ref")]
        reference: String,
    }
    let all = lookup.period.span();
    let rest = all.behind(&lookup.page);
    let of_account = |sql, span: &Span| {
        Statement::new(sql)
            .bind(account_key(&lookup.account))
            .bind(span.after.as_str())
            .bind(span.before.as_str())
    };
    let filtered = |sql, span: &Span| {
        let methods = lookup
            .methods
            .clone()
            .map(|methods| Value::from(methods).to_string());
        of_account(sql, span)
            .bind(methods)
            .bind(lookup.status.map(|status| u32::from(status.as_u16())))
    };
    let filters = lookup.methods.is_some() || lookup.status.is_some();
    let (page, end) = match (lookup.page.sort, filters) {
        (Sort::Ascending, false) => (page!(all "ASC"), page!(end "ASC")),
        (Sort::Descending, false) => (page!(all "DESC"), page!(end "DESC")),
        (Sort::Ascending, true) => (page!(matching "ASC"), page!(end "ASC")),
        (Sort::Descending, true) => (page!(matching "DESC"), page!(end "DESC")),
    };
    let mut statements = vec![
        filtered(page, &rest)
            .bind(lookup.page.fetch())
            .bind(lookup.page.skip)
            .bind(FILTER_SCAN_LIMIT),
        filtered(counted(filters), &all).bind(TOTAL_MAX.saturating_add(1)),
    ];
    if filters {
        statements.push(of_account(end, &rest).bind(FILTER_SCAN_LIMIT));
    }
    let mut answers = db.batch(statements).await?.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let page = rows(next())?;
    let counted = next().first::<Counted>()?;
    let (seen, total) = counted.map_or((0, 0), |counted| (counted.seen, counted.total));
    Ok(Found {
        rows: page,
        total,
        counted_all: seen <= TOTAL_MAX,
        end: next().first::<End>()?.map(|end| end.reference),
    })
}

/// An account's request of that reference.
pub(crate) async fn request(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<RequestRow>, DatabaseError> {
    let statement = Statement::new(concat!(
        columns!(),
        "FROM requests WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    Ok(rows(db.query(statement).await?)?.pop())
}
