//! Judges evidence of AIH-2.

use cert_core::aih2::{Cert, ListFinding, Problem, Status};
use cert_core::{ErrorCode, Value};
use order_core::Imprint;

use super::values::Values;
use super::{Imprints, in_metadata, nothing_proven, schema_not_usable};
use crate::api::{BadgeDetails, BadgeList, ValueStatus};
use crate::badge::bounds::HASHES_MAX;
use crate::badge::expiry::Expiry;
use crate::badge::subject::Subject;
use crate::badge::verdict::{Against, Finding, Outcome};

/// Maximum number of lists in a report.
const LISTS_MAX: usize = 100;

/// Judges metadata with evidence of AIH-2 under the ledger's imprints. If the evidence belongs to an earlier imprint of the asset, the metadata is
/// judged under that imprint, and the outcome names it. The asset is valid under these conditions:
///
/// - The evidence is sound.
/// - The evidence covers every value of the metadata.
/// - At least one value of the asset is proven.
/// - The document names this asset or no asset, and the evidence hides neither `ledgerId` nor `assetId`.
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
    let mut earlier = None;
    let report = verify(imprints.current).and_then(|report| {
        let given = report.imprint.as_ref();
        earlier = imprints.earlier(given.map(|given| Imprint::from(*given.as_bytes())));
        match earlier {
            Some(earlier) => verify(earlier),
            None => Ok(report),
        }
    });
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            let message = format!("the evidence cannot be verified: {error}");
            let why = Finding::unavailable(error.code().as_str(), "evidence", message);
            return unchecked(Outcome::not_checked(why));
        }
    };
    let mut expiry = Expiry::of(schema);
    for entry in &report.entries {
        if expiry.names(entry.path.steps()) {
            expiry.add_proven(Some(&entry.value));
        }
    }
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
    let outcome = Outcome {
        expires_at: expiry.at(),
        earlier,
        ..against.into_outcome()
    };
    (outcome, details)
}

/// Returns the finding for a problem. `is_of_whole` is true if the evidence was refused as a whole.
fn finding(problem: &Problem, is_of_whole: bool) -> Finding {
    if problem.code == ErrorCode::NothingProven {
        return nothing_proven();
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
