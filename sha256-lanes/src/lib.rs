//! SHA-256 (FIPS 180-4) of many short texts at once.
//!
//! Almost everything that certificates are made of fills one to three blocks, and almost all of it is independent of each other. So
//! sha2's compression function is used directly, since its general interface costs about as much as a block for each text; and in
//! WebAssembly, which has no instructions for SHA-256 but vectors of four words, a [`Queue`] hashes four texts in less than the time
//! of two.

#![no_std]

use core::slice;

mod hex;
#[cfg(target_arch = "wasm32")]
mod one;
mod queue;
#[cfg(target_arch = "wasm32")]
mod simd;

pub use hex::{is_hex, is_same, write_hex};
pub use queue::Queue;

#[cfg(target_arch = "wasm32")]
use one::compress;
#[cfg(not(target_arch = "wasm32"))]
use sha2::block_api::compress256 as compress;

/// A hash: eight words, to be written with the highest byte first.
pub type Words = [u32; 8];

/// A block of a padded message.
pub type Block = [u8; 64];

/// What a hash begins with (FIPS 180-4, section 5.3.3).
pub const INITIAL: Words = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// How many texts are hashed at once.
pub const LANES: usize = 4;

/// Whether it is quicker to hash the first halves of several texts at once when their second halves have to wait for each other.
/// Instructions for SHA-256, which processors have but WebAssembly has not, are too quick for the difference to be made up.
pub const HALVES: bool = cfg!(target_arch = "wasm32");

/// The most blocks of a [`Message`]: two hashes as hexadecimal text, and what follows them.
const MAX_BLOCKS: usize = 3;

/// What follows 128 bytes: a one, zeros, and the length in bits (FIPS 180-4, section 5.1.1).
const AFTER_128: Block = {
    let mut block = [0; 64];
    block[0] = 0x80;
    [block[62], block[63]] = (128_u16 * 8).to_be_bytes();
    block
};

/// A padded message of few blocks, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Message {
    /// What its hash is before its blocks: of a message without blocks the whole one.
    from: Words,
    blocks: [Block; MAX_BLOCKS],
    /// How many of the blocks are its own.
    count: usize,
    /// Whether the last of them is [`AFTER_128`].
    is_of_128: bool,
}

impl Message {
    /// No message.
    const NONE: Self = Self {
        from: INITIAL,
        blocks: [[0; 64]; MAX_BLOCKS],
        count: 0,
        is_of_128: false,
    };

    /// Becomes the message of a text in two parts. One that takes more blocks than there are is hashed at once.
    fn set(&mut self, one: &[u8], other: &[u8]) {
        self.from = INITIAL;
        if let (Ok(one), Ok(other)) = (one.try_into(), other.try_into()) {
            self.blocks = [one, other, AFTER_128];
            self.count = MAX_BLOCKS;
            self.is_of_128 = true;
            return;
        }
        self.is_of_128 = false;
        let length = one.len().saturating_add(other.len());
        self.count = self.pad(one, other, length).unwrap_or_default();
        if self.count == 0 {
            self.from = hash(one, other);
        }
    }

    /// Becomes half of a text of 128 bytes: the first one, or the second one after the first one gave `from`.
    fn half(&mut self, from: &Words, block: &Block, is_second: bool) {
        self.from = *from;
        [self.blocks[0], self.blocks[1]] = [*block, AFTER_128];
        self.count = if is_second { 2 } else { 1 };
        self.is_of_128 = is_second;
    }

    /// Writes the end of a text of so many bytes, and the padding (FIPS 180-4, section 5.1.1); gives the number of blocks.
    fn pad(&mut self, one: &[u8], other: &[u8], length: usize) -> Option<usize> {
        // A bit that is one, and eight bytes of length, follow the text.
        let count = one
            .len()
            .checked_add(other.len())?
            .checked_add(9)?
            .div_ceil(64);
        let blocks = self.blocks.get_mut(..count)?.as_flattened_mut();
        let (room, rest) = blocks.split_at_mut_checked(one.len())?;
        copy(room, one);
        let (room, rest) = rest.split_at_mut_checked(other.len())?;
        copy(room, other);
        rest.fill(0);
        *rest.first_mut()? = 0x80;
        *rest.last_chunk_mut()? = (length as u64).wrapping_mul(8).to_be_bytes();
        Some(count)
    }

    /// The hash of the message.
    fn hash(&self) -> Words {
        let mut hash = self.from;
        compress(&mut hash, self.blocks.get(..self.count).unwrap_or_default());
        hash
    }
}

/// Copies as many bytes as both have: what panics for others would bring along a sentence about it.
pub fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// The hash of a text in two parts.
#[must_use]
pub fn hash(one: &[u8], other: &[u8]) -> Words {
    resume(INITIAL, 0, one, other)
}

/// What a hash is after one block.
#[must_use]
pub fn begin(block: &Block) -> Words {
    let mut state = INITIAL;
    compress(&mut state, slice::from_ref(block));
    state
}

/// The hash of a text in two parts that goes on after `before` bytes, which were whole blocks.
#[must_use]
pub fn resume(mut state: Words, before: usize, one: &[u8], other: &[u8]) -> Words {
    let length = before.wrapping_add(one.len()).wrapping_add(other.len());
    let (blocks, mut one) = one.as_chunks();
    compress(&mut state, blocks);
    let mut other = other;
    let mut block = [0; 64];
    if let Some((begun, room)) = block.split_at_mut_checked(one.len())
        && let Some((first, rest)) = other.split_at_checked(room.len())
    {
        copy(begun, one);
        copy(room, first);
        compress(&mut state, slice::from_ref(&block));
        let (blocks, rest) = rest.as_chunks();
        compress(&mut state, blocks);
        (one, other) = (rest, &[]);
    }
    let mut last = Message::NONE;
    let count = last.pad(one, other, length).unwrap_or_default();
    compress(&mut state, last.blocks.get(..count).unwrap_or_default());
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    fn expected(bytes: &[u8]) -> Words {
        let hash = sha2::Sha256::digest(bytes);
        let (words, _) = hash.as_chunks();
        core::array::from_fn(|at| u32::from_be_bytes(words[at]))
    }

    #[test]
    fn messages_agree_with_the_library_at_every_length_and_cut() {
        let bytes: [u8; 200] = core::array::from_fn(|at| at as u8);
        // What was there before must not shine through.
        let mut message = Message::NONE;
        message.set(&[0xff; 90], &[0xff; 90]);
        for length in (0..=183).rev() {
            let text = &bytes[..length];
            for cut in [0, length / 2, length.min(64), length] {
                let (first, second) = text.split_at(cut);
                message.set(first, second);
                assert_eq!(message.hash(), expected(text), "{length}, {cut}");
            }
        }
        for length in [184, 200] {
            let text = &bytes[..length];
            for cut in [0, 64, 100, length] {
                let (first, second) = text.split_at(cut);
                message.set(first, second);
                assert_eq!(message.count, 0);
                assert_eq!(message.hash(), expected(text), "{length}, {cut}");
            }
        }
    }

    #[test]
    fn texts_of_any_length_agree_with_the_library() {
        let bytes: [u8; 400] = core::array::from_fn(|at| at as u8);
        let ([block, ..], _) = bytes.as_chunks() else {
            unreachable!("there are six blocks");
        };
        for length in 0..=bytes.len() {
            let text = &bytes[..length];
            for cut in [0, 1, 63, 64, 65, 128, 200] {
                let (one, other) = text.split_at_checked(cut).unwrap_or((text, &[]));
                assert_eq!(hash(one, other), expected(text), "{length}, {cut}");
            }
            if let Some(rest) = text.get(64..) {
                assert_eq!(
                    resume(begin(block), 64, rest, &[]),
                    expected(text),
                    "{length}"
                );
            }
        }
    }
}
