//! Walks the blocks of one object or list in the order of their tokens in a proof.

use alloc::vec::Vec;

use crate::aih2::shape::{ObjectShape, Shape};
use crate::aih2::tree::block_size;
use crate::json::str::Str;

/// A stack of the blocks that are still to be read. The next block is the last element.
pub(super) struct Blocks(Vec<Block>);

#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) level: u8,
    pub(super) start: u64,
    half: Half,
}

#[derive(Clone, Copy, PartialEq)]
enum Half {
    /// The block of all slots, which is not a half of another block.
    Whole,
    Left,
    Right,
    /// The right half of a block whose left half is hidden.
    AfterHidden,
}

impl Blocks {
    pub(super) fn new(level: u8) -> Self {
        Self(Vec::from([Block {
            level,
            start: 0,
            half: Half::Whole,
        }]))
    }

    pub(super) fn next(&mut self) -> Option<Block> {
        self.0.pop()
    }

    /// Pushes the halves of a block. Returns `None` for a slot, which has no halves.
    pub(super) fn halve(&mut self, block: Block) -> Option<()> {
        let level = block.level.checked_sub(1)?;
        let right = block.start.saturating_add(block_size(level));
        for (start, half) in [(right, Half::Right), (block.start, Half::Left)] {
            self.0.push(Block { level, start, half });
        }
        Some(())
    }

    /// Marks a block as hidden. Returns `None` if both halves of a block would then be hidden.
    pub(super) fn hide(&mut self, block: Block) -> Option<()> {
        match (block.half, self.0.last_mut()) {
            (Half::AfterHidden, _) => return None,
            // The next block is the right half of the same block.
            (Half::Left, Some(other)) => other.half = Half::AfterHidden,
            _ => {}
        }
        Some(())
    }
}

impl Block {
    pub(super) fn is_whole(&self) -> bool {
        self.half == Half::Whole
    }
}

/// Returns the slots of a block, with their indexes, names and shapes.
pub(super) fn slots_of(
    shape: &ObjectShape,
    block: Block,
) -> impl Iterator<Item = (usize, &(Str, Shape))> + use<'_> {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let slots = shape.slots.iter().enumerate();
    slots
        .skip(count(block.start))
        .take(count(block_size(block.level)))
}
