//! Messages of few blocks.

use crate::compress::compress;
use crate::words::{Block, INITIAL, Words, copy};

/// The maximum number of blocks of a [`Message`]: two hashes as hexadecimal text, and their padding.
const MAX_BLOCKS: usize = 3;

/// The padding of a text of 128 bytes (FIPS 180-4, section 5.1.1).
pub(crate) const AFTER_128: Block = {
    let mut block = [0; 64];
    block[0] = 0x80;
    [block[62], block[63]] = (128_u16 * 8).to_be_bytes();
    block
};

/// A message of few blocks, or the rest of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// The hash state before the blocks.
    pub(crate) state: Words,
    pub(crate) blocks: [Block; MAX_BLOCKS],
    /// The number of blocks in use.
    pub(crate) count: usize,
    /// True if [`AFTER_128`] follows these blocks.
    pub(crate) ends_at_128: bool,
}

impl Message {
    /// An empty message. It consists only of zeros, because zeros take the least time to write.
    pub(crate) const NONE: Self = Self {
        state: [0; 8],
        blocks: [[0; 64]; MAX_BLOCKS],
        count: 0,
        ends_at_128: false,
    };

    /// Sets the message to a text that consists of two parts. Returns `None` if the text does not fit.
    pub(crate) fn set(&mut self, one: &[u8], other: &[u8]) -> Option<()> {
        self.count = pad(&mut self.blocks, 0, one, other)?;
        (self.state, self.ends_at_128) = (INITIAL, false);
        Some(())
    }

    /// Sets the message to half of a text of 128 bytes: the first half, or the second half and the padding.
    pub(crate) fn set_half(&mut self, state: &Words, half: &Block, is_second: bool) {
        (self.state, self.blocks[0]) = (*state, *half);
        (self.count, self.ends_at_128) = (1, is_second);
    }

    /// Sets the message to a text of 128 bytes.
    pub(crate) fn set_whole(&mut self, one: &Block, other: &Block) {
        self.state = INITIAL;
        [self.blocks[0], self.blocks[1]] = [*one, *other];
        (self.count, self.ends_at_128) = (2, true);
    }

    /// Returns the hash after the blocks.
    pub(crate) fn hash(&self) -> Words {
        let mut state = self.state;
        compress(
            &mut state,
            self.blocks.get(..self.count).unwrap_or_default(),
        );
        if self.ends_at_128 {
            compress(&mut state, &[AFTER_128]);
        }
        state
    }
}

/// Writes the rest of a message: a text that consists of two parts, and its padding (FIPS 180-4, section 5.1.1). `before` is the number of
/// bytes of the message before this text. Returns the number of blocks, or `None` if the text does not fit.
pub(crate) fn pad(blocks: &mut [Block], before: usize, one: &[u8], other: &[u8]) -> Option<usize> {
    let length = one.len().saturating_add(other.len());
    // After the text come a byte whose first bit is set, and the length in eight bytes.
    let count = length.saturating_add(9).div_ceil(64);
    let blocks = blocks.get_mut(..count)?.as_flattened_mut();
    let (first, rest) = blocks.split_at_mut_checked(one.len())?;
    let (second, padding) = rest.split_at_mut_checked(other.len())?;
    copy(first, one);
    copy(second, other);
    padding.fill(0);
    *padding.first_mut()? = 0x80;
    let bits = (before.wrapping_add(length) as u64).wrapping_mul(8);
    *padding.last_chunk_mut()? = bits.to_be_bytes();
    Some(count)
}
