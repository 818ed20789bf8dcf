//! Validates data against its whole JSON Schema. Validation distinguishes values that have equal hashes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ReferencingError, ValidationError};
use serde::{Deserialize, Serialize};

use crate::error::{CertError, ErrorCode};
use crate::json::number::parse_index;
use crate::json::path::{Path, PathStep};
use crate::json::pointer::unescaped;
use crate::json::serialize::to_value;
use crate::json::value::{Object, Value};

/// The maximum number of violations that a validation reports.
pub const MAX_VIOLATIONS: usize = 100;

/// The number of values above which validation stops at the first violation. The library collects all violations before it reports any. In
/// larger data, the violations could take too much memory.
const MANY_VALUES: usize = 100_000;

/// The maximum number of backtracks when a string is matched against a pattern. Only patterns with look-around or back-references
/// backtrack. A match that needs more counts as a violation.
const MAX_BACKTRACKS: usize = 10_000;

/// The maximum size in bytes of a compiled pattern. A schema with a larger pattern, such as `(a{1000}){1000}`, is refused.
const MAX_PATTERN: usize = 1 << 20;

/// The maximum length of a message in characters. Without a limit, a message could list thousands of unexpected keys.
const MAX_MESSAGE: usize = 300;

/// A JSON Schema, compiled to validate data. Its draft is 4, 6, 7, 2019-09 or 2020-12.
///
/// `$schema` selects the draft. If there is no `$schema`, the draft is 7. The draft is also 7 if `$schema` is not the address of a draft,
/// as in the published conventions (`docs/interface.md`, Asset schema: "draft-07 style"). A custom metaschema is never read: its
/// `$vocabulary` has no effect, and every keyword of the draft is asserted. `format` is asserted in every draft, and unknown formats are
/// ignored. The validator never fetches or reads other documents: a reference to a target outside the schema is an error.
/// Validation is a feature, and an npm package of its own, so a page that only certifies or verifies does not load it.
///
/// ```
/// use cert_core::{Validator, Value};
///
/// let schema = Value::parse(r#"{ "type": "object", "properties": { "age": { "type": "integer", "maximum": 150 } } }"#)?;
/// let validator = Validator::new(&schema)?;
/// assert!(validator.validate(&Value::parse(r#"{ "age": 36 }"#)?)?.is_empty());
/// // AIH-1 gives 36 and "36" the same hash, but a schema distinguishes them.
/// let violations = validator.validate(&Value::parse(r#"{ "age": "36" }"#)?)?;
/// assert_eq!(violations[0].to_string(), "the value is not of type \"integer\" (at `age`)");
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[derive(Debug)]
pub struct Validator {
    compiled: jsonschema::Validator,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`ErrorCode::SchemaInvalid`] with the path in the schema, if the draft does not allow the schema or a pattern is too large.
    /// [`ErrorCode::SchemaReferenceUnresolved`] for a reference whose target is missing or outside the schema.
    /// [`ErrorCode::NumberNotFinite`] for such a number in the schema.
    pub fn new(schema: &Value) -> Result<Self, CertError> {
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(MAX_BACKTRACKS)
            .size_limit(MAX_PATTERN);
        let options = jsonschema::options()
            .with_draft(draft(schema))
            .with_pattern_options(patterns)
            .should_validate_formats(true)
            .offline();
        match options.build(&to_serde_json(schema)?) {
            Ok(compiled) => Ok(Self { compiled }),
            Err(error) => Err(refusal(schema, &error)),
        }
    }

    /// Returns at most [`MAX_VIOLATIONS`] violations of the schema in the data; none if the data is valid. For data of more than 100,000
    /// values, returns only the first violation.
    ///
    /// # Errors
    /// [`ErrorCode::NumberNotFinite`] for a number that is not finite, because JSON has no such number.
    pub fn validate(&self, data: &Value) -> Result<Vec<Violation>, CertError> {
        let json = to_serde_json(data)?;
        if self.compiled.is_valid(&json) {
            return Ok(Vec::new());
        }
        if values(data) > MANY_VALUES {
            let first = self.compiled.validate(&json).err();
            return Ok(first
                .iter()
                .map(|error| Violation::new(data, error))
                .collect());
        }
        let all = self.compiled.iter_errors(&json).take(MAX_VIOLATIONS);
        Ok(all.map(|error| Violation::new(data, &error)).collect())
    }

    /// Returns true if the schema allows the data. For invalid data, this is faster than [`Validator::validate`].
    ///
    /// # Errors
    /// The errors of [`Validator::validate`].
    pub fn is_valid(&self, data: &Value) -> Result<bool, CertError> {
        Ok(self.compiled.is_valid(&to_serde_json(data)?))
    }
}

/// A value, or a missing value, that the schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The path in the data.
    pub path: Path,
    /// The keyword of the schema that is violated, such as `type` or `required`.
    pub keyword: String,
    /// The path of that keyword in the schema, as a JSON Pointer (RFC 6901).
    pub schema_path: String,
    /// A sentence that does not repeat the value.
    pub message: String,
}

impl Violation {
    fn new(data: &Value, error: &ValidationError<'_>) -> Self {
        Self {
            path: path(data, error),
            keyword: error.kind().keyword().to_string(),
            schema_path: error.schema_path().as_str().to_string(),
            message: sentence(error),
        }
    }

    /// Returns the violation as JSON: `{"path": […], "keyword": "…", "schemaPath": "…", "message": "…"}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.path.is_empty() {
            write!(f, " (at `{}`)", self.path)?;
        }
        Ok(())
    }
}

fn draft(schema: &Value) -> Draft {
    let named = schema
        .as_object()
        .and_then(|schema| schema.get("$schema"))
        .and_then(Value::as_str)
        .map_or(Draft::Unknown, Draft::from_schema_uri);
    match named {
        Draft::Unknown => Draft::Draft7,
        known => known,
    }
}

/// Converts the value for the validating crate.
fn to_serde_json(value: &Value) -> Result<serde_json::Value, CertError> {
    match not_finite(value, &mut Vec::new()) {
        None => Ok(value.into()),
        Some(path) => Err(CertError::new(
            ErrorCode::NumberNotFinite,
            path,
            "a number must be finite to be validated",
        )),
    }
}

/// Returns the path of a number that is not finite, or `None` if all numbers are finite. JSON cannot represent such a number.
fn not_finite(value: &Value, at: &mut Vec<PathStep>) -> Option<Path> {
    let mut below = |step: PathStep, value| {
        at.push(step);
        let found = not_finite(value, at);
        at.pop();
        found
    };
    match value {
        Value::Number(number) if !number.is_finite() => Some(at.clone().into()),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| below(index.into(), item))
        }
        Value::Object(map) => map.iter().find_map(|(key, item)| below(key.into(), item)),
        _ => None,
    }
}

fn values(value: &Value) -> usize {
    let below: usize = match value {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(object) => object.iter().map(|(_, item)| values(item)).sum(),
        _ => 0,
    };
    below.saturating_add(1)
}

/// Returns the path of an error. The document decides whether `0` is a key or an index. The JSON Pointer (RFC 6901) is split here because
/// the library's split turns the key `01` into `1`.
fn path(document: &Value, error: &ValidationError<'_>) -> Path {
    let mut at = Some(document);
    // A pointer is empty or begins with a slash.
    let steps = error.instance_path().as_str().split('/').skip(1);
    let steps = steps.map(|step| {
        let text = unescaped(step);
        match (at, parse_index(&text)) {
            (Some(Value::Array(items)), Some(index)) => {
                at = items.get(index);
                PathStep::Index(index)
            }
            _ => {
                at = at
                    .and_then(Value::as_object)
                    .and_then(|map: &Object| map.get(&text));
                PathStep::from(text)
            }
        }
    });
    steps.collect()
}

/// Returns a sentence about the error. The sentence omits the value, which may be long or private.
fn sentence(error: &ValidationError<'_>) -> String {
    let mut text = match error.kind() {
        ValidationErrorKind::BacktrackLimitExceeded { .. } => {
            "matching the value against the pattern would take too long".to_string()
        }
        _ => error.masked_with("the value").to_string(),
    };
    if let Some((end, _)) = text.char_indices().nth(MAX_MESSAGE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Returns the error for a schema that cannot be compiled.
fn refusal(schema: &Value, error: &ValidationError<'_>) -> CertError {
    match error.kind() {
        ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => {
            let message = format!(
                "`{uri}` is not part of the schema, and nothing is fetched: put its target under `definitions` or `$defs`"
            );
            CertError::new(ErrorCode::SchemaReferenceUnresolved, Path::root(), message)
        }
        ValidationErrorKind::Referencing(unresolved) => CertError::new(
            ErrorCode::SchemaReferenceUnresolved,
            Path::root(),
            format!("a reference of the schema has no target: {unresolved}"),
        ),
        _ => CertError::new(
            ErrorCode::SchemaInvalid,
            path(schema, error),
            format!("the schema is not a JSON Schema: {}", sentence(error)),
        ),
    }
}
