//! Certification of JSON assets: an imprint that stands for a whole document, proofs of single
//! fields of it, and a verification that believes nothing it has not computed.
//!
//! The crate knows no JavaScript, no HTTP, no clock and no random source; it is `no_std` and needs
//! only an allocator. The entry point is [`Cert`], built once from a JSON Schema:
//!
//! ```
//! use cert_core::{Cert, Path, Value};
//!
//! let schema = Value::parse(r#"{
//!     "type": "object",
//!     "properties": { "name": { "type": "string" }, "born": { "type": "integer" } }
//! }"#)?;
//! let cert = Cert::new(&schema)?;
//! let data = Value::parse(r#"{ "name": "Ada", "born": 1815 }"#)?;
//! let imprint = cert.imprint(&data)?;
//!
//! // Show the name, keep the year.
//! let paths = [Path::from(["name"])];
//! let public = cert.expose(&data, &paths);
//! let evidence = cert_core::proofs_to_value(&cert.disclose(&data, &paths)?);
//! assert_eq!(cert.calculate(&public, &evidence)?, Some(imprint));
//! # Ok::<(), cert_core::CertError>(())
//! ```
//!
//! # What an imprint does not give
//! - The default nonces are public: an undisclosed value of few possibilities can be guessed from
//!   the hash that stands for it. Use [`KeyedNoncer`] for private data.
//! - `1` and `"1"` hash alike, and so do an absent value, `null` and `""`.
//! - Optional keys and the last items of a list may be hidden: a disclosed list proves its items,
//!   not its length, unless [`List::complete`] says so.
#![no_std]

extern crate alloc;

mod ambiguity;
mod cert;
mod conventions;
mod error;
mod evidence;
mod expose;
mod hash;
mod identify;
mod json;
mod number;
mod ops;
mod parse;
mod path;
mod proof;
mod report;
mod schema;
mod select;
#[cfg(feature = "serde_json")]
mod serde;
mod session;
mod sort;
mod text_order;
mod trie;
mod utf16;
mod value;
mod verify;
mod walk;
mod write;

pub use cert::Cert;
pub use conventions::{CONVENTIONS, Convention, convention};
pub use error::{CertError, ErrorCode, Failure};
pub use hash::{
    Hasher, Input, KeyedNoncer, Noncer, PathNoncer, Place, Position, Sha256Hasher, Text,
};
pub use identify::{identify, identify_sorted};
pub use number::Number;
pub use path::{Path, PathStep, Step};
pub use proof::{Proof, ProofNode, ProofValue, proofs_to_value};
pub use report::{Entry, List, Reason, ReasonCode, Report, Status};
pub use schema::MAX_SCHEMA_DEPTH;
pub use session::{Ask, Callers, Outcome, Request, Session, Task};
pub use value::{Array, MAX_JSON_DEPTH, Object, Scalar, Value};
