//! From metadata, evidence, schema and imprint to a verdict. Pure.

pub(super) mod aih2;

use cert_core::aih2::POINTERS;
use cert_core::{Cert, CertError, Finding as Judged, Path, PathStep, ReasonCode, Status, Value};

use super::bounds::proofs;
use super::verdict::{FINDINGS_MAX, Finding, Verdict};

/// The profile that evidence says it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    Aih1,
    Aih2,
    Unknown,
}

impl Profile {
    /// Evidence of AIH-1 does not say it.
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

/// Holds metadata against evidence of AIH-1 under the ledger's imprint (design: valid if the evidence's imprint is the
/// ledger's, something besides the pointers is proven, and nothing that the schema describes is uncovered).
pub(super) fn judge(schema: &Value, metadata: &Value, evidence: &Value, imprint: &str) -> Verdict {
    if !is_evidence(evidence) {
        return Verdict::unknown(Finding::unavailable(
            "evidence-malformed",
            "evidence",
            "the evidence is not an object with a list of proofs as its `data`".to_owned(),
        ));
    }
    let cert = match Cert::new(schema) {
        Ok(cert) => cert,
        Err(error) => return schema_not_usable(&error),
    };
    // Looks at each finding and keeps none: a report would be larger than the documents.
    let (mut against, mut proves) = (Vec::new(), false);
    let judgement = cert.judge(metadata, evidence, imprint, &mut |found: Judged<'_>| {
        proves |= found.status == Status::Proven && is_of_asset(found.path);
        let reason = found
            .reason
            .filter(|reason| *reason != ReasonCode::NotInSchema);
        if let Some(reason) = reason
            && against.len() < FINDINGS_MAX
        {
            let path = format!("metadata.{}", Path::from(found.path));
            let message = reason.message().to_owned();
            against.push(Finding::against(reason.as_str(), path, message));
        }
    });
    let judgement = match judgement {
        Ok(judgement) => judgement,
        Err(error) => {
            let message = format!("the metadata cannot be verified: {error}");
            return Verdict::unknown(Finding::unavailable("not-verifiable", "metadata", message));
        }
    };
    // One reason against the whole evidence is behind everything that is not proven then.
    let whole = judgement.reasons.iter().map(|reason| {
        let proof = if reason.path.is_empty() {
            String::new()
        } else {
            format!(" (proof of `{}`)", reason.path)
        };
        let message = format!("{}{proof}", reason.code.message());
        Finding::against(reason.code.as_str(), "evidence".to_owned(), message)
    });
    if !judgement.reasons.is_empty() {
        return Verdict::from_findings(whole);
    }
    if against.is_empty() && !proves {
        against.push(nothing_proven());
    }
    Verdict::from_findings(against)
}

fn schema_not_usable(error: &CertError) -> Verdict {
    let message = format!("the schema cannot be used: {error}");
    Verdict::unknown(Finding::unavailable("schema-not-usable", "schema", message))
}

fn nothing_proven() -> Finding {
    let message = "no value of the asset is proven, only where its schema and evidence are";
    Finding::against("nothing-proven", "metadata".to_owned(), message.to_owned())
}

/// Whether a value belongs to the asset. Pointers say where to look, not what the asset is: proving them alone proves nothing about it.
fn is_of_asset(path: &[PathStep]) -> bool {
    !matches!(path.first(), Some(PathStep::Key(key)) if POINTERS.contains(&key.as_str()))
}

/// Whether this is evidence at all, good or bad, and not some other JSON that a server gives instead.
fn is_evidence(value: &Value) -> bool {
    proofs(value).is_some_and(|list| list.iter().all(|proof| proof.as_object().is_some()))
}

#[cfg(test)]
mod tests;
