//! What the service needs of its host, and no more. At the edge these are D1, KV, Queues and `fetch`; in
//! native tests SQLite and fakes that fail on purpose.

mod row;

use std::rc::Rc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::limits::Scope;

pub(crate) use row::from_row;

/// The host of one request, message or scheduled run.
#[derive(Clone)]
pub struct Ports {
    /// The only source of truth.
    pub database: Rc<dyn Database>,
    /// For what may be lost and may be a minute old.
    pub cache: Rc<dyn Cache>,
    /// Hints that there is work; losing one costs time only.
    pub queue: Rc<dyn Queue>,
    /// Counts requests.
    pub limiter: Rc<dyn RateLimiter>,
    /// Requests to other servers.
    pub http: Rc<dyn Http>,
    /// The time.
    pub clock: Rc<dyn Clock>,
    /// Unpredictable bytes.
    pub random: Rc<dyn Random>,
    /// Structured log lines.
    pub log: Rc<dyn Log>,
}

/// The largest whole number that the database carries, 2^53 − 1: D1's numbers are doubles.
pub const INTEGER_MAX: u64 = order_core::MAX_SAFE_INTEGER;

/// A bound value of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// SQL NULL.
    Null,
    /// A whole number within ±[`INTEGER_MAX`]; another one is an error of the database.
    Integer(i64),
    /// Text.
    Text(String),
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}
impl From<u64> for Param {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}
impl From<u32> for Param {
    fn from(value: u32) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<u8> for Param {
    fn from(value: u8) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<bool> for Param {
    fn from(value: bool) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Param {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl<T: Into<Param>> From<Option<T>> for Param {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One SQL statement with its numbered parameters (`?1`, `?2`, …).
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The text: always written in the source, never built from input.
    pub sql: &'static str,
    /// The values for `?1`, `?2`, …
    pub params: Vec<Param>,
    /// Bytes that it stores beyond those of its values, for what counts them.
    pub more_bytes: u64,
}

impl Statement {
    /// A statement without parameters.
    #[must_use]
    pub fn new(sql: &'static str) -> Self {
        Self {
            sql,
            params: Vec::new(),
            more_bytes: 0,
        }
    }

    /// Says that it stores so many bytes beyond those of its values: rows of a list in indexes, or what stays for ever.
    #[must_use]
    pub fn storing(self, more_bytes: u64) -> Self {
        Self { more_bytes, ..self }
    }

    /// Binds the next parameter.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Param>) -> Self {
        self.params.push(value.into());
        self
    }

    /// Binds a list as one JSON parameter, to be read with `json_each` (D1 allows 100 parameters a statement).
    ///
    /// # Errors
    /// When a value cannot be written as JSON, which no type of this crate does.
    pub fn bind_json(self, value: &impl Serialize) -> Result<Self, DatabaseError> {
        let text = serde_json::to_string(value).map_err(|error| {
            DatabaseError::Unavailable(format!("a parameter is not JSON: {error}"))
        })?;
        Ok(self.bind(text))
    }

    /// Checks that the database carries every parameter.
    ///
    /// # Errors
    /// When a whole number is outside ±[`INTEGER_MAX`].
    pub fn carried(&self) -> Result<(), DatabaseError> {
        let beyond = |param: &Param| match param {
            Param::Integer(number) if number.unsigned_abs() > INTEGER_MAX => Some(*number),
            _ => None,
        };
        match self.params.iter().find_map(beyond) {
            None => Ok(()),
            Some(number) => Err(DatabaseError::Unavailable(format!(
                "{number} cannot be bound: it is outside ±(2^53 − 1)"
            ))),
        }
    }
}

/// The rows that one statement answered.
#[derive(Clone, Debug, Default)]
pub struct Rows(pub Vec<serde_json::Value>);

impl Rows {
    /// The rows that a host read. A whole number outside ±[`INTEGER_MAX`] is not the one that is stored: it becomes a text, so that
    /// its row is read as no number, and the rows beside it are.
    #[must_use]
    pub fn carried(mut rows: Vec<serde_json::Value>) -> Self {
        let cells = rows.iter_mut().filter_map(serde_json::Value::as_object_mut);
        for cell in cells.flat_map(serde_json::Map::values_mut) {
            if let Some(number) = cell.as_number().filter(|number| is_beyond(number)) {
                *cell = serde_json::Value::String(format!("{number}, outside ±(2^53 − 1)"));
            }
        }
        Self(rows)
    }

    /// Every row as `T`.
    ///
    /// # Errors
    /// When a row is not of that shape: the schema and the code disagree.
    pub fn all<T: DeserializeOwned>(self) -> Result<Vec<T>, DatabaseError> {
        self.0.into_iter().map(from_row).collect()
    }

    /// The first row as `T`, if there is one.
    ///
    /// # Errors
    /// As [`Rows::all`].
    pub fn first<T: DeserializeOwned>(mut self) -> Result<Option<T>, DatabaseError> {
        self.0.truncate(1);
        Ok(self.all()?.pop())
    }

    /// The number in the column `total` of the first row.
    ///
    /// # Errors
    /// As [`Rows::all`].
    pub fn total(self) -> Result<u32, DatabaseError> {
        #[derive(Deserialize)]
        struct Row {
            total: u32,
        }
        Ok(self.first::<Row>()?.map_or(0, |row| row.total))
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether a number is whole and outside ±[`INTEGER_MAX`].
fn is_beyond(number: &serde_json::Number) -> bool {
    /// [`INTEGER_MAX`], which a double holds.
    const MAX: f64 = 9_007_199_254_740_991.0;
    number
        .as_f64()
        .is_some_and(|number| number.abs() > MAX && number.fract() == 0.0)
}

/// Why a batch changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseError {
    /// A guard did not hold: somebody else changed what the batch relied on.
    Guard,
    /// A unique constraint was violated; the text names table and column (`records.hash`).
    Unique(String),
    /// The strangers' budget for today is used up.
    Budget,
    /// The database did not do it; whether it will later is unknown.
    Unavailable(String),
}

impl DatabaseError {
    /// Reads SQLite's message of a violated constraint, in which ever words the host wraps it.
    #[must_use]
    pub fn from_constraint(message: &str) -> Self {
        if message.contains("guard_holds") {
            return Self::Guard;
        }
        if message.contains("stranger_budget") {
            return Self::Budget;
        }
        match message.split_once("UNIQUE constraint failed: ") {
            Some((_, rest)) => Self::Unique(
                rest.split([',', ':', ' '])
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            ),
            None => Self::Unavailable(message.to_owned()),
        }
    }
}

impl std::fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Guard => f.write_str("a guard of the batch did not hold"),
            Self::Budget => f.write_str("the day's budget of strangers is spent"),
            Self::Unique(what) => write!(f, "`{what}` is not unique"),
            Self::Unavailable(why) => write!(f, "the database did not answer: {why}"),
        }
    }
}

/// A SQL database of SQLite's dialect.
#[async_trait(?Send)]
pub trait Database {
    /// Runs all statements in one transaction and one round trip: either all take effect or none.
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError>;

    /// Runs one statement.
    async fn query(&self, statement: Statement) -> Result<Rows, DatabaseError> {
        Ok(self
            .batch(vec![statement])
            .await?
            .into_iter()
            .next()
            .unwrap_or_default())
    }
}

/// The answers of a batch of `N` statements.
///
/// # Errors
/// When the host answered another number of results.
pub fn exactly<const N: usize>(rows: Vec<Rows>) -> Result<[Rows; N], DatabaseError> {
    let count = rows.len();
    rows.try_into()
        .map_err(|_| DatabaseError::Unavailable(format!("{count} results instead of {N}")))
}

/// A shared cache: eventually consistent, may forget anything at any time.
#[async_trait(?Send)]
pub trait Cache {
    /// The bytes stored under `key`, unless they are gone. A fault reads as a miss.
    async fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Stores bytes for at least `seconds`, best effort.
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64);
}

/// What a queue message says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "job")]
pub enum Job {
    /// A record may be ready to be performed.
    Perform {
        /// The record's reference.
        #[serde(rename = "ref")]
        reference: String,
    },
    /// Webhooks may wait to be delivered.
    Deliver {
        /// What they go one after another by.
        stream: String,
    },
}

/// A queue that delivers at least once, in any order, or not at all.
#[async_trait(?Send)]
pub trait Queue {
    /// Sends one message.
    ///
    /// # Errors
    /// A sentence for the log. The sweep finds what a lost message was about.
    async fn send(&self, job: &Job) -> Result<(), String>;
}

/// Counts requests in windows, in many places that do not know of each other.
#[async_trait(?Send)]
pub trait RateLimiter {
    /// Whether requests are counted for this scope at all.
    fn counts(&self, scope: Scope) -> bool;
    /// Counts a request under `key`, and says whether it is within the scope's limit.
    ///
    /// # Errors
    /// A sentence for the log.
    async fn allow(&self, scope: Scope, key: &str) -> Result<bool, String>;
}

/// A request to another server; GET unless there is a body.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Absolute address. Checked by [`crate::outbound`] before it comes here.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body of a POST.
    pub body: Option<Vec<u8>>,
    /// Bytes of the answer's body that are read at most; one more is [`FetchError::TooLarge`].
    pub limit: usize,
    /// Milliseconds until the whole exchange is given up.
    pub timeout_ms: u64,
    /// The share of memory that the answer's bytes are taken from as they arrive; `None` where it is not limited.
    pub room: Option<Rc<dyn Room>>,
}

/// Memory that is taken byte by byte, so that a slow server holds no more of it than it has sent.
pub trait Room: std::fmt::Debug {
    /// Takes bytes; false where there are not that many left.
    fn take(&self, bytes: usize) -> bool;
}

/// The answer of another server. Redirects are never followed by the host.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// `content-type`, lower-case, as sent.
    pub content_type: Option<String>,
    /// `location`, as sent.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why another server gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No complete answer in time.
    Timeout,
    /// The body is larger than the limit.
    TooLarge,
    /// There was no room for the body ([`Fetch::room`]).
    NoRoom,
    /// The connection failed or was refused by the host.
    Failed(String),
}

/// Outbound HTTP.
#[async_trait(?Send)]
pub trait Http {
    /// Sends one request and reads the answer within its limits.
    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError>;
}

/// The time.
#[async_trait(?Send)]
pub trait Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> u64;
    /// Returns after that many milliseconds.
    async fn sleep(&self, milliseconds: u64);
}

/// Unpredictable bytes.
pub trait Random {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// What happened.
    Info,
    /// What an operator may want to look at.
    Warn,
    /// What an operator must look at.
    Error,
}

/// Structured logs: one JSON object a line.
pub trait Log {
    /// Writes a line.
    fn write(&self, level: Level, line: serde_json::Value);
}
