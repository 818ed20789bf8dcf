//! Proofs in two forms: bytes that encode tokens, and the parts of a tree that the tokens describe.
//!
//! ```text
//! slot  = block of level 0
//! block = "H" hash(32)             hidden
//!       | "K" key(32)              open, with everything below it
//!       | "N" block block          level > 0: its two halves
//!       | "O" block                level 0: an object, open in part; the block of all its slots
//!       | "A" depth(1) block       level 0: a list, open in part; the block of all its 2^depth slots
//! ```

use alloc::vec::Vec;

use crate::aih2::formula::{Hash, Kind, node, place};
use crate::aih2::hashing;
use crate::aih2::shape::Shape;
use crate::aih2::tree::{Members, Tree};
use crate::error::ErrorCode;
use crate::invariant::certain;
use crate::json::value::Value;

/// A token of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Hidden(Hash),
    Open(Hash),
    Halves,
    Object,
    List(u8),
}

impl Token {
    /// Reads the next token of a proof.
    pub(super) fn read(proof: &mut &[u8]) -> Result<Self, (ErrorCode, &'static str)> {
        let short = || (ErrorCode::ProofShort, "the proof ends early");
        let (first, mut rest) = proof.split_first().ok_or_else(short)?;
        let mut hash = || {
            let (hash, after) = rest.split_first_chunk().ok_or_else(short)?;
            rest = after;
            Ok(*hash)
        };
        let token = match first {
            b'H' => Self::Hidden(hash()?),
            b'K' => Self::Open(hash()?),
            b'N' => Self::Halves,
            b'O' => Self::Object,
            b'A' => {
                let (depth, after) = rest.split_first().ok_or_else(short)?;
                rest = after;
                Self::List(*depth)
            }
            _ => {
                return Err((
                    ErrorCode::ProofShape,
                    "the proof has a byte that is not a token",
                ));
            }
        };
        *proof = rest;
        Ok(token)
    }

    pub(super) fn write(self, proof: &mut Vec<u8>) {
        match self {
            Self::Hidden(hash) => {
                proof.push(b'H');
                proof.extend(hash);
            }
            Self::Open(key) => {
                proof.push(b'K');
                proof.extend(key);
            }
            Self::Halves => proof.push(b'N'),
            Self::Object => proof.push(b'O'),
            Self::List(depth) => proof.extend([b'A', depth]),
        }
    }
}

/// Returns a lower bound for the number of hashes that verifying a proof takes. `pairs` is the number of path and value pairs of the
/// evidence. The function reads the tokens, not the schema.
///
/// A key over m slots with values takes at least m hashes for them. Opening them also splits at least m − 1 blocks, at one node hash and
/// two key hashes each. The sum is smallest if as many keys as possible cover at least one pair each.
///
/// Returns `None` if the tokens do not follow the grammar.
pub(super) fn least_work(mut proof: &[u8], pairs: u64) -> Option<u64> {
    // No count overflows, because each counts things in memory. Saturating arithmetic would take more code.
    let (mut keys, mut others) = (0_u64, 0_u64);
    // The number of remaining blocks.
    let mut blocks = 1_usize;
    while let Some(rest) = blocks.checked_sub(1) {
        blocks = rest;
        match Token::read(&mut proof).ok()? {
            Token::Hidden(_) => {}
            Token::Open(_) => keys = keys.wrapping_add(1),
            token => {
                others = others.wrapping_add(1);
                let below = if token == Token::Halves { 2 } else { 1 };
                blocks = blocks.wrapping_add(below);
            }
        }
    }
    let with_pairs = keys.min(pairs);
    // The imprint takes a hash, too.
    let all = keys.wrapping_add(others).wrapping_add(1);
    let work = pairs.wrapping_sub(with_pairs).wrapping_mul(4);
    proof.is_empty().then_some(all.wrapping_add(work))
}

/// A value with its shape.
pub(super) type Shaped<'a> = (&'a Shape, &'a Value);

/// A block of a proof, connected to the schema and to the shown values. Parts are in the order of their tokens, so a block is followed by
/// everything below it.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Hidden(Hash),
    Open(Open<'a>),
    /// A block of two halves, which follow as parts.
    Halves,
    /// The block of all slots of an object.
    Object {
        depth: u8,
        /// True if no slot is hidden.
        complete: bool,
    },
    /// The block of all slots of a list.
    List(OpenList),
}

/// A list that is open in part.
#[derive(Debug)]
pub(super) struct OpenList {
    pub(super) depth: u8,
    /// True if no slot is hidden.
    pub(super) complete: bool,
    /// The first slot that is proven to be void; `None` if no slot is.
    pub(super) void: Option<u64>,
    /// The maximum number of items that the list can have.
    pub(super) at_most: u64,
    /// The number of items that the detached document shows, placeholders included; `None` if that document does not show the list.
    pub(super) shown: Option<u64>,
}

/// A block that a key opens.
#[derive(Debug)]
pub(super) struct Open<'a> {
    pub(super) key: Hash,
    pub(super) level: u8,
    pub(super) start: u64,
    /// The block's slots from `start` on, up to the last existing one. `None` for an absent property.
    pub(super) slots: Vec<Option<Shaped<'a>>>,
}

impl Open<'_> {
    pub(super) fn tree(&self) -> Tree<'_> {
        Tree {
            members: Members::Some(self.start, &self.slots),
            level: self.level,
            start: self.start,
            key: self.key,
        }
    }
}

/// Returns the hash of a block. `parts` are the block's own part and all parts below it.
pub(super) fn hash(parts: &[Part<'_>]) -> Hash {
    const FULL: &str = "each part is followed by the parts below it";
    let mut hashes: Vec<Hash> = Vec::new();
    // Works backwards: the parts of a block come after it, so their hashes are already on the stack, the first on top.
    for part in parts.iter().rev() {
        let mut below = || certain(hashes.pop(), FULL);
        let hash = match part {
            Part::Hidden(hash) => *hash,
            Part::Open(open) => hashing::tree(open.tree()),
            Part::Halves => {
                let left = below();
                node(&left, &below())
            }
            Part::Object { depth, .. } => place(Kind::Object, *depth, &below()),
            Part::List(list) => place(Kind::List, list.depth, &below()),
        };
        hashes.push(hash);
    }
    certain(hashes.pop(), FULL)
}
