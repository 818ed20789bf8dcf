//! Requested paths. Each path is a list of slot numbers. The paths are sorted, so paths below the same place are adjacent.

use alloc::vec::Vec;

use crate::json::sort;

/// The number that represents the step to the end of a list. It is greater than every slot's number.
pub(super) const END: u64 = u64::MAX;

/// The requested paths, sorted. Each path is a list of slot numbers.
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

/// The requested paths at and below a place.
#[derive(Clone, Copy)]
pub(super) struct Wants<'w> {
    /// The paths through the place. If the place itself is requested, its path comes first.
    paths: &'w [Vec<u64>],
    depth: usize,
}

impl<'w> Wants<'w> {
    /// Returns true if the place itself is requested, with everything in it.
    pub(super) fn all(&self) -> bool {
        let first = self.paths.first();
        first.is_some_and(|path| path.len() == self.depth)
    }

    /// Returns true if a path at or below the place is requested.
    pub(super) fn any(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Returns true if the end of the list is requested.
    pub(super) fn end(&self) -> bool {
        self.within(END, END).any()
    }

    /// Returns the requested paths below one slot.
    pub(super) fn child(&self, slot: u64) -> Self {
        let below = self.within(slot, slot);
        Self {
            paths: below.paths,
            depth: self.depth.saturating_add(1),
        }
    }

    /// Returns the requested paths of the slots from `from` to `to`, both included.
    pub(super) fn within(&self, from: u64, to: u64) -> Self {
        let slot = |path: &Vec<u64>| path.get(self.depth).copied();
        let start = self.paths.partition_point(|path| slot(path) < Some(from));
        let end = self.paths.partition_point(|path| slot(path) <= Some(to));
        Self {
            paths: self.paths.get(start..end).unwrap_or_default(),
            depth: self.depth,
        }
    }

    /// Returns the requested slots, in order.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> + use<'w> {
        let (depth, mut last) = (self.depth, None);
        let slots = self.paths.iter().filter_map(move |path| path.get(depth));
        slots
            .copied()
            .filter(move |slot| *slot != END && last.replace(*slot) != Some(*slot))
    }
}
