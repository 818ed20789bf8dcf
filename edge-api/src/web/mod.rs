//! The HTTP layer: the phases of a request, and its answer.

mod admission;
mod answer;
mod auth;
mod body;
mod cookie;
mod copies;
mod cursor;
#[cfg(feature = "native")]
mod description;
mod documentation;
mod envelope;
mod headers;
mod html;
mod idempotency;
mod input;
mod kinds;
mod limits;
mod link;
mod multipart;
mod page;
mod parameter;
mod period;
mod pipeline;
mod probe;
mod query;
mod recovered;
mod route;
mod router;
mod unknown;

pub(crate) use answer::{Answer, Handled, ok, raw, read, with_meta};
pub use body::CutOff;
pub(crate) use body::{Body, Json};
#[cfg(feature = "native")]
pub(crate) use cookie::SESSION_COOKIE;
pub(crate) use cookie::{from_own_page, set as session_cookie};
#[cfg(feature = "native")]
pub(crate) use description::{Data, Description};
pub(crate) use envelope::{Success, json_response, respond};
pub(crate) use html::{escape, with_parts};
pub(crate) use input::{Input, Memory};
pub(crate) use kinds::{
    Filter, HttpStatus, Ids, Link, Matching, Named, Names, Required, Statuses, Text,
};
pub(crate) use limits::{RATELIMIT_POLICY, in_force};
pub(crate) use parameter::{Kind, Parameter, Parameters, parameter, query};
pub(crate) use pipeline::{Handling, broken, handle, unconfigured};
pub(crate) use probe::{Checked, ProbeMemory};
pub(crate) use query::Query;
pub(crate) use recovered::RecoveredAccounts;
pub(crate) use route::{Access, Computing, Needs, PageText, Route, Secret, private, public};
pub(crate) use router::{Match, Param, Pattern, Table};

use std::rc::Rc;

use crate::budget::Share;

pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

/// Maximum bytes of a request body: 1 MiB, checked before parsing.
pub const BODY_LIMIT: usize = 1 << 20;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The service's origin as the client called it: `https://host[:port]`.
    pub origin: String,
    /// The path, percent-encoded, starting with `/`.
    pub path: String,
    /// The query without `?`, percent-encoded.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body. Empty until the pipeline has read it. Then at most one byte longer than the route's limit.
    pub body: Vec<u8>,
    /// The client's network address as the host knows it.
    pub client_address: Option<String>,
}

impl Request {
    /// Returns a header's first value. `None` if the header is missing or not visible ASCII.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A response, ready to be sent.
#[derive(Clone, Debug)]
pub struct Response {
    /// HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// The memory reservation of a large body, which ends when the client has read the body.
    pub(crate) share: Option<Rc<Share>>,
}

impl Response {
    /// Returns a response without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Vec::new(),
            share: None,
        }
    }

    /// Sets a header with a constant value.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// Sets a header with a computed value. Skips a value that HTTP cannot carry.
    #[must_use]
    pub fn with_text(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }
}
