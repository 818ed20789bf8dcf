//! The error of certification: a stable code, the path it concerns and a sentence to act on.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use serde::ser::{Serialize, Serializer};

use crate::json::join::join;
use crate::json::path::{Path, PathStep};

/// The failure of a user's own hasher or noncer.
pub type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The kind of a failure, as a code that never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The text is not JSON (RFC 8259).
    JsonInvalid,
    /// The JSON is nested deeper than [`MAX_JSON_DEPTH`](crate::MAX_JSON_DEPTH).
    JsonTooDeep,
    /// A JSON object has the same key twice.
    KeyDuplicate,
    /// A string holds half of a surrogate pair, which has no UTF-8 form and therefore no hash.
    SurrogateUnpaired,
    /// The schema, or a part of it, is not a JSON Schema object.
    SchemaInvalid,
    /// The schema's root is not of type `object`: an asset is a JSON object.
    SchemaRootNotObject,
    /// A schema of type `object` has no `properties`.
    SchemaPropertiesMissing,
    /// A schema of type `array` has no `items`.
    SchemaItemsMissing,
    /// The schema is nested deeper than [`MAX_SCHEMA_DEPTH`](crate::MAX_SCHEMA_DEPTH).
    SchemaTooDeep,
    /// Two values of the schema have the same path once their keys are joined with dots.
    SchemaPathAmbiguous,
    /// A reference of the schema leads nowhere, or out of the schema.
    SchemaReferenceUnresolved,
    /// A value is not of the kind that the schema says, so that certifying it would say nothing.
    DataTypeMismatch,
    /// Strict certification found a value that the schema does not describe.
    DataUncovered,
    /// A number is infinite or not a number.
    NumberNotFinite,
    /// Paths are not a list of lists of keys and indexes.
    PathsInvalid,
    /// The key of a noncer is too short to protect anything.
    SecretTooShort,
    /// The nonce of a list's closing node is as long as two hashes, so that it could pass for one more item.
    NonceAmbiguous,
    /// A user's hasher made a hash that is empty or has another length than the `Cert`'s first one.
    HashLength,
    /// An integer is outside ±(2^53 − 1), where doubles skip some: AIH-2 refuses it.
    IntegerTooLarge,
    /// The schema does not have the key. AIH-2 certifies the whole document or nothing.
    NotInSchema,
    /// A list has more items than its schema's `maxItems`.
    ListTooLong,
    /// An option of certification is missing or wrong, such as a document key that is not 32 bytes.
    OptionInvalid,
    /// The operation would take more hashes than are allowed.
    TooMuchWork,
    /// A path leads into a value that is one leaf.
    PathNotSeparable,
    /// The evidence does not open what a path asks for.
    NotAvailable,
    /// Nothing would be opened, or nothing is.
    NothingOpen,
    /// Evidence is of another profile.
    ProfileUnknown,
    /// Evidence has a member that is unknown, of the wrong type or missing, or pairs that contradict each other.
    EvidenceMalformed,
    /// Evidence is of another schema.
    SchemaMismatch,
    /// Evidence without values came without a document.
    DocumentMissing,
    /// A text is no imprint.
    ImprintInvalid,
    /// A proof ends early.
    ProofShort,
    /// A proof goes on after its end.
    ProofLong,
    /// A proof has a token that cannot stand where it is.
    ProofShape,
    /// A list goes on after its proven end.
    ListOrder,
    /// A list's depth is not the one that its schema or its proven end gives.
    ListDepth,
    /// A value is not of the kind that the evidence says, or not the one that it brings along.
    ValueMismatch,
    /// Evidence is sound, but belongs to another imprint.
    ImprintMismatch,
    /// A value of the document is at a place that the evidence hides, so anyone may have added it.
    NotCovered,
    /// The schema has a `ledgerId` or an `assetId`, and the evidence hides it from a verifier who names an asset.
    AssetHidden,
    /// The document names another asset than the verifier.
    AssetMismatch,
    /// A user's hasher failed.
    HasherFailed,
    /// A user's noncer failed.
    NoncerFailed,
}

impl ErrorCode {
    /// The code as text, as JavaScript sees it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JsonInvalid => "json-invalid",
            Self::JsonTooDeep => "json-too-deep",
            Self::KeyDuplicate => "key-duplicate",
            Self::SurrogateUnpaired => "surrogate-unpaired",
            Self::SchemaInvalid => "schema-invalid",
            Self::SchemaRootNotObject => "schema-root-not-object",
            Self::SchemaPropertiesMissing => "schema-properties-missing",
            Self::SchemaItemsMissing => "schema-items-missing",
            Self::SchemaTooDeep => "schema-too-deep",
            Self::SchemaPathAmbiguous => "schema-path-ambiguous",
            Self::SchemaReferenceUnresolved => "schema-reference-unresolved",
            Self::DataTypeMismatch => "data-type-mismatch",
            Self::DataUncovered => "data-uncovered",
            Self::NumberNotFinite => "number-not-finite",
            Self::PathsInvalid => "paths-invalid",
            Self::SecretTooShort => "secret-too-short",
            Self::NonceAmbiguous => "nonce-ambiguous",
            Self::HashLength => "hash-length",
            Self::IntegerTooLarge => "integer-too-large",
            Self::NotInSchema => "not-in-schema",
            Self::ListTooLong => "list-too-long",
            Self::OptionInvalid => "option-invalid",
            Self::TooMuchWork => "too-much-work",
            Self::PathNotSeparable => "path-not-separable",
            Self::NotAvailable => "not-available",
            Self::NothingOpen => "nothing-open",
            Self::ProfileUnknown => "profile-unknown",
            Self::EvidenceMalformed => "evidence-malformed",
            Self::SchemaMismatch => "schema-mismatch",
            Self::DocumentMissing => "document-missing",
            Self::ImprintInvalid => "imprint-invalid",
            Self::ProofShort => "proof-short",
            Self::ProofLong => "proof-long",
            Self::ProofShape => "proof-shape",
            Self::ListOrder => "list-order",
            Self::ListDepth => "list-depth",
            Self::ValueMismatch => "value-mismatch",
            Self::ImprintMismatch => "imprint-mismatch",
            Self::NotCovered => "not-covered",
            Self::AssetHidden => "asset-hidden",
            Self::AssetMismatch => "asset-mismatch",
            Self::HasherFailed => "hasher-failed",
            Self::NoncerFailed => "noncer-failed",
        }
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An operation that could not be carried out.
///
/// Evidence that proves nothing is no error: see [`Cert::calculate`](crate::Cert::calculate).
#[derive(Debug)]
pub struct CertError(Box<Parts>);

/// The content of an error, boxed so that results are small where nothing fails.
#[derive(Debug)]
struct Parts {
    code: ErrorCode,
    path: Path,
    message: String,
    source: Option<Failure>,
}

impl CertError {
    /// An error, of which `message` is one sentence that says what to change.
    pub fn new(code: ErrorCode, path: Path, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            path,
            message: message.into(),
            source: None,
        }))
    }

    pub(crate) fn with_source(mut self, source: Failure) -> Self {
        self.0.source = Some(source);
        self
    }

    /// Puts the error below `step`, while the stack of a recursive reader unwinds.
    pub(crate) fn below(mut self, step: PathStep) -> Self {
        self.0.path.prepend(step);
        self
    }

    /// Puts the error below a path.
    pub(crate) fn below_all(self, steps: &[PathStep]) -> Self {
        steps.iter().cloned().rfold(self, Self::below)
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The path in the data or the schema that the error is about; empty for the whole of it.
    ///
    /// Paths of schema errors are paths of the data that the schema describes; paths of JSON errors
    /// are those of the text's own structure.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// One sentence that says what to change.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    fn place(&self) -> String {
        if self.path().is_empty() {
            return String::new();
        }
        join(&[" (at `", &self.path().text(), "`)"])
    }
}

impl fmt::Display for CertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        if let Some(source) = &self.0.source {
            f.write_str(": ")?;
            source.fmt(f)?;
        }
        f.write_str(&self.place())
    }
}

impl core::error::Error for CertError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}
