//! From metadata, evidence, schema and imprint to a verdict. Pure.

use cert_core::{Cert, Finding as Judged, Path, PathStep, ReasonCode, Status, Value};

use super::bounds::proofs;
use super::verdict::{FINDINGS_MAX, Finding, Verdict};

/// Keys that say where to look, not what the asset is: proving them alone proves nothing about it.
const POINTERS: [&str; 2] = ["$schema", "$evidence"];

/// Holds metadata against evidence under the ledger's imprint (design: valid if the evidence's imprint is the
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
        Err(error) => {
            let message = format!("the schema cannot be used: {error}");
            return Verdict::unknown(Finding::unavailable("schema-not-usable", "schema", message));
        }
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
        let message =
            "no value of the asset is proven, only where its schema and evidence are".to_owned();
        against.push(Finding::against(
            "nothing-proven",
            "metadata".to_owned(),
            message,
        ));
    }
    Verdict::from_findings(against)
}

/// Whether a value belongs to the asset, rather than pointing to its schema or evidence.
fn is_of_asset(path: &[PathStep]) -> bool {
    !matches!(path.first(), Some(PathStep::Key(key)) if POINTERS.contains(&key.as_str()))
}

/// Whether this is evidence at all, good or bad, and not some other JSON that a server gives instead.
fn is_evidence(value: &Value) -> bool {
    proofs(value).is_some_and(|list| list.iter().all(|proof| proof.as_object().is_some()))
}

#[cfg(test)]
mod tests;
