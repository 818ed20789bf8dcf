//! Judges evidence of AIH-2.

use cert_core::aih2::{Cert, ListFinding, Problem, Report, Status};
use cert_core::verdict::{self, Expiry, Fault};
use cert_core::{CertError, ErrorCode, Value};
use order_core::Imprint;

use super::values::Values;
use super::{Imprints, against_document, in_metadata, schema_not_usable};
use crate::api::{BadgeDetails, BadgeList, ValueStatus};
use crate::badge::bounds::HASHES_MAX;
use crate::badge::subject::Subject;
use crate::badge::verdict::{Against, Finding, Outcome};

/// Maximum number of lists in a report.
const LISTS_MAX: usize = 100;

/// Judges metadata with evidence of AIH-2 under the ledger's imprints. [`verdict::aih2::judged`] has the conditions of a valid asset.
pub(in crate::badge) fn judge(
    schema: &Value,
    metadata: Value,
    evidence: &Value,
    imprints: &Imprints<'_>,
    subject: &Subject,
) -> (Outcome, BadgeDetails) {
    let unchecked = |outcome| (outcome, BadgeDetails::default());
    let cert = match Cert::new(schema) {
        Ok(cert) => cert.with_most_work(HASHES_MAX),
        Err(error) => return unchecked(schema_not_usable(&error)),
    };
    let document = cert.without_pointers(metadata);
    let asset = subject.named();
    let verify = |imprint: Imprint| {
        let imprint = imprint.to_string();
        cert.verify_asset(Some(&document), evidence, &imprint, &asset)
    };
    let judged = imprints.judged(|imprint| {
        let report = verify(*imprint)?;
        let given = report.imprint.as_ref();
        let given = given.map(|given| Imprint::from(*given.as_bytes()));
        Ok((found(schema, &report), given))
    });
    judged.unwrap_or_else(|error: CertError| {
        let message = format!("the evidence cannot be verified: {error}");
        let why = Finding::unavailable(error.code().as_str(), "evidence", message);
        unchecked(Outcome::not_checked(why))
    })
}

/// Returns the outcome of a report, and its details.
fn found(schema: &Value, report: &Report) -> (Outcome, BadgeDetails) {
    let mut against = Against::default();
    for problem in &report.errors {
        against.add(problem.code.as_str(), || {
            finding(problem, report.imprint.is_none())
        });
    }
    let mut values = Values::default();
    // The reason for every value with the status `NotProven`, which means that the evidence was refused as a whole.
    let refused = report.errors.first().map(|problem| problem.code.as_str());
    for shown in &report.shown {
        let (status, reason) = match shown.status {
            Status::Proven => (ValueStatus::Proven, None),
            Status::Changed => (ValueStatus::NotProven, Some("value-mismatch")),
            Status::NotCovered => (ValueStatus::NotCovered, Some("not-covered")),
            Status::NotInSchema => (ValueStatus::NotCovered, Some("not-in-schema")),
            Status::NotProven => (ValueStatus::NotProven, refused),
        };
        values.add(shown.path.steps(), status, reason);
    }
    values.omit(report.omitted.shown);
    let details = BadgeDetails {
        lists: report.lists.iter().take(LISTS_MAX).map(list).collect(),
        ..values.into_details()
    };
    let judged = verdict::aih2::judged(Expiry::of(schema), report);
    for fault in &judged.faults {
        against.add(fault.as_str(), || against_document(*fault));
    }
    (against.into_outcome(&judged), details)
}

/// Returns the finding for a problem. `is_of_whole` is true if the evidence was refused as a whole.
fn finding(problem: &Problem, is_of_whole: bool) -> Finding {
    if problem.code == ErrorCode::NothingProven {
        return against_document(Fault::NothingProven);
    }
    let (reason, message) = (problem.code.as_str(), problem.message());
    if problem.path.is_empty() {
        return Finding::against(reason, "evidence".to_owned(), message.to_owned());
    }
    if is_of_whole {
        let message = format!("{message} (at `{}`)", problem.path);
        return Finding::against(reason, "evidence".to_owned(), message);
    }
    Finding::against(reason, in_metadata(&problem.path), message.to_owned())
}

fn list(finding: &ListFinding) -> BadgeList {
    BadgeList {
        path: in_metadata(&finding.path),
        at_most: finding.at_most,
        length: finding.length,
        complete: finding.complete,
        message: finding.to_string(),
    }
}
