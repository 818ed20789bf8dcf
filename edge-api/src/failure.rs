//! Failures: the errors of an answer, and additional text for the log.

use http::{HeaderName, HeaderValue, StatusCode, header};
use order_core::{B256, Code, FieldError};

use crate::ports::{DatabaseError, Fault};
use crate::text::shortened;

/// Maximum number of the request's errors in an answer. If each of a hundred actions has the same mistake, twenty errors already show it.
const ERRORS_MAX: usize = 20;
/// Maximum bytes of an error's message and of its path, which may repeat parts of the request.
const MESSAGE_MAX: usize = 2_000;
const PATH_MAX: usize = 200;
/// Seconds after which a client that exceeds a daily quota may retry. The quota starts again at midnight UTC. A retry before
/// midnight can succeed too, because an account that has become funded no longer uses a shared quota.
const RETRY_AFTER: u32 = 3_600;
/// Seconds after which a client may retry while the database does not answer. Most failures of the database are shorter.
const DATABASE_RETRY_AFTER: u32 = 10;

/// An error in the envelope: a code of the catalogue, its place in the request, and a sentence.
pub(crate) type Problem = FieldError;

/// The failure of a route. Requests are checked in phases; a failure has all errors of the first phase that found errors.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The errors, never empty.
    pub(crate) errors: Vec<Problem>,
    /// The HTTP status, if it differs from the status of the errors' codes.
    status: Option<StatusCode>,
    /// Headers that belong to the failure, such as `Allow`.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Text for the log only, in addition to the errors. It is never sent.
    pub(crate) internal: Option<String>,
    /// The kind of fault, for alerts.
    pub(crate) fault: Option<Fault>,
    /// The hash to sign, if the request lacks only the account's claim.
    pub(crate) hash: Option<B256>,
}

impl Failure {
    /// Creates a failure from all errors of a phase.
    pub(crate) fn new(errors: Vec<Problem>) -> Self {
        Self {
            errors,
            status: None,
            headers: Vec::new(),
            internal: None,
            fault: None,
            hash: None,
        }
    }

    /// Creates a failure with one error and the given sentence.
    pub(crate) fn one(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(vec![Problem {
            code,
            path: path.into(),
            message: message.into(),
        }])
    }

    /// Creates a failure with one error and the catalogue's sentence.
    pub(crate) fn code(code: Code) -> Self {
        Self::one(code, "", code.message())
    }

    /// Creates a fault of the service itself: 500000 for the client, `why` for the log.
    pub(crate) fn internal(why: impl Into<String>) -> Self {
        Self {
            internal: Some(why.into()),
            fault: Some(Fault::Bug),
            ..Self::code(Code::Unhandled)
        }
    }

    /// Adds the hash to sign.
    pub(crate) fn hash(mut self, hash: B256) -> Self {
        self.hash = Some(hash);
        self
    }

    /// Sets an HTTP status other than the code's own.
    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Returns the HTTP status of the answer: the status that was set, otherwise the highest status of its errors. For example, a
    /// deployment without seed and name has errors of status 400 and 422, so the answer has status 422.
    pub(crate) fn http_status(&self) -> StatusCode {
        let of_code = || {
            let statuses = self.errors.iter().map(|error| error.code.http_status());
            StatusCode::from_u16(statuses.max()?).ok()
        };
        self.status
            .or_else(of_code)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns the errors that an answer lists: at most [`ERRORS_MAX`]. If there are more, adds an error with the number of errors left
    /// out. That error has the code of the first error left out, so every listed code applies to the request.
    pub(crate) fn listed(&self) -> Vec<Problem> {
        let short = |error: &Problem| Problem {
            code: error.code,
            path: shortened(&error.path, PATH_MAX).into_owned(),
            message: shortened(&error.message, MESSAGE_MAX).into_owned(),
        };
        let mut listed: Vec<Problem> = self.errors.iter().take(ERRORS_MAX).map(short).collect();
        if let Some(next) = self.errors.get(ERRORS_MAX) {
            let rest = self.errors.len().saturating_sub(ERRORS_MAX);
            listed.push(Problem {
                code: next.code,
                path: String::new(),
                message: format!("… and {rest} more: correct these first"),
            });
        }
        listed
    }

    /// Returns the codes of the listed errors, for the log.
    pub(crate) fn codes(&self) -> Vec<u32> {
        self.listed()
            .iter()
            .map(|error| error.code.number())
            .collect()
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        match error {
            // Another request with the same key was faster, or took over after this request's lease had expired.
            DatabaseError::Unique(what) if what.starts_with("idempotency_keys.") => {
                Self::code(Code::IdempotencyKeyReused)
            }
            DatabaseError::SharedQuota => quota_used_up(
                "the daily storage quota that visitors, or all accounts without tokens, share is used up: \
                 get tokens, or come back tomorrow",
            ),
            DatabaseError::AccountQuota => quota_used_up(
                "the daily storage quota of this account, or of the account that pays for this order, is used up: \
                 come back tomorrow",
            ),
            error @ DatabaseError::Unavailable(_) => {
                let seconds = HeaderValue::from(DATABASE_RETRY_AFTER);
                Self {
                    fault: error.fault(),
                    internal: Some(error.to_string()),
                    ..Self::code(Code::DatabaseAway).header(header::RETRY_AFTER, seconds)
                }
            }
            error => Self {
                fault: error.fault(),
                ..Self::internal(error.to_string())
            },
        }
    }
}

impl From<Problem> for Failure {
    fn from(error: Problem) -> Self {
        Self::new(vec![error])
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(errors: Vec<Problem>) -> Self {
        Self::new(errors)
    }
}

/// Returns the refusal of a change beyond a daily quota.
fn quota_used_up(message: &'static str) -> Failure {
    Failure::one(Code::RateLimited, "", message)
        .header(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER))
}

/// Returns an error of a query parameter.
pub(crate) fn invalid(path: &str, message: String) -> Problem {
    Problem {
        code: Code::QueryNotValid,
        path: path.to_owned(),
        message,
    }
}

/// Returns the error for an `after` that is not a cursor of this list.
pub(crate) fn not_a_cursor() -> Problem {
    let message = "`after` must be `meta.next` of an earlier page of this list, unchanged";
    invalid("after", message.to_owned())
}
