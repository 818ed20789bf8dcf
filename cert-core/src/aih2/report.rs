//! The results of verification.

use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::aih2::imprint::Imprint;
use crate::aih2::message::sentence;
use crate::error::{CertError, ErrorCode};
use crate::json::path::Path;
use crate::json::serialize::to_value;
use crate::json::strings::strings;
use crate::json::value::Value;

/// The result of [`Cert::verify`](crate::aih2::Cert::verify). The order within the report's lists has no meaning, except in `shown`.
///
/// `entries`, `absent`, `objects` and `lists` list the certified content that the evidence opens. `shown` lists each value of the given
/// document exactly once, with its status. `omitted` counts the findings that do not fit.
///
/// A report can be stored as JSON and read back with serde. A report that was read back proves nothing: trust it only as much as its
/// source. Readers such as `serde_json::from_str` have a lower depth limit than [`parse`](crate::aih2::parse).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// True if the evidence breaks no rule, matches the given imprint and the given asset, and proves everything that the document shows.
    pub valid: bool,
    /// The imprint computed from the evidence. `None` if the evidence was refused before its imprint was computed.
    pub imprint: Option<Imprint>,
    /// The reasons why the evidence or a place of the document was not accepted, each with a path. Empty if `valid` is true.
    pub errors: Vec<Problem>,
    /// The proven leaves.
    pub entries: Vec<Entry>,
    /// The paths of properties that are proven to be absent.
    pub absent: Vec<Path>,
    /// The open objects, whether they are open in part or as a whole.
    pub objects: Vec<ObjectFinding>,
    /// The open lists, whether they are open in part or as a whole.
    pub lists: Vec<ListFinding>,
    /// The values of the given document, in document order. Empty if no document was given.
    pub shown: Vec<ValueFinding>,
    /// The numbers of omitted findings. Each list keeps at most [`MAX_ENTRIES`](crate::MAX_ENTRIES) findings, and `shown` keeps that many
    /// of each status. No finding is added once the paths exceed [`MAX_PATH_BYTES`](crate::MAX_PATH_BYTES). The paths of `errors`, of
    /// `shown` and of all other lists are counted separately.
    #[serde(default, skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
}

/// A value of the document, with its status. Values are the leaves, the empty lists and objects, and the values under keys that the schema
/// does not have. A `null` that is the placeholder of a hidden item is not a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueFinding {
    /// The path of the value.
    pub path: Path,
    /// The status of the value.
    pub status: Status,
}

/// The status of a value of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// This value was certified at this path.
    Proven,
    /// Another value was certified at this path, or the absence of a value.
    Changed,
    /// The evidence says nothing about this value, so anyone may have added it.
    NotCovered,
    /// The schema does not have the key, so no evidence can prove the value.
    NotInSchema,
    /// The evidence was refused as a whole. [`Report::errors`] has the reason.
    NotProven,
}

strings!(Status {
    Self::Proven => "proven",
    Self::Changed => "changed",
    Self::NotCovered => "not-covered",
    Self::NotInSchema => "not-in-schema",
    Self::NotProven => "not-proven",
});

/// A reason why evidence or a place of the document was not accepted. The path is empty if the reason concerns the evidence as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The stable code.
    pub code: ErrorCode,
    /// The path of the place in the document, or of the malformed member of the evidence.
    pub path: Path,
}

impl Problem {
    /// Returns the reason as a sentence.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        sentence(self.code)
    }
}

/// A proven leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The path of the leaf.
    pub path: Path,
    /// The value of the leaf.
    pub value: Value,
}

/// An open object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectFinding {
    /// The path of the object.
    pub path: Path,
    /// True if no slot is hidden. Slots that are objects or lists may be open in part.
    pub complete: bool,
}

/// An open list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFinding {
    /// The path of the list.
    pub path: Path,
    /// The maximum number of items: the list's proven end, or the number that its depth or `maxItems` allows.
    pub at_most: u64,
    /// The number of items; `None` if it is not proven.
    pub length: Option<u64>,
    /// True if no slot is hidden. Slots that are objects or lists may be open in part.
    pub complete: bool,
}

/// The proven number of items: `all of 3`, `3, of which some are hidden` or `at most 4`.
impl fmt::Display for ListFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.complete, self.length) {
            (true, Some(length)) => write!(f, "all of {length}"),
            (false, Some(length)) => write!(f, "{length}, of which some are hidden"),
            (_, None) => write!(f, "at most {}", self.at_most),
        }
    }
}

/// The numbers of findings that a report omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Returns the report for evidence that was refused, such as a string that is not JSON.
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
