//! Compresses the blocks of one text, one after the other. The compression function of sha2 is at most a tenth faster. Its code and its
//! copy of the round constants would make a page's download 2.5 % larger, so this crate has its own function.

use core::arch::wasm32::{u32x4, u32x4_add, u32x4_extract_lane, u32x4_shuffle, u32x4_splat, v128};

use crate::constants::K;
use crate::simd::{quarter, sigma0, sigma1};
use crate::words::{Block, Words};

/// Compresses blocks into `state`.
pub(crate) fn compress(state: &mut Words, blocks: &[Block]) {
    for block in blocks {
        let mut words = [u32x4_splat(0); 4];
        for (words, bytes) in words.iter_mut().zip(block.as_chunks().0) {
            *words = quarter(bytes);
        }
        rounds(state, words);
    }
}

/// FIPS 180-4, section 6.2.2, four rounds at a time. A vector holds the schedule words of four rounds. It is replaced by the vector that
/// is needed 16 rounds later. Plain words and single rounds took 1.7 times as long (V8, x86-64).
#[inline(never)]
fn rounds(state: &mut Words, mut words: [v128; 4]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for &[k0, k1, k2, k3] in K.as_chunks().0 {
        let keys = u32x4_add(words[0], u32x4(k0, k1, k2, k3));
        let following = following(words);
        (d, h) = round([a, b, c, d, e, f, g, h], u32x4_extract_lane::<0>(keys));
        (c, g) = round([h, a, b, c, d, e, f, g], u32x4_extract_lane::<1>(keys));
        (b, f) = round([g, h, a, b, c, d, e, f], u32x4_extract_lane::<2>(keys));
        (a, e) = round([f, g, h, a, b, c, d, e], u32x4_extract_lane::<3>(keys));
        (a, b, c, d, e, f, g, h) = (e, f, g, h, a, b, c, d);
        words = [words[1], words[2], words[3], following];
    }
    for (word, result) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(result);
    }
}

/// Returns the two new words of a round: the standard's `e` and `a`, in this order.
#[inline(always)]
fn round([a, b, c, d, e, f, g, h]: Words, key: u32) -> (u32, u32) {
    let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let choice = g ^ (e & (f ^ g));
    let rest = h.wrapping_add(key).wrapping_add(choice);
    let most = rest.wrapping_add(sum1);
    let majority = (b & c).wrapping_add(a & (b ^ c));
    (
        d.wrapping_add(most),
        most.wrapping_add(majority).wrapping_add(sum0),
    )
}

/// Returns the four schedule words that follow these 16.
#[inline(always)]
fn following([first, second, third, last]: [v128; 4]) -> v128 {
    let after_first = u32x4_shuffle::<1, 2, 3, 4>(first, second);
    let late = u32x4_shuffle::<1, 2, 3, 4>(third, last);
    let part = u32x4_add(u32x4_add(first, late), sigma0(after_first));
    // The last two of these words depend on the first two.
    let two = u32x4_add(
        part,
        sigma1(u32x4_shuffle::<2, 3, 4, 4>(last, u32x4_splat(0))),
    );
    u32x4_add(
        two,
        sigma1(u32x4_shuffle::<4, 4, 0, 1>(two, u32x4_splat(0))),
    )
}
