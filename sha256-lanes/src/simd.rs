//! Hashes four messages side by side: every vector holds one word of each message.

use core::arch::wasm32::{
    u8x16_shuffle, u32x4, u32x4_add, u32x4_extract_lane, u32x4_gt, u32x4_shl, u32x4_shr,
    u32x4_shuffle, u32x4_splat, u64x2, v128, v128_and, v128_andnot, v128_any_true, v128_or,
    v128_xor,
};

use crate::constants::K;
use crate::message::Message;
use crate::words::{Block, LANES, Words};

/// The sum of each schedule word of [`AFTER_128`](crate::message::AFTER_128) and its round constant (FIPS 180-4, section 6.2.2). Under
/// AIH-1's default hasher and noncer, that block is the last block of every leaf and of every node except the closing nodes.
#[expect(
    clippy::indexing_slicing,
    reason = "an index out of bounds would stop the compiler"
)]
const KEYS_AFTER_128: [u32; 64] = {
    let mut keys = [0_u32; 64];
    (keys[0], keys[15]) = (1 << 31, 128 * 8);
    let mut t = 16;
    while t < 64 {
        let (early, late) = (keys[t - 15], keys[t - 2]);
        let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        let sum = early.wrapping_add(late).wrapping_add(keys[t - 7]);
        keys[t] = sum.wrapping_add(keys[t - 16]);
        t += 1;
    }
    t = 0;
    while t < 64 {
        keys[t] = keys[t].wrapping_add(K[t]);
        t += 1;
    }
    keys
};

/// Returns the hashes of four messages.
pub(crate) fn hashes(messages: &[Message; LANES]) -> [Words; LANES] {
    let [a, b, c, d] = messages;
    let mut states = [u32x4_splat(0); 8];
    let (lanes, others) = (a.state.iter().zip(&b.state), c.state.iter().zip(&d.state));
    for (words, ((a, b), (c, d))) in states.iter_mut().zip(lanes.zip(others)) {
        *words = u32x4(*a, *b, *c, *d);
    }
    let [e, f, g, h] = messages.each_ref().map(|message| message.count as u32);
    let counts = u32x4(e, f, g, h);
    let (lanes, others) = (
        a.blocks.iter().zip(&b.blocks),
        c.blocks.iter().zip(&d.blocks),
    );
    for (number, ((a, b), (c, d))) in (0..).zip(lanes.zip(others)) {
        let active = u32x4_gt(counts, u32x4_splat(number));
        if !v128_any_true(active) {
            break;
        }
        compress(&mut states, active, words([a, b, c, d]));
    }
    let [e, f, g, h] = messages
        .each_ref()
        .map(|message| u32::from(message.ends_at_128));
    let active = u32x4_gt(u32x4(e, f, g, h), u32x4_splat(0));
    if v128_any_true(active) {
        compress_after_128(&mut states, active);
    }
    [
        states.map(|word| u32x4_extract_lane::<0>(word)),
        states.map(|word| u32x4_extract_lane::<1>(word)),
        states.map(|word| u32x4_extract_lane::<2>(word)),
        states.map(|word| u32x4_extract_lane::<3>(word)),
    ]
}

/// Transposes the words of four blocks: the first vector holds each block's first word, the second each second word, and so on.
fn words([a, b, c, d]: [&Block; LANES]) -> [v128; 16] {
    let mut words = [u32x4_splat(0); 16];
    let lanes = a.as_chunks().0.iter().zip(b.as_chunks().0);
    let others = c.as_chunks().0.iter().zip(d.as_chunks().0);
    for (words, ((a, b), (c, d))) in words.as_chunks_mut().0.iter_mut().zip(lanes.zip(others)) {
        let [a, b, c, d] = [quarter(a), quarter(b), quarter(c), quarter(d)];
        let (first, last) = (interleave_low(a, c), interleave_high(a, c));
        let (others_first, others_last) = (interleave_low(b, d), interleave_high(b, d));
        *words = [
            interleave_low(first, others_first),
            interleave_high(first, others_first),
            interleave_low(last, others_last),
            interleave_high(last, others_last),
        ];
    }
    words
}

fn interleave_low(one: v128, other: v128) -> v128 {
    u32x4_shuffle::<0, 4, 1, 5>(one, other)
}

fn interleave_high(one: v128, other: v128) -> v128 {
    u32x4_shuffle::<2, 6, 3, 7>(one, other)
}

/// Returns four words of one block.
pub(crate) fn quarter(bytes: &[u8; 16]) -> v128 {
    let bits = u128::from_le_bytes(*bytes);
    let bytes = u64x2(bits as u64, (bits >> 64) as u64);
    // Words are big-endian.
    u8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(bytes, bytes)
}

/// Compresses one block of each message that is `active` (FIPS 180-4, section 6.2.2). The states of the other messages do not change.
///
/// Each word of the schedule replaces the word of 16 rounds earlier.
#[inline(never)]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "rounds are fewer than 64, places fewer than 16"
)]
fn compress(states: &mut [v128; 8], active: v128, mut words: [v128; 16]) {
    rounds(states, active, |t| {
        let word = words[t % 16];
        if t < 48 {
            let early = u32x4_add(word, sigma0(words[(t + 1) % 16]));
            let late = u32x4_add(words[(t + 9) % 16], sigma1(words[(t + 14) % 16]));
            words[t % 16] = u32x4_add(early, late);
        }
        u32x4_add(word, u32x4_splat(K[t]))
    });
}

/// Compresses the padding of a text of 128 bytes, as [`compress`] does with a block.
#[inline(never)]
#[expect(clippy::indexing_slicing, reason = "rounds are fewer than 64")]
fn compress_after_128(states: &mut [v128; 8], active: v128) {
    rounds(states, active, |t| u32x4_splat(KEYS_AFTER_128[t]));
}

#[inline(always)]
fn rounds(states: &mut [v128; 8], active: v128, mut key: impl FnMut(usize) -> v128) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *states;
    for t in 0..64 {
        (d, h) = round([a, b, c, d, e, f, g, h], key(t));
        (a, b, c, d, e, f, g, h) = (h, a, b, c, d, e, f, g);
    }
    for (word, result) in states.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = u32x4_add(*word, v128_and(result, active));
    }
}

/// Returns σ0 of each of four words (FIPS 180-4, section 4.1.2). `sigma1` returns σ1.
pub(crate) fn sigma0(word: v128) -> v128 {
    xor3(rotr::<7>(word), rotr::<18>(word), u32x4_shr(word, 3))
}

pub(crate) fn sigma1(word: v128) -> v128 {
    xor3(rotr::<17>(word), rotr::<19>(word), u32x4_shr(word, 10))
}

/// Returns the fourth and the last word after a round. The standard uses exclusive or to combine bits that are never both set. A sum
/// gives the same result and can be reordered, so `sum1` and `sum0`, which take longest, are added last. With exclusive or, texts of 128
/// bytes took 1.1 times as long (V8, x86-64).
#[inline(always)]
fn round([a, b, c, d, e, f, g, h]: [v128; 8], key: v128) -> (v128, v128) {
    let sum1 = xor3(rotr::<6>(e), rotr::<11>(e), rotr::<25>(e));
    let sum0 = xor3(rotr::<2>(a), rotr::<13>(a), rotr::<22>(a));
    let choice = (v128_and(e, f), v128_andnot(g, e));
    let majority = (v128_and(b, c), v128_and(a, v128_xor(b, c)));
    let most = u32x4_add(u32x4_add(u32x4_add(h, key), choice.0), choice.1);
    let rest = u32x4_add(u32x4_add(most, majority.0), majority.1);
    (
        u32x4_add(u32x4_add(d, most), sum1),
        u32x4_add(u32x4_add(rest, sum1), sum0),
    )
}

fn xor3(one: v128, two: v128, three: v128) -> v128 {
    v128_xor(v128_xor(one, two), three)
}

fn rotr<const BITS: u32>(word: v128) -> v128 {
    v128_or(
        u32x4_shr(word, BITS),
        u32x4_shl(word, u32::BITS.wrapping_sub(BITS)),
    )
}
