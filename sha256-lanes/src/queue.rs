//! Texts that wait until there are enough of them to be hashed at once.

use core::mem;

#[cfg(target_arch = "wasm32")]
use crate::simd::Vectors;
use crate::{Block, INITIAL, LANES, Message, Words};

/// Texts that wait to be hashed, each with a number that says where its hash belongs. Whoever adds one is told when there is room for
/// no other: then [`Queue::flush`] gives the hashes.
#[derive(Debug)]
pub struct Queue {
    messages: [Message; LANES],
    numbers: [usize; LANES],
    waiting: usize,
    #[cfg(target_arch = "wasm32")]
    vectors: Vectors,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            messages: [Message::NONE; LANES],
            numbers: [0; LANES],
            waiting: 0,
            #[cfg(target_arch = "wasm32")]
            vectors: Vectors::default(),
        }
    }
}

impl Queue {
    /// Adds a text in two parts.
    #[must_use = "a full queue takes no more"]
    pub fn push(&mut self, number: usize, one: &[u8], other: &[u8]) -> bool {
        if let Some(message) = self.next(number) {
            message.set(one, other);
        }
        self.is_full()
    }

    /// Adds the first half of a text of 128 bytes: what comes out is for [`Queue::resume`].
    #[must_use = "a full queue takes no more"]
    pub fn begin(&mut self, number: usize, half: &Block) -> bool {
        self.half(number, &INITIAL, half, false)
    }

    /// Adds the second half of a text of 128 bytes, and what came out for the first one.
    #[must_use = "a full queue takes no more"]
    pub fn resume(&mut self, number: usize, from: &Words, half: &Block) -> bool {
        self.half(number, from, half, true)
    }

    #[inline(never)]
    fn half(&mut self, number: usize, from: &Words, half: &Block, is_second: bool) -> bool {
        if let Some(message) = self.next(number) {
            message.half(from, half, is_second);
        }
        self.is_full()
    }

    /// Gives the hashes of what waits, with their numbers.
    pub fn flush(&mut self, each: &mut dyn FnMut(usize, &Words)) {
        let waiting = mem::take(&mut self.waiting);
        let hashes = self.hashes(waiting);
        for (number, hash) in self.numbers.iter().zip(&hashes).take(waiting) {
            each(*number, hash);
        }
        // Whoever comes next would wait for the blocks of what was here.
        for message in &mut self.messages {
            message.count = 0;
        }
    }

    /// Room for another, unless there is none.
    fn next(&mut self, number: usize) -> Option<&mut Message> {
        let lane = self.waiting;
        *self.numbers.get_mut(lane)? = number;
        self.waiting = lane.saturating_add(1);
        self.messages.get_mut(lane)
    }

    fn is_full(&self) -> bool {
        self.waiting == LANES
    }

    /// The hashes of the first so many messages. What comes after them means nothing.
    fn hashes(&mut self, count: usize) -> [Words; LANES] {
        #[cfg(target_arch = "wasm32")]
        if count > 1 {
            // Four at once take less than two, one after the other.
            return self.vectors.hashes(&self.messages);
        }
        let mut hashes = [INITIAL; LANES];
        for (hash, message) in hashes.iter_mut().zip(&self.messages).take(count) {
            *hash = message.hash();
        }
        hashes
    }
}

/// (The vectors that WebAssembly hashes with are compared in `pkg/cert/test/lanes.test.mjs`.)
#[cfg(test)]
mod tests {
    extern crate alloc;

    use super::*;
    use crate::hash;
    use alloc::vec::Vec;

    #[test]
    fn every_hash_comes_with_its_number() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (halves, _) = bytes.as_chunks::<64>();
        let mut queue = Queue::default();
        let mut found = Vec::new();
        let mut flush = |queue: &mut Queue| {
            queue.flush(&mut |number, hash| found.push((number, *hash)));
        };
        let lengths = [0, 55, 56, 64, 119, 120, 128, 183, 184, 256];
        for (number, length) in lengths.into_iter().enumerate() {
            let (one, other) = bytes[..length].split_at(length / 2);
            if queue.push(number, one, other) {
                flush(&mut queue);
            }
        }
        flush(&mut queue);
        if queue.begin(100, &halves[0]) {
            flush(&mut queue);
        }
        flush(&mut queue);
        let (_, begun) = *found.last().unwrap();
        let mut flush = |queue: &mut Queue| {
            queue.flush(&mut |number, hash| found.push((number, *hash)));
        };
        if queue.resume(101, &begun, &halves[1]) {
            flush(&mut queue);
        }
        flush(&mut queue);
        let mut expected: Vec<_> = (0..)
            .zip(lengths.map(|length| hash(&bytes[..length], &[])))
            .collect();
        expected.push((100, crate::begin(&halves[0])));
        expected.push((101, hash(&bytes[..128], &[])));
        assert_eq!(found, expected);
    }
}
