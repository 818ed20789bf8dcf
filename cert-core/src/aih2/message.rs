//! The sentences for error codes.

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step};

/// Returns an error about evidence, or about a document that is certified or shown. Without the feature `messages`, the error's sentence is
/// empty, because reports use only the code and the path.
pub(super) fn refusal(code: ErrorCode, path: Path, message: &str) -> CertError {
    let message = if cfg!(feature = "messages") {
        message
    } else {
        ""
    };
    CertError::new(code, path, message)
}

/// Returns an error about malformed evidence.
pub(super) fn malformed(path: &[Step<'_>], message: &str) -> CertError {
    refusal(ErrorCode::EvidenceMalformed, Path::from(path), message)
}

/// Returns the sentence for a code: the reason why evidence proves nothing, or why a place of the document is not proven.
pub(super) const fn sentence(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ProfileUnknown => "the profile of the evidence is not `AIH-2`",
        ErrorCode::EvidenceMalformed => {
            "this is not evidence: a member is missing, unknown or malformed"
        }
        ErrorCode::SchemaMismatch => "the evidence is for another schema",
        ErrorCode::DocumentMissing => "the evidence has no values and needs its document",
        ErrorCode::ImprintInvalid => {
            "an imprint must be 64 lower-case hexadecimal digits, alone or after `aih2:` or `0x`"
        }
        ErrorCode::ProofShort => "the proof ends early",
        ErrorCode::ProofLong => "the proof continues after its end",
        ErrorCode::ProofShape => "the proof does not fit the schema or the document here",
        ErrorCode::NothingOpen => "the evidence opens nothing",
        ErrorCode::ListOrder => "the proof of this list continues after the end of the list",
        ErrorCode::ListDepth => {
            "the proof of this list does not have the depth of a list of this length"
        }
        ErrorCode::ListTooLong => "the list has more items than its schema or its proof allows",
        ErrorCode::ValueMismatch => "the document differs here from the values of the evidence",
        ErrorCode::TooMuchWork => "checking the evidence takes more hashes than are allowed",
        ErrorCode::ImprintMismatch => {
            "the evidence belongs to another imprint, or something that it shows was changed"
        }
        ErrorCode::NotCovered => {
            "the evidence says nothing about this value, so anyone may have added it, or the document lacks a list that is proven to be empty"
        }
        ErrorCode::AssetHidden => {
            "the evidence hides the ids of its asset, so it may have been copied from another asset"
        }
        ErrorCode::AssetMismatch => "the document was certified for an asset other than this one",
        ErrorCode::NothingProven => {
            "no value of the asset is proven, only absences or the addresses of its documents"
        }
        ErrorCode::NotInSchema => "the schema does not have this key",
        _ => "the evidence or the document breaks AIH-2's rules for JSON",
    }
}
