//! Reads and writes paths as JSON. Each path is an array of keys and indexes.

use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::json::number::{Number, parse_index};
use crate::json::path::{Path, PathStep};
use crate::json::serialize::to_value;
use crate::json::value::Value;

impl Path {
    /// Returns the path as JSON: an array of strings and numbers.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }

    /// Reads a list of paths, each a list of keys and indexes.
    ///
    /// # Errors
    /// [`ErrorCode::PathsInvalid`] for anything else.
    pub fn list_from(value: &Value) -> Result<Vec<Self>, CertError> {
        let values = value.as_array().ok_or_else(paths_invalid)?;
        let mut paths = Vec::with_capacity(values.len());
        for value in values {
            paths.push(Self::from_value(value).ok_or_else(paths_invalid)?);
        }
        Ok(paths)
    }

    /// Reads a list of keys and indexes. Returns `None` for anything else.
    pub(crate) fn from_value(path: &Value) -> Option<Self> {
        let path = path.as_array()?;
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            steps.push(match step {
                Value::String(key) => PathStep::Key(key.clone()),
                Value::Number(number) => PathStep::Index(index_of(number)?),
                _ => return None,
            });
        }
        Some(Self::from(steps))
    }
}

/// Returns the index of a list item, or `None` if the number is not an integer from 0 to 2^32 − 1. The bound is the same on 32-bit and
/// 64-bit machines.
fn index_of(number: &Number) -> Option<usize> {
    parse_index(number.as_str()).filter(|index| u32::try_from(*index).is_ok())
}

fn paths_invalid() -> CertError {
    CertError::new(
        ErrorCode::PathsInvalid,
        Path::root(),
        "paths must be an array of paths, each an array of keys and indexes",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        let text = r#"[[],["a",0,"0"],["",4294967295]]"#;
        let paths = Path::list_from(&Value::parse(text).unwrap()).unwrap();
        assert_eq!(to_value(&paths).to_json(), text);
        for text in [
            "null",
            "{}",
            r#"["a"]"#,
            "[[-1]]",
            "[[0.5]]",
            "[[null]]",
            "[[[]]]",
            "[[1e20]]",
            "[[4294967296]]",
        ] {
            let error = Path::list_from(&Value::parse(text).unwrap()).unwrap_err();
            assert_eq!(error.code(), ErrorCode::PathsInvalid, "{text}");
        }
    }
}
