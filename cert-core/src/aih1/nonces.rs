//! The nonces whose paths depend only on the schema. They are computed once.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hash::text::Hash;
use crate::hash::{Location, Noncer, nonces};
use crate::json::path::Step;
use crate::schema::{Node, ObjectNode};

/// The maximum length of a prefix for which nonces are precomputed. Without a bound, a schema with one long key above many others would
/// take time quadratic in its size. Callers who need none of these nonces would pay for it, too.
const MAX_PREFIX: usize = 256;

/// The nonces of an object of the schema and of the objects inside it. Items of lists are not included, because their paths depend on the
/// data.
#[derive(Debug, Default)]
pub(crate) struct NonceCache {
    /// The nonces of every position and of the closing node. Empty if they are computed on demand.
    nonces: Vec<Hash>,
    /// The cache of each member of the object.
    members: Vec<Self>,
}

impl NonceCache {
    /// Makes the nonces of a schema, if the noncer gives the same nonces for all data.
    pub(crate) fn new(schema: &ObjectNode, noncer: &dyn Noncer) -> Self {
        if noncer.path_only() {
            Self::below(schema, noncer, "")
        } else {
            Self::default()
        }
    }

    fn below(schema: &ObjectNode, noncer: &dyn Noncer, prefix: &str) -> Self {
        if prefix.len() > MAX_PREFIX {
            return Self::default();
        }
        let mut places = Vec::with_capacity(schema.width().saturating_add(1));
        for at in 0..=schema.width() {
            places.push(Location::new(&[], prefix, at));
        }
        // If one nonce fails, no nonce is cached. Each operation then requests the nonces itself, so its caller gets the error.
        let nonces = nonces(noncer, &places).unwrap_or_default();
        let mut members = Vec::with_capacity(schema.members().len());
        for member in schema.members() {
            members.push(match &member.node {
                Node::Object(inner) => {
                    let mut prefix = String::from(prefix);
                    noncer.extend_prefix(&mut prefix, Step::Key(&member.key));
                    Self::below(inner, noncer, &prefix)
                }
                Node::Leaf | Node::List(_) => Self::default(),
            });
        }
        Self { nonces, members }
    }

    /// Returns the nonces of `count` positions from `first` on, if they are cached.
    pub(crate) fn nonces(&self, first: usize, count: usize) -> Option<&[Hash]> {
        self.nonces.get(first..first.checked_add(count)?)
    }

    /// Returns the nonces of the object's member with this index.
    pub(crate) fn member(&self, index: usize) -> Option<&Self> {
        self.members.get(index)
    }
}
