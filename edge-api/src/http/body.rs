//! Request bodies: bytes in, JSON out, or the reason why not.

use http::{StatusCode, header};
use order_core::Code;
use serde_json::Value;

use super::{BODY_LIMIT, Failure, Request};

/// Levels of nesting that a JSON body may have.
const DEPTH_LIMIT: usize = 64;

/// What a route wants of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// The route reads none: whatever is sent is ignored, as HTTP allows.
    Ignored,
    /// JSON; an empty body counts as `{}`, so that the route's own field errors explain what is missing.
    Json,
}

/// A parsed body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Json(pub(crate) Value);

impl Body {
    /// Reads the body of `request` as the route wants it.
    pub(crate) fn read(self, request: &Request) -> Result<Json, Failure> {
        match self {
            Self::Ignored => Ok(Json(Value::Null)),
            Self::Json => json(request),
        }
    }
}

fn json(request: &Request) -> Result<Json, Failure> {
    if request.body.len() > BODY_LIMIT {
        return Err(Failure::one(
            Code::BodyTooLarge,
            "",
            format!("the body is larger than {BODY_LIMIT} bytes"),
        ));
    }
    media_type(request)?;
    if request.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Json(Value::Object(serde_json::Map::new())));
    }
    if too_deep(&request.body) {
        return Err(invalid(format!(
            "it is nested deeper than {DEPTH_LIMIT} levels"
        )));
    }
    serde_json::from_slice(&request.body)
        .map(Json)
        .map_err(|error| invalid(error.to_string()))
}

fn invalid(why: String) -> Failure {
    Failure::one(
        Code::BodyNotValid,
        "",
        format!("the body is not valid JSON: {why}"),
    )
}

/// Accepts `application/json` with any parameters, and no media type at all.
fn media_type(request: &Request) -> Result<(), Failure> {
    let Some(value) = request.headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let essence = value
        .to_str()
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if essence.is_empty() || essence == "application/json" {
        return Ok(());
    }
    Err(Failure::one(
        Code::MediaTypeNotSupported,
        "",
        format!(
            "the media type `{}` is not supported; send `application/json`",
            essence.escape_default()
        ),
    )
    .status(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

/// Whether brackets outside of strings nest deeper than the limit. Runs before the parser, over bytes, so that
/// a megabyte of brackets costs one pass and no stack.
fn too_deep(body: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth = depth.saturating_add(1);
                if depth > DEPTH_LIMIT {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings_only() {
        let nested = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
        assert!(!too_deep(&nested(DEPTH_LIMIT)));
        assert!(too_deep(&nested(DEPTH_LIMIT + 1)));
        assert!(!too_deep(format!("\"{}\"", "[".repeat(100)).as_bytes()));
        assert!(!too_deep(format!("\"\\\"{}\"", "[".repeat(100)).as_bytes()));
        assert!(too_deep(format!("\"\\\\\"{}", "[".repeat(100)).as_bytes()));
    }
}
