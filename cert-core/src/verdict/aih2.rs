//! Integrity and expiry date from a report of AIH-2.

use alloc::vec::Vec;

use crate::aih2::Report;
use crate::json::path::PathStep;
use crate::verdict::expiry::Expiry;
use crate::verdict::findings::{Fault, Judged, is_of_asset};
use crate::verdict::integrity::worst;

/// Judges a report. `expiry` has the expiry fields of the schema. The asset is unchanged under these conditions:
///
/// - The evidence is sound and covers every value of the document.
/// - At least one value of the asset is proven.
/// - The document names this asset or no asset, and the evidence hides neither `ledgerId` nor `assetId`.
///
/// The verifier compares the ids if its caller names the asset.
#[must_use]
pub fn judged(mut expiry: Expiry, report: &Report) -> Judged {
    for entry in &report.entries {
        expiry.add_proven(entry.path.steps(), Some(&entry.value));
    }
    let mut faults = Vec::new();
    if report.errors.is_empty() && !proves(report) {
        faults.push(Fault::NothingProven);
    }
    let problems = report.errors.iter().map(|problem| problem.code.as_str());
    Judged {
        integrity: worst(problems.chain(faults.iter().map(|fault| fault.as_str()))),
        expires_at: expiry.at(),
        faults,
    }
}

/// Returns true if the evidence proves a value of the asset, or that a list is empty. An object without shown values proves nothing. The verifier has
/// the same rule, but applies it only if its caller names the asset.
fn proves(report: &Report) -> bool {
    let empty = report.lists.iter().filter(|list| list.length == Some(0));
    let mut proven = report
        .entries
        .iter()
        .map(|entry| &entry.path)
        .chain(empty.map(|list| &list.path));
    // A report without some of its findings has many of them.
    report.omitted.entries > 0
        || report.omitted.lists > 0
        || proven.any(|path| is_of_asset(path.steps().first().map(PathStep::as_step)))
}
