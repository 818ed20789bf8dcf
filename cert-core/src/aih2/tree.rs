//! Hashes of open blocks: keys down, hashes up.
//!
//! Hashes of one level do not depend on each other, so blocks of up to 2^[`WINDOW`] slots are gone through level by level, as many of them
//! at once as have so many slots together. Larger blocks are gone through half by half, so that memory grows with the depth of the
//! document alone.

use alloc::string::String;
use alloc::vec::Vec;

use crate::aih2::formula::{Batch, Hash, Kind, halves, node, place};
use crate::aih2::shape::{ObjectShape, Shape, Split};
use crate::aih2::window::{WINDOW, hash_windows, together};
use crate::invariant::certain;
use crate::json::value::{Object, Value};
use crate::json::write;

/// A slot that is open.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub(super) key: Hash,
    /// The value and its shape; none for a void.
    pub(super) value: Option<(&'a Shape, &'a Value)>,
}

/// The slots of an object or list that are there.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Object(&'a ObjectShape, &'a Object),
    Items(&'a Shape, &'a [Value]),
    /// The slots of one block, of which the first has this number.
    Some(u64, &'a [Option<(&'a Shape, &'a Value)>]),
}

impl<'a> Members<'a> {
    /// The number of slots that are there.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Object(shape, _) => shape.size(),
            Self::Items(_, items) => items.len() as u64,
            Self::Some(first, slots) => first.saturating_add(slots.len() as u64),
        }
    }

    pub(super) fn get(&self, slot: u64) -> Option<(&'a Shape, &'a Value)> {
        let at = |slot: u64| usize::try_from(slot).ok();
        match self {
            Self::Object(shape, object) => {
                let index = at(slot)?;
                let (name, shape) = shape.slots.get(index)?;
                Some((shape, object.get_near(index, name)?))
            }
            Self::Items(shape, items) => Some((shape, items.get(at(slot)?)?)),
            Self::Some(first, slots) => *slots.get(at(slot.checked_sub(*first)?)?)?,
        }
    }
}

/// A block that is open.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) members: Members<'a>,
    pub(super) level: u8,
    /// The number of the block's first slot.
    pub(super) start: u64,
    pub(super) key: Hash,
}

impl Tree<'_> {
    /// The number of its slots that are there.
    pub(super) fn count(&self) -> u64 {
        let after = self.members.size().saturating_sub(self.start);
        after.min(block_size(self.level))
    }

    /// Whether it is gone through level by level: it has few slots, or none and is one void.
    pub(super) fn is_window(&self) -> bool {
        self.level <= WINDOW || self.count() == 0
    }
}

/// The hash of one slot.
pub(super) fn slot(slot: Slot<'_>) -> Hash {
    let mut batch = Batch::default();
    match slot.value.and_then(|(shape, value)| shape.split(value)) {
        Some(split) => {
            let (kind, tree) = place_of(split, slot.key);
            place(kind, tree.level, &block(&mut batch, tree))
        }
        None => one(&slots(&mut batch, &[slot])),
    }
}

/// The hash of one block.
pub(super) fn tree(tree: Tree<'_>) -> Hash {
    block(&mut Batch::default(), tree)
}

/// The hashes of blocks.
pub(super) fn trees(trees: &[Tree<'_>]) -> Vec<Hash> {
    blocks(&mut Batch::default(), trees)
}

/// The hash of a block.
fn block(batch: &mut Batch, tree: Tree<'_>) -> Hash {
    if tree.is_window() {
        return one(&hash_windows(batch, &[tree]));
    }
    let [left, right] = halves(&tree.key);
    let level = tree.level.saturating_sub(1);
    let [left, right] = [
        (tree.start, left),
        (tree.start.saturating_add(block_size(level)), right),
    ]
    .map(|(start, key)| {
        block(
            batch,
            Tree {
                level,
                start,
                key,
                ..tree
            },
        )
    });
    node(&left, &right)
}

/// The hashes of blocks, of small ones side by side.
fn blocks(batch: &mut Batch, trees: &[Tree<'_>]) -> Vec<Hash> {
    let mut hashes = Vec::with_capacity(trees.len());
    let mut rest = trees;
    while let Some((first, others)) = rest.split_first() {
        match rest.split_at_checked(together(rest)) {
            Some((windows @ [_, _, ..], after)) => {
                hashes.extend(hash_windows(batch, windows));
                rest = after;
            }
            _ => {
                hashes.push(block(batch, *first));
                rest = others;
            }
        }
    }
    hashes
}

/// The hashes of slots: leaves and voids at once, then objects and lists.
pub(super) fn slots(batch: &mut Batch, slots: &[Slot<'_>]) -> Vec<Hash> {
    batch.clear();
    let (mut places, mut trees) = (Vec::new(), Vec::new());
    let mut text = String::new();
    for (at, slot) in slots.iter().enumerate() {
        match slot.value {
            None => batch.void(&slot.key),
            Some((shape, value)) => match shape.split(value) {
                Some(split) => {
                    let (kind, tree) = place_of(split, slot.key);
                    places.push((at, kind));
                    trees.push(tree);
                }
                None => {
                    text.clear();
                    write::canonical(&mut text, value);
                    batch.leaf(&slot.key, &text);
                }
            },
        }
    }
    let mut hashes = batch.finish().to_vec();
    if places.is_empty() {
        return hashes;
    }
    let blocks = blocks(batch, &trees);
    batch.clear();
    for (((_, kind), tree), block) in places.iter().zip(&trees).zip(&blocks) {
        batch.place(*kind, tree.level, block);
    }
    let mut leaves = hashes.split_off(0).into_iter();
    // Slots have the order of places and leaves, each of which have their own.
    for ((at, _), place) in places.iter().zip(batch.finish()) {
        let before = at.saturating_sub(hashes.len());
        hashes.extend(leaves.by_ref().take(before));
        hashes.push(*place);
    }
    hashes.extend(leaves);
    hashes
}

fn one(hashes: &[Hash]) -> Hash {
    *certain(hashes.first(), "each slot and each block has a hash")
}

/// The block of all slots of a value.
pub(super) fn place_of<'a>(split: Split<'a>, key: Hash) -> (Kind, Tree<'a>) {
    let (kind, members, level) = match split {
        Split::Object(shape, object) => (Kind::Object, Members::Object(shape, object), shape.depth),
        Split::List(shape, items) => (
            Kind::List,
            Members::Items(&shape.items, items),
            shape.depth(items.len() as u64),
        ),
    };
    let tree = Tree {
        members,
        level,
        start: 0,
        key,
    };
    (kind, tree)
}

/// The number of slots of a block, of which none is of a level above 32.
pub(super) fn block_size(level: u8) -> u64 {
    1_u64.checked_shl(level.into()).unwrap_or(u64::MAX)
}
