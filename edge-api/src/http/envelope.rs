//! The response envelope (interface specification, "Response envelope").

use http::{HeaderName, HeaderValue, StatusCode, header};
use order_core::{Code, FieldError};
use serde::Serialize;
use serde_json::{Value, json};

use super::Response;
use crate::api;
use crate::ports::DatabaseError;
use crate::text::shortened;

/// Errors that an answer lists at most: what is wrong with each of a hundred actions is wrong with the first twenty.
const ERRORS_MAX: usize = 20;
/// Bytes of an error's message and of its path at most, whatever of the request they repeat.
const MESSAGE_MAX: usize = 2_000;
const PATH_MAX: usize = 200;

/// What a route answers when it did what was asked.
#[derive(Clone, Debug)]
pub(crate) enum Success {
    /// `data` and `meta` in the envelope.
    Data {
        /// 200 or 201.
        status: StatusCode,
        /// The response object.
        data: Value,
        /// Additional information.
        meta: Value,
    },
    /// An answer that is no envelope: an image, a page.
    Raw(Response),
    /// An answer that was given before, and the errors that it has.
    Replayed(Response, Vec<Problem>),
}

impl Success {
    /// 200 with `data`.
    pub(crate) fn ok(data: impl Serialize) -> Result<Self, Failure> {
        Self::with(StatusCode::OK, data)
    }

    /// 201 with `data`.
    pub(crate) fn created(data: impl Serialize) -> Result<Self, Failure> {
        Self::with(StatusCode::CREATED, data)
    }

    /// `data` under a status.
    pub(crate) fn with(status: StatusCode, data: impl Serialize) -> Result<Self, Failure> {
        Ok(Self::Data {
            status,
            data: to_value(data)?,
            meta: to_value(api::Meta {})?,
        })
    }

    /// 200 with a list and its `meta`.
    pub(crate) fn list(data: impl Serialize, meta: impl Serialize) -> Result<Self, Failure> {
        Ok(Self::Data {
            status: StatusCode::OK,
            data: to_value(data)?,
            meta: to_value(meta)?,
        })
    }
}

fn to_value(data: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(data)
        .map_err(|error| Failure::internal(format!("an answer is not JSON: {error}")))
}

/// One error of the envelope: a code of the catalogue, where it is, and a sentence.
pub(crate) type Problem = FieldError;

/// What a route answers when it did not do what was asked: all errors of the first phase that had any.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The errors, never empty.
    pub(crate) errors: Vec<Problem>,
    /// The HTTP status where it is not the codes' own.
    status: Option<StatusCode>,
    /// Headers that belong to the failure, such as `Allow`.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// What the log says beside the errors; never sent.
    pub(crate) internal: Option<String>,
}

impl Failure {
    /// All errors of one phase.
    pub(crate) fn new(errors: Vec<Problem>) -> Self {
        Self {
            errors,
            status: None,
            headers: Vec::new(),
            internal: None,
        }
    }

    /// One error with a sentence of its own.
    pub(crate) fn one(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(vec![Problem {
            code,
            path: path.into(),
            message: message.into(),
        }])
    }

    /// One error that says what the catalogue says.
    pub(crate) fn code(code: Code) -> Self {
        Self::one(code, "", code.message())
    }

    /// A fault of the service itself: 500000 for the client, `why` for the log.
    pub(crate) fn internal(why: impl Into<String>) -> Self {
        Self {
            internal: Some(why.into()),
            ..Self::code(Code::Unhandled)
        }
    }

    /// Sets another HTTP status than the code's own.
    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The HTTP status of the answer. Where a 400 stands beside 422s, as for a deployment without seed and name, it is 422.
    pub(crate) fn http_status(&self) -> StatusCode {
        let of_code = || {
            let statuses = self.errors.iter().map(|error| error.code.http_status());
            StatusCode::from_u16(statuses.max()?).ok()
        };
        self.status
            .or_else(of_code)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The errors as an answer lists them: the first ones, and a last one that says how many are not listed. It has the
    /// code of the first of those, so that every code is the catalogue's and true of the request.
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

    /// The error codes, for the log.
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
            // Another request with the same key was faster, or took the place of one that took too long.
            DatabaseError::Unique(what) if what.starts_with("idempotency_keys.") => {
                Self::code(Code::IdempotencyKeyReused)
            }
            DatabaseError::Budget => crate::strangers::refused(),
            error => Self::internal(error.to_string()),
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

/// A response whose body is JSON.
pub(crate) fn json_response(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response =
        Response::empty(status).with(header::CONTENT_TYPE, "application/json; charset=utf-8");
    response.body = body;
    response
}

/// Writes the envelope of an outcome.
pub(crate) fn respond(id: &str, outcome: &Result<Success, Failure>) -> Response {
    let (status, body) = match outcome {
        Ok(Success::Raw(response) | Success::Replayed(response, _)) => return response.clone(),
        Ok(Success::Data { status, data, meta }) => (
            *status,
            json!({ "id": id, "status": status.as_u16(), "data": data, "meta": meta }),
        ),
        Err(failure) => {
            let status = failure.http_status();
            let error = |error: Problem| api::Error {
                code: error.code.number(),
                message: error.message,
                path: error.path,
            };
            let failure = api::Failure {
                id: api::Ref(id.to_owned()),
                status: status.as_u16(),
                errors: failure.listed().into_iter().map(error).collect(),
            };
            (status, json!(failure))
        }
    };
    let mut response = json_response(status, body.to_string().into_bytes());
    if let Err(failure) = outcome {
        response.headers.extend(
            failure
                .headers
                .iter()
                .cloned()
                .map(|(name, value)| (Some(name), value)),
        );
    }
    response
}
