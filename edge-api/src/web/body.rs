//! Reads request bodies, and parses them as JSON or as a form.

use alloy_primitives::hex;
use http::{StatusCode, header};
use order_core::{Code, json};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{BODY_LIMIT, Request, multipart};
use crate::api::{BodyField, FieldKind};
use crate::failure::Failure;
use crate::text::{outside_strings, shortened};

/// Maximum bytes of a media type that an error repeats.
const SHOWN: usize = 60;

/// Maximum bytes of a body that is not parsed ([`Body::Bytes`]).
const BYTES_LIMIT: usize = 64 << 10;
/// Maximum nesting depth of a JSON body.
const DEPTH_LIMIT: usize = 64;
/// Maximum number of values in a body: several times as many as in the largest order. A parsed value can take a hundred
/// times the memory of its text, and an isolate has 128 MB.
const VALUES_LIMIT: usize = 10_000;

/// The kind of body that a route reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// The route reads no body. A body that a client sends is ignored, as HTTP allows.
    Ignored,
    /// The unparsed bytes, because the sender's signature covers the bytes. At most 64 KiB, twice the largest event of a payment
    /// provider.
    Bytes,
    /// JSON, or a form whose parts are the top-level fields. An empty body counts as `{}`, so the route's own field
    /// errors explain what is missing.
    Json { fields: &'static [BodyField] },
    /// A form with text fields and one file in the part `file`. The parsed body has the file's SHA-256 in place of the
    /// content. [`Request::body`] then contains only the file's content.
    File {
        fields: &'static [BodyField],
        /// Maximum bytes of the form.
        most: usize,
    },
}

/// A parsed body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Json(pub(crate) Value);

/// The connection ended before the body was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOff;

impl Body {
    /// Returns the fields of a parsed body. `None` if the route does not parse a body.
    pub(crate) const fn fields(self) -> Option<&'static [BodyField]> {
        match self {
            Self::Ignored | Self::Bytes => None,
            Self::Json { fields } | Self::File { fields, .. } => Some(fields),
        }
    }

    /// Returns the bytes of memory to reserve before the body is read. 0 for a body of the usual size. The parsed file is a second copy.
    pub(super) fn reserved(self) -> usize {
        match self {
            Self::File { most, .. } if most > BODY_LIMIT => most.saturating_mul(2),
            _ => 0,
        }
    }

    /// Returns the maximum number of bytes that the route accepts.
    fn limit(self) -> usize {
        match self {
            Self::Ignored => 0,
            Self::Bytes => BYTES_LIMIT,
            Self::Json { .. } => BODY_LIMIT,
            Self::File { most, .. } => most,
        }
    }

    /// Reads the body of `request` with `read`, and parses it as the route expects. `read` gets the maximum number of bytes to
    /// read, so a body that is too large is not read to its end.
    pub(crate) async fn take(
        self,
        request: &mut Request,
        read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
    ) -> Result<Json, Failure> {
        if self == Self::Ignored {
            return Ok(Json(Value::Null));
        }
        let limit = self.limit();
        request.body = read(limit.saturating_add(1)).await.map_err(|CutOff| {
            let why = "the body ended before it was complete: send it again";
            Failure::one(Code::BodyNotValid, "", why)
        })?;
        if request.body.len() > limit {
            let why = format!("the body is larger than {limit} bytes");
            return Err(Failure::one(Code::BodyTooLarge, "", why));
        }
        match self {
            Self::Ignored | Self::Bytes => Ok(Json(Value::Null)),
            Self::Json { fields } => json(request, fields),
            Self::File { .. } => file(request),
        }
    }
}

fn json(request: &Request, fields: &[BodyField]) -> Result<Json, Failure> {
    if let Media::Form(boundary) = media(request)? {
        return form(boundary, &request.body, fields).map(Json);
    }
    if request.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Json(Value::Object(Map::new())));
    }
    let mut limits = Limits::default();
    limits
        .take(&request.body)
        .map_err(|why| invalid("JSON", &why))?;
    json::parse(&request.body)
        .map(Json)
        .map_err(|error| invalid("JSON", &error.to_string()))
}

/// The name of the part with a file.
const FILE: &str = "file";

/// Parses a form with a file. Returns the text fields and the file's hash as JSON. Replaces the request's body with the file's content.
fn file(request: &mut Request) -> Result<Json, Failure> {
    let Media::Form(boundary) = media(request)? else {
        return Err(Failure::one(
            Code::MediaTypeNotSupported,
            "",
            "send the file as a part of `multipart/form-data`",
        ));
    };
    let mut fields = Map::new();
    let mut content = Vec::new();
    let parts = multipart::parts(boundary, &request.body, Some(FILE));
    for part in parts.map_err(|why| invalid("form data", &why))? {
        let value = if part.name == FILE {
            content = part.value.to_vec();
            hex::encode(Sha256::digest(part.value))
        } else {
            let text = std::str::from_utf8(part.value);
            let text = text.map_err(|_| invalid("form data", "a part is not UTF-8"))?;
            text.to_owned()
        };
        fields.insert(part.name.to_owned(), Value::from(value));
    }
    request.body = content;
    Ok(Json(Value::Object(fields)))
}

fn invalid(kind: &str, why: &str) -> Failure {
    Failure::one(
        Code::BodyNotValid,
        "",
        format!("the body is not valid {kind}: {why}"),
    )
}

/// The media type of a body.
enum Media<'a> {
    Json,
    /// `multipart/form-data` with this boundary.
    Form(&'a str),
}

/// Returns the media type. Accepts `application/json` with any parameters, a missing media type, and forms.
fn media(request: &Request) -> Result<Media<'_>, Failure> {
    let Some(value) = request.headers.get(header::CONTENT_TYPE) else {
        return Ok(Media::Json);
    };
    let value = value.to_str().unwrap_or_default();
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "" | "application/json" => Ok(Media::Json),
        "multipart/form-data" => match multipart::boundary(value) {
            Some(boundary) => Ok(Media::Form(boundary)),
            None => Err(invalid("form data", "its `Content-Type` has no valid boundary")),
        },
        other => Err(Failure::one(
            Code::MediaTypeNotSupported,
            "",
            format!(
                "the media type `{}` is not supported; send `application/json` or `multipart/form-data`",
                shortened(&other.escape_default().to_string(), SHOWN)
            ),
        )
        .status(StatusCode::UNSUPPORTED_MEDIA_TYPE)),
    }
}

/// Returns an object whose fields are the form's parts. A part that is valid JSON becomes this JSON value, and any other part
/// becomes a string. A text field always becomes a string: a quoted JSON string is parsed, and anything else is kept as it is.
fn form(boundary: &str, body: &[u8], known: &[BodyField]) -> Result<Value, Failure> {
    let is_text = |name: &str| {
        let text = |field: &BodyField| field.name == name && field.kind == FieldKind::Text;
        known.iter().any(text)
    };
    let mut fields = Map::new();
    let mut limits = Limits {
        // The form itself counts as one level of nesting.
        depth: DEPTH_LIMIT.saturating_sub(1),
        ..Limits::default()
    };
    for part in multipart::parts(boundary, body, None).map_err(|why| invalid("form data", &why))? {
        limits
            .take(part.value)
            .map_err(|why| invalid("form data", &why))?;
        let value = match (json::parse(part.value), std::str::from_utf8(part.value)) {
            (Ok(Value::String(text)), _) => Value::from(text),
            (_, Ok(text)) if is_text(part.name) => Value::from(text),
            (Ok(value), _) => value,
            (Err(_), Ok(text)) => Value::from(text),
            (Err(_), Err(_)) => return Err(invalid("form data", "a part is not UTF-8")),
        };
        fields.insert(part.name.to_owned(), value);
    }
    Ok(Value::Object(fields))
}

/// The maximum nesting depth, and the number of values that the rest of the body may have.
struct Limits {
    depth: usize,
    values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: DEPTH_LIMIT,
            values: VALUES_LIMIT,
        }
    }
}

impl Limits {
    /// Counts brackets and commas outside strings before the parser runs. A body full of them is then refused after
    /// one pass over its bytes, without using stack or memory.
    fn take(&mut self, body: &[u8]) -> Result<(), String> {
        let mut depth = 0_usize;
        for byte in outside_strings(body) {
            match byte {
                b'{' | b'[' | b',' => {
                    if byte != b',' {
                        depth = depth.saturating_add(1);
                    }
                    if depth > self.depth {
                        return Err(format!("it is nested deeper than {DEPTH_LIMIT} levels"));
                    }
                    let left = self.values.checked_sub(1);
                    self.values =
                        left.ok_or_else(|| format!("it holds more than {VALUES_LIMIT} values"))?;
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings_only() {
        let nested = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
        let too_deep = |body: &[u8]| Limits::default().take(body).is_err();
        assert!(!too_deep(&nested(DEPTH_LIMIT)));
        assert!(too_deep(&nested(DEPTH_LIMIT + 1)));
        assert!(!too_deep(format!("\"{}\"", "[".repeat(100)).as_bytes()));
        assert!(!too_deep(format!("\"\\\"{}\"", "[".repeat(100)).as_bytes()));
        assert!(too_deep(format!("\"\\\\\"{}", "[".repeat(100)).as_bytes()));
    }
    #[test]
    fn values_beyond_the_limit_are_refused_before_parsing() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let fits = |body: &str| Limits::default().take(body.as_bytes()).is_ok();
        assert!(fits(&list(VALUES_LIMIT)));
        assert!(!fits(&list(VALUES_LIMIT + 1)));
        assert!(!fits(&"{\"a\":1},".repeat(VALUES_LIMIT)));
        assert!(fits(&format!("\"{}\"", ",[{".repeat(VALUES_LIMIT))));
        // The parts of a form share one limit.
        let mut limits = Limits::default();
        assert!(limits.take(list(VALUES_LIMIT).as_bytes()).is_ok());
        assert!(limits.take(b"[]").is_err());
    }
}
