//! Hashes many open blocks together. Keys are derived down the tree, and hashes are computed up the tree.
//!
//! Hashes of the same level do not depend on each other, so blocks of up to [`WINDOW`] slots are hashed level by level. Several such blocks
//! are hashed together if their slots add up to at most [`WINDOW`]. Larger blocks are hashed half by half, so memory grows only with the
//! depth of the document.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use crate::aih2::formula::{Batch, Hash, node, place};
use crate::aih2::tree::{Slot, Tree, block_size, place_of};
use crate::invariant::certain;
use crate::json::write;

/// The maximum number of slots of a window. With 16 instead of 64, the imprint of 1,000 rows of two fields takes 6 % longer natively.
const WINDOW: u64 = 64;

/// Returns the hash of one slot.
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

/// Returns the hash of one block.
pub(super) fn tree(tree: Tree<'_>) -> Hash {
    block(&mut Batch::default(), tree)
}

/// Returns the hashes of blocks.
pub(super) fn trees(trees: &[Tree<'_>]) -> Vec<Hash> {
    blocks(&mut Batch::default(), trees)
}

/// Returns the hash of a block.
fn block(batch: &mut Batch, tree: Tree<'_>) -> Hash {
    if is_window(&tree) {
        return one(&hash_windows(batch, &[tree]));
    }
    let [left, right] = tree.halves().map(|half| block(batch, half));
    node(&left, &right)
}

/// Returns the hashes of blocks. Small blocks are hashed side by side.
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

/// Returns the hashes of slots, in the order of the slots. Hashes leaves and voids first, then objects and lists.
fn slots(batch: &mut Batch, slots: &[Slot<'_>]) -> Vec<Hash> {
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
    // Inserts the hashes of objects and lists among the hashes of leaves and voids, in the order of the slots.
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

/// Returns true if a block is hashed level by level.
fn is_window(tree: &Tree<'_>) -> bool {
    tree.count() <= WINDOW
}

/// Returns the number of leading trees that together have at most [`WINDOW`] slots. A tree with more levels than slots counts as
/// many slots as it has levels, because most of its levels need the hash of a void.
fn together(trees: &[Tree<'_>]) -> usize {
    let mut slots = 0_u64;
    let fits = |tree: &&Tree<'_>| {
        let own = match tree.count() {
            0 => 1,
            count => count.max(tree.level.into()),
        };
        slots = slots.saturating_add(own);
        slots <= WINDOW
    };
    trees.iter().take_while(fits).count()
}

/// The state of a block that is hashed level by level. The number of its existing slots decides how many smaller blocks each level has.
struct Window {
    level: u8,
    count: u64,
}

impl Window {
    /// Returns true if the window has blocks of this level and of the level above.
    fn reaches(&self, level: u8) -> bool {
        level < self.level && self.count > 0
    }

    /// Returns the number of blocks of a level that have an existing slot. A window without slots has one block: itself.
    fn blocks(&self, level: u8) -> usize {
        let blocks = self.count.div_ceil(block_size(level)).max(1);
        certain(usize::try_from(blocks).ok(), "a window has few slots")
    }

    /// Returns true if a void follows the blocks of a level.
    fn has_void(&self, level: u8) -> bool {
        self.reaches(level) && !self.blocks(level).is_multiple_of(2)
    }
}

/// Returns the hashes of windows. All blocks of a level are hashed together.
fn hash_windows(batch: &mut Batch, trees: &[Tree<'_>]) -> Vec<Hash> {
    let mut windows = Vec::with_capacity(trees.len());
    // Holds keys on the way down the tree, and hashes on the way up. The windows' entries are stored one window after the other.
    let mut hashes = Vec::with_capacity(trees.len());
    for tree in trees {
        windows.push(Window {
            level: tree.level,
            count: tree.count(),
        });
        hashes.push(tree.key);
    }
    let levels = windows.iter().filter(|window| window.count > 0);
    let levels = 0..levels.map(|window| window.level).max().unwrap_or_default();
    // The voids after the blocks of each level. The voids of the lowest level are last.
    let mut voids = Vec::new();
    for level in levels.clone().rev() {
        split_keys(batch, &windows, level, &mut hashes, &mut voids);
    }
    hash_slots(batch, &windows, trees, &mut hashes, &mut voids);
    for level in levels {
        join(batch, &windows, level, &mut hashes, &mut voids);
    }
    hashes
}

/// Replaces the keys of blocks with the keys of their halves.
fn split_keys(
    batch: &mut Batch,
    windows: &[Window],
    level: u8,
    keys: &mut Vec<Hash>,
    voids: &mut Vec<Hash>,
) {
    batch.clear();
    let above = level.saturating_add(1);
    let mut rest = keys.iter();
    for window in windows {
        let own = rest.by_ref().take(window.blocks(above));
        if window.reaches(level) {
            own.for_each(|key| batch.halves(key));
        } else {
            own.for_each(drop);
        }
    }
    let mut halves = batch.finish().iter();
    let mut rest = mem::take(keys).into_iter();
    keys.reserve(rest.len().saturating_mul(2));
    for window in windows {
        let own = rest.by_ref().take(window.blocks(above));
        if window.reaches(level) {
            own.for_each(drop);
            keys.extend(halves.by_ref().take(window.blocks(level)));
            if window.has_void(level) {
                voids.extend(halves.next());
            }
        } else {
            keys.extend(own);
        }
    }
}

/// Replaces the keys of slots and voids with their hashes.
fn hash_slots(
    batch: &mut Batch,
    windows: &[Window],
    trees: &[Tree<'_>],
    hashes: &mut Vec<Hash>,
    voids: &mut Vec<Hash>,
) {
    let mut all = Vec::with_capacity(hashes.len().saturating_add(voids.len()));
    let mut keys = hashes.iter();
    for (window, tree) in windows.iter().zip(trees) {
        for (slot, key) in (tree.start..).zip(keys.by_ref().take(window.blocks(0))) {
            let value = tree.members.get(slot);
            all.push(Slot { key: *key, value });
        }
    }
    let void = |key: &Hash| Slot {
        key: *key,
        value: None,
    };
    all.extend(voids.iter().map(void));
    let count = hashes.len();
    *hashes = slots(batch, &all);
    *voids = hashes.split_off(count);
}

/// Replaces the hashes of blocks of a level with the hashes of the blocks above.
fn join(
    batch: &mut Batch,
    windows: &[Window],
    level: u8,
    hashes: &mut Vec<Hash>,
    voids: &mut Vec<Hash>,
) {
    const ENDS: &str = "a level has a hash for each block, and a void for each window with an odd number of blocks";
    let odd = windows
        .iter()
        .filter(|window| window.has_void(level))
        .count();
    let mut ends = voids.split_off(voids.len().saturating_sub(odd)).into_iter();
    batch.clear();
    let mut rest = hashes.as_slice();
    for window in windows {
        let own = certain(rest.split_off(..window.blocks(level)), ENDS);
        if window.reaches(level) {
            let (pairs, last) = own.as_chunks();
            pairs
                .iter()
                .for_each(|[left, right]| batch.node(left, right));
            for last in last {
                batch.node(last, &certain(ends.next(), ENDS));
            }
        }
    }
    let above = level.saturating_add(1);
    let mut nodes = batch.finish().iter();
    let mut rest = mem::take(hashes).into_iter();
    hashes.reserve(rest.len());
    for window in windows {
        let own = rest.by_ref().take(window.blocks(level));
        if window.reaches(level) {
            own.for_each(drop);
            hashes.extend(nodes.by_ref().take(window.blocks(above)));
        } else {
            hashes.extend(own);
        }
    }
}
