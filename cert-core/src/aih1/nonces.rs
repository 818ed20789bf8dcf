//! Nonces of locations that all data of a schema has, made once for all.

use alloc::string::String;
use alloc::vec::Vec;

use crate::hash::text::Hash;
use crate::hash::{Location, Noncer};
use crate::json::path::Step;
use crate::schema::{Node, ObjectNode};

/// The longest prefix below which nonces are made beforehand: a schema of one long key above many others would take time in proportion to
/// its square, even for callers who ask for none of these nonces.
const MAX_PREFIX: usize = 256;

/// The nonces of an object of the schema and of the objects within it. No path of an item of a list is the same for all data.
#[derive(Debug, Default)]
pub(crate) struct NonceCache {
    /// The nonces of every position and of the closing node; none if they are made when they are asked for.
    nonces: Vec<Hash>,
    /// The cache of each member of the object.
    members: Vec<Self>,
}

impl NonceCache {
    /// Makes the nonces of a schema, if the noncer gives the same ones for all data.
    pub(crate) fn new(schema: &ObjectNode, noncer: &dyn Noncer) -> Self {
        if noncer.path_only() {
            Self::below(schema, noncer, &mut String::new())
        } else {
            Self::default()
        }
    }

    fn below(schema: &ObjectNode, noncer: &dyn Noncer, prefix: &mut String) -> Self {
        if prefix.len() > MAX_PREFIX {
            return Self::default();
        }
        let nonces = (0..=schema.width()).map(|at| noncer.nonce(Location::new(&[], prefix, at)));
        // If one fails, all are asked for when they are needed: the caller learns of it then, and none is taken for another.
        let nonces = nonces.collect::<Result<_, _>>().unwrap_or_default();
        let length = prefix.len();
        let members = schema.members().iter().map(|member| match &member.node {
            Node::Object(inner) => {
                noncer.extend_prefix(prefix, Step::Key(&member.key));
                let inner = Self::below(inner, noncer, prefix);
                prefix.truncate(length);
                inner
            }
            Node::Leaf | Node::List(_) => Self::default(),
        });
        let members = members.collect();
        Self { nonces, members }
    }

    /// The nonces of `count` positions, if they are cached.
    pub(crate) fn nonces(&self, first: usize, count: usize) -> Option<&[Hash]> {
        self.nonces.get(first..first.checked_add(count)?)
    }

    /// The nonces of the member at this index among all members.
    pub(crate) fn member(&self, index: usize) -> Option<&Self> {
        self.members.get(index)
    }
}
