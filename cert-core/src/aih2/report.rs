//! The findings of verification.

use alloc::vec::Vec;

use serde::Serialize;

use crate::aih2::imprint::Imprint;
use crate::aih2::message::{refusal, sentence};
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step, path_bytes};
use crate::json::serialize::to_value;
use crate::json::value::Value;
use crate::verify::report::{MAX_ENTRIES, MAX_PATH_BYTES};

/// The answer of [`Cert::verify`](crate::aih2::Cert::verify). The order within its lists means nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Whether the evidence is sound, of the given imprint, and nothing in the document is uncovered.
    pub valid: bool,
    /// The imprint that the evidence gives, if it is sound.
    pub imprint: Option<Imprint>,
    /// The reasons why the evidence or a place of the document was not accepted, each with its place; empty if it is valid.
    pub errors: Vec<Problem>,
    /// The leaves that are proven.
    pub entries: Vec<Entry>,
    /// The paths of properties that are proven to be absent.
    pub absent: Vec<Path>,
    /// The objects that are open, in part or with all that is in them.
    pub objects: Vec<ObjectFinding>,
    /// The lists that are open, in part or with all that is in them.
    pub lists: Vec<ListFinding>,
    /// The numbers of findings beyond these: of each list at most [`MAX_ENTRIES`] are kept, and none beyond [`MAX_PATH_BYTES`] of paths.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
}

/// A reason, and the path of the place that it is about; empty for the evidence as a whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// The stable code.
    pub code: ErrorCode,
    /// The path of the place in the document, or of the member of the evidence that is malformed.
    pub path: Path,
}

/// A proven leaf.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its path.
    pub path: Path,
    /// Its value.
    pub value: Value,
}

/// An open object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectFinding {
    /// Its path.
    pub path: Path,
    /// Whether no slot of it is hidden; those that are objects or lists may be open in part.
    pub complete: bool,
}

/// An open list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFinding {
    /// Its path.
    pub path: Path,
    /// The most items that it can have: its proven end, or what its depth or `maxItems` allows.
    pub at_most: u64,
    /// The number of its items, if that is proven.
    pub length: Option<u64>,
    /// Whether no slot of it is hidden; those that are objects or lists may be open in part.
    pub complete: bool,
}

/// The numbers of findings that a report leaves out.
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
}

impl Omitted {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Report {
    /// The report of evidence that proves nothing, such as a text that is no JSON.
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

    /// The report as JSON:
    ///
    /// ```text
    /// {"valid": …, "imprint": "aih2:…", "errors": [{"code", "path"}], "entries": [{"path", "value"}], "absent": [path, …],
    ///  "objects": [{"path", "complete"}], "lists": [{"path", "atMost", "length", "complete"}]}
    /// ```
    ///
    /// `imprint` and `length` are null where there is none. Where findings are left out,
    /// `"omitted": {"errors", "entries", "absent", "objects", "lists"}` says how many.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}

/// A receiver of findings about the places of a document, each with its path.
pub(super) trait Findings {
    fn leaf(&mut self, _: &[Step<'_>], _: &Value) {}
    /// A property that the schema has and the object has not.
    fn absent(&mut self, _: &[Step<'_>]) {}
    fn object(&mut self, _: &[Step<'_>], _complete: bool) {}
    fn list(&mut self, _: &[Step<'_>], _at_most: u64, _length: Option<u64>, _complete: bool) {}
    /// A place that is wrong without making the rest wrong.
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError>;
}

/// The findings of a maker, who refuses what is wrong anywhere.
pub(super) struct Refusing;

impl Findings for Refusing {
    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        Err(refusal(code, Path::from(path), sentence(code)))
    }
}

/// The findings of a verifier.
#[derive(Default)]
pub(super) struct Collecting {
    pub(super) report: Report,
    path_bytes: usize,
}

impl Collecting {
    /// The path, if there is room for another finding in a list of so many.
    fn keep(&mut self, path: &[Step<'_>], count: usize) -> Option<Path> {
        if count >= MAX_ENTRIES || self.path_bytes > MAX_PATH_BYTES {
            return None;
        }
        let path = Path::from(path);
        self.path_bytes = self.path_bytes.saturating_add(path_bytes(path.steps()));
        Some(path)
    }
}

/// Keeps a finding in one of the report's lists, or counts it.
macro_rules! note {
    ($self:ident, $list:ident, $path:ident => $finding:expr) => {{
        let count = $self.report.$list.len();
        match $self.keep($path, count) {
            Some($path) => $self.report.$list.push($finding),
            None => {
                let omitted = &mut $self.report.omitted.$list;
                *omitted = omitted.saturating_add(1);
            }
        }
    }};
}

impl Findings for Collecting {
    fn leaf(&mut self, path: &[Step<'_>], value: &Value) {
        note!(self, entries, path => Entry { path, value: value.clone() });
    }

    fn absent(&mut self, path: &[Step<'_>]) {
        note!(self, absent, path => path);
    }

    fn object(&mut self, path: &[Step<'_>], complete: bool) {
        note!(self, objects, path => ObjectFinding { path, complete });
    }

    fn list(&mut self, path: &[Step<'_>], at_most: u64, length: Option<u64>, complete: bool) {
        note!(self, lists, path => ListFinding { path, at_most, length, complete });
    }

    fn fault(&mut self, code: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        note!(self, errors, path => Problem { code, path });
        Ok(())
    }
}
