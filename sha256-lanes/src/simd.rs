//! Four messages side by side: every vector holds one word of each.

use core::arch::wasm32::{
    u8x16_shr, u8x16_shuffle, u8x16_splat, u8x16_swizzle, u32x4, u32x4_add, u32x4_extract_lane,
    u32x4_shl, u32x4_shr, u32x4_shuffle, u32x4_splat, u64x2, u64x2_extract_lane, v128, v128_and,
    v128_or, v128_xor,
};

use crate::{Block, INITIAL, LANES, Message, Words};

/// FIPS 180-4, section 4.2.2.
const K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

pub(crate) fn hashes(messages: &[Message; LANES]) -> [Words; LANES] {
    let mut hashes = [INITIAL; LANES];
    let mut state = [u32x4_splat(0); 8];
    for (vector, word) in state.iter_mut().zip(&INITIAL) {
        *vector = u32x4_splat(*word);
    }
    let mut schedule = [u32x4_splat(0); 16];
    let [a, b, c, d] = messages;
    let blocks = a.blocks.iter().zip(&b.blocks);
    for (at, ((a, b), (c, d))) in blocks.zip(c.blocks.iter().zip(&d.blocks)).enumerate() {
        if messages.iter().all(|message| message.count <= at) {
            break;
        }
        fill(&mut schedule, [a, b, c, d]);
        compress(&mut state, &mut schedule);
        let lanes = [
            state.map(|word| u32x4_extract_lane::<0>(word)),
            state.map(|word| u32x4_extract_lane::<1>(word)),
            state.map(|word| u32x4_extract_lane::<2>(word)),
            state.map(|word| u32x4_extract_lane::<3>(word)),
        ];
        for ((hash, lane), message) in hashes.iter_mut().zip(lanes).zip(messages) {
            if message.count > at {
                *hash = lane;
            }
        }
    }
    hashes
}

/// Fills in the words of four blocks: of each the first, of each the second, and so on.
fn fill(words: &mut [v128; 16], [a, b, c, d]: [&Block; LANES]) {
    let quarters = a.as_chunks().0.iter().zip(b.as_chunks().0);
    let others = c.as_chunks().0.iter().zip(d.as_chunks().0);
    let places = words.as_chunks_mut().0.iter_mut();
    for (place, ((a, b), (c, d))) in places.zip(quarters.zip(others)) {
        let [a, b, c, d] = [quarter(a), quarter(b), quarter(c), quarter(d)];
        let (low, high) = (interleave_low(a, b), interleave_high(a, b));
        let (others_low, others_high) = (interleave_low(c, d), interleave_high(c, d));
        *place = [
            u32x4_shuffle::<0, 1, 4, 5>(low, others_low),
            u32x4_shuffle::<2, 3, 6, 7>(low, others_low),
            u32x4_shuffle::<0, 1, 4, 5>(high, others_high),
            u32x4_shuffle::<2, 3, 6, 7>(high, others_high),
        ];
    }
}

/// Four words of one block.
fn quarter(bytes: &[u8; 16]) -> v128 {
    let [mut low, mut high] = [0; 2];
    if let [one, other] = bytes.as_chunks().0 {
        (low, high) = (u64::from_le_bytes(*one), u64::from_le_bytes(*other));
    }
    let bytes = u64x2(low, high);
    // The highest byte of a word comes first.
    u8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(bytes, bytes)
}

fn interleave_low(one: v128, other: v128) -> v128 {
    u32x4_shuffle::<0, 4, 1, 5>(one, other)
}

fn interleave_high(one: v128, other: v128) -> v128 {
    u32x4_shuffle::<2, 6, 3, 7>(one, other)
}

/// FIPS 180-4, section 6.2.2. The schedule is computed on the way, in place of words that are no longer needed: so it fills the
/// time in which the rounds wait for each other.
#[inline(never)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "of a remainder of 16, in an array of 16 words; of the numbers up to 64"
)]
fn compress(state: &mut [v128; 8], schedule: &mut [v128; 16]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (t, k) in K.iter().enumerate() {
        let word = schedule[t % 16];
        let sum1 = xor3(rotr::<6>(e), rotr::<11>(e), rotr::<25>(e));
        let choice = v128_xor(g, v128_and(e, v128_xor(f, g)));
        let key = u32x4_add(word, u32x4_splat(*k));
        let t1 = u32x4_add(u32x4_add(h, key), u32x4_add(choice, sum1));
        let sum0 = xor3(rotr::<2>(a), rotr::<13>(a), rotr::<22>(a));
        let majority = v128_xor(v128_and(a, b), v128_and(c, v128_xor(a, b)));
        (h, g, f, e) = (g, f, e, u32x4_add(d, t1));
        (d, c, b, a) = (c, b, a, u32x4_add(t1, u32x4_add(sum0, majority)));
        let (next, late) = (schedule[(t + 1) % 16], schedule[(t + 14) % 16]);
        let sigma0 = xor3(rotr::<7>(next), rotr::<18>(next), u32x4_shr(next, 3));
        let sigma1 = xor3(rotr::<17>(late), rotr::<19>(late), u32x4_shr(late, 10));
        schedule[t % 16] = u32x4_add(
            u32x4_add(word, sigma0),
            u32x4_add(schedule[(t + 9) % 16], sigma1),
        );
    }
    for (word, result) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = u32x4_add(*word, result);
    }
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

/// The hexadecimal digits of 16 bytes.
pub(crate) fn digits(words: [u32; 4]) -> [[u8; 8]; 4] {
    let [a, b, c, d] = words.map(u32::swap_bytes);
    let bytes = u32x4(a, b, c, d);
    let (high, low) = (u8x16_shr(bytes, 4), v128_and(bytes, u8x16_splat(0xf)));
    let first = u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(high, low);
    let second =
        u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(high, low);
    let table = u64x2(
        u64::from_le_bytes(*b"01234567"),
        u64::from_le_bytes(*b"89abcdef"),
    );
    let (first, second) = (u8x16_swizzle(table, first), u8x16_swizzle(table, second));
    [
        u64x2_extract_lane::<0>(first),
        u64x2_extract_lane::<1>(first),
        u64x2_extract_lane::<0>(second),
        u64x2_extract_lane::<1>(second),
    ]
    .map(u64::to_le_bytes)
}
