#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod aih1;
pub mod aih2;
mod cert;
mod error;
pub mod file;
mod hash;
mod invariant;
mod json;
mod schema;
mod selection;
#[cfg(test)]
mod steps;
pub mod text;
#[cfg(feature = "validate")]
mod validate;
pub mod verdict;
mod verify;

pub use aih1::Input;
pub use aih1::evidence::{Evidence, RawEvidence};
pub use aih1::proof::{Proof, ProofNode, ProofValue, proofs_to_value};
pub use cert::Cert;
pub use error::{CertError, ErrorCode, Failure};
pub use hash::deferred::{Ask, Deferred, Part, Question};
pub use hash::keyed::KeyedNoncer;
pub use hash::sha256::{PathNoncer, Sha256Hasher};
pub use hash::text::Hash;
pub use hash::{Chain, Hasher, Job, Location, Noncer, Role};
pub use json::number::Number;
pub use json::path::{Path, PathStep, Step};
pub use json::str::Str;
pub use json::value::{Array, MAX_JSON_DEPTH, Object, Scalar, Value};
pub use schema::MAX_SCHEMA_DEPTH;
pub use schema::conventions::{CONVENTIONS, Convention, convention};
pub use schema::identify::{identify, identify_sorted, identify_text};
pub use schema::paths::MAX_UNCOVERED;
#[cfg(feature = "validate")]
pub use validate::{MAX_VIOLATIONS, Validator, Violation};
pub use verify::judge::{Finding, Judgement};
pub use verify::report::{
    Entry, List, MAX_ENTRIES, MAX_PATH_BYTES, Omitted, Reason, ReasonCode, Report, Status,
};
