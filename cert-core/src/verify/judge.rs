//! Turns the verdicts of a walk along the data into a judgement, with or without a report.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::aih1::connect::ProofId;
use crate::json::path::{Path, PathStep, path_bytes};
use crate::json::value::Value;
use crate::verify::cover::{Verdict, Visitor};
use crate::verify::proven::Proven;
use crate::verify::report::{
    Entry, MAX_ENTRIES, MAX_PATH_BYTES, Omitted, Reason, ReasonCode, Status,
};

/// The finding about one value of the data, as [`Cert::judge`](crate::Cert::judge) passes it to its callback.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'f> {
    /// The path of the value.
    pub path: &'f [PathStep],
    /// The status of the value.
    pub status: Status,
    /// The reason why the value is not proven; `None` for a proven value.
    pub reason: Option<ReasonCode>,
}

/// The result of [`Cert::judge`](crate::Cert::judge): a [`Report`](crate::Report) without the parts that grow with the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// True if the evidence was accepted and proves every value of the data that the schema describes. In this case, `calculate` returns
    /// the expected imprint.
    pub valid: bool,
    /// The imprint computed from the evidence. `None` if the evidence was refused before its imprint was computed.
    pub imprint: Option<String>,
    /// The reasons why the evidence as a whole was not accepted; empty if it was accepted.
    pub reasons: Vec<Reason>,
}

/// Returns the status and the reason for a verdict. `refused` is the reason why the evidence as a whole proves nothing.
fn judged(verdict: Verdict, refused: Option<ReasonCode>) -> (Status, Option<ReasonCode>) {
    match (verdict, refused) {
        (Verdict::Unstated(code), _) => (Status::NotCovered, Some(code)),
        (Verdict::Contradicted(code), _) => (Status::NotProven, Some(code)),
        (Verdict::Proven | Verdict::Uncovered, Some(code)) => (Status::NotProven, Some(code)),
        (Verdict::Proven, None) => (Status::Proven, None),
        (Verdict::Uncovered, None) => (Status::NotCovered, Some(ReasonCode::NotCovered)),
    }
}

/// Returns true if a value with this verdict does not make the document invalid.
fn is_harmless(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Proven | Verdict::Unstated(_))
}

/// Passes each finding to a callback and stores none.
pub(crate) struct JudgeEach<'t> {
    pub(crate) refused: Option<ReasonCode>,
    pub(crate) valid: bool,
    pub(crate) each: &'t mut dyn FnMut(Finding<'_>),
}

impl Visitor for JudgeEach<'_> {
    fn value(&mut self, path: &[PathStep], _: &Value, verdict: Verdict) -> ControlFlow<()> {
        let (status, reason) = judged(verdict, self.refused);
        self.valid &= is_harmless(verdict);
        (self.each)(Finding {
            path,
            status,
            reason,
        });
        ControlFlow::Continue(())
    }
}

/// Builds a report: its entries, lists and proven part. Passes each finding to a callback, too.
pub(crate) struct ReportBuilder<'t> {
    each: &'t mut dyn FnMut(Finding<'_>),
    pub(crate) refused: Option<ReasonCode>,
    pub(crate) valid: bool,
    pub(crate) entries: Vec<Entry>,
    /// Lists and their proofs.
    pub(crate) lists: Vec<(Path, ProofId)>,
    /// The numbers of kept values of each status, and of kept lists.
    kept: Omitted,
    pub(crate) omitted: Omitted,
    /// The bytes of the paths of all kept entries and lists.
    path_bytes: usize,
    pub(crate) proven: Proven,
}

impl<'t> ReportBuilder<'t> {
    pub(crate) fn new(refused: Option<ReasonCode>, each: &'t mut dyn FnMut(Finding<'_>)) -> Self {
        Self {
            each,
            refused,
            valid: refused.is_none(),
            entries: Vec::new(),
            lists: Vec::new(),
            kept: Omitted::default(),
            omitted: Omitted::default(),
            path_bytes: 0,
            proven: Proven::default(),
        }
    }

    /// Counts an entry of the kind that `count` selects, and returns true if the report has space for it.
    fn keeps(&mut self, path: &[PathStep], count: impl Fn(&mut Omitted) -> &mut usize) -> bool {
        let path_bytes = self.path_bytes.saturating_add(path_bytes(path));
        let kept = count(&mut self.kept);
        let is_kept = *kept < MAX_ENTRIES && path_bytes <= MAX_PATH_BYTES;
        let counter = if is_kept {
            self.path_bytes = path_bytes;
            kept
        } else {
            count(&mut self.omitted)
        };
        *counter = counter.saturating_add(1);
        is_kept
    }
}

impl Visitor for ReportBuilder<'_> {
    fn value(&mut self, path: &[PathStep], value: &Value, verdict: Verdict) -> ControlFlow<()> {
        let (status, reason) = judged(verdict, self.refused);
        self.valid &= is_harmless(verdict);
        (self.each)(Finding {
            path,
            status,
            reason,
        });
        if status == Status::Proven {
            self.proven.put(path, value.clone());
        }
        if self.keeps(path, |omitted| omitted.values(status)) {
            self.entries.push(Entry {
                path: path.into(),
                status,
                reason,
            });
        }
        ControlFlow::Continue(())
    }

    fn list(&mut self, path: &[PathStep], proof: Option<ProofId>) {
        if let Some(proof) = proof
            && self.keeps(path, |omitted| &mut omitted.lists)
        {
            self.lists.push((path.into(), proof));
        }
    }

    fn open(&mut self, outer: &Value) {
        self.proven.open(outer);
    }

    fn close(&mut self, path: &[PathStep]) {
        self.proven.close(path);
    }
}
