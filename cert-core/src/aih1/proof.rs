//! Proofs: the unit of evidence (`docs/interface.md`, Resources, Proof object).

use alloc::vec::Vec;

use serde::Serialize;

use crate::hash::text::Hash;
use crate::json::path::Path;
use crate::json::serialize::to_value;
use crate::json::value::Value;

/// The hashes and values that the imprint of one object or array is computed from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// The path of the object or array; empty for the root.
    pub path: Path,
    /// Hashes, by ascending index.
    pub nodes: Vec<ProofNode>,
    /// Values, by ascending index.
    pub values: Vec<ProofValue>,
}

/// A hash of the tree: leaves have odd indexes, `2 × position + 1`, the nodes before them even ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofNode {
    /// The index in the tree.
    pub index: usize,
    /// The hash.
    pub hash: Hash,
}

/// A value of the tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofValue {
    /// The position in the group.
    pub index: usize,
    /// The value in its JSON type, the imprint of an object or array, or `None` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The nonce that the value was hashed with.
    pub nonce: Hash,
}

impl Proof {
    /// The proof as JSON: `{"path": […], "nodes": […], "values": […]}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }
}

/// A list of proofs as JSON: the `data` of an evidence object.
#[must_use]
pub fn proofs_to_value(proofs: &[Proof]) -> Value {
    to_value(&proofs)
}
