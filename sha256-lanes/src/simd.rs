//! Four messages side by side: every vector holds one word of each.

use core::arch::wasm32::{
    u8x16_shr, u8x16_shuffle, u8x16_splat, u8x16_swizzle, u32x4, u32x4_add, u32x4_extract_lane,
    u32x4_shl, u32x4_shr, u32x4_shuffle, u32x4_splat, u64x2, u64x2_extract_lane, v128, v128_and,
    v128_andnot, v128_or, v128_xor,
};

use crate::{AFTER_128, Block, LANES, Message, Words};

pub(crate) const ZERO: v128 = u32x4(0, 0, 0, 0);

/// FIPS 180-4, section 4.2.2.
pub(crate) const K: [u32; 64] = [
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

/// The words that rounds take: those of four blocks, and what follows from them.
type Schedule = [v128; 64];

/// What vectors are computed with, kept from one time to the next.
#[derive(Debug)]
pub(crate) struct Vectors {
    any: Schedule,
    /// That of four times [`AFTER_128`], which is every third block or more.
    after_128: Schedule,
    /// Whether more than its block is there.
    is_known: bool,
}

impl Default for Vectors {
    fn default() -> Self {
        let mut after_128 = [ZERO; 64];
        fill(&mut after_128, [&AFTER_128; LANES]);
        Self {
            any: [ZERO; 64],
            after_128,
            is_known: false,
        }
    }
}

impl Vectors {
    /// The hashes of four messages.
    pub(crate) fn hashes(&mut self, messages: &[Message; LANES]) -> [Words; LANES] {
        let [a, b, c, d] = messages;
        let mut hashes = [a.from, b.from, c.from, d.from];
        let mut state = [ZERO; 8];
        let words = a.from.iter().zip(&b.from);
        let words = words.zip(c.from.iter().zip(&d.from));
        for (vector, ((a, b), (c, d))) in state.iter_mut().zip(words) {
            *vector = u32x4(*a, *b, *c, *d);
        }
        let blocks = a.blocks.iter().zip(&b.blocks);
        let blocks = blocks.zip(c.blocks.iter().zip(&d.blocks));
        for (((a, b), (c, d)), count) in blocks.zip(1..) {
            self.block(messages, count, [a, b, c, d], &mut state, &mut hashes);
        }
        hashes
    }

    /// Goes on with the block of each message up to which there are `count`.
    #[inline(never)]
    fn block(
        &mut self,
        messages: &[Message; LANES],
        count: usize,
        blocks: [&Block; LANES],
        state: &mut [v128; 8],
        hashes: &mut [Words; LANES],
    ) {
        let is_over = |message: &Message| message.count < count;
        let is_last = |message: &Message| message.count == count;
        if messages.iter().all(is_over) {
            return;
        }
        if messages
            .iter()
            .all(|message| is_over(message) || is_last(message) && message.is_of_128)
        {
            rounds(state, &mut self.after_128, self.is_known);
            self.is_known = true;
        } else {
            fill(&mut self.any, blocks);
            rounds(state, &mut self.any, false);
        }
        let lanes = [
            state.map(|word| u32x4_extract_lane::<0>(word)),
            state.map(|word| u32x4_extract_lane::<1>(word)),
            state.map(|word| u32x4_extract_lane::<2>(word)),
            state.map(|word| u32x4_extract_lane::<3>(word)),
        ];
        for ((hash, lane), message) in hashes.iter_mut().zip(lanes).zip(messages) {
            if is_last(message) {
                *hash = lane;
            }
        }
    }
}

/// Fills in the words of four blocks: of each the first, of each the second, and so on.
fn fill(words: &mut Schedule, [a, b, c, d]: [&Block; LANES]) {
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
pub(crate) fn quarter(bytes: &[u8; 16]) -> v128 {
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

/// FIPS 180-4, section 6.2.2. Two rounds at a time, which was measured to be quicker than one, four or eight. What is computed of the
/// schedule fills the time in which the rounds wait for each other.
#[inline(never)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "of numbers below 64, in arrays of 64 words"
)]
fn rounds(state: &mut [v128; 8], schedule: &mut Schedule, is_known: bool) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for pair in 0..32 {
        let t = 2 * pair;
        let key = u32x4_add(schedule[t], u32x4_splat(K[t]));
        let other_key = u32x4_add(schedule[t + 1], u32x4_splat(K[t + 1]));
        if !is_known && pair < 24 {
            schedule[t + 16] = following(schedule, t);
            schedule[t + 17] = following(schedule, t + 1);
        }
        (d, h) = round([a, b, c, d, e, f, g, h], key);
        (c, g) = round([h, a, b, c, d, e, f, g], other_key);
        (a, b, c, d, e, f, g, h) = (g, h, a, b, c, d, e, f);
    }
    for (word, result) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = u32x4_add(*word, result);
    }
}

/// The word of a schedule 16 places later.
#[inline(always)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "of numbers below 48, in an array of 64 words"
)]
fn following(schedule: &Schedule, t: usize) -> v128 {
    u32x4_add(
        u32x4_add(schedule[t], sigma0(schedule[t + 1])),
        u32x4_add(schedule[t + 9], sigma1(schedule[t + 14])),
    )
}

/// FIPS 180-4, section 4.1.2, of four words; so is the next.
pub(crate) fn sigma0(word: v128) -> v128 {
    xor3(rotr::<7>(word), rotr::<18>(word), u32x4_shr(word, 3))
}

pub(crate) fn sigma1(word: v128) -> v128 {
    xor3(rotr::<17>(word), rotr::<19>(word), u32x4_shr(word, 10))
}

/// What a round makes of the fourth and the last word. Sums stand where the standard has exclusive ors of bits that are never both
/// set: they can be added in any order, so that what takes longest comes last.
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
