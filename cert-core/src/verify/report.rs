//! The results of verification, for programs and for pages.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::ser::{SerializeStruct as _, Serializer};
use serde::{Deserialize, Serialize};

use crate::json::path::Path;
use crate::json::serialize::to_value;
use crate::json::strings::strings;
use crate::json::value::Value;

/// The reason why evidence, or one value of the data, was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasonCode {
    /// The evidence is not a list of proof objects.
    EvidenceMalformed,
    /// There is no proof of the root.
    RootMissing,
    /// The path of a proof does not lead to an object or array of the schema.
    PathUnknown,
    /// Two proofs have the same path.
    ProofDuplicate,
    /// A proof has no position in its parent's proof, or the parent's proof is missing.
    ProofUnconnected,
    /// An index is not a whole number or is outside its group.
    IndexOutOfRange,
    /// Two entries of a proof have the same index.
    IndexDuplicate,
    /// A proof lacks hashes or values that are needed to compute its imprint.
    ProofIncomplete,
    /// A supplied hash is not a string that the hasher could return. For example, its length is wrong.
    HashMalformed,
    /// A supplied hash differs from the computed one.
    HashMismatch,
    /// The closing node of a list was, or may have been, presented as one more item.
    ClosingAmbiguous,
    /// A proof's imprint is not the value at its position in its parent's proof.
    LinkMismatch,
    /// The evidence breaks no rule, but belongs to an imprint other than the given one.
    ImprintMismatch,
    /// The data differs from the proven value.
    ValueMismatch,
    /// The data is not of the kind that the schema requires.
    DataTypeMismatch,
    /// No proof covers the value.
    NotCovered,
    /// The schema does not describe the value.
    NotInSchema,
    /// The data has an empty object, a list of nulls only, or a null for an object that contributes nothing to a hash. There is no value to
    /// prove.
    NothingStated,
}

strings!(ReasonCode {
    Self::EvidenceMalformed => "evidence-malformed",
    Self::RootMissing => "root-missing",
    Self::PathUnknown => "path-unknown",
    Self::ProofDuplicate => "proof-duplicate",
    Self::ProofUnconnected => "proof-unconnected",
    Self::IndexOutOfRange => "index-out-of-range",
    Self::IndexDuplicate => "index-duplicate",
    Self::ProofIncomplete => "proof-incomplete",
    Self::HashMalformed => "hash-malformed",
    Self::HashMismatch => "hash-mismatch",
    Self::ClosingAmbiguous => "closing-ambiguous",
    Self::LinkMismatch => "link-mismatch",
    Self::ImprintMismatch => "imprint-mismatch",
    Self::ValueMismatch => "value-mismatch",
    Self::DataTypeMismatch => "data-type-mismatch",
    Self::NotCovered => "not-covered",
    Self::NotInSchema => "not-in-schema",
    Self::NothingStated => "nothing-stated",
});

impl ReasonCode {
    /// Returns a sentence that explains the code.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::EvidenceMalformed => {
                "the evidence is not a list of proofs with path, nodes and values"
            }
            Self::RootMissing => "the evidence has no proof of the root",
            Self::PathUnknown => {
                "the path of a proof does not lead to an object or array of the schema"
            }
            Self::ProofDuplicate => "the evidence has two proofs with the same path",
            Self::ProofUnconnected => {
                "a proof has no place in the proof of the object or list around it"
            }
            Self::IndexOutOfRange => "an index of a proof is not a whole number inside its group",
            Self::IndexDuplicate => "a proof has two entries with the same index",
            Self::ProofIncomplete => {
                "a proof lacks hashes or values that are needed to compute its imprint"
            }
            Self::HashMalformed => {
                "a hash of a proof does not have the hasher's form, by default 64 lower-case hexadecimal characters"
            }
            Self::HashMismatch => {
                "a hash of a proof differs from the hash computed from its values"
            }
            Self::ClosingAmbiguous => "a list may end before its last item, which is hidden",
            Self::LinkMismatch => {
                "a proof's imprint differs from its imprint in the proof of the object or list around it"
            }
            Self::ImprintMismatch => "the evidence belongs to another imprint",
            Self::ValueMismatch => "the value differs from the proven one",
            Self::DataTypeMismatch => "the value is not of the kind that the schema requires",
            Self::NotCovered => "no proof covers the value",
            Self::NotInSchema => "the schema does not describe the value",
            Self::NothingStated => "the object or list has no value that could be proven",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reason why the evidence as a whole was not accepted, and the path of the proof in which the fault was found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Reason {
    /// The stable code.
    pub code: ReasonCode,
    /// The path of the proof; empty for the root and for the evidence itself.
    pub path: Path,
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reason = serializer.serialize_struct("Reason", 3)?;
        reason.serialize_field("code", &self.code)?;
        reason.serialize_field("path", &self.path)?;
        reason.serialize_field("message", self.code.message())?;
        reason.end()
    }
}

/// The extent to which a value of the data is certified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The imprint certifies this value at this path.
    Proven,
    /// The value, the evidence or the imprint does not match.
    NotProven,
    /// The evidence neither proves nor contradicts the value.
    NotCovered,
}

strings!(Status {
    Self::Proven => "proven",
    Self::NotProven => "not-proven",
    Self::NotCovered => "not-covered",
});

/// The finding about one value of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The path of the value.
    pub path: Path,
    /// The status of the value.
    pub status: Status,
    /// The reason why the value is not proven; `None` for a proven value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonCode>,
}

/// The finding about the length of a list that has items in the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// The path of the list.
    pub path: Path,
    /// The number of items that the list's proof covers. The list may have more items.
    pub length: usize,
    /// True if it is proven that the list has no more items. Only the nonce after the last item proves this. A verifier without the secret
    /// cannot compute a keyed nonce, so `complete` is false for this verifier.
    pub complete: bool,
}

/// The maximum number of values of each status, and of lists, in a [`Report`], and of paths in the result of
/// [`Cert::paths`](crate::Cert::paths). A report only counts further findings ([`Report::omitted`]), so a megabyte of hostile data cannot
/// become a gigabyte of report.
pub const MAX_ENTRIES: usize = 10_000;

/// The maximum size in bytes of all paths of a [`Report`] or of the result of [`Cert::paths`](crate::Cert::paths). A key counts once for
/// each path that contains it.
pub const MAX_PATH_BYTES: usize = 4 << 20;

/// The numbers of findings that a report omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    /// Values that are proven.
    pub proven: usize,
    /// Values that are not proven.
    pub not_proven: usize,
    /// Values that are not covered.
    pub not_covered: usize,
    /// Lists.
    pub lists: usize,
}

impl Omitted {
    /// Returns true if the report lists everything.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn values(&mut self, status: Status) -> &mut usize {
        match status {
            Status::Proven => &mut self.proven,
            Status::NotProven => &mut self.not_proven,
            Status::NotCovered => &mut self.not_covered,
        }
    }
}

/// The result of [`Cert::verify`](crate::Cert::verify).
///
/// A report can be stored as JSON and read back with serde. A report that was read back proves
/// nothing: trust it only as much as its source. Readers such as `serde_json::from_str` have a lower depth limit than [`Value::parse`].
///
/// ```
/// use cert_core::{Cert, Report, Value};
///
/// let schema = Value::parse(r#"{ "type": "object", "properties": { "name": {} } }"#)?;
/// let (cert, data) = (Cert::new(&schema)?, Value::parse(r#"{ "name": "Ada" }"#)?);
/// let report = cert.verify(&data, &Value::Null, "")?;
/// let read: Report = serde_json::from_str(&report.to_value().to_json()).expect("it is a report");
/// assert_eq!(read, report);
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// True if the evidence was accepted and proves every value of the data that the schema describes. `calculate` then returns the expected
    /// imprint.
    pub valid: bool,
    /// The imprint computed from the evidence. `None` if the evidence was refused before its imprint was computed.
    pub imprint: Option<String>,
    /// The reasons why the evidence as a whole was not accepted; empty if it was accepted.
    pub reasons: Vec<Reason>,
    /// The values of the data, in document order: the first [`MAX_ENTRIES`] of each status, and at most [`MAX_PATH_BYTES`] of paths.
    pub entries: Vec<Entry>,
    /// The lists of the data that a proof covers, within the same bounds.
    pub lists: Vec<List>,
    /// The numbers of values and lists that were left out. `valid` and `proven` take all of them into account.
    #[serde(default, skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// A copy of the data that contains only the proven part.
    pub proven: Value,
}

impl Report {
    /// Returns the report as JSON, for JavaScript and for HTTP responses:
    ///
    /// ```text
    /// {"valid": …, "imprint": "…", "reasons": [{"code", "path", "message"}],
    ///  "entries": [{"path", "status", "reason"}], "lists": [{"path", "length", "complete"}], "proven": {…}}
    /// ```
    ///
    /// `imprint` is null if there is none. A proven entry has no `reason`. If entries or lists are omitted, `"omitted": {"proven",
    /// "notProven", "notCovered", "lists"}` has their numbers.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}
