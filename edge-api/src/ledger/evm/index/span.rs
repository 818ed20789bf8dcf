//! The number of blocks of a query.

use std::cell::Cell;

/// The number of blocks of a process's first range.
const FIRST: u64 = 1_000;
/// The largest number of blocks of a range.
const LARGEST: u64 = 50_000;
/// The number of accepted ranges after which a refused size is tried again.
const PATIENCE: u32 = 16;

/// The number of blocks of the next range, and of the next comparison in `confirm.rs`. Providers limit the blocks of a range or the logs
/// in it, and their limits are not known.
pub(super) struct Span {
    blocks: Cell<u64>,
    /// The number of blocks from which a range counts as refused, and the number of accepted ranges since the last refusal or doubling.
    refused: Cell<(u64, u32)>,
}

impl Default for Span {
    fn default() -> Self {
        Self {
            blocks: Cell::new(FIRST),
            refused: Cell::new((u64::MAX, 0)),
        }
    }
}

impl Span {
    pub(super) fn blocks(&self) -> u64 {
        self.blocks.get()
    }

    /// Halves the range after a refusal of this number of blocks. Returns false if it was one block.
    pub(super) fn refuse(&self, blocks: u64) -> bool {
        let blocks = self.blocks.get().min(blocks);
        self.refused.set((blocks, 0));
        self.blocks.set((blocks >> 1).max(1));
        blocks > 1
    }

    /// Halves the range after a failure that may have another reason than its size.
    pub(super) fn shrink(&self) {
        self.blocks.set((self.blocks.get() >> 1).max(1));
    }

    /// Doubles the range, but tries a refused size rarely.
    pub(super) fn accept(&self) {
        let (refused, accepted) = self.refused.get();
        let next = self.blocks.get().saturating_mul(2).min(LARGEST);
        if next < refused || accepted >= PATIENCE {
            self.blocks.set(next);
            self.refused.set((refused.max(next.saturating_add(1)), 0));
        } else {
            self.refused.set((refused, accepted.saturating_add(1)));
        }
    }
}
