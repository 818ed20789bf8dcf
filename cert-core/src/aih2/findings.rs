//! Receivers of findings. Verification collects all findings in a report. Every other operation stops at the first fault.

use crate::aih2::asset::Check;
use crate::aih2::message::{refusal, sentence};
use crate::aih2::report::{
    Entry, ListFinding, ObjectFinding, Problem, Report, Status, ValueFinding,
};
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step, path_bytes};
use crate::json::value::Value;
use crate::verify::report::{MAX_ENTRIES, MAX_PATH_BYTES};

/// Receives findings about the places of a document, each with its path.
pub(super) trait Findings {
    fn leaf(&mut self, _: &[Step<'_>], _: &Value) {}
    /// Receives a property that the schema has but the object does not have.
    fn absent(&mut self, _: &[Step<'_>]) {}
    fn object(&mut self, _: &[Step<'_>], _complete: bool) {}
    fn list(&mut self, _: &[Step<'_>], _at_most: u64, _length: Option<u64>, _complete: bool) {}
    /// Receives a value of the document and its status.
    fn shown(&mut self, _: &[Step<'_>], _: Status) {}
    /// Returns true if the receiver uses `shown`. Otherwise the walk can skip proven values.
    fn wants_shown(&self) -> bool {
        false
    }
    /// Receives a fault of one place. The fault does not affect other places. Returns an error if the operation must stop.
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError>;
}

/// Ignores all findings except faults. Fails at the first fault. Every operation except verification uses this receiver.
pub(super) struct Refusing;

impl Findings for Refusing {
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        Err(refusal(code, Path::from(path), sentence(code)))
    }
}

/// Collects the findings of a verification.
#[derive(Default)]
pub(super) struct Collecting<'r> {
    pub(super) report: Report,
    /// The asset that the evidence must be for, if one is given.
    asset: Option<Check<'r>>,
    /// The total length of paths in bytes: of errors, of values of the document, and of all other findings.
    bytes: [usize; 3],
    /// The number of values of the document so far, for each status.
    statuses: [usize; 5],
}

const ERRORS: usize = 0;
const SHOWN: usize = 1;
const OTHERS: usize = 2;

impl<'r> Collecting<'r> {
    pub(super) fn new(asset: Option<Check<'r>>) -> Self {
        Self {
            asset,
            ..Self::default()
        }
    }

    /// Adds the errors about the asset and returns the report. Omitted errors also make the report invalid.
    pub(super) fn finish(mut self) -> Result<Report, CertError> {
        if let Some(asset) = self.asset.take() {
            for (name, fault) in asset.faults() {
                if let Some(code) = fault {
                    self.fault(code, &[Step::Key(name)])?;
                }
            }
            let is_faultless = self.report.errors.is_empty() && self.report.omitted.errors == 0;
            if is_faultless && !asset.has_value() {
                self.fault(ErrorCode::NothingProven, &[])?;
            }
        }
        let mut report = self.report;
        report.valid = report.errors.is_empty() && report.omitted.errors == 0;
        Ok(report)
    }

    /// Returns the path, or `None` if there is no space for another finding in a list with `count` findings.
    fn keep(&mut self, path: &[Step<'_>], count: usize, kind: usize) -> Option<Path> {
        let bytes = self.bytes.get_mut(kind)?;
        if count >= MAX_ENTRIES || *bytes > MAX_PATH_BYTES {
            return None;
        }
        let path = Path::from(path);
        *bytes = bytes.saturating_add(path_bytes(path.steps()));
        Some(path)
    }
}

/// Keeps a finding in one of the report's lists, or counts it.
macro_rules! note {
    ($self:ident, $list:ident, $count:expr, $kind:ident, $path:ident => $finding:expr) => {{
        match $self.keep($path, $count, $kind) {
            Some($path) => $self.report.$list.push($finding),
            None => {
                let omitted = &mut $self.report.omitted.$list;
                *omitted = omitted.saturating_add(1);
            }
        }
    }};
    ($self:ident, $list:ident, $kind:ident, $path:ident => $finding:expr) => {{
        let count = $self.report.$list.len();
        note!($self, $list, count, $kind, $path => $finding);
    }};
}

impl Findings for Collecting<'_> {
    fn leaf(&mut self, path: &[Step<'_>], value: &Value) {
        if let Some(asset) = &mut self.asset {
            asset.shows(path, Some(value));
            asset.proves(path);
        }
        note!(self, entries, OTHERS, path => Entry { path, value: value.clone() });
    }

    fn absent(&mut self, path: &[Step<'_>]) {
        if let Some(asset) = &mut self.asset {
            asset.shows(path, None);
        }
        note!(self, absent, OTHERS, path => path);
    }

    fn object(&mut self, path: &[Step<'_>], complete: bool) {
        if let Some(asset) = &mut self.asset {
            asset.shows(path, None);
        }
        note!(self, objects, OTHERS, path => ObjectFinding { path, complete });
    }

    fn list(&mut self, path: &[Step<'_>], at_most: u64, length: Option<u64>, complete: bool) {
        if let Some(asset) = &mut self.asset {
            asset.shows(path, None);
            if length == Some(0) {
                asset.proves(path);
            }
        }
        note!(self, lists, OTHERS, path => ListFinding { path, at_most, length, complete });
    }

    fn shown(&mut self, path: &[Step<'_>], status: Status) {
        let count = self.statuses.get_mut(status as usize);
        let count = count.map_or(0, |count| {
            *count = count.saturating_add(1);
            count.saturating_sub(1)
        });
        note!(self, shown, count, SHOWN, path => ValueFinding { path, status });
    }

    fn wants_shown(&self) -> bool {
        true
    }

    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        note!(self, errors, ERRORS, path => Problem { code, path });
        Ok(())
    }
}
