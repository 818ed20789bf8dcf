//! Fetches the documents behind a verdict, within limits of size, time and redirects.

use serde_json::json;

use super::verdict::Finding;
use crate::context::Context;
use crate::outbound::{FetchSession, Outgoing, Received, Refused, SendError, Target};
use crate::ports::Level;

/// Maximum number of redirects for a document or an image.
pub(super) const REDIRECTS: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The document at the asset's URI.
    Metadata,
    /// The document at the metadata's `$evidence`.
    Evidence,
    /// The document at the metadata's `$schema`.
    Schema,
}

impl Kind {
    /// Returns the document's name in messages and in the paths of findings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Evidence => "evidence",
            Self::Schema => "schema",
        }
    }

    /// Returns the document's maximum number of bytes.
    fn limit(self) -> usize {
        match self {
            Self::Metadata => 1 << 20,
            Self::Evidence => 5 << 20,
            Self::Schema => 256 << 10,
        }
    }

    /// Creates the finding that this document could not be read, with the reason.
    pub(super) fn unavailable(self, failure: impl Into<FetchFailure>) -> Finding {
        let (name, FetchFailure { reason, why }) = (self.name(), failure.into());
        Finding::unavailable(reason, name, format!("the {name} could not be read: {why}"))
    }
}

/// The reason why a fetch failed: a short identifier and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FetchFailure {
    pub(super) reason: &'static str,
    pub(super) why: String,
}

impl FetchFailure {
    pub(super) fn new(reason: &'static str, why: impl Into<String>) -> Self {
        Self {
            reason,
            why: why.into(),
        }
    }
}

impl From<Refused> for FetchFailure {
    fn from(refused: Refused) -> Self {
        Self::new(refused.reason("address-refused"), refused.to_string())
    }
}

impl From<SendError> for FetchFailure {
    fn from(error: SendError) -> Self {
        Self::new(error.reason(), error.to_string())
    }
}

/// A document's text and its address after redirects. The text is parsed only after all documents have been fetched, because
/// parsed values take more memory than their text.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) from: Target,
}

/// Fetches a document. Fails if its bytes are not UTF-8. Removes a byte order mark.
pub(super) async fn fetch(
    ctx: &Context<'_>,
    session: &FetchSession<'_>,
    kind: Kind,
    target: Target,
) -> Result<Document, Finding> {
    let accept = "application/json, */*;q=0.1";
    let received = get(ctx, session, target, accept, kind.limit())
        .await
        .map_err(|failure| kind.unavailable(failure))?;
    let text = String::from_utf8(received.answer.body)
        .map_err(|_| kind.unavailable(FetchFailure::new("not-json", "it is not UTF-8 text")))?;
    // A byte order mark may be ignored (RFC 8259, section 8.1), as browsers do.
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(Document {
        text,
        from: received.from,
    })
}

/// Sends a GET request. Every response status except 200 is a failure.
pub(super) async fn get(
    ctx: &Context<'_>,
    session: &FetchSession<'_>,
    target: Target,
    accept: &str,
    limit: usize,
) -> Result<Received, FetchFailure> {
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
    let received = session.send(outgoing).await.inspect_err(|error| {
        if let SendError::Unreachable(why) = error {
            let line =
                json!({ "event": "badge.unreachable", "id": ctx.id, "host": host, "why": why });
            ctx.log(Level::Info, line);
        }
    })?;
    match received.answer.status {
        200 => Ok(received),
        status => Err(FetchFailure::new(
            "status",
            format!("the server answered with status {status} instead of 200"),
        )),
    }
}
