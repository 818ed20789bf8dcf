//! The interfaces that the service needs from its host. In the Worker these are D1, KV, Queues and `fetch`. In native tests they
//! are SQLite and fakes that fail on purpose.

use std::rc::Rc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

mod database;
mod stored;

pub(crate) use database::Fault;
pub use database::{Database, DatabaseError, INTEGER_MAX, Param, Rows, Statement, Stored, exactly};
pub(crate) use stored::stored_state;

/// The host of one request, message or scheduled run.
#[derive(Clone)]
pub struct Ports {
    /// The only source of truth.
    pub database: Rc<dyn Database>,
    /// For values that may be lost and may be a minute old.
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

/// A shared cache: eventually consistent, may forget anything at any time.
#[async_trait(?Send)]
pub trait Cache {
    /// The bytes stored under `key`, unless they are gone. A fault reads as a miss.
    async fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Stores bytes for at least `seconds`, best effort.
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64);
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
    /// Webhooks may wait to be delivered.
    Deliver {
        /// Deliveries of one key go one after another: a record's reference, or an account for its own.
        #[serde(rename = "orderingKey")]
        ordering_key: String,
    },
    /// An account asked for a check of the domain that it names as its own.
    CheckIssuer {
        /// The account, as the database keys it.
        account: String,
        /// The domain, in Punycode.
        domain: String,
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

/// A set of requests that are counted together.
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

    /// Returns the scope's name in the policy.
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
    /// Returns true if the settings limit this scope. Otherwise its requests are not counted.
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
    /// The budget that the answer's bytes are taken from as they arrive; `None` if it is not limited.
    pub budget: Option<Rc<dyn ByteBudget>>,
}

/// A budget of memory that answers use byte by byte, so a slow server holds only what it has sent.
pub trait ByteBudget: std::fmt::Debug {
    /// Takes bytes; false where there are not that many left.
    fn take(&self, bytes: usize) -> bool;
}

/// A large answer on its way to its client.
pub trait Transfer: std::fmt::Debug {
    /// Bytes that the client has taken so far.
    fn sent(&self) -> u64;
    /// Ends the answer where it is, and frees its memory.
    fn end(&self);
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
    /// `access-control-allow-origin`, as sent: whether pages of other origins may read the answer.
    pub allow_origin: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// The reason why another server gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No complete answer in time.
    Timeout,
    /// The body is larger than the limit.
    TooLarge,
    /// The budget has too few bytes left for the body ([`Fetch::budget`]).
    OverBudget,
    /// The connection failed or was refused by the host.
    Failed(String),
}

/// An absolute address in the normal form of the URL standard, without fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The whole address.
    pub href: String,
    /// `https`, `http`, …
    pub scheme: String,
    /// The host: a name in lower case and punycode, or a number (an IPv6 one in brackets).
    pub host: String,
    /// Scheme, host and port.
    pub origin: String,
    /// True if the address contains a user name or password.
    pub has_credentials: bool,
}

/// Outbound HTTP.
#[async_trait(?Send)]
pub trait Http {
    /// Parses an address, which may be relative to `base`. The host that fetches also parses, so checks and requests agree on an
    /// address.
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url>;
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

/// Structured logs: one JSON object a line.
pub trait Log {
    /// Writes a line.
    fn write(&self, level: Level, line: serde_json::Value);
}
