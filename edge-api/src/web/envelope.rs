//! The response envelope (`docs/interface.md`, "Response envelope").

use http::{StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};

use super::Response;
use crate::api;
use crate::failure::{Failure, Problem};
use crate::text::hash_key;

/// The answer of a successful route.
#[derive(Clone, Debug)]
pub(crate) enum Success {
    /// `data` and `meta` in the envelope.
    Data {
        /// 200 or 201.
        status: StatusCode,
        /// The response object, serialized as JSON.
        data: String,
        /// Additional information, serialized as JSON.
        meta: String,
        /// The value of `Set-Cookie`.
        cookie: Option<String>,
    },
    /// An answer without an envelope, such as an image or a page.
    Raw(Response),
    /// A stored answer that is sent again.
    Replayed(Response),
}

impl Success {
    /// Answers 200 with `data`.
    pub(crate) fn ok(data: impl Serialize) -> Result<Self, Failure> {
        Self::with(StatusCode::OK, data)
    }

    /// Answers 200 with `data` that is already serialized as JSON.
    pub(crate) fn ok_text(data: String) -> Result<Self, Failure> {
        Ok(Self::Data {
            status: StatusCode::OK,
            data,
            meta: to_text(api::Meta {})?,
            cookie: None,
        })
    }

    /// Answers 201 with `data`.
    pub(crate) fn created(data: impl Serialize) -> Result<Self, Failure> {
        Self::with(StatusCode::CREATED, data)
    }

    /// Answers with `data` and the given status.
    pub(crate) fn with(status: StatusCode, data: impl Serialize) -> Result<Self, Failure> {
        Ok(Self::Data {
            status,
            data: to_text(data)?,
            meta: to_text(api::Meta {})?,
            cookie: None,
        })
    }

    /// Makes the answer set a cookie. Has no effect on an answer without an envelope.
    pub(crate) fn with_cookie(self, value: String) -> Self {
        match self {
            Self::Data {
                status, data, meta, ..
            } => Self::Data {
                status,
                data,
                meta,
                cookie: Some(value),
            },
            other => other,
        }
    }

    /// Answers 200 with `data` and `meta`.
    pub(crate) fn with_meta(data: impl Serialize, meta: impl Serialize) -> Result<Self, Failure> {
        Ok(Self::Data {
            status: StatusCode::OK,
            data: to_text(data)?,
            meta: to_text(meta)?,
            cookie: None,
        })
    }
}

impl Success {
    /// Returns the number of bytes of the answer without its envelope.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Data { data, meta, .. } => data.len().saturating_add(meta.len()),
            Self::Raw(response) | Self::Replayed(response) => response.body.len(),
        }
    }
}

fn to_text(data: impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(&data).map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Failure {
    Failure::internal(format!("an answer cannot be serialized as JSON: {error}"))
}

/// Returns a response with a JSON body.
pub(crate) fn json_response(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response =
        Response::empty(status).with(header::CONTENT_TYPE, "application/json; charset=utf-8");
    response.body = body;
    response
}

/// Returns the response for an outcome. Puts the outcome into the envelope, unless it already is a response.
/// `origin` is the service's own, for the addresses of
/// the documentation of errors.
pub(crate) fn respond(id: &str, origin: &str, outcome: &Result<Success, Failure>) -> Response {
    let (status, body) = match outcome {
        Ok(Success::Raw(response) | Success::Replayed(response)) => return response.clone(),
        Ok(Success::Data {
            status, data, meta, ..
        }) => (
            *status,
            format!(
                r#"{{"id":{},"status":{},"data":{data},"meta":{meta}}}"#,
                Value::from(id),
                status.as_u16()
            ),
        ),
        Err(failure) => {
            let status = failure.http_status();
            let error = |error: Problem| {
                api::Error::new(error.code.number(), error.message, error.path, origin)
            };
            let failure = api::Failure {
                id: api::Ref(id.to_owned()),
                status: status.as_u16(),
                errors: failure.listed().into_iter().map(error).collect(),
                hash: failure.hash.map(|hash| api::Hash(hash_key(&hash))),
            };
            (status, json!(failure).to_string())
        }
    };
    let mut response = json_response(status, body.into_bytes());
    if let Ok(Success::Data {
        cookie: Some(cookie),
        ..
    }) = outcome
    {
        response = response.with_text(header::SET_COOKIE, cookie);
    }
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
