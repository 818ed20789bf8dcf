//! The findings of verification, for programs and for pages.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

use crate::json::path::Path;
use crate::json::serialize::to_value;
use crate::json::value::Value;

/// The reason why evidence, or one value of the data, was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasonCode {
    /// The evidence is not a list of proof objects.
    EvidenceMalformed,
    /// There is no proof of the root.
    RootMissing,
    /// A proof is about a path that the schema does not have as an object or array.
    PathUnknown,
    /// Two proofs are about the same path.
    ProofDuplicate,
    /// A proof has no position in its parent's proof, or the parent's proof is missing.
    ProofUnconnected,
    /// An index is no whole number or lies outside its group.
    IndexOutOfRange,
    /// Two entries of a proof have the same index.
    IndexDuplicate,
    /// A proof lacks hashes or values that its imprint is computed from.
    ProofIncomplete,
    /// A supplied hash is no hash of this kind.
    HashMalformed,
    /// A supplied hash differs from the computed one.
    HashMismatch,
    /// The closing node of a list can be taken for one more item, or is.
    ClosingAmbiguous,
    /// A proof's imprint is not the value at its position in its parent's proof.
    LinkMismatch,
    /// The evidence is sound, but it belongs to another imprint.
    ImprintMismatch,
    /// The data differs from the proven value.
    ValueMismatch,
    /// The data is not of the kind that the schema says.
    DataTypeMismatch,
    /// No proof covers the value.
    NotCovered,
    /// The schema does not describe the value.
    NotInSchema,
    /// An empty object, or a list of nothing but nulls: there is no value that could be proven.
    NothingStated,
}

impl ReasonCode {
    /// The code as text, as JavaScript sees it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
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
        }
    }

    /// A sentence for people.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::EvidenceMalformed => {
                "the evidence is not a list of proofs with path, nodes and values"
            }
            Self::RootMissing => "the evidence has no proof of the root",
            Self::PathUnknown => {
                "a proof is about a path that is not an object or array of the schema"
            }
            Self::ProofDuplicate => "the evidence has two proofs of one path",
            Self::ProofUnconnected => "a proof has no place in the proof of what contains it",
            Self::IndexOutOfRange => "an index of a proof is not a whole number inside its group",
            Self::IndexDuplicate => "a proof has two entries with one index",
            Self::ProofIncomplete => "a proof lacks hashes that its imprint is computed from",
            Self::HashMalformed => {
                "a hash of a proof is none of this hasher's, by default 64 lower-case hexadecimal characters"
            }
            Self::HashMismatch => "a hash of a proof differs from the one that its values give",
            Self::ClosingAmbiguous => "the end of a list may pass for an item that is not shown",
            Self::LinkMismatch => {
                "a proof's imprint differs from the one in the proof of what contains it"
            }
            Self::ImprintMismatch => "the evidence belongs to another imprint",
            Self::ValueMismatch => "the value differs from the proven one",
            Self::DataTypeMismatch => "the value is not of the kind that the schema says",
            Self::NotCovered => "no proof covers the value",
            Self::NotInSchema => "the schema does not describe the value",
            Self::NothingStated => "it holds no value that could be proven",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ReasonCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The reason why the evidence as a whole was not accepted, and the proof that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The imprint stands for this value at this path.
    Proven,
    /// Something speaks against it: the value, the evidence or the imprint.
    NotProven,
    /// Nothing speaks for or against it.
    NotCovered,
}

impl Status {
    /// The status as text, as JavaScript sees it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::NotProven => "not-proven",
            Self::NotCovered => "not-covered",
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The finding about one value of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The path of the value.
    pub path: Path,
    /// The extent to which it is certified.
    pub status: Status,
    /// The reason why it is not proven; `None` for a proven value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonCode>,
}

/// The finding about the length of a list that the data has items of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct List {
    /// The path of the list.
    pub path: Path,
    /// The number of items that its proof reaches; there may be more.
    pub length: usize,
    /// Whether there are provably no more. Only the nonce after the last item proves that, so under keyed nonces nobody finds out
    /// without the secret: then it is false.
    pub complete: bool,
}

/// The number of values of each status, and of lists, that a [`Report`] lists, and of paths that
/// [`Cert::paths`](crate::Cert::paths) gives. A report counts the rest ([`Report::omitted`]): a megabyte of hostile data must not
/// become a gigabyte of report.
pub const MAX_ENTRIES: usize = 10_000;

/// The number of bytes that the paths of a [`Report`] or of [`Cert::paths`](crate::Cert::paths) may have, each key as often as it
/// occurs.
pub const MAX_PATH_BYTES: usize = 4 << 20;

/// The numbers of findings that a report does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
    /// Whether the report lists everything.
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

/// The answer of [`Cert::verify`](crate::Cert::verify).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Whether every value that the schema describes is proven: what `calculate` says in one bit.
    pub valid: bool,
    /// The imprint that the evidence gives, if it is sound.
    pub imprint: Option<String>,
    /// The reasons why the evidence as a whole was not accepted; empty if it was.
    pub reasons: Vec<Reason>,
    /// The values of the data, in its order: of each status the first [`MAX_ENTRIES`], and none beyond [`MAX_PATH_BYTES`].
    pub entries: Vec<Entry>,
    /// The lists of the data that a proof covers, as many.
    pub lists: Vec<List>,
    /// The numbers of values and lists beyond these. `valid` and `proven` are about all.
    #[serde(skip_serializing_if = "Omitted::is_nothing")]
    pub omitted: Omitted,
    /// The data again, with what was proven and nothing else.
    pub proven: Value,
}

impl Report {
    /// The report as JSON, for JavaScript and for answers over HTTP:
    ///
    /// ```text
    /// {"valid": …, "imprint": "…", "reasons": [{"code", "path", "message"}],
    ///  "entries": [{"path", "status", "reason"}], "lists": [{"path", "length", "complete"}], "proven": {…}}
    /// ```
    ///
    /// `imprint` is null where there is none; a proven entry has no `reason`. Where entries or lists are omitted,
    /// `"omitted": {"proven", "notProven", "notCovered", "lists"}` says how many.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}
