//! The JSON data model of certification.
//!
//! The crate has its own data model, so a hash cannot depend on how another crate was compiled. Any dependency can switch on a feature of a
//! shared JSON library that reorders keys or changes numbers. `serde_json` reads text into it, with the limits and codes of this crate. Numbers are IEEE doubles, text is
//! well-formed Unicode, and keys are unique and keep their order. Nesting is bounded, so walking through a value or dropping it cannot
//! overflow the stack.

use alloc::string::String;

use crate::error::{CertError, ErrorCode};
use crate::json::join::join;
use crate::json::number::{Digits, Number};
use crate::json::path::Path;
use crate::json::str::Str;

pub use crate::json::array::Array;
pub use crate::json::object::Object;

/// The maximum nesting depth of arrays and objects.
pub const MAX_JSON_DEPTH: usize = 256;

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number: the IEEE double nearest to its text.
    Number(Number),
    /// A string.
    String(Str),
    /// An array.
    Array(Array),
    /// An object.
    Object(Object),
}

/// A JSON value that is neither array nor object, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(&'a str),
}

impl Scalar<'_> {
    /// Returns the scalar as an owned value.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(bool),
            Self::Number(number) => Value::Number(number),
            Self::String(string) => Value::String(string.into()),
        }
    }
}

impl Value {
    /// Returns the value as a scalar, or `None` if it is an array or an object.
    #[must_use]
    pub fn as_scalar(&self) -> Option<Scalar<'_>> {
        match self {
            Self::Null => Some(Scalar::Null),
            Self::Bool(bool) => Some(Scalar::Bool(*bool)),
            Self::Number(number) => Some(Scalar::Number(*number)),
            Self::String(string) => Some(Scalar::String(string)),
            Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Returns the text if the value is a string, otherwise `None`.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(string) => Some(string),
            _ => None,
        }
    }

    /// Returns the array if the value is an array, otherwise `None`.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the object if the value is an object, otherwise `None`.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the value if it is a whole number that can be a count or an index in memory, otherwise `None`.
    pub(crate) fn to_index(&self) -> Option<usize> {
        match self {
            Self::Number(number) => number.to_index(),
            _ => None,
        }
    }

    /// Returns the number of nesting levels of arrays and objects: 0 for a scalar, 1 for `[]`.
    #[must_use]
    pub fn depth(&self) -> usize {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// Returns the kind of the value, in JSON's terms.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Value {
    fn from(string: &str) -> Self {
        Self::String(string.into())
    }
}

impl From<String> for Value {
    fn from(string: String) -> Self {
        Self::String(string.into())
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// Returns the depth of a value with these children.
pub(super) fn depth_above<'a>(children: impl Iterator<Item = &'a Value>) -> usize {
    let depth = children.map(Value::depth).max();
    depth.unwrap_or(0).saturating_add(1)
}

/// Refuses a depth of more than `levels`.
pub(super) fn bounded(depth: usize, levels: usize) -> Result<(), CertError> {
    if depth > levels {
        return Err(too_deep());
    }
    Ok(())
}

pub(crate) fn too_deep() -> CertError {
    CertError::new(
        ErrorCode::JsonTooDeep,
        Path::root(),
        join(&[
            "JSON may be nested at most ",
            Digits::new(MAX_JSON_DEPTH).as_str(),
            " levels deep",
        ]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn depth_is_bounded_by_construction() {
        let mut value = Value::Null;
        for _ in 0..MAX_JSON_DEPTH {
            value = Array::try_from(vec![value]).unwrap().into();
        }
        assert_eq!(value.depth(), MAX_JSON_DEPTH);
        let deeper = Object::try_from(vec![("a".to_string(), value)]).unwrap_err();
        assert_eq!(deeper.code(), ErrorCode::JsonTooDeep);
    }
}
