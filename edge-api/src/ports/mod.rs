//! The interfaces that the host implements for the service. The Worker implements them with D1, R2, KV, Queues and `fetch`.
//! Native tests implement them with SQLite and with fakes that can fail on purpose.

use std::rc::Rc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

mod database;
mod stored;

pub(crate) use database::Fault;
pub use database::{
    Copies, Database, DatabaseError, INTEGER_MAX, Param, Rows, Statement, Stored, exactly,
};
pub(crate) use stored::stored_state;

/// The host of one request, message or scheduled run.
#[derive(Clone)]
pub struct Ports {
    /// The database, the only source of truth.
    pub database: Rc<dyn Database>,
    /// The content of hosted files. `None` without a bucket.
    pub objects: Option<Rc<dyn Objects>>,
    /// A cache. It may lose a value, or return a value that was replaced within the last minute.
    pub cache: Rc<dyn Cache>,
    /// The queue of hints that there may be work. A lost hint only delays the work.
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
    /// The platform's analytics. `None` if they are not bound.
    pub analytics: Option<Rc<dyn Analytics>>,
}

/// A cache that all isolates share. It is eventually consistent, and may lose any entry at any time.
#[async_trait(?Send)]
pub trait Cache {
    /// Returns the bytes stored under `key`. Returns `None` if they are lost or expired, or if the cache fails.
    async fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Stores bytes for at least `seconds`, if possible.
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64);
}

/// A bucket of objects. Only [`Objects::copy`] replaces objects.
#[async_trait(?Send)]
pub trait Objects {
    /// Stores an object.
    ///
    /// # Errors
    /// A sentence for the log.
    async fn put(&self, key: &str, content: &[u8]) -> Result<(), String>;
    /// Returns the content of an object, if it exists.
    ///
    /// # Errors
    /// A sentence for the log.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String>;
    /// Stores the content at an address as an object, or replaces the object with it. Returns the number of bytes. Stores nothing if the content
    /// has more than `limit` bytes, is empty, or ends early. The content passes through in parts.
    ///
    /// # Errors
    /// A sentence for the log.
    async fn copy(&self, key: &str, address: &str, limit: u64) -> Result<u64, String>;
    /// Deletes at most 1,000 objects. Missing objects count as deleted.
    ///
    /// # Errors
    /// A sentence for the log. The bucket may already have deleted a part of the objects.
    async fn delete(&self, keys: &[String]) -> Result<(), String>;
}

/// The content of a queue message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "job")]
pub enum Job {
    /// A record may be ready to be performed.
    Perform {
        /// The record's reference.
        #[serde(rename = "ref")]
        reference: String,
    },
    /// Webhook deliveries may be ready to be sent.
    Deliver {
        /// Deliveries with the same key are sent one after another. The key is a record's reference, or the account for
        /// deliveries that are not about a record.
        #[serde(rename = "orderingKey")]
        ordering_key: String,
    },
    /// The domain that an account registered must be checked.
    CheckIssuer {
        /// The account as a database key.
        account: String,
        /// The domain, in Punycode.
        domain: String,
    },
    /// The ledger may have new events, or know the outcome of records.
    Follow,
}

/// A queue that delivers at least once, in any order, or not at all.
#[async_trait(?Send)]
pub trait Queue {
    /// Sends a message. The queue delivers it after at least this number of seconds.
    ///
    /// # Errors
    /// A sentence for the log. The sweep finds the work of a lost message.
    async fn send_after(&self, job: &Job, seconds: u32) -> Result<(), String>;
}

/// A kind of key under which requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The requests of a client address.
    Address,
    /// The requests of an account.
    Account,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 2] = [Self::Address, Self::Account];

    /// Returns the scope's name in the header `ratelimit-policy` and in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Account => "account",
        }
    }
}

/// Counts requests in time windows. Each location of the platform counts separately.
#[async_trait(?Send)]
pub trait RateLimiter {
    /// Returns true if the host counts the requests of this scope.
    fn counts(&self, scope: Scope) -> bool;
    /// Counts a request under `key`. Returns true if it is within the scope's limit.
    ///
    /// # Errors
    /// A sentence for the log.
    async fn allow(&self, scope: Scope, key: &str) -> Result<bool, String>;
}

/// A request to another server: a POST if it has a body, otherwise a GET.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The absolute address. It comes from the settings, or [`crate::outbound`] has checked it.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body of a POST.
    pub body: Option<Vec<u8>>,
    /// Maximum bytes of the answer's body. A longer body is [`FetchError::TooLarge`]. With a limit of 0, the body is not read.
    pub limit: usize,
    /// The timeout of the whole exchange in milliseconds.
    pub timeout_ms: u64,
    /// The memory budget that counts the answer's bytes as they arrive. `None` if no budget counts them.
    pub budget: Option<Rc<dyn ByteBudget>>,
}

/// A memory budget. Bytes are taken as they arrive, so an unfinished answer uses the budget only for the bytes that have arrived.
pub trait ByteBudget: std::fmt::Debug {
    /// Takes this number of bytes. Returns false and takes none if the budget has fewer left, or if the request's share has ended.
    fn take(&self, bytes: usize) -> bool;
}

/// A large answer on its way to its client.
pub trait Transfer: std::fmt::Debug {
    /// Returns the number of bytes that the client has read so far.
    fn sent(&self) -> u64;
    /// Ends the answer at its current position, and frees its memory.
    fn end(&self);
}

/// The answer of another server. The host does not follow redirects.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// `content-type`, converted to lower case.
    pub content_type: Option<String>,
    /// `location`, as sent.
    pub location: Option<String>,
    /// `access-control-allow-origin`, as sent. It decides whether pages of other origins may read the answer.
    pub allow_origin: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// The reason why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// The answer was not complete in time.
    Timeout,
    /// The body is larger than the limit.
    TooLarge,
    /// [`Fetch::budget`] refused bytes of the body: too few are left, or the request's share has ended. Or the caller of [`Http::stream`]
    /// stopped reading.
    OverBudget,
    /// The exchange failed for another reason, for example because there was no connection. The string is the reason.
    Failed(String),
}

/// An absolute address in the normal form of the URL standard, without fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The whole address.
    pub href: String,
    /// `https`, `http`, …
    pub scheme: String,
    /// The host: a name in lower case and punycode, or an IP address (IPv6 in brackets).
    pub host: String,
    /// Scheme, host and port.
    pub origin: String,
    /// True if the address contains a user name or password.
    pub has_credentials: bool,
}

/// Receives the status of an answer and the next bytes of its body. Returns false to stop.
pub type ReadPart<'a> = &'a mut dyn for<'b> FnMut(u16, &'b [u8]) -> bool;

/// Outbound HTTP.
#[async_trait(?Send)]
pub trait Http {
    /// Parses an address, which may be relative to `base`. `None` if the address is invalid. The host both parses and fetches, so
    /// the address that is checked is the address that is requested.
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url>;
    /// Sends one request and reads the answer within its limits.
    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError>;
    /// Like [`Http::fetch`], but passes the answer's status and the body's bytes to `read` as they arrive, instead of keeping the body. The
    /// exchange ends early if `read` returns false. A host that cannot do this reads the whole body first.
    async fn stream(&self, request: Fetch, read: ReadPart<'_>) -> Result<Fetched, FetchError> {
        let mut answer = self.fetch(request).await?;
        let body = std::mem::take(&mut answer.body);
        // Small parts, so that values of tests are split between parts.
        let mut parts = body.chunks(1_000);
        match parts.all(|part| read(answer.status, part)) {
            true => Ok(answer),
            false => Err(FetchError::OverBudget),
        }
    }
}

/// The time.
#[async_trait(?Send)]
pub trait Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> u64;
    /// Returns after this number of milliseconds.
    async fn sleep(&self, milliseconds: u64);
}

/// Unpredictable bytes.
pub trait Random {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An ordinary event.
    Info,
    /// An event that an operator may want to look at.
    Warn,
    /// An event that an operator must look at.
    Error,
}

/// Structured logs: one JSON object per line.
pub trait Log {
    /// Writes a line.
    fn write(&self, level: Level, line: serde_json::Value);
}

/// An answered request, for the platform's analytics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPoint {
    /// The route's method. Empty for an unknown route.
    pub method: &'static str,
    /// The route's pattern. Empty for an unknown route.
    pub route: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Milliseconds from the request to its answer.
    pub milliseconds: u64,
}

/// The platform's analytics. Data points may be lost without an error.
pub trait Analytics {
    /// Writes a data point.
    fn write(&self, point: &DataPoint);
}
