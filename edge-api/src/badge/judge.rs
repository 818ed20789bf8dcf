//! Judges whether the evidence proves the metadata under the schema and the imprint. Has no side effects. See
//! `docs/decisions/0034-verdict.md`.

pub(super) mod aih2;
mod values;

use std::convert::Infallible;

use cert_core::verdict::{Expiry, Fault, Findings, under_known};
use cert_core::{Cert, CertError, Finding as Found, Path, Reason, ReasonCode, Status, Value};
use order_core::Imprint;

use self::values::Values;
use super::bounds::proofs;
use super::subject::Subject;
use super::verdict::{Against, Finding, Outcome};
use crate::api::{BadgeDetails, ValueStatus};
use crate::ledger::projection::PastImprint;

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
    /// Judges under the current imprint, or under the earlier one that the evidence has. The outcome names that imprint.
    fn judged<E>(
        &self,
        mut judge: impl FnMut(&Imprint) -> Result<((Outcome, BadgeDetails), Option<Imprint>), E>,
    ) -> Result<(Outcome, BadgeDetails), E> {
        let is_earlier = |given: &Imprint| self.past.iter().any(|past| past.imprint == *given);
        let ((outcome, details), earlier) = under_known(&self.current, is_earlier, &mut judge)?;
        Ok((Outcome { earlier, ..outcome }, details))
    }
}

/// Judges metadata with evidence of AIH-1 under the ledger's imprints. [`Findings`] has the conditions of a valid asset.
pub(super) fn judge(
    schema: &Value,
    metadata: &Value,
    evidence: &Value,
    imprints: &Imprints<'_>,
    subject: &Subject,
) -> (Outcome, BadgeDetails) {
    let Ok(judged) = imprints.judged(|imprint| {
        let judged = judge_under(schema, metadata, evidence, &imprint.to_string(), subject);
        Ok::<_, Infallible>(judged)
    });
    judged
}

/// Judges metadata with evidence of AIH-1 under one imprint. Also returns the imprint that the evidence has, or `None` if the documents could not be
/// checked or the evidence has no imprint.
fn judge_under(
    schema: &Value,
    metadata: &Value,
    evidence: &Value,
    imprint: &str,
    subject: &Subject,
) -> ((Outcome, BadgeDetails), Option<Imprint>) {
    let unchecked = |outcome| ((outcome, BadgeDetails::default()), None);
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
    let (mut against, mut values) = (Against::default(), Values::default());
    let mut findings = Findings::new(Expiry::of(schema), metadata);
    let judgement = cert.judge(metadata, evidence, imprint, &mut |found: Found<'_>| {
        values.add(
            found.path,
            status_of(found.status),
            found.reason.map(ReasonCode::as_str),
        );
        if let Some(reason) = findings.add(&found) {
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
    let judged = findings.finish(&judgement.reasons, Some(&subject.named()));
    // A reason against the whole evidence also explains all unproven values, so it is reported instead of them.
    if !judgement.reasons.is_empty() {
        against = Against::default();
    }
    for reason in &judgement.reasons {
        against.add(reason.code.as_str(), || against_whole(reason));
    }
    for fault in &judged.faults {
        against.add(fault.as_str(), || against_document(*fault));
    }
    let given = judgement.imprint.and_then(|text| text.parse().ok());
    (
        (against.into_outcome(&judged), values.into_details()),
        given,
    )
}

/// Returns the finding for a reason against the evidence as a whole.
fn against_whole(reason: &Reason) -> Finding {
    let proof = match reason.path.is_empty() {
        true => String::new(),
        false => format!(" (proof of `{}`)", reason.path),
    };
    let message = format!("{}{proof}", reason.code.message());
    Finding::against(reason.code.as_str(), "evidence".to_owned(), message)
}

/// Returns the finding for a fault of the document as a whole.
fn against_document(fault: Fault) -> Finding {
    let (path, message) = match fault {
        Fault::OtherAsset(name) => (
            format!("metadata.{name}"),
            "the document was certified for another asset than this one",
        ),
        Fault::NothingProven => (
            "metadata".to_owned(),
            "no value of the asset is proven, only the addresses of its schema and evidence",
        ),
    };
    Finding::against(fault.as_str(), path, message.to_owned())
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

fn schema_not_usable(error: &CertError) -> Outcome {
    let message = format!("the schema cannot be used: {error}");
    Outcome::not_checked(Finding::unavailable("schema-not-usable", "schema", message))
}

/// Returns true if JSON from a server has the form of AIH-1 evidence, whether the evidence is valid or not.
fn is_evidence(value: &Value) -> bool {
    proofs(value).is_some_and(|list| list.iter().all(|proof| proof.as_object().is_some()))
}

#[cfg(test)]
mod tests;
