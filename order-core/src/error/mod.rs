//! Errors that a caller can act on: a stable code, the place in the request, and a sentence.

mod catalogue;

use alloc::string::String;
use core::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use catalogue::Code;

impl Code {
    /// The code's number in answers, such as `422002`.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// Returns the code with this number. `None` if the catalogue has no such code.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Code> {
        Code::all().find(|code| code.number() == number)
    }

    /// The code's name, such as `OrderNotFound`. It does not change between versions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        catalogue::name(self)
    }

    /// The code's meaning as a sentence.
    #[must_use]
    pub const fn message(self) -> &'static str {
        catalogue::message(self)
    }

    /// Returns the HTTP status of an answer whose errors carry this code.
    ///
    /// The status is the number's first three digits, with the exceptions of the interface specification's status table. If the
    /// Authorization header causes [`Code::SignatureNotValid`], the service answers with 401 instead.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Code::InvalidPath => 404,
            Code::NotASigner | Code::AccountNotIdentified => 403,
            // GET routes have no 422, and GET /badge is a GET route.
            Code::BadgeAssetIdMissing | Code::BadgeLedgerNotValid | Code::BadgeLedgerMissing => 400,
            _ => match self.number() / 1000 {
                401 => 401,
                403 => 403,
                404 => 404,
                405 => 405,
                409 => 409,
                413 => 413,
                415 => 415,
                422 => 422,
                429 => 429,
                500 => 500,
                503 => 503,
                _ => 400,
            },
        }
    }

    /// Returns the reason why the service never answers with this code. `None` for codes with which the service answers. The interface
    /// specification lists a few codes that no request can cause.
    #[must_use]
    pub const fn reserved(self) -> Option<&'static str> {
        match self {
            Code::OrderStatusMissing | Code::ApproveStatusMissing => {
                Some("the service sets the status itself, so a request cannot lack it")
            }
            _ => None,
        }
    }

    /// Returns every code of the catalogue: first the interface specification's codes in its order, then this service's own.
    pub fn all() -> impl Iterator<Item = Code> {
        catalogue::ALL.iter().copied()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// An error of a request: its code, its path, and a sentence about the fault.
///
/// Serializes as an element of an answer's `errors`: `{code, name, message, path}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The code of the catalogue.
    pub code: Code,
    /// The path in the request's body, such as `order.actions[1].assetId`; empty for the body as a whole.
    pub path: String,
    /// A sentence for a person, with user input in backticks.
    pub message: String,
}

impl FieldError {
    /// Returns an error with its code's message.
    #[must_use]
    pub fn new(code: Code, path: impl Into<String>) -> FieldError {
        FieldError::with_message(code, path, code.message())
    }

    /// Returns an error with a more specific message than its code's.
    #[must_use]
    pub fn with_message(
        code: Code,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> FieldError {
        FieldError {
            code,
            path: path.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`: {}", self.code, self.path, self.message)
    }
}

impl core::error::Error for FieldError {}

impl Serialize for FieldError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("FieldError", 4)?;
        object.serialize_field("code", &self.code.number())?;
        object.serialize_field("name", self.code.name())?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("path", &self.path)?;
        object.end()
    }
}

#[cfg(test)]
mod tests;
