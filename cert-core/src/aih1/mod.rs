//! The first profile, AIH-1. Each object and array is hashed as a list of its values.
//!
//! A group is an object or array. It has a value at each position 0 to n−1. `+` concatenates strings, and each hash is a string. The
//! default noncer computes `nonce`.
//!
//! ```text
//! text(v)    = "" for absent and null, a string itself, "true" or "false", a number as ECMAScript writes it
//! nonce(i)   = hash(p + i)                             p: the keys and indexes of the group's path, each followed by a dot
//! leaf(i)    = hash(hash(text(v(i))) + nonce(i))
//! node(2n)   = hash(nonce(n))                             the closing node
//! node(2i)   = hash(leaf(i) + node(2i+2))
//! node(2i+1) = leaf(i)
//! imprint    = node(0)
//! ```
//!
//! The text of an object or array inside a group is the imprint of that object or array. An array without items is hashed like an absent
//! value. In this file, [`Input`] has the text of each hash, and other functions compute nonce prefixes and indexes. All other code uses
//! these definitions.

pub(crate) mod certify;
pub(crate) mod closing;
pub(crate) mod connect;
pub(crate) mod disclose;
pub(crate) mod evidence;
pub(crate) mod group;
#[cfg(feature = "large")]
pub(crate) mod large;
pub(crate) mod nonces;
pub(crate) mod order;
pub(crate) mod proof;
pub(crate) mod recompute;
pub(crate) mod tree;

use alloc::string::String;

use crate::hash::Role;
use crate::hash::text::Hash;
use crate::json::number::Digits;
use crate::json::path::Step;
use crate::json::value::Scalar;

/// A string to hash. It consists of one or two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A value of the data; `None` if it is absent.
    Value(Option<Scalar<'a>>),
    /// The imprint of an object or array, which is hashed like a value.
    Imprint(&'a Hash),
    /// The hash of a value, and its nonce.
    Leaf(&'a Hash, &'a Hash),
    /// A leaf, and the node after it.
    Node(&'a Hash, &'a Hash),
    /// The nonce after the last value of a group. The closing node is its hash.
    Closing(&'a Hash),
}

impl<'a> Input<'a> {
    /// Returns the role of the hash in the tree.
    #[must_use]
    pub const fn role(&self) -> Role {
        match self {
            Self::Value(_) | Self::Imprint(_) => Role::Value,
            Self::Leaf(..) => Role::Leaf,
            Self::Node(..) | Self::Closing(_) => Role::Node,
        }
    }

    /// Returns the two parts of the text, as UTF-8. The second part may be empty.
    pub(crate) fn parts(&'a self) -> [&'a [u8]; 2] {
        match self {
            Self::Value(value) => [text(value).as_bytes(), &[]],
            Self::Imprint(one) | Self::Closing(one) => [one.as_bytes(), &[]],
            Self::Leaf(one, other) | Self::Node(one, other) => [one.as_bytes(), other.as_bytes()],
        }
    }

    /// Returns the text to hash.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Value(value) => text(value).into(),
            Self::Imprint(one) | Self::Closing(one) => one.as_str().into(),
            Self::Leaf(one, other) | Self::Node(one, other) => {
                let mut text = String::from(one.as_str());
                text.push_str(other);
                text
            }
        }
    }
}

/// Returns `text(v)`. Callers have already refused numbers that are not finite.
fn text<'v>(value: &'v Option<Scalar<'_>>) -> &'v str {
    match value {
        None | Some(Scalar::Null) => "",
        Some(Scalar::Bool(true)) => "true",
        Some(Scalar::Bool(false)) => "false",
        Some(Scalar::Number(number)) => number.as_str(),
        Some(Scalar::String(text)) => text,
    }
}

/// Appends a step of a group's path, and a dot, to `prefix`. A default nonce is the hash of this prefix followed by the position.
pub(crate) fn extend_nonce_prefix(prefix: &mut String, step: Step<'_>) {
    match step {
        Step::Key(key) => prefix.push_str(key),
        Step::Index(index) => prefix.push_str(Digits::new(index).as_str()),
    }
    prefix.push('.');
}

/// Returns the index that a proof gives to the leaf at a position.
pub(crate) fn leaf_index(position: usize) -> usize {
    node_index(position).saturating_add(1)
}

/// Returns the index that a proof gives to the node at a position. The closing node is at the position after the last value.
pub(crate) fn node_index(position: usize) -> usize {
    position.saturating_mul(2)
}
