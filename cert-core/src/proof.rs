//! Proofs: the unit of evidence (the interface specification, Resources, Proof object).

use alloc::vec::Vec;

use crate::json::{list, number, object};
use crate::path::Path;
use crate::text::Text;
use crate::value::Value;

/// What is needed to compute the imprint of one object or array.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// Which object or array it is about; empty for the root.
    pub path: Path,
    /// Hashes, by ascending index.
    pub nodes: Vec<ProofNode>,
    /// Values, by ascending index.
    pub values: Vec<ProofValue>,
}

/// A hash of the tree: leaves have odd indexes, `2 × position + 1`, the nodes before them even ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofNode {
    /// The index in the tree.
    pub index: usize,
    /// The hash.
    pub hash: Text,
}

/// A value of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofValue {
    /// The position in the group.
    pub index: usize,
    /// The value in its JSON type, the imprint of an object or array, or `None` where it is absent.
    pub value: Option<Value>,
    /// The nonce that the value was hashed with.
    pub nonce: Text,
}

impl Proof {
    /// The proof as JSON: `{"path": […], "nodes": […], "values": […]}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let nodes = self.nodes.iter().map(|node| {
            object([
                ("index", Some(number(node.index))),
                ("hash", Some(node.hash.as_str().into())),
            ])
        });
        let values = self.values.iter().map(|value| {
            object([
                ("index", Some(number(value.index))),
                ("value", value.value.clone()),
                ("nonce", Some(value.nonce.as_str().into())),
            ])
        });
        object([
            ("path", Some(self.path.to_value())),
            ("nodes", Some(list(nodes))),
            ("values", Some(list(values))),
        ])
    }
}

/// A list of proofs as JSON: the `data` of an evidence object.
#[must_use]
pub fn proofs_to_value(proofs: &[Proof]) -> Value {
    list(proofs.iter().map(Proof::to_value))
}
