//! The documents that a verdict is made from: fetched within their limits, read strictly.

use serde_json::json;

use super::verdict::Finding;
use crate::app::Call;
use crate::outbound::{Errand, Outgoing, Received, Refused, SendError, Target};
use crate::ports::Level;

/// Redirects that are followed for a document or an image (design, "Outbound requests").
pub(super) const REDIRECTS: u8 = 3;

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

/// A document's text and where it came from, after redirects. It is not parsed before all are there, because values take more
/// memory than their text.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
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
    let text = String::from_utf8(received.answer.body)
        .map_err(|_| kind.lacking(Lack::new("not-json", "it is not UTF-8 text")))?;
    // A byte order mark may be ignored (RFC 8259, section 8.1), and browsers do.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(Document {
        text,
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
    let host = target.host().to_owned();
    let outgoing = Outgoing {
        target,
        headers,
        body: None,
        limit,
        redirects: REDIRECTS,
    };
    let received = errand.send(outgoing).await.inspect_err(|error| {
        if let SendError::Unreachable(why) = error {
            let line =
                json!({ "event": "badge.unreachable", "id": call.id, "host": host, "why": why });
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
