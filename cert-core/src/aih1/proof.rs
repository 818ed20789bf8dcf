//! Proofs: the unit of evidence (the interface specification, Resources, Proof object).

use alloc::vec::Vec;

use crate::hash::text::Hash;
use crate::json::build::{list, number};
use crate::json::path::Path;
use crate::json::str::{Keys, Str};
use crate::json::value::{Object, Value};

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
    pub hash: Hash,
}

/// A value of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofValue {
    /// The position in the group.
    pub index: usize,
    /// The value in its JSON type, the imprint of an object or array, or `None` where it is absent.
    pub value: Option<Value>,
    /// The nonce that the value was hashed with.
    pub nonce: Hash,
}

impl Proof {
    /// The proof as JSON: `{"path": […], "nodes": […], "values": […]}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.written(&mut Keys::new())
    }

    fn written(&self, keys: &mut Keys) -> Value {
        let nodes = self.nodes.iter().map(|node| {
            object([
                (keys.share("index"), number(node.index)),
                (keys.share("hash"), node.hash.as_str().into()),
            ])
        });
        let nodes = list(nodes);
        let values = self.values.iter().map(|value| {
            let index = (keys.share("index"), number(value.index));
            let nonce = (keys.share("nonce"), value.nonce.as_str().into());
            match value.value.clone() {
                None => object([index, nonce]),
                Some(value) => object([index, (keys.share("value"), value), nonce]),
            }
        });
        let values = list(values);
        object([
            (keys.share("path"), self.path.to_value()),
            (keys.share("nodes"), nodes),
            (keys.share("values"), values),
        ])
    }
}

fn object<const N: usize>(entries: [(Str, Value); N]) -> Value {
    Object::from_distinct(entries.into()).into()
}

/// A list of proofs as JSON: the `data` of an evidence object.
#[must_use]
pub fn proofs_to_value(proofs: &[Proof]) -> Value {
    let mut keys = Keys::new();
    list(proofs.iter().map(|proof| proof.written(&mut keys)))
}
