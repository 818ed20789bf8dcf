//! The certification profile AIH-2. Keys are derived down a tree, and hashes are computed up the tree.
//!
//! A *place* is the document itself, a property of the schema, or an item of a list. Every place has a 32-byte key, derived from the key
//! above it. It also has a hash, computed from the hashes below it. To open a place and everything below it, evidence contains the key of
//! the place. To hide a place, evidence contains its hash.
//!
//! ```
//! use cert_core::Path;
//! use cert_core::aih2::{self, Cert, DocumentKey, Keys, Values};
//!
//! let schema = aih2::parse(
//!     r#"{ "type": "object", "properties": { "name": { "type": "string" }, "born": { "type": "integer" } } }"#,
//! )?;
//! let cert = Cert::new(&schema)?;
//! let data = aih2::parse(r#"{ "name": "Ada", "born": 1815 }"#)?;
//! // In production, take these bytes from a cryptographic random number generator, and use them for this document alone.
//! let keys = Keys::Key(DocumentKey::from([7; 32]));
//! let imprint = cert.imprint(&data, &keys)?;
//!
//! // This evidence opens the name and nothing else.
//! let evidence = cert.disclose(&data, &keys, &[Path::from(["name"])], Values::Attach)?;
//! let report = cert.verify(None, &evidence.to_value(), &imprint.to_string())?;
//! assert!(report.valid);
//! assert_eq!(report.entries[0].value.to_json(), r#""Ada""#);
//! # Ok::<(), cert_core::CertError>(())
//! ```
//!
//! # Hashes
//!
//! | hash or key | SHA-256 of |
//! |---|---|
//! | leaf: a value that the schema does not split | `0x00 ‖ key ‖ canonical text` (RFC 8785) |
//! | void: an absent property, or a block after the last slot | `0x02 ‖ key` |
//! | node: a block of slots, from its two halves | `0x01 ‖ left ‖ right` |
//! | object, list | `0x03 ‖ depth ‖ its block`, `0x04 ‖ depth ‖ its block` |
//! | imprint | `0x05 ‖ "AIH-2" ‖ schema id ‖ root object` |
//! | key of a block's left half, of its right half | `0x06 ‖ key`, `0x07 ‖ key` |
//!
//! The *slots* of a list are its items. The slots of an object are all properties of its schema, including properties that the document
//! lacks, ordered by the UTF-16 code units of their names. The block of an object or list has 2^depth slots.

mod asset;
mod blocks;
mod cert;
mod connect;
mod connect_list;
mod connect_object;
mod cover;
mod document;
mod evidence;
mod expose;
mod findings;
mod formula;
mod imprint;
mod key;
mod make;
mod message;
mod pairs;
mod paths;
#[cfg(any(test, not(feature = "lanes")))]
#[cfg_attr(
    all(test, feature = "lanes"),
    allow(dead_code, reason = "a test compares it with windows")
)]
mod plain;
mod pointers;
mod proof;
mod report;
mod shape;
mod source;
mod strict;
mod tree;
mod verify;
mod wants;
mod whole;
#[cfg(feature = "lanes")]
mod window;
mod work;

#[cfg(not(feature = "lanes"))]
use plain as hashing;
#[cfg(feature = "lanes")]
use window as hashing;

pub use asset::{Asset, Differences, POINTERS};
pub use cert::{Cert, Values};
pub use document::MAX_PLACEHOLDERS;
pub use evidence::{Evidence, MAX_EVIDENCE_DEPTH};
pub use formula::PROFILE;
pub use imprint::{Imprint, SchemaId};
pub use key::{DocumentKey, Keys, MIN_SECRET_BYTES, Secret};
pub use report::{
    Entry, ListFinding, ObjectFinding, Omitted, Problem, Report, Status, ValueFinding,
};
pub use strict::parse;
pub use whole::shown_whole;
pub use work::MAX_WORK;
