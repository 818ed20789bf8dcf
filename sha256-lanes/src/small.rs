//! The compression function with the least code: one round after the other, in a loop.

use crate::constants::K;
use crate::words::{Block, Words};

/// Compresses some blocks into `state` (FIPS 180-4, section 6.2.2).
pub(crate) fn compress(state: &mut Words, blocks: &[Block]) {
    for block in blocks {
        let mut schedule = [0; 64];
        for (word, bytes) in schedule.iter_mut().zip(block.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for t in 16..64 {
            extend(&mut schedule, t);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for (word, k) in schedule.iter().zip(&K) {
            let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let one = h.wrapping_add(sum1).wrapping_add(choice);
            let one = one.wrapping_add(*k).wrapping_add(*word);
            let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(one));
            let two = sum0.wrapping_add(majority);
            (d, c, b, a) = (c, b, a, one.wrapping_add(two));
        }
        for (word, result) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(result);
        }
    }
}

/// Computes and stores the schedule word `t`, which is at least 16.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "words of a schedule are from 0 to 63"
)]
fn extend(schedule: &mut [u32; 64], t: usize) {
    let (early, late) = (schedule[t - 15], schedule[t - 2]);
    let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
    let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
    let sum = early.wrapping_add(late).wrapping_add(schedule[t - 7]);
    schedule[t] = sum.wrapping_add(schedule[t - 16]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::INITIAL;

    #[test]
    fn blocks_agree_with_the_library() {
        let blocks: [Block; 3] =
            core::array::from_fn(|block| core::array::from_fn(|at| (64 * block + at * at) as u8));
        for count in 0..=blocks.len() {
            let (mut own, mut expected) = (INITIAL, INITIAL);
            compress(&mut own, &blocks[..count]);
            sha2::block_api::compress256(&mut expected, &blocks[..count]);
            assert_eq!(own, expected, "{count}");
        }
    }
}
