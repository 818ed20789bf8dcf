//! SHA-256 (FIPS 180-4) of many short texts, hashed side by side.
//!
//! The texts of a certificate fill one to three blocks, and most are independent. For each text, the overhead of sha2's general interface
//! takes about as long as hashing one block. This crate therefore calls sha2's compression function directly. WebAssembly has no SHA-256
//! instructions, but it has vectors of four words. Using these vectors, a [`Queue`] hashes four texts in less than the time of two. Without
//! the feature `lanes`, a queue hashes texts one by one, with less code.

#![no_std]

use core::slice;

mod compress;
#[cfg(any(test, target_arch = "wasm32"))]
mod constants;
mod message;
#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
mod one;
mod queue;
#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
mod simd;
#[cfg(any(test, all(target_arch = "wasm32", not(feature = "lanes"))))]
mod small;
mod words;

pub use queue::Queue;
pub use words::{Block, HAS_LANES, INITIAL, LANES, Words, copy};

use compress::compress;
use message::{AFTER_128, pad};

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
    use super::message::Message;
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
