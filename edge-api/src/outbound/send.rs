//! Sends requests to other servers and follows redirects.

use std::fmt;
use std::rc::Rc;

use super::address::{Policy, Refused, Target};
use crate::ports::{ByteBudget, Clock, Fetch, FetchError, Fetched};

/// The timeout of one request in milliseconds. Each redirect is another request.
const REQUEST_MS: u64 = 5_000;
/// The timeout of a session, for all its requests together, in milliseconds.
const TOTAL_MS: u64 = 10_000;

/// The identifier of [`SendError::Busy`].
pub(crate) const BUSY: &str = "busy";

/// All fetches for one purpose, under one policy and one deadline.
pub(crate) struct FetchSession<'a> {
    clock: &'a dyn Clock,
    policy: Policy<'a>,
    until: u64,
    budget: Option<Rc<dyn ByteBudget>>,
}

/// A request to send: a POST if it has a body, otherwise a GET.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// The address of the request.
    pub(crate) target: Target,
    /// Header names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// The body of a POST.
    pub(crate) body: Option<Vec<u8>>,
    /// Maximum bytes of the answer's body. If 0, the body is not read.
    pub(crate) limit: usize,
    /// Maximum number of redirects. A request with a body follows no redirects.
    pub(crate) redirects: u8,
}

/// An answer, and the address from which it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The address after redirects: the base of relative references in the answer (RFC 3986, section 5.1.3).
    pub(crate) from: Target,
    /// The answer, with any status. A redirect is returned only if it has no header `location`.
    pub(crate) answer: Fetched,
}

/// The reason why a request and its redirects failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// A redirect leads to an address that is not allowed.
    Redirect(Refused),
    /// The server redirects more often than this limit.
    TooManyRedirects(u8),
    /// The answer was not complete in time.
    Timeout,
    /// The answer is larger than this number of bytes.
    TooLarge(usize),
    /// The answer does not fit into the memory that other requests leave.
    Busy,
    /// The connection failed. The host's message is for the log.
    Unreachable(String),
}

impl SendError {
    /// Returns a short, stable identifier of the error.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Redirect(refused) => refused.reason("redirect-refused"),
            Self::TooManyRedirects(_) => "too-many-redirects",
            Self::Timeout => "timeout",
            Self::TooLarge(_) => "too-large",
            Self::Busy => BUSY,
            Self::Unreachable(_) => "unreachable",
        }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Redirect(refused) => write!(f, "the server redirects, but {refused}"),
            Self::TooManyRedirects(0) => {
                f.write_str("the server redirects, but redirects are not followed")
            }
            Self::TooManyRedirects(count) => {
                write!(f, "the server redirects more than {count} times")
            }
            Self::Timeout => f.write_str("the server did not answer in time"),
            Self::TooLarge(limit) => write!(f, "the answer is larger than {limit} bytes"),
            Self::Busy => f.write_str("this service is busy: ask again in a moment"),
            Self::Unreachable(_) => f.write_str("the server could not be reached"),
        }
    }
}

impl<'a> FetchSession<'a> {
    /// Starts a session. Its deadline counts from now.
    pub(crate) fn start(clock: &'a dyn Clock, policy: Policy<'a>) -> Self {
        Self {
            clock,
            policy,
            until: clock.now_ms().saturating_add(TOTAL_MS),
            budget: None,
        }
    }

    /// Counts the bytes of all answers in `budget`. An answer that does not fit fails with [`SendError::Busy`].
    pub(crate) fn within(self, budget: Rc<dyn ByteBudget>) -> Self {
        Self {
            budget: Some(budget),
            ..self
        }
    }

    /// Returns the policy.
    pub(crate) fn policy(&self) -> &Policy<'a> {
        &self.policy
    }

    /// Sends a request and follows its redirects. Checks the address of each redirect like the first address.
    ///
    /// # Errors
    /// [`SendError`]. An answer with an error status is not an error here.
    pub(crate) async fn send(&self, outgoing: Outgoing) -> Result<Received, SendError> {
        let Outgoing {
            mut target,
            headers,
            body,
            limit,
            redirects,
        } = outgoing;
        let allowed = if body.is_some() { 0 } else { redirects };
        let mut left = allowed;
        loop {
            let timeout_ms = self
                .until
                .saturating_sub(self.clock.now_ms())
                .min(REQUEST_MS);
            if timeout_ms == 0 {
                return Err(SendError::Timeout);
            }
            let url = target.as_str().to_owned();
            let request = Fetch {
                url,
                headers: headers.clone(),
                body: body.clone(),
                limit,
                timeout_ms,
                budget: self.budget.clone(),
            };
            let answer = self
                .policy
                .fetcher
                .fetch(request)
                .await
                .map_err(|error| match error {
                    FetchError::Timeout => SendError::Timeout,
                    FetchError::TooLarge => SendError::TooLarge(limit),
                    FetchError::OverBudget => SendError::Busy,
                    FetchError::Failed(why) => SendError::Unreachable(why),
                })?;
            let Some(location) = redirect(&answer) else {
                return Ok(Received {
                    from: target,
                    answer,
                });
            };
            left = left
                .checked_sub(1)
                .ok_or(SendError::TooManyRedirects(allowed))?;
            target = self
                .policy
                .resolve(&target, location)
                .map_err(SendError::Redirect)?;
        }
    }
}

/// Returns the target of a redirect (RFC 9110, section 15.4). `None` for any other answer, and for a redirect without the
/// header `location`.
fn redirect(answer: &Fetched) -> Option<&str> {
    matches!(answer.status, 301 | 302 | 303 | 307 | 308).then_some(answer.location.as_deref()?)
}

#[cfg(test)]
mod tests;
