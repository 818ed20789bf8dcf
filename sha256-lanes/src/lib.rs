//! SHA-256 (FIPS 180-4) of many short texts, hashed side by side.
//!
//! The texts of a certificate fill one to three blocks, and most are independent. For each text, the overhead of sha2's general interface
//! takes about as long as hashing one block. This crate therefore calls sha2's compression function directly. WebAssembly has no SHA-256
//! instructions, but it has vectors of four words. Using these vectors, a [`Queue`] hashes four texts in less than the time of two. Without
//! the feature `lanes`, a queue hashes texts one by one, with less code.

#![no_std]

use core::slice;

#[cfg(any(test, target_arch = "wasm32"))]
mod constants;
mod hex;
#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
mod one;
mod queue;
#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
mod simd;
#[cfg(any(test, all(target_arch = "wasm32", not(feature = "lanes"))))]
mod small;

pub use hex::{is_hex, is_same, write_hex};
pub use queue::Queue;

#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
use one::compress;
#[cfg(not(target_arch = "wasm32"))]
use sha2::block_api::compress256 as compress;
#[cfg(all(target_arch = "wasm32", not(feature = "lanes")))]
use small::compress;

/// A hash: eight words, written in big-endian order.
pub type Words = [u32; 8];

/// A block of a padded message.
pub type Block = [u8; 64];

/// The initial hash value (FIPS 180-4, section 5.3.3).
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

/// The number of texts that are hashed side by side.
pub const LANES: usize = 4;

/// True if several texts are hashed side by side. Native builds hash one text at a time, using the processor's SHA-256 instructions if it
/// has them. WebAssembly has no such instructions.
pub const HAS_LANES: bool = cfg!(all(target_arch = "wasm32", feature = "lanes"));

/// The maximum number of blocks of a [`Message`]: two hashes as hexadecimal text, and their padding.
const MAX_BLOCKS: usize = 3;

/// The padding of a text of 128 bytes (FIPS 180-4, section 5.1.1).
const AFTER_128: Block = {
    let mut block = [0; 64];
    block[0] = 0x80;
    [block[62], block[63]] = (128_u16 * 8).to_be_bytes();
    block
};

/// A message of few blocks, or the rest of a message.
#[derive(Clone, Copy, Debug)]
struct Message {
    /// The hash state before the blocks.
    state: Words,
    blocks: [Block; MAX_BLOCKS],
    /// The number of blocks in use.
    count: usize,
    /// True if [`AFTER_128`] follows these blocks.
    ends_at_128: bool,
}

impl Message {
    /// An empty message. It consists only of zeros, because zeros take the least time to write.
    const NONE: Self = Self {
        state: [0; 8],
        blocks: [[0; 64]; MAX_BLOCKS],
        count: 0,
        ends_at_128: false,
    };

    /// Sets the message to a text that consists of two parts. Returns `None` if the text does not fit.
    fn set(&mut self, one: &[u8], other: &[u8]) -> Option<()> {
        self.count = pad(&mut self.blocks, 0, one, other)?;
        (self.state, self.ends_at_128) = (INITIAL, false);
        Some(())
    }

    /// Sets the message to half of a text of 128 bytes: the first half, or the second half and the padding.
    fn set_half(&mut self, state: &Words, half: &Block, is_second: bool) {
        (self.state, self.blocks[0]) = (*state, *half);
        (self.count, self.ends_at_128) = (1, is_second);
    }

    /// Sets the message to a text of 128 bytes.
    fn set_whole(&mut self, one: &Block, other: &Block) {
        self.state = INITIAL;
        [self.blocks[0], self.blocks[1]] = [*one, *other];
        (self.count, self.ends_at_128) = (2, true);
    }

    /// Returns the hash after the blocks.
    fn hash(&self) -> Words {
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
fn pad(blocks: &mut [Block], before: usize, one: &[u8], other: &[u8]) -> Option<usize> {
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

/// Copies bytes up to the end of the shorter slice. Functions that panic on unequal lengths would add their messages to a page's code.
pub fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Returns the hash of a text that consists of two parts.
#[must_use]
pub fn hash(one: &[u8], other: &[u8]) -> Words {
    // The text of a node consists of two hashes. Its padding is precomputed.
    if let (Ok(one), Ok(other)) = (<&Block>::try_from(one), <&Block>::try_from(other)) {
        let mut state = INITIAL;
        compress(&mut state, &[*one, *other, AFTER_128]);
        return state;
    }
    resume(INITIAL, 0, one, other)
}

/// Returns a hash as bytes.
#[must_use]
pub fn to_bytes(hash: &Words) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(hash) {
        *place = word.to_be_bytes();
    }
    bytes
}

/// Returns the hash state after one block.
#[must_use]
pub fn begin(block: &Block) -> Words {
    let mut state = INITIAL;
    compress(&mut state, slice::from_ref(block));
    state
}

/// Returns the hash of a message whose end is a text in two parts. `before` is the number of bytes before this text. These bytes must fill
/// whole blocks. `state` is the state after these blocks.
#[must_use]
pub fn resume(mut state: Words, mut before: usize, mut one: &[u8], mut other: &[u8]) -> Words {
    let mut last = [[0; 64]; 2];
    loop {
        if let Some(count) = pad(&mut last, before, one, other) {
            compress(&mut state, last.get(..count).unwrap_or_default());
            return state;
        }
        // A text that does not fit fills at least one whole block.
        let mut block = [0; 64];
        copy(&mut block, one);
        let free = block.get_mut(one.len()..).unwrap_or_default();
        copy(free, other);
        other = other.get(free.len()..).unwrap_or_default();
        one = one.get(64..).unwrap_or_default();
        compress(&mut state, slice::from_ref(&block));
        before = before.wrapping_add(64);
    }
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
        // Padding must overwrite the whole previous message.
        let mut message = Message::NONE;
        message.set(&[0xff; 90], &[0xff; 90]).unwrap();
        for length in (0..=bytes.len()).rev() {
            let text = &bytes[..length];
            for cut in [0, length / 2, length.min(64), length] {
                let (first, second) = text.split_at(cut);
                let is_padded = message.set(first, second).is_some();
                assert_eq!(is_padded, length <= 183, "{length}");
                if is_padded {
                    assert_eq!(message.hash(), expected(text), "{length}, {cut}");
                }
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
