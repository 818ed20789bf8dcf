//! Integrity and expiry date from the findings about a document with evidence of AIH-1.

use alloc::vec::Vec;

use crate::aih2::{Asset, POINTERS};
use crate::json::path::{PathStep, Step};
use crate::json::value::Value;
use crate::verdict::expiry::Expiry;
use crate::verdict::integrity::{Integrity, worst};
use crate::verify::judge::Finding;
use crate::verify::report::{Reason, ReasonCode, Status};

/// The members of a document that name the asset for which the document was certified.
const IDS: [&str; 2] = ["ledgerId", "assetId"];

/// The result of judging the documents of an asset. It depends on neither time nor issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether the values were certified for the asset.
    pub integrity: Integrity,
    /// The time from which the certificate counts as expired, in milliseconds since 1970, if the evidence proves an expiry date.
    pub expires_at: Option<u64>,
    /// The faults of the document as a whole. The findings about its values do not have them.
    pub faults: Vec<Fault>,
}

/// A fault of a document as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The proven value of this member, `ledgerId` or `assetId`, names another asset. The imprint was copied from that asset.
    OtherAsset(&'static str),
    /// No value of the asset is proven, only the addresses of its schema and evidence.
    NothingProven,
}

impl Fault {
    /// Returns the code of the fault, as the report of AIH-2 has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OtherAsset(_) => "asset-mismatch",
            Self::NothingProven => "nothing-proven",
        }
    }
}

/// Collects the findings about the values of a document with evidence of AIH-1. The asset is unchanged under these conditions:
///
/// - The evidence is sound and has the imprint.
/// - Every value of the document that the schema describes is proven.
/// - At least one of the proven values is not a pointer (`$schema`, `$evidence`).
/// - If a proven `ledgerId` is an address, this `ledgerId` and a proven `assetId` name the asset.
///
/// A hidden `ledgerId` or `assetId` is accepted. Refusing hidden ids would not help: an imprint of AIH-1 does not fix the names of properties, so a
/// copy could rename them.
#[derive(Debug)]
pub struct Findings<'d> {
    document: &'d Value,
    expiry: Expiry,
    worst: Integrity,
    proves: bool,
    /// The proven values of the `IDS`.
    ids: [Option<&'d Value>; 2],
}

impl<'d> Findings<'d> {
    /// Starts without findings. `expiry` has the expiry fields of the schema.
    #[must_use]
    pub const fn new(expiry: Expiry, document: &'d Value) -> Self {
        Self {
            document,
            expiry,
            worst: Integrity::Unchanged,
            proves: false,
            ids: [None, None],
        }
    }

    /// Adds the finding about a value. Returns the reason if the finding counts against the asset.
    pub fn add(&mut self, finding: &Finding<'_>) -> Option<ReasonCode> {
        if finding.status == Status::Proven {
            self.add_proven(finding.path);
        }
        // A value that the schema does not describe is not part of the certificate.
        let reason = finding
            .reason
            .filter(|reason| *reason != ReasonCode::NotInSchema)?;
        self.worst = self.worst.max(Integrity::of_reason(reason.as_str()));
        Some(reason)
    }

    fn add_proven(&mut self, path: &[PathStep]) {
        self.proves |= is_of_asset(path.first().map(PathStep::as_step));
        self.expiry.add_proven(path, at(self.document, path));
        if let [PathStep::Key(key)] = path {
            for (name, id) in IDS.iter().zip(&mut self.ids) {
                if key.as_str() == *name {
                    *id = at(self.document, path);
                }
            }
        }
    }

    /// Returns the result. `reasons` are those against the evidence as a whole. They also explain all unproven values, so they count instead of them.
    /// Without an `asset`, the document's ids are not compared.
    #[must_use]
    pub fn finish(self, reasons: &[Reason], asset: Option<&Asset>) -> Judged {
        let mut judged = Judged {
            integrity: self.worst,
            expires_at: self.expiry.at(),
            faults: Vec::new(),
        };
        if !reasons.is_empty() {
            judged.integrity = worst(reasons.iter().map(|reason| reason.code.as_str()));
            judged.expires_at = None;
        } else if judged.integrity == Integrity::Unchanged {
            judged.faults = self.faults(asset);
            judged.integrity = worst(judged.faults.iter().map(|fault| fault.as_str()));
        }
        judged
    }

    fn faults(&self, asset: Option<&Asset>) -> Vec<Fault> {
        let [ledger, id] = self.ids;
        let differences = asset.map(|asset| asset.differences(ledger, id));
        let differs = differences.map_or([false; 2], |found| [found.ledger, found.id]);
        let mut faults = Vec::new();
        for (name, differs) in IDS.into_iter().zip(differs) {
            if differs {
                faults.push(Fault::OtherAsset(name));
            }
        }
        if faults.is_empty() && !self.proves {
            faults.push(Fault::NothingProven);
        }
        faults
    }
}

/// Returns true if a value with this first step describes the asset. Pointers only locate documents, so proving only pointers proves nothing about
/// the asset.
pub(super) fn is_of_asset(first: Option<Step<'_>>) -> bool {
    !matches!(first, Some(Step::Key(key)) if POINTERS.contains(&key))
}

/// Returns the value at a path of keys. `None` if there is no such value, or if the path contains an index.
fn at<'v>(document: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(document, |value, step| match step {
        PathStep::Key(key) => value.as_object()?.get(key),
        PathStep::Index(_) => None,
    })
}
