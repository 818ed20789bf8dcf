//! A queue of texts that wait until there are enough of them to be hashed together.

use core::mem;

use crate::hash;
use crate::message::Message;
#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
use crate::simd;
use crate::words::{Block, HAS_LANES, INITIAL, LANES, Words};

/// True if the queue collects texts before it hashes them. Without lanes, waiting would only copy them. In tests of the queue, texts
/// always wait.
const WAITS: bool = HAS_LANES || cfg!(test);

/// A queue of texts. As soon as [`LANES`] texts wait, they are hashed together. `each` receives the hashes in the order of their texts.
/// Without lanes, each text is hashed when it is added.
#[derive(Debug)]
pub struct Queue {
    messages: [Message; LANES],
    /// The number of waiting texts. It is less than [`LANES`], except while a text is added.
    waiting: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            messages: [Message::NONE; LANES],
            waiting: 0,
        }
    }
}

impl Queue {
    /// Adds a text that consists of two parts.
    pub fn push(&mut self, one: &[u8], other: &[u8], each: &mut dyn FnMut(&Words)) {
        if !WAITS {
            return each(&hash(one, other));
        }
        let message = self.next();
        if let (Ok(one), Ok(other)) = (one.try_into(), other.try_into()) {
            message.set_whole(one, other);
        } else if message.set(one, other).is_none() {
            // A text of many blocks is hashed now. It waits as a message without blocks, whose state is the finished hash.
            message.state = hash(one, other);
            (message.count, message.ends_at_128) = (0, false);
        }
        self.added(each);
    }

    /// Adds the first half of a text of 128 bytes. The result is an input of [`Queue::resume`].
    pub fn begin(&mut self, half: &Block, each: &mut dyn FnMut(&Words)) {
        self.half(&INITIAL, half, false, each);
    }

    /// Adds the second half of a text of 128 bytes. `from` is the result of [`Queue::begin`] for the first half.
    pub fn resume(&mut self, from: &Words, half: &Block, each: &mut dyn FnMut(&Words)) {
        self.half(from, half, true, each);
    }

    fn half(&mut self, state: &Words, half: &Block, is_second: bool, each: &mut dyn FnMut(&Words)) {
        self.next().set_half(state, half, is_second);
        self.added(each);
    }

    /// Hashes the remaining texts.
    pub fn finish(&mut self, each: &mut dyn FnMut(&Words)) {
        let waiting = mem::take(&mut self.waiting);
        self.hashes(waiting).iter().take(waiting).for_each(each);
        // Clears the messages. Otherwise a later call with fewer texts would hash these blocks again, for unused results.
        for message in &mut self.messages {
            (message.count, message.ends_at_128) = (0, false);
        }
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder is below its divisor")]
    fn next(&mut self) -> &mut Message {
        // Fewer than [`LANES`] texts wait, so the remainder equals the number. The remainder lets the compiler omit the bounds check.
        &mut self.messages[self.waiting % LANES]
    }

    fn added(&mut self, each: &mut dyn FnMut(&Words)) {
        self.waiting = self.waiting.wrapping_add(1);
        if self.waiting == LANES {
            self.finish(each);
        }
    }

    /// Returns the hashes of the first `count` messages. The other hashes have no meaning.
    fn hashes(&self, count: usize) -> [Words; LANES] {
        #[cfg(all(target_arch = "wasm32", feature = "lanes"))]
        if count > 1 {
            // Hashing four messages side by side takes 1.8 times as long as hashing one (V8, x86-64).
            return simd::hashes(&self.messages);
        }
        let mut hashes = [INITIAL; LANES];
        for (hash, message) in hashes.iter_mut().zip(&self.messages).take(count) {
            *hash = message.hash();
        }
        hashes
    }
}

/// `pkg/cert/test/lanes.test.mjs` compares the vector code of WebAssembly with Node's SHA-256.
#[cfg(test)]
mod tests {
    extern crate alloc;

    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn hashes_come_in_the_order_of_texts() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (halves, _) = bytes.as_chunks::<64>();
        let lengths = [0, 55, 56, 64, 119, 120, 128, 183, 184, 256];
        let mut expected: Vec<_> = lengths
            .iter()
            .map(|&length| hash(&bytes[..length], &[]))
            .collect();
        let begun = crate::begin(&halves[0]);
        expected.extend([begun, hash(&bytes[..128], &[])]);
        for count in 0..=expected.len() {
            let (mut queue, mut found) = (Queue::default(), Vec::new());
            for at in 0..count {
                let each = &mut |hash: &Words| found.push(*hash);
                match lengths.get(at) {
                    Some(&length) => {
                        let (one, other) = bytes[..length].split_at(length / 2);
                        queue.push(one, other, each);
                    }
                    None if at == lengths.len() => queue.begin(&halves[0], each),
                    None => queue.resume(&begun, &halves[1], each),
                }
                assert_eq!(found.len(), (at + 1) / LANES * LANES);
            }
            for _ in 0..2 {
                queue.finish(&mut |hash| found.push(*hash));
                assert_eq!(found, expected[..count]);
            }
        }
    }
}
