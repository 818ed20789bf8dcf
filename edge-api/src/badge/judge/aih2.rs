//! Evidence of AIH-2.

use cert_core::aih2::{Cert, ListFinding, Problem, Report};
use cert_core::{Path, PathStep, Value};
use order_core::{Address, AssetId};

use super::{is_of_asset, nothing_proven, schema_not_usable};
use crate::api::BadgeList;
use crate::badge::bounds::HASHES_MAX;
use crate::badge::subject::Subject;
use crate::badge::verdict::{Finding, Verdict};

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
) -> (Verdict, Vec<BadgeList>) {
    let cert = match Cert::new(schema) {
        Ok(cert) => cert.with_most_work(HASHES_MAX),
        Err(error) => return (schema_not_usable(&error), Vec::new()),
    };
    let document = cert.without_pointers(metadata);
    let report = match cert.verify(Some(&document), evidence, imprint) {
        Ok(report) => report,
        Err(error) => {
            let message = format!("the evidence cannot be verified: {error}");
            let why = Finding::unavailable(error.code().as_str(), "evidence", message);
            return (Verdict::unknown(why), Vec::new());
        }
    };
    let mut against: Vec<Finding> = report
        .errors
        .iter()
        .map(|problem| finding(problem, report.imprint.is_none()))
        .collect();
    if against.is_empty() {
        against.extend(elsewhere(&report, subject));
    }
    if against.is_empty() && !proves(&report) {
        against.push(nothing_proven());
    }
    let lists = report.lists.iter().take(LISTS_MAX).map(list).collect();
    (Verdict::from_findings(against), lists)
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

/// The reasons why a proven `ledgerId` and `assetId` are not those of the asset: its imprint was copied from another one.
///
/// Both are compared where `ledgerId` is the address of a ledger; without one the names may mean something else.
fn elsewhere(report: &Report, subject: &Subject) -> Vec<Finding> {
    let named = |name: &str| {
        let is_it = |path: &Path| matches!(path.steps(), [PathStep::Key(key)] if *key == *name);
        let entry = report.entries.iter().find(|entry| is_it(&entry.path))?;
        entry.value.as_str()
    };
    let Some(ledger) = named("ledgerId").and_then(|text| text.parse::<Address>().ok()) else {
        return Vec::new();
    };
    let asset = named("assetId").map(str::parse::<AssetId>);
    let differs = [
        ("ledgerId", ledger != subject.ledger),
        (
            "assetId",
            asset.is_some_and(|asset| asset != Ok(subject.asset)),
        ),
    ];
    let differing = differs.into_iter().filter(|(_, differs)| *differs);
    let found = differing.map(|(name, _)| {
        let message = "the document was certified for another asset than this one";
        Finding::against(
            "asset-differs",
            format!("metadata.{name}"),
            message.to_owned(),
        )
    });
    found.collect()
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
