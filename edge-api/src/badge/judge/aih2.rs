//! Evidence of AIH-2.

use cert_core::aih2::{Cert, ListFinding, Problem, Report};
use cert_core::{ErrorCode, Path, PathStep, Value};

use super::values::Values;
use super::{ASSET_ID, LEDGER_ID, elsewhere, is_of_asset, nothing_proven, schema_not_usable};
use crate::api::{BadgeDetails, BadgeList, ValueStatus};
use crate::badge::bounds::HASHES_MAX;
use crate::badge::subject::Subject;
use crate::badge::verdict::{Against, Finding, Verdict};

/// Lists that a report tells of at most.
const LISTS_MAX: usize = 100;

/// Holds metadata against evidence under the ledger's imprint: valid if the evidence is sound, nothing that is shown is uncovered, a value
/// of the asset is proven, and no other ledger or asset is named by it.
pub(in crate::badge) fn judge(
    schema: &Value,
    metadata: Value,
    evidence: &Value,
    imprint: &str,
    subject: &Subject,
) -> (Verdict, BadgeDetails) {
    let unchecked = |verdict| (verdict, BadgeDetails::default());
    let cert = match Cert::new(schema) {
        Ok(cert) => cert.with_most_work(HASHES_MAX),
        Err(error) => return unchecked(schema_not_usable(&error)),
    };
    let document = cert.without_pointers(metadata);
    let report = match cert.verify(Some(&document), evidence, imprint) {
        Ok(report) => report,
        Err(error) => {
            let message = format!("the evidence cannot be verified: {error}");
            let why = Finding::unavailable(error.code().as_str(), "evidence", message);
            return unchecked(Verdict::unknown(why));
        }
    };
    let mut against = Against::default();
    for problem in &report.errors {
        against.add(problem.code.as_str(), || {
            finding(problem, report.imprint.is_none())
        });
    }
    if against.is_empty() {
        for finding in elsewhere(shown(&report, LEDGER_ID), shown(&report, ASSET_ID), subject) {
            against.push(finding);
        }
    }
    if against.is_empty() && !proves(&report) {
        against.push(nothing_proven());
    }
    let mut values = Values::default();
    for entry in &report.entries {
        values.add(entry.path.steps(), ValueStatus::Proven, None);
    }
    for problem in &report.errors {
        let status = match problem.code {
            ErrorCode::NotCovered | ErrorCode::NotInSchema => ValueStatus::NotCovered,
            _ => ValueStatus::NotProven,
        };
        values.add(problem.path.steps(), status, Some(problem.code.as_str()));
    }
    let details = BadgeDetails {
        lists: report.lists.iter().take(LISTS_MAX).map(list).collect(),
        ..values.into_details()
    };
    (against.into_verdict(), details)
}

/// The text of a proven member of the document.
fn shown<'r>(report: &'r Report, name: &str) -> Option<&'r str> {
    let is_it = |path: &Path| matches!(path.steps(), [PathStep::Key(key)] if *key == *name);
    let entry = report.entries.iter().find(|entry| is_it(&entry.path))?;
    entry.value.as_str()
}

/// A reason against the evidence as a whole, wherever in it, or against a place of the metadata.
fn finding(problem: &Problem, is_of_whole: bool) -> Finding {
    let (reason, message) = (problem.code.as_str(), problem.message());
    if problem.path.is_empty() {
        return Finding::against(reason, "evidence".to_owned(), message.to_owned());
    }
    if is_of_whole {
        let message = format!("{message} (at `{}`)", problem.path);
        return Finding::against(reason, "evidence".to_owned(), message);
    }
    let path = format!("metadata.{}", problem.path);
    Finding::against(reason, path, message.to_owned())
}

/// Whether anything is proven of the asset: a value, or that a list is empty.
fn proves(report: &Report) -> bool {
    let values = report.entries.iter().map(|entry| &entry.path);
    let lists = report.lists.iter().filter(|list| list.length == Some(0));
    let mut paths = values.chain(lists.map(|list| &list.path));
    paths.any(|path| is_of_asset(path.steps()))
}

fn list(finding: &ListFinding) -> BadgeList {
    BadgeList {
        path: format!("metadata.{}", finding.path),
        at_most: finding.at_most,
        length: finding.length,
        complete: finding.complete,
        message: finding.to_string(),
    }
}
