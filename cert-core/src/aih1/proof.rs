//! Proofs: the unit of evidence (`docs/interface.md`, Resources, Proof object).

use alloc::vec::Vec;

use serde::Serialize;

use crate::hash::text::Hash;
use crate::json::path::Path;
use crate::json::serialize::to_value;
use crate::json::value::Value;

/// The hashes and values from which the imprint of one object or array is computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// The path of the object or array; empty for the root.
    pub path: Path,
    /// Hashes, by ascending index.
    pub nodes: Vec<ProofNode>,
    /// Values, by ascending index.
    pub values: Vec<ProofValue>,
}

/// A hash of the tree. At a position, the node has the index `2 × position`, and the leaf has the index `2 × position + 1`. The
/// closing node comes after the last position, so its position equals the number of positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofNode {
    /// The index in the tree.
    pub index: usize,
    /// The hash.
    pub hash: Hash,
}

/// A disclosed value of the document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofValue {
    /// The position in the group.
    pub index: usize,
    /// The value in its JSON type, or the imprint of an object or array. `None` if the value is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The nonce that was hashed with the value.
    pub nonce: Hash,
}

impl Proof {
    /// Returns the proof as JSON: `{"path": […], "nodes": […], "values": […]}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}

/// Returns a list of proofs as JSON: the `data` of an evidence object.
#[must_use]
pub fn proofs_to_value(proofs: &[Proof]) -> Value {
    to_value(&proofs)
}
