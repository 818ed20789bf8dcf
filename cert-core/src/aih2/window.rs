//! Windows of trees: blocks of few slots, whose hashes are computed level by level.

use alloc::vec::Vec;

use crate::aih2::formula::{Batch, Hash};
use crate::aih2::tree::{Slot, Tree, slots};
use crate::invariant::certain;

/// The greatest level of a window that has slots.
pub(super) const WINDOW: u8 = 6;

/// The number of trees, the first of these, that are windows and have no more slots together than one may have.
pub(super) fn together(trees: &[Tree<'_>]) -> usize {
    let mut slots = 0_u64;
    let fits = |tree: &&Tree<'_>| {
        slots = slots.saturating_add(tree.count().max(1));
        tree.is_window() && slots <= 1 << WINDOW
    };
    trees.iter().take_while(fits).count()
}

/// A window on its way: the number of its slots that are there decides how many blocks it has on each level.
struct Window {
    level: usize,
    count: usize,
}

impl Window {
    /// Whether it has blocks of this level and the next one.
    fn reaches(&self, level: usize) -> bool {
        level < self.level && self.count > 0
    }

    /// The number of blocks of a level of which a slot is there; a window without slots has one block, of its own level.
    fn blocks(&self, level: usize) -> usize {
        self.count.div_ceil(1 << level).max(1)
    }

    /// Whether a void follows the blocks of a level.
    fn has_void(&self, level: usize) -> bool {
        self.reaches(level) && !self.blocks(level).is_multiple_of(2)
    }
}

/// The hashes of windows, all blocks of a level at once.
pub(super) fn hash_windows(batch: &mut Batch, trees: &[Tree<'_>]) -> Vec<Hash> {
    let mut windows = Vec::with_capacity(trees.len());
    // Keys on the way down, hashes on the way up: those of one window after those of another.
    let mut hashes = Vec::with_capacity(trees.len());
    for tree in trees {
        windows.push(Window {
            level: tree.level.into(),
            // A window has few slots.
            count: usize::try_from(tree.count()).unwrap_or_default(),
        });
        hashes.push(tree.key);
    }
    let levels = windows.iter().filter(|window| window.count > 0);
    let levels = 0..levels.map(|window| window.level).max().unwrap_or_default();
    // The voids after the blocks of each level, those of the lowest one last.
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

/// Replaces the keys of blocks by those of their halves.
fn split_keys(
    batch: &mut Batch,
    windows: &[Window],
    level: usize,
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
    let mut rest = core::mem::take(keys).into_iter();
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

/// Replaces the keys of slots and voids by their hashes.
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
            let value = tree.members.get(slot).filter(|_| window.count > 0);
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

/// Replaces the hashes of blocks of a level by those of the blocks above.
fn join(
    batch: &mut Batch,
    windows: &[Window],
    level: usize,
    hashes: &mut Vec<Hash>,
    voids: &mut Vec<Hash>,
) {
    const ENDS: &str = "a level has a hash for each block and a void for each odd one";
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
    let mut rest = core::mem::take(hashes).into_iter();
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
