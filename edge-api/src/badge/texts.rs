//! The texts of an asset's documents. The evidence's profile decides how they are parsed.

use std::borrow::Cow;

use cert_core::{CertError, Value};

use super::bounds::{PATH_MAX, VALUES_MAX, has_short_paths, proves_short_paths, values};
use super::documents::{FetchFailure, Kind};
use super::judge::Profile;
use super::verdict::Finding;

/// The documents that could be read.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) metadata: Option<Text>,
    pub(super) evidence: Option<Text>,
    pub(super) schema: Option<Text>,
}

/// The text of a published document, or a constant text of the service.
pub(super) type Text = Cow<'static, str>;

/// The three parsed documents.
pub(super) struct Read {
    pub(super) profile: Profile,
    pub(super) metadata: Value,
    pub(super) evidence: Value,
    pub(super) schema: Value,
}

impl Texts {
    /// Parses the documents. Removes each text that cannot be parsed. Fails if a document is missing or cannot be parsed.
    pub(super) fn read(&mut self) -> Result<Read, Finding> {
        let mut left = VALUES_MAX;
        let mut read = |kind, text: &mut Option<Text>, json: Parse| {
            let parsed = text
                .as_deref()
                .map(|text| parse(kind, text, json, &mut left));
            if let Some(Err(_)) = &parsed {
                *text = None;
            }
            parsed.unwrap_or_else(|| {
                Err(kind.unavailable(FetchFailure::new("missing", "it is missing")))
            })
        };
        let evidence = read(Kind::Evidence, &mut self.evidence, read_evidence);
        let profile = evidence.as_ref().map_or(Profile::Aih1, Profile::of);
        let json = match profile {
            Profile::Aih2 => cert_core::aih2::parse,
            Profile::Aih1 | Profile::Unknown => Value::parse,
        };
        let metadata = read(Kind::Metadata, &mut self.metadata, json);
        let schema = read(Kind::Schema, &mut self.schema, json);
        Ok(Read {
            profile,
            metadata: metadata?,
            evidence: evidence?,
            schema: schema?,
        })
    }
}

/// A function that parses JSON.
type Parse = fn(&str) -> Result<Value, CertError>;

/// Parses evidence by the rules of its profile.
fn read_evidence(text: &str) -> Result<Value, CertError> {
    let evidence = Value::parse(text)?;
    match Profile::of(&evidence) {
        Profile::Aih2 => cert_core::aih2::parse(text),
        Profile::Aih1 | Profile::Unknown => Ok(evidence),
    }
}

/// Parses a document with `json`, the parser of its profile. Subtracts an upper bound of the number of values from `left`.
/// Fails if the bound is larger than `left`, if the text is not valid JSON, or if the path to a value is too long.
pub(super) fn parse(
    kind: Kind,
    text: &str,
    json: Parse,
    left: &mut usize,
) -> Result<Value, Finding> {
    let lacking = |reason, why: String| kind.unavailable(FetchFailure::new(reason, why));
    *left = left.checked_sub(values(text)).ok_or_else(|| {
        let why = format!("the asset's documents have more than {VALUES_MAX} values together");
        lacking("too-large", why)
    })?;
    let value = json(text)
        .map_err(|error| lacking("not-json", format!("it is not valid JSON: {error}")))?;
    let short = match kind {
        Kind::Metadata => has_short_paths(&value),
        Kind::Evidence => proves_short_paths(&value),
        Kind::Schema => true,
    };
    if short {
        return Ok(value);
    }
    let why = format!("the path to one of its values is longer than {PATH_MAX} bytes");
    Err(lacking("path-too-long", why))
}
