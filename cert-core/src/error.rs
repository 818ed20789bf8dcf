//! The error type of certification: a stable code, the path of the faulty value, and a sentence.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::json::join::join;
use crate::json::path::{Path, PathStep};
use crate::json::strings::strings;

/// The failure of a user's hasher or noncer.
pub type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The kind of a failure. The meaning of a code never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The text is not JSON (RFC 8259).
    JsonInvalid,
    /// The JSON is nested deeper than [`MAX_JSON_DEPTH`](crate::MAX_JSON_DEPTH).
    JsonTooDeep,
    /// A JSON object has the same key twice.
    KeyDuplicate,
    /// A string holds half of a surrogate pair. Such a string has no UTF-8 form, so it cannot be hashed.
    SurrogateUnpaired,
    /// The schema, or a part of it, is not a JSON Schema.
    SchemaInvalid,
    /// The schema's root is not of type `object`. An asset is a JSON object.
    SchemaRootNotObject,
    /// A schema of type `object` has no `properties`.
    SchemaPropertiesMissing,
    /// A schema of type `array` has no `items`.
    SchemaItemsMissing,
    /// The schema is nested deeper than [`MAX_SCHEMA_DEPTH`](crate::MAX_SCHEMA_DEPTH).
    SchemaTooDeep,
    /// Two values of the schema have the same path once their keys are joined with dots. Also returned if this would take more than 100,000
    /// comparisons of keys with dots and indexes of lists.
    SchemaPathAmbiguous,
    /// A reference of the schema has no target in the schema.
    SchemaReferenceUnresolved,
    /// A value is not of the kind that the schema requires, so it cannot be certified.
    DataTypeMismatch,
    /// Strict certification found a value that the schema does not describe.
    DataUncovered,
    /// A number is infinite or NaN.
    NumberNotFinite,
    /// Paths are not a list of lists of keys and indexes. Under AIH-2, also: a key leads into a list, or an index leads into an object.
    PathsInvalid,
    /// The secret of a noncer is too short to protect anything.
    SecretTooShort,
    /// The nonce of a list's closing node is as long as two hashes, so the node could be read as one more item.
    NonceAmbiguous,
    /// A user's hasher returned a hash that is empty, or whose length differs from the declared length or the `Cert`'s first hash.
    HashLength,
    /// An integer is outside ±(2^53 − 1), where doubles cannot represent every integer. AIH-2 refuses such an integer.
    IntegerTooLarge,
    /// The schema does not have a key of the document or of a path. AIH-2 refuses such a key.
    NotInSchema,
    /// A list has more items than its schema's `maxItems` or the depth in its proof allows.
    ListTooLong,
    /// An option of certification is missing or wrong, such as a document key that is not 32 bytes.
    OptionInvalid,
    /// The operation would compute more hashes than allowed.
    TooMuchWork,
    /// A path leads into a value that is hashed as one leaf.
    PathNotSeparable,
    /// The evidence does not open a value that a path requests.
    NotAvailable,
    /// The paths would open no value, or the evidence opens none.
    NothingOpen,
    /// The evidence is not of the profile AIH-2.
    ProfileUnknown,
    /// The evidence has a member that is unknown, missing or of the wrong type, or a pair that is repeated or inside another pair.
    EvidenceMalformed,
    /// The evidence is for a schema other than the `Cert`'s schema.
    SchemaMismatch,
    /// The evidence has no values, and no document was given with it.
    DocumentMissing,
    /// The given string is not an imprint.
    ImprintInvalid,
    /// A proof ends too early.
    ProofShort,
    /// A proof continues after its end.
    ProofLong,
    /// A proof has a token that is not allowed at its place.
    ProofShape,
    /// A list continues after its proven end.
    ListOrder,
    /// A list's depth differs from the depth that its schema or its proven end gives.
    ListDepth,
    /// A value, or its kind, differs from the value in the evidence.
    ValueMismatch,
    /// The evidence breaks no rule, but belongs to an imprint other than the given one.
    ImprintMismatch,
    /// A value of the document is at a place that the evidence hides, so anyone could have added it. Or the document lacks a list that the
    /// evidence proves to be empty.
    NotCovered,
    /// The verifier names an asset, but the evidence hides the `ledgerId` or the `assetId` that the schema has.
    AssetHidden,
    /// The asset that the document names is not the asset that the verifier names.
    AssetMismatch,
    /// The evidence proves no value of the asset that the verifier names. For example, it proves only an empty object.
    NothingProven,
    /// A user's hasher failed.
    HasherFailed,
    /// A user's noncer failed.
    NoncerFailed,
}

strings!(ErrorCode {
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
    Self::NothingProven => "nothing-proven",
    Self::HasherFailed => "hasher-failed",
    Self::NoncerFailed => "noncer-failed",
});

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of an operation that could not be carried out.
///
/// Evidence of AIH-1 that proves nothing is not an error: see [`Cert::calculate`](crate::Cert::calculate).
#[derive(Debug)]
pub struct CertError(Box<Parts>);

/// The content of an error. It is boxed to keep results small when nothing fails.
#[derive(Debug)]
struct Parts {
    code: ErrorCode,
    path: Path,
    message: String,
    source: Option<Failure>,
}

impl CertError {
    /// Returns an error. `message` is one sentence about the fault.
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

    /// Prepends `step` to the path. Recursive readers call this at each level on the way back to the root.
    pub(crate) fn below(mut self, step: PathStep) -> Self {
        self.0.path.prepend(step);
        self
    }

    /// Prepends the steps to the path.
    pub(crate) fn below_all(self, steps: &[PathStep]) -> Self {
        steps.iter().cloned().rfold(self, Self::below)
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Returns the path of the error in the data, the schema or the evidence. The path is empty if the error concerns one of these as a
    /// whole.
    ///
    /// For a schema that a `Cert` refuses, this is a path of the data that the faulty part of the schema describes. For a schema that a
    /// `Validator` refuses, this is a path in the schema. Paths of JSON errors follow the structure of the JSON text itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns one sentence about the fault. Without the feature `messages`, many errors of AIH-2 have an empty sentence, such as those
    /// about evidence.
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
