//! The nonces whose paths depend only on the schema. They are computed once.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hash::text::Hash;
use crate::hash::{Location, Noncer, nonces};
use crate::json::path::Step;
use crate::schema::{Node, ObjectNode};

/// The maximum length of a prefix for which nonces are precomputed. Without a bound, a schema with one long key above many others would
/// take time quadratic in its size. Callers that need none of these nonces would spend this time, too.
const MAX_PREFIX: usize = 256;

/// The nonces of an object of the schema and of the objects inside it. Items of lists are not included, because their paths depend on the
/// data.
#[derive(Debug, Default)]
pub(crate) struct NonceCache {
    /// The nonces of every position and of the closing node. Empty if the nonces are not cached.
    nonces: Vec<Hash>,
    /// The caches of the object's members. Empty for members that are not objects.
    members: Vec<Self>,
}

impl NonceCache {
    /// Computes the nonces of a schema. The cache stays empty if the noncer's nonces do not depend on the path alone.
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
        // If one nonce fails, no nonce of this object is cached. Each operation then requests these nonces itself, so its caller gets the
        // error.
        let nonces = nonces(noncer, &places).unwrap_or_default();
        let mut members = Vec::with_capacity(schema.members().len());
        for member in schema.members() {
            members.push(match &member.node {
                Node::Object(inner) => {
                    let mut prefix = String::from(prefix);
                    noncer.extend_prefix(&mut prefix, Step::Key(&member.key));
                    Self::below(inner, noncer, &prefix)
                }
                Node::Leaf(_) | Node::List(_) => Self::default(),
            });
        }
        Self { nonces, members }
    }

    /// Returns the nonces of `count` positions from `first` on, or `None` if they are not cached.
    pub(crate) fn nonces(&self, first: usize, count: usize) -> Option<&[Hash]> {
        self.nonces.get(first..first.checked_add(count)?)
    }

    /// Returns the cache of the object's member with this index.
    pub(crate) fn member(&self, index: usize) -> Option<&Self> {
        self.members.get(index)
    }
}
