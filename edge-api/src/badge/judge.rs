//! Judges whether the evidence proves the metadata under the schema and the imprint. Has no side effects. See
//! `docs/decisions/0034-verdict.md`.

pub(super) mod aih2;
mod values;

use cert_core::aih2::POINTERS;
use cert_core::{Cert, CertError, Finding as Judged, Path, PathStep, ReasonCode, Status, Value};
use order_core::Imprint;

use self::values::Values;
use super::bounds::proofs;
use super::expiry::Expiry;
use super::subject::Subject;
use super::verdict::{Against, Finding, Outcome};
use crate::api::{BadgeDetails, ValueStatus};
use crate::ledger::projection::PastImprint;

/// Members of a document that name the asset for which the document was certified.
const LEDGER_ID: &str = "ledgerId";
const ASSET_ID: &str = "assetId";

/// The profile that evidence declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    Aih1,
    Aih2,
    Unknown,
}

impl Profile {
    /// Returns the profile that the evidence declares. Evidence without a declaration is of AIH-1.
    pub(super) fn of(evidence: &Value) -> Self {
        let profile = evidence
            .as_object()
            .and_then(|object| object.get("profile"));
        match profile.map(Value::as_str) {
            None => Self::Aih1,
            Some(Some(cert_core::aih2::PROFILE)) => Self::Aih2,
            Some(_) => Self::Unknown,
        }
    }
}

/// The current imprint of an asset, and its earlier imprints.
#[derive(Clone, Copy)]
pub(super) struct Imprints<'a> {
    pub(super) current: Imprint,
    pub(super) past: &'a [PastImprint],
}

impl Imprints<'_> {
    /// Returns the evidence's imprint `given` if it is an earlier imprint of this asset, otherwise `None`.
    fn earlier(&self, given: Option<Imprint>) -> Option<Imprint> {
        given.filter(|given| {
            *given != self.current && self.past.iter().any(|past| past.imprint == *given)
        })
    }
}

/// Judges metadata with evidence of AIH-1 under the ledger's imprints. If the evidence belongs to an earlier imprint of the asset, the metadata
/// is judged under that imprint, and the outcome names it.
pub(super) fn judge(
    schema: &Value,
    metadata: &Value,
    evidence: &Value,
    imprints: &Imprints<'_>,
    subject: &Subject,
) -> (Outcome, BadgeDetails) {
    let under = |imprint: Imprint| {
        let imprint = imprint.to_string();
        judge_under(schema, metadata, evidence, &imprint, subject)
    };
    let (outcome, details, given) = under(imprints.current);
    let Some(earlier) = imprints.earlier(given) else {
        return (outcome, details);
    };
    let (outcome, details, _) = under(earlier);
    let earlier = Some(earlier);
    (Outcome { earlier, ..outcome }, details)
}

/// Judges metadata with evidence of AIH-1 under one imprint. Also returns the imprint that the evidence has,
/// or `None` if the documents could not be checked or the evidence has no imprint. The asset is valid under these conditions:
///
/// - The evidence is sound and has this imprint.
/// - Every value of the metadata that the schema describes is proven.
/// - At least one of the proven values is not a pointer (`$schema`, `$evidence`).
/// - If a proven `ledgerId` is an address, this `ledgerId` and a proven `assetId` name this asset.
///
/// A hidden `ledgerId` or `assetId` is accepted. Refusing hidden ids would not help: an imprint of AIH-1 does not fix
/// the names of properties, so a copy could rename them.
fn judge_under(
    schema: &Value,
    metadata: &Value,
    evidence: &Value,
    imprint: &str,
    subject: &Subject,
) -> (Outcome, BadgeDetails, Option<Imprint>) {
    let unchecked = |outcome| (outcome, BadgeDetails::default(), None);
    if !is_evidence(evidence) {
        return unchecked(Outcome::not_checked(Finding::unavailable(
            "evidence-malformed",
            "evidence",
            "the evidence is not an object with a list of proofs as its `data`".to_owned(),
        )));
    }
    let cert = match Cert::new(schema) {
        Ok(cert) => cert,
        Err(error) => return unchecked(schema_not_usable(&error)),
    };
    // Only a few findings are stored, because a report of all findings could be larger than the documents.
    let (mut against, mut values, mut proves) = (Against::default(), Values::default(), false);
    let (mut ledger, mut asset) = (None, None);
    let mut expiry = Expiry::of(schema);
    let judgement = cert.judge(metadata, evidence, imprint, &mut |found: Judged<'_>| {
        let is_proven = found.status == Status::Proven;
        proves |= is_proven && is_of_asset(found.path);
        values.add(
            found.path,
            status_of(found.status),
            found.reason.map(ReasonCode::as_str),
        );
        if is_proven && expiry.names(found.path) {
            expiry.add_proven(at(metadata, found.path));
        }
        match found.path {
            [PathStep::Key(key)] if is_proven && *key == *LEDGER_ID => {
                ledger = at(metadata, found.path)
            }
            [PathStep::Key(key)] if is_proven && *key == *ASSET_ID => {
                asset = at(metadata, found.path)
            }
            _ => {}
        }
        if let Some(reason) = found.reason
            && reason != ReasonCode::NotInSchema
        {
            against.add(reason.as_str(), || {
                let path = in_metadata(&Path::from(found.path));
                Finding::against(reason.as_str(), path, reason.message().to_owned())
            });
        }
    });
    let judgement = match judgement {
        Ok(judgement) => judgement,
        Err(error) => {
            let message = format!("the metadata cannot be verified: {error}");
            let why = Finding::unavailable("not-verifiable", "metadata", message);
            return unchecked(Outcome::not_checked(why));
        }
    };
    let given = judgement.imprint.and_then(|text| text.parse().ok());
    let details = values.into_details();
    // A reason against the whole evidence also explains all unproven values, so it is reported instead of them.
    if !judgement.reasons.is_empty() {
        let mut whole = Against::default();
        for reason in &judgement.reasons {
            let proof = if reason.path.is_empty() {
                String::new()
            } else {
                format!(" (proof of `{}`)", reason.path)
            };
            let message = format!("{}{proof}", reason.code.message());
            whole.add(reason.code.as_str(), || {
                Finding::against(reason.code.as_str(), "evidence".to_owned(), message)
            });
        }
        return (whole.into_outcome(), details, given);
    }
    if against.is_empty() {
        for finding in elsewhere(ledger, asset, subject) {
            against.push(finding);
        }
    }
    if against.is_empty() && !proves {
        against.push(nothing_proven());
    }
    let outcome = Outcome {
        expires_at: expiry.at(),
        ..against.into_outcome()
    };
    (outcome, details, given)
}

/// Returns the value at a path of keys. `None` if there is no such value, or if the path contains an index.
fn at<'v>(metadata: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(metadata, |value, step| match step {
        PathStep::Key(key) => value.as_object()?.get(key),
        PathStep::Index(_) => None,
    })
}

/// Returns the path of a value for reports: `metadata.holder.name`, or `metadata` for the document as a whole.
fn in_metadata(path: &Path) -> String {
    match path.is_empty() {
        true => "metadata".to_owned(),
        false => format!("metadata.{path}"),
    }
}

const fn status_of(status: Status) -> ValueStatus {
    match status {
        Status::Proven => ValueStatus::Proven,
        Status::NotProven => ValueStatus::NotProven,
        Status::NotCovered => ValueStatus::NotCovered,
    }
}

/// Returns a finding for each of the proven `ledgerId` and `assetId` that names another asset. The imprint was then copied
/// from that asset.
fn elsewhere(ledger: Option<&Value>, asset: Option<&Value>, subject: &Subject) -> Vec<Finding> {
    let differences = subject.named().differences(ledger, asset);
    let differs = [(LEDGER_ID, differences.ledger), (ASSET_ID, differences.id)];
    let differing = differs.into_iter().filter(|(_, differs)| *differs);
    let found = differing.map(|(name, _)| {
        let message = "the document was certified for another asset than this one";
        let path = format!("metadata.{name}");
        Finding::against("asset-mismatch", path, message.to_owned())
    });
    found.collect()
}

fn schema_not_usable(error: &CertError) -> Outcome {
    let message = format!("the schema cannot be used: {error}");
    Outcome::not_checked(Finding::unavailable("schema-not-usable", "schema", message))
}

fn nothing_proven() -> Finding {
    let message = "no value of the asset is proven, only the addresses of its schema and evidence";
    Finding::against("nothing-proven", "metadata".to_owned(), message.to_owned())
}

/// Returns true if a value describes the asset. Pointers only locate documents, so proving only pointers proves nothing about the asset.
fn is_of_asset(path: &[PathStep]) -> bool {
    !matches!(path.first(), Some(PathStep::Key(key)) if POINTERS.contains(&key.as_str()))
}

/// Returns true if JSON from a server has the form of AIH-1 evidence, whether the evidence is valid or not.
fn is_evidence(value: &Value) -> bool {
    proofs(value).is_some_and(|list| list.iter().all(|proof| proof.as_object().is_some()))
}

#[cfg(test)]
mod tests;
