//! The formulas of hashes and keys. Each kind of hash has its own first byte, so every hash input has only one meaning.

#[cfg(feature = "lanes")]
use alloc::vec::Vec;

#[cfg(feature = "lanes")]
use sha256_lanes::{Queue, Words};
use sha256_lanes::{copy, hash, to_bytes};

/// The name of the profile, as written in evidence.
pub const PROFILE: &str = "AIH-2";

/// A hash or a key.
pub(super) type Hash = [u8; 32];

const LEAF: u8 = 0x00;
const NODE: u8 = 0x01;
const VOID: u8 = 0x02;
const OBJECT: u8 = 0x03;
const LIST: u8 = 0x04;
const IMPRINT: u8 = 0x05;
const LEFT: u8 = 0x06;
const RIGHT: u8 = 0x07;

/// The kinds of places that have slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    List,
}

impl Kind {
    fn first(self) -> u8 {
        match self {
            Self::Object => OBJECT,
            Self::List => LIST,
        }
    }
}

/// A batch of independent hashes. Several of them are computed side by side. The results are in the order in which the inputs were added.
#[cfg(feature = "lanes")]
#[derive(Default)]
pub(super) struct Batch {
    queue: Queue,
    hashes: Vec<Hash>,
}

#[cfg(feature = "lanes")]
impl Batch {
    /// Adds the hash of a leaf. `text` is the canonical text of its value.
    pub(super) fn leaf(&mut self, key: &Hash, text: &str) {
        self.add(&with(LEAF, key), text.as_bytes());
    }

    /// Adds the hash of a void: an absent property, or a block after the last slot.
    pub(super) fn void(&mut self, key: &Hash) {
        self.add(&with(VOID, key), &[]);
    }

    /// Adds the hash of a block from the hashes of its two halves.
    pub(super) fn node(&mut self, left: &Hash, right: &Hash) {
        self.add(&with(NODE, left), right);
    }

    /// Adds the hash of an object or a list. `block` is the hash of the block of all its slots.
    pub(super) fn place(&mut self, kind: Kind, depth: u8, block: &Hash) {
        self.add(&[kind.first(), depth], block);
    }

    /// Adds the keys of a block's two halves, the left one first.
    pub(super) fn halves(&mut self, key: &Hash) {
        self.add(&with(LEFT, key), &[]);
        self.add(&with(RIGHT, key), &[]);
    }

    /// Returns all hashes that were added since the last `clear`.
    pub(super) fn finish(&mut self) -> &[Hash] {
        let hashes = &mut self.hashes;
        self.queue.finish(&mut |hash| hashes.push(to_bytes(hash)));
        hashes
    }

    /// Drops the returned hashes.
    pub(super) fn clear(&mut self) {
        self.hashes.clear();
    }

    fn add(&mut self, one: &[u8], other: &[u8]) {
        let hashes = &mut self.hashes;
        let mut each = |hash: &Words| hashes.push(to_bytes(hash));
        self.queue.push(one, other, &mut each);
    }
}

/// Returns the imprint of a document whose root object has this hash.
pub(super) fn imprint(schema_id: &Hash, root: &Hash) -> Hash {
    let mut start = [IMPRINT; 38];
    let (_, after) = start.split_at_mut(1);
    let (name, id) = after.split_at_mut(PROFILE.len());
    copy(name, PROFILE.as_bytes());
    copy(id, schema_id);
    to_bytes(&hash(&start, root))
}

/// Returns the hash of a single leaf.
#[cfg(any(test, not(feature = "lanes")))]
pub(super) fn leaf(key: &Hash, text: &str) -> Hash {
    to_bytes(&hash(&with(LEAF, key), text.as_bytes()))
}

/// Returns the hash of a single void.
#[cfg(any(test, not(feature = "lanes")))]
pub(super) fn void(key: &Hash) -> Hash {
    to_bytes(&hash(&with(VOID, key), &[]))
}

/// Returns the hash of a single node.
pub(super) fn node(left: &Hash, right: &Hash) -> Hash {
    to_bytes(&hash(&with(NODE, left), right))
}

/// Returns the hash of a single object or list.
pub(super) fn place(kind: Kind, depth: u8, block: &Hash) -> Hash {
    to_bytes(&hash(&[kind.first(), depth], block))
}

/// Returns the keys of the two halves of a block.
pub(super) fn halves(key: &Hash) -> [Hash; 2] {
    [LEFT, RIGHT].map(|half| to_bytes(&hash(&with(half, key), &[])))
}

fn with(first: u8, hash: &Hash) -> [u8; 33] {
    let mut text = [first; 33];
    let (_, rest) = text.split_at_mut(1);
    copy(rest, hash);
    text
}
