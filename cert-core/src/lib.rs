#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod ambiguity;
mod cert;
mod closing;
mod conventions;
mod disclose;
mod error;
mod evidence;
mod expose;
mod given;
mod hash;
mod hmac;
mod identify;
mod join;
mod json;
mod judge;
mod keyed;
mod lanes;
mod linked;
mod number;
mod ops;
mod packed;
mod parse;
mod path;
mod plan;
mod proof;
mod proven;
mod questions;
mod report;
mod schema;
mod select;
#[cfg(feature = "serde_json")]
mod serde;
mod shared;
mod sort;
mod text;
mod text_order;
mod trie;
mod uncovered;
mod utf16;
#[cfg(feature = "validate")]
mod validate;
mod value;
mod verify;
mod walk;
mod write;

pub use cert::Cert;
pub use conventions::{CONVENTIONS, Convention, convention};
pub use error::{CertError, ErrorCode, Failure};
pub use given::Evidence;
pub use hash::{Hasher, Input, Noncer, PathNoncer, Place, Position, Sha256Hasher};
pub use identify::{identify, identify_sorted, identify_text};
pub use judge::{Finding, Judgement};
pub use keyed::KeyedNoncer;
pub use number::Number;
pub use packed::{Packed, PackedProofs, pack_error, pack_paths, pack_questions, pack_report};
pub use path::{Path, PathStep, Step};
pub use proof::{Proof, ProofNode, ProofValue, proofs_to_value};
pub use questions::{Ask, Callers, Outcome, Part, Question, Task};
pub use report::{
    Entry, List, MAX_ENTRIES, MAX_PATH_BYTES, Omitted, Reason, ReasonCode, Report, Status,
};
pub use schema::MAX_SCHEMA_DEPTH;
pub use shared::Str;
pub use text::Text;
pub use uncovered::MAX_UNCOVERED;
#[cfg(feature = "validate")]
pub use validate::{MAX_VIOLATIONS, Validator, Violation};
pub use value::{Array, MAX_JSON_DEPTH, Object, Scalar, Value};
