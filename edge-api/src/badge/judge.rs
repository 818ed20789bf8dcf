//! From metadata, evidence, schema and imprint to a verdict. Pure.

use cert_core::{Cert, PathStep, ReasonCode, Status, Value};

use super::bounds::proofs;
use super::verdict::{Finding, Verdict};

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
    let report = match cert.verify(metadata, evidence, imprint) {
        Ok(report) => report,
        Err(error) => {
            let message = format!("the metadata cannot be verified: {error}");
            return Verdict::unknown(Finding::unavailable("not-verifiable", "metadata", message));
        }
    };
    // One reason against the whole evidence is behind everything that is not proven then.
    let whole = report.reasons.iter().map(|reason| {
        let proof = if reason.path.is_empty() {
            String::new()
        } else {
            format!(" (proof of `{}`)", reason.path)
        };
        let message = format!("{}{proof}", reason.code.message());
        Finding::against(reason.code.as_str(), "evidence".to_owned(), message)
    });
    let single = report.entries.iter().filter_map(|entry| {
        let reason = entry
            .reason
            .filter(|reason| *reason != ReasonCode::NotInSchema)?;
        Some(Finding::against(
            reason.as_str(),
            format!("metadata.{}", entry.path),
            reason.message().to_owned(),
        ))
    });
    let of_asset = |step: Option<&PathStep>| !matches!(step, Some(PathStep::Key(key)) if POINTERS.contains(&key.as_str()));
    let proves = report
        .entries
        .iter()
        .any(|entry| entry.status == Status::Proven && of_asset(entry.path.steps().first()));
    let nothing = || {
        let message =
            "no value of the asset is proven, only where its schema and evidence are".to_owned();
        Finding::against("nothing-proven", "metadata".to_owned(), message)
    };
    if !report.reasons.is_empty() {
        return Verdict::from_findings(whole);
    }
    let verdict = Verdict::from_findings(single);
    if verdict.findings.is_empty() && !proves {
        Verdict::from_findings([nothing()])
    } else {
        verdict
    }
}

/// Whether this is evidence at all, good or bad, and not some other JSON that a server gives instead.
fn is_evidence(value: &Value) -> bool {
    proofs(value).is_some_and(|list| list.iter().all(|proof| proof.as_object().is_some()))
}

#[cfg(test)]
mod tests;
