//! Windows of trees: some slots of a block, whose hashes are computed level by level.

use alloc::vec::Vec;

use crate::aih2::formula::{Batch, Hash};
use crate::aih2::tree::{Members, Slot, slots};
use crate::invariant::certain;

/// The level of a window's block.
pub(super) const WINDOW: u8 = 4;

/// Some slots of a block, or a block without any.
pub(super) struct Window<'a> {
    /// The number of its walk.
    pub(super) walk: usize,
    pub(super) members: Members<'a>,
    pub(super) level: u8,
    pub(super) start: u64,
    /// The number of its slots that are there.
    pub(super) count: usize,
    /// On the way down the keys of its blocks of one level, on the way up their hashes.
    pub(super) hashes: Vec<Hash>,
    /// For each level the void after its blocks: a key, then a hash. It is there if the number of blocks is odd.
    pub(super) voids: [Hash; WINDOW as usize],
}

impl Window<'_> {
    /// Whether it has blocks of this level and the next one.
    fn reaches(&self, level: usize) -> bool {
        level < usize::from(self.level) && self.count > 0
    }

    /// The number of blocks of a level of which a slot is there.
    fn blocks(&self, level: usize) -> usize {
        self.count.div_ceil(1 << level)
    }

    /// The void after the blocks of a level.
    fn void(&mut self, level: usize) -> Option<&mut Hash> {
        if !self.reaches(level) || self.blocks(level).is_multiple_of(2) {
            return None;
        }
        self.voids.get_mut(level)
    }
}

/// Gives each window its hash.
pub(super) fn hash_windows(windows: &mut [Window<'_>]) {
    let mut batch = Batch::default();
    let levels = 0..usize::from(WINDOW);
    for level in levels.clone().rev() {
        batch.clear();
        for window in windows.iter().filter(|window| window.reaches(level)) {
            window.hashes.iter().for_each(|key| batch.halves(key));
        }
        let mut keys = batch.finish().iter().copied();
        for window in windows.iter_mut().filter(|window| window.reaches(level)) {
            let blocks = window.blocks(level);
            window.hashes.clear();
            window.hashes.extend(keys.by_ref().take(blocks));
            if let Some(void) = window.void(level) {
                *void = certain(keys.next(), "keys come in pairs");
            }
        }
    }
    hash_slots(windows);
    for level in levels {
        batch.clear();
        for window in windows.iter_mut() {
            if let Some(void) = window.void(level) {
                let void = *void;
                window.hashes.push(void);
            }
            if window.reaches(level) {
                for [left, right] in window.hashes.as_chunks().0 {
                    batch.node(left, right);
                }
            }
        }
        let mut nodes = batch.finish().iter().copied();
        for window in windows.iter_mut().filter(|window| window.reaches(level)) {
            let count = window.hashes.len() / 2;
            window.hashes.clear();
            window.hashes.extend(nodes.by_ref().take(count));
        }
    }
}

/// Replaces the keys of windows' slots and voids by their hashes.
fn hash_slots(windows: &mut [Window<'_>]) {
    let mut all = Vec::new();
    for window in windows.iter_mut() {
        for (slot, key) in (window.start..).zip(&window.hashes) {
            let value = window.members.get(slot).filter(|_| window.count > 0);
            all.push(Slot { key: *key, value });
        }
        for level in 0..usize::from(WINDOW) {
            let void = window.void(level).map(|key| *key);
            all.extend(void.map(|key| Slot { key, value: None }));
        }
    }
    let mut hashes = slots(&all).into_iter();
    for window in windows {
        let count = window.hashes.len();
        window.hashes.clear();
        window.hashes.extend(hashes.by_ref().take(count));
        for level in 0..usize::from(WINDOW) {
            if let Some(void) = window.void(level) {
                *void = certain(hashes.next(), "each void has a hash");
            }
        }
    }
}
