//! Slots that are asked for: paths as the numbers of their slots, in order, so that those below a place are neighbours.

use alloc::vec::Vec;

use crate::json::sort;

/// The step to the end of a list: after all its slots.
pub(super) const END: u64 = u64::MAX;

/// Paths as the numbers of their slots, ordered.
pub(super) struct Wanted(Vec<Vec<u64>>);

impl Wanted {
    pub(super) fn new(mut paths: Vec<Vec<u64>>) -> Self {
        let order = sort::indexes(paths.len(), &|one, other| {
            paths.get(one).cmp(&paths.get(other))
        });
        let mut sorted = Vec::with_capacity(paths.len());
        for at in order {
            sorted.extend(paths.get_mut(at).map(core::mem::take));
        }
        Self(sorted)
    }

    pub(super) fn root(&self) -> Wants<'_> {
        Wants {
            paths: &self.0,
            depth: 0,
        }
    }
}

/// The paths that are asked for at and below a place.
#[derive(Clone, Copy)]
pub(super) struct Wants<'w> {
    /// The paths that lead to the place and on, of which the shortest is the first.
    paths: &'w [Vec<u64>],
    depth: usize,
}

impl<'w> Wants<'w> {
    /// Whether the place itself is asked for, and all that is in it.
    pub(super) fn all(&self) -> bool {
        let first = self.paths.first();
        first.is_some_and(|path| path.len() == self.depth)
    }

    /// Whether anything is.
    pub(super) fn any(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Whether the end of the list is.
    pub(super) fn end(&self) -> bool {
        self.within(END, END).any()
    }

    /// The paths that are asked for below one slot.
    pub(super) fn child(&self, slot: u64) -> Self {
        let below = self.within(slot, slot);
        Self {
            paths: below.paths,
            depth: self.depth.saturating_add(1),
        }
    }

    /// The paths that are asked for of the slots from one to another.
    pub(super) fn within(&self, from: u64, to: u64) -> Self {
        let slot = |path: &Vec<u64>| path.get(self.depth).copied();
        let start = self.paths.partition_point(|path| slot(path) < Some(from));
        let end = self.paths.partition_point(|path| slot(path) <= Some(to));
        Self {
            paths: self.paths.get(start..end).unwrap_or_default(),
            depth: self.depth,
        }
    }

    /// The slots that are asked for, in order.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> + use<'w> {
        let (depth, mut last) = (self.depth, None);
        let slots = self.paths.iter().filter_map(move |path| path.get(depth));
        slots
            .copied()
            .filter(move |slot| *slot != END && last.replace(*slot) != Some(*slot))
    }
}
