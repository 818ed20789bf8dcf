//! The documents that a verdict is made from: fetched within their limits, read strictly.

use cert_core::Value;
use serde_json::json;

use super::verdict::Finding;
use crate::app::Call;
use crate::outbound::{Errand, Outgoing, Received, Refused, SendError, Target};
use crate::ports::Level;

/// Redirects that are followed for a document or an image (design, "Outbound requests").
pub(super) const REDIRECTS: u8 = 3;
/// JSON values in one document at most. A text of five million bytes can hold millions of them, and each takes more
/// memory than its text; evidence of that size holds some 200,000.
const VALUES_MAX: usize = 300_000;

/// Which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the asset's URI leads to.
    Metadata,
    /// What the metadata's `$evidence` leads to.
    Evidence,
    /// What the metadata's `$schema` leads to.
    Schema,
}

impl Kind {
    /// The name in messages and paths.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Evidence => "evidence",
            Self::Schema => "schema",
        }
    }

    /// Bytes at most (design, "Outbound requests").
    fn limit(self) -> usize {
        match self {
            Self::Metadata => 1 << 20,
            Self::Evidence => 5 << 20,
            Self::Schema => 256 << 10,
        }
    }

    /// The finding that there is none.
    pub(super) fn lacking(self, lack: impl Into<Lack>) -> Finding {
        let (name, Lack { reason, why }) = (self.name(), lack.into());
        Finding::unavailable(reason, name, format!("the {name} could not be read: {why}"))
    }
}

/// Why something could not be had: a stable text and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lack {
    pub(super) reason: &'static str,
    pub(super) why: String,
}

impl Lack {
    pub(super) fn new(reason: &'static str, why: impl Into<String>) -> Self {
        Self {
            reason,
            why: why.into(),
        }
    }
}

impl From<Refused> for Lack {
    fn from(refused: Refused) -> Self {
        Self::new(refused.reason("address-refused"), refused.to_string())
    }
}

impl From<SendError> for Lack {
    fn from(error: SendError) -> Self {
        Self::new(error.reason(), error.to_string())
    }
}

/// A document and where it came from, after redirects.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    pub(super) from: Target,
}

/// Fetches one document.
pub(super) async fn fetch(
    call: &Call<'_>,
    errand: &Errand<'_>,
    kind: Kind,
    target: Target,
) -> Result<Document, Finding> {
    let accept = "application/json, */*;q=0.1";
    let received = get(call, errand, target, accept, kind.limit())
        .await
        .map_err(|lack| kind.lacking(lack))?;
    let value =
        read(&received.answer.body).map_err(|why| kind.lacking(Lack::new("not-json", why)))?;
    Ok(Document {
        value,
        from: received.from,
    })
}

/// GET with status 200.
pub(super) async fn get(
    call: &Call<'_>,
    errand: &Errand<'_>,
    target: Target,
    accept: &str,
    limit: usize,
) -> Result<Received, Lack> {
    let headers = [
        ("accept", accept),
        ("user-agent", concat!("assay/", env!("CARGO_PKG_VERSION"))),
    ];
    let headers = headers
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    let address = target.as_str().to_owned();
    let outgoing = Outgoing {
        target,
        headers,
        body: None,
        limit,
        redirects: REDIRECTS,
    };
    let received = errand.send(outgoing).await.inspect_err(|error| {
        if let SendError::Unreachable(why) = error {
            let line = json!({ "event": "badge.unreachable", "id": call.id, "address": address, "why": why });
            call.log(Level::Info, line);
        }
    })?;
    match received.answer.status {
        200 => Ok(received),
        status => Err(Lack::new(
            "status",
            format!("the server answered with status {status} instead of 200"),
        )),
    }
}

/// Reads JSON as certification has it: doubles, unique keys, bounded depth, and no more values than memory has room for.
fn read(body: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(body).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // A byte order mark may be ignored (RFC 8259, section 8.1), and browsers do.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if values(text) > VALUES_MAX {
        return Err(format!("it has more than {VALUES_MAX} values"));
    }
    Value::parse(text).map_err(|error| format!("it is not valid JSON: {error}"))
}

/// No fewer than the values of a JSON text: each but the first has an opening bracket or a comma of its own before it.
fn values(text: &str) -> usize {
    let (mut count, mut in_string, mut escaped) = (1_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' | b',' if !in_string => count = count.saturating_add(1),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => items.iter().map(count).fold(1, usize::saturating_add),
            Value::Object(object) => {
                let members = object.iter().map(|(_, item)| count(item));
                members.fold(1, usize::saturating_add)
            }
            _ => 1,
        }
    }

    #[test]
    fn values_are_bounded_from_above() {
        for text in [
            "1",
            "[]",
            "[1]",
            "[1,2,[3,{}]]",
            r#"{"a":1,"b":{"c":[true,null]}}"#,
            r#"["\"[,[,", "\\", {"[[":","}]"#,
        ] {
            let values = values(text);
            let exact = count(&Value::parse(text).unwrap());
            assert!(
                values >= exact && values <= exact + 3,
                "{text}: {values} {exact}"
            );
        }
    }

    #[test]
    fn too_many_values_are_not_parsed() {
        let list = |length: usize| format!("[{}]", vec!["0"; length].join(","));
        assert!(read(list(VALUES_MAX - 2).as_bytes()).is_ok());
        assert!(
            read(list(VALUES_MAX).as_bytes())
                .unwrap_err()
                .contains("300000")
        );
        // In a string they are text.
        assert!(read(format!("\"{}\"", ",".repeat(VALUES_MAX)).as_bytes()).is_ok());
    }

    #[test]
    fn what_is_no_json_is_refused_with_a_reason() {
        assert_eq!(
            read(b"\xef\xbb\xbf{}").unwrap(),
            Value::parse("{}").unwrap()
        );
        for body in [
            &b""[..],
            b"<html>",
            b"{'a':1}",
            b"{\"a\":1,\"a\":2}",
            b"[1,]",
            b"\"\\ud800\"",
            b"\xff",
            b"{} {}",
        ] {
            assert!(read(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
        assert!(read("[".repeat(1000).as_bytes()).is_err());
    }
}
