//! The results of verification.

use alloc::vec::Vec;

use serde::Serialize;
use serde::ser::Serializer;

use crate::aih2::asset::Check;
use crate::aih2::imprint::Imprint;
use crate::aih2::message::{refusal, sentence};
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step, path_bytes};
use crate::json::serialize::to_value;
use crate::json::value::Value;
use crate::verify::report::{MAX_ENTRIES, MAX_PATH_BYTES};

/// The answer of [`Cert::verify`](crate::aih2::Cert::verify). The order within its lists has no meaning, except in `shown`.
///
/// `entries`, `absent`, `objects` and `lists` list the certified content that the evidence opens. `shown` lists each value of the given
/// document exactly once, with its status.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// True if the evidence is sound, matches the given imprint and the given asset, and proves everything that the document shows.
    pub valid: bool,
    /// The imprint that the evidence gives, if it is sound.
    pub imprint: Option<Imprint>,
    /// The reasons why the evidence or a place of the document was not accepted, each with its place. Empty if the evidence is valid.
    pub errors: Vec<Problem>,
    /// The proven leaves.
    pub entries: Vec<Entry>,
    /// The paths of properties that are proven to be absent.
    pub absent: Vec<Path>,
    /// The open objects, whether they are open in part or as a whole.
    pub objects: Vec<ObjectFinding>,
    /// The open lists, whether they are open in part or as a whole.
    pub lists: Vec<ListFinding>,
    /// The values of the given document, in its order. Empty if there was no document.
    pub shown: Vec<ValueFinding>,
    /// The numbers of omitted findings. Each list keeps at most [`MAX_ENTRIES`] findings, and `shown` keeps that many of each status. No
    /// finding is added once the paths exceed [`MAX_PATH_BYTES`]. The paths of `errors`, of `shown` and of all other lists are counted
    /// separately.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
}

/// A value of the document: a value that the schema does not split, a list or object that is shown empty, or an item where the evidence
/// shows none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueFinding {
    /// The path of the value.
    pub path: Path,
    /// The status of the value.
    pub status: Status,
}

/// The status of a value of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// This value was certified here.
    Proven,
    /// Another value was certified here, or the absence of a value.
    Changed,
    /// The evidence says nothing about this value, so anyone may have added it.
    NotCovered,
    /// The schema does not have the key, so no evidence can prove the value.
    NotInSchema,
    /// The evidence was refused as a whole. [`Report::errors`] has the reason.
    NotProven,
}

impl Status {
    /// Returns the status as text, as JavaScript sees it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Changed => "changed",
            Self::NotCovered => "not-covered",
            Self::NotInSchema => "not-in-schema",
            Self::NotProven => "not-proven",
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A reason, and the path of the place that it concerns. The path is empty for the evidence as a whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// The stable code.
    pub code: ErrorCode,
    /// The path of the place in the document, or of the malformed member of the evidence.
    pub path: Path,
}

/// A proven leaf.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The path of the leaf.
    pub path: Path,
    /// The value of the leaf.
    pub value: Value,
}

/// An open object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectFinding {
    /// The path of the object.
    pub path: Path,
    /// True if no slot is hidden. Slots that are objects or lists may be open in part.
    pub complete: bool,
}

/// An open list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFinding {
    /// The path of the list.
    pub path: Path,
    /// The maximum number of its items: its proven end, or the number that its depth or `maxItems` allows.
    pub at_most: u64,
    /// The number of its items, if that is proven.
    pub length: Option<u64>,
    /// True if no slot is hidden. Slots that are objects or lists may be open in part.
    pub complete: bool,
}

/// The numbers of findings that a report omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// The number of errors.
    pub errors: u64,
    /// The number of entries.
    pub entries: u64,
    /// The number of absent properties.
    pub absent: u64,
    /// The number of objects.
    pub objects: u64,
    /// The number of lists.
    pub lists: u64,
    /// The number of values of the document.
    pub shown: u64,
}

impl Omitted {
    /// Returns true if the report lists everything.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Report {
    /// Returns the report for evidence that proves nothing, such as a text that is not JSON.
    #[must_use]
    pub fn refused(error: &CertError) -> Self {
        Self {
            errors: Vec::from([Problem {
                code: error.code(),
                path: error.path().clone(),
            }]),
            ..Self::default()
        }
    }

    /// Returns the report as JSON:
    ///
    /// ```text
    /// {"valid": …, "imprint": "aih2:…", "errors": [{"code", "path"}], "entries": [{"path", "value"}], "absent": [path, …],
    ///  "objects": [{"path", "complete"}], "lists": [{"path", "atMost", "length", "complete"}], "shown": [{"path", "status"}]}
    /// ```
    ///
    /// `imprint` and `length` are null if they are not known. If findings are omitted, `"omitted": {"errors", "entries", "absent",
    /// "objects", "lists", "shown"}` has their numbers.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}

/// Receives findings about the places of a document, each with its path.
pub(super) trait Findings {
    fn leaf(&mut self, _: &[Step<'_>], _: &Value) {}
    /// Receives a property that the schema has and the object does not have.
    fn absent(&mut self, _: &[Step<'_>]) {}
    fn object(&mut self, _: &[Step<'_>], _complete: bool) {}
    fn list(&mut self, _: &[Step<'_>], _at_most: u64, _length: Option<u64>, _complete: bool) {}
    /// Receives a value of the document and its status.
    fn shown(&mut self, _: &[Step<'_>], _: Status) {}
    /// Returns true if the receiver uses `shown`. Otherwise the walk can skip proven values.
    fn wants_shown(&self) -> bool {
        false
    }
    /// Receives a fault at a place that does not make other places wrong.
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError>;
}

/// The findings of an operation that makes evidence. It refuses every fault.
pub(super) struct Refusing;

impl Findings for Refusing {
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        Err(refusal(code, Path::from(path), sentence(code)))
    }
}

/// The findings of a verification.
#[derive(Default)]
pub(super) struct Collecting<'r> {
    pub(super) report: Report,
    /// The asset that the evidence must be for, if one is given.
    asset: Option<Check<'r>>,
    /// The bytes of the paths of errors, of values of the document, and of all other findings.
    bytes: [usize; 3],
    /// The number of kept values of the document, for each status.
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

    /// Returns the report. Omitted errors also make it invalid.
    pub(super) fn finish(mut self) -> Result<Report, CertError> {
        if let Some(asset) = self.asset.take() {
            asset.finish(&mut self)?;
        }
        let mut report = self.report;
        report.valid = report.errors.is_empty() && report.omitted.errors == 0;
        Ok(report)
    }

    /// Returns the path if there is space for another finding in a list with `count` findings.
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
