//! SHA-256 (FIPS 180-4) of short texts.
//!
//! Almost everything hashed here fills one to three blocks. So sha2's compression function is used
//! directly: its general interface costs about as much as a block for each text.

use core::slice;

use sha2::block_api::compress256;

use crate::join::copy;

/// A hash: eight words, to be written with the highest byte first.
pub(crate) type Words = [u32; 8];

/// A block of a message.
pub(crate) type Block = [u8; 64];

/// FIPS 180-4, section 5.3.3.
const INITIAL: Words = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The length in bits takes the last eight bytes of the last block (FIPS 180-4, section 5.1.1).
const LENGTH_AT: usize = 56;

/// What follows 128 bytes: a one, zeros, and the length in bits (FIPS 180-4, section 5.1.1).
const AFTER_128: [u8; 64] = {
    let mut block = [0; 64];
    block[0] = 0x80;
    [block[62], block[63]] = (128_u16 * 8).to_be_bytes();
    block
};

/// The hash of two hashes or nonces, which is most of what certification does. All blocks are compressed at once, since each call
/// puts the state in order before and after.
pub(crate) fn of_two(one: &Block, other: &Block) -> Words {
    let mut state = INITIAL;
    compress256(&mut state, &[*one, *other, AFTER_128]);
    state
}

/// The hash of a text in two parts.
pub(crate) fn of(one: &[u8], other: &[u8]) -> Words {
    of_short(one, other).unwrap_or_else(|| {
        let mut state = Sha256::new();
        state.update(one);
        state.update(other);
        state.finish()
    })
}

/// The same if it fits one block; `None` for a longer one.
fn of_short(one: &[u8], other: &[u8]) -> Option<Words> {
    let mut block = [0; 64];
    let (place, rest) = block
        .get_mut(..LENGTH_AT)?
        .split_at_mut_checked(one.len())?;
    copy(place, one);
    let (place, rest) = rest.split_at_mut_checked(other.len())?;
    copy(place, other);
    *rest.first_mut()? = 0x80;
    // At most 440 bits.
    let bits = one.len().wrapping_add(other.len()).wrapping_mul(8) as u16;
    [block[62], block[63]] = bits.to_be_bytes();
    let mut state = INITIAL;
    compress256(&mut state, slice::from_ref(&block));
    Some(state)
}

/// A hash under way.
#[derive(Clone)]
pub(crate) struct Sha256 {
    state: [u32; 8],
    /// What does not fill a block yet: the first `filled` bytes.
    block: [u8; 64],
    filled: usize,
    /// Of all bytes so far.
    length: usize,
}

impl Sha256 {
    pub(crate) const fn new() -> Self {
        Self {
            state: INITIAL,
            block: [0; 64],
            filled: 0,
            length: 0,
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len());
        let mut rest = bytes;
        if self.filled > 0 {
            let room = self.block.len().saturating_sub(self.filled);
            let (first, after) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.keep(first);
            rest = after;
            if self.filled < self.block.len() {
                return;
            }
            self.compress();
        }
        let (blocks, after) = rest.as_chunks();
        if !blocks.is_empty() {
            compress256(&mut self.state, blocks);
        }
        self.keep(after);
    }

    /// The eight words of the hash.
    pub(crate) fn finish(mut self) -> [u32; 8] {
        let bits = (self.length as u64).wrapping_mul(8);
        self.keep(&[0x80]);
        self.clear();
        if self.filled > LENGTH_AT {
            self.compress();
            self.clear();
        }
        if let Some(last) = self.block.last_chunk_mut() {
            *last = bits.to_be_bytes();
        }
        self.compress();
        self.state
    }

    fn keep(&mut self, bytes: &[u8]) {
        let end = self.filled.saturating_add(bytes.len());
        if let Some(place) = self.block.get_mut(self.filled..end)
            && let Some(bytes) = bytes.get(..place.len())
        {
            copy(place, bytes);
            self.filled = end;
        }
    }

    fn clear(&mut self) {
        if let Some(rest) = self.block.get_mut(self.filled..) {
            rest.fill(0);
        }
    }

    fn compress(&mut self) {
        compress256(&mut self.state, slice::from_ref(&self.block));
        self.filled = 0;
    }
}

/// A hash as it is hashed again.
pub(crate) fn bytes(hash: Words) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(hash) {
        *place = word.to_be_bytes();
    }
    bytes
}

/// HMAC-SHA-256 (RFC 2104), its key hashed once for many texts.
#[derive(Clone)]
pub(crate) struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl Hmac {
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut block = [0; 64];
        if let Some(place) = block.get_mut(..key.len()) {
            copy(place, key);
        } else {
            let mut state = Sha256::new();
            state.update(key);
            copy(&mut block, &bytes(state.finish()));
        }
        let mut keyed = Self {
            inner: Sha256::new(),
            outer: Sha256::new(),
        };
        block.iter_mut().for_each(|byte| *byte ^= 0x36);
        keyed.inner.update(&block);
        block.iter_mut().for_each(|byte| *byte ^= 0x36 ^ 0x5c);
        keyed.outer.update(&block);
        keyed
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    /// The eight words of the code.
    pub(crate) fn finish(mut self) -> [u32; 8] {
        self.outer.update(&bytes(self.inner.finish()));
        self.outer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::Hex;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;
    use sha2::Digest as _;

    fn expected(bytes: &[u8]) -> String {
        sha2::Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    #[test]
    fn agrees_with_the_library_at_every_length_and_cut() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=bytes.len() {
            let bytes = &bytes[..length];
            let expected = expected(bytes);
            for cut in [0, 1, 55, 56, 63, 64, 65, 127, 128, 129] {
                let (one, other) = bytes.split_at_checked(cut).unwrap_or((bytes, &[]));
                for parts in [[one, other, &[]], [one, &[], other]] {
                    let mut state = Sha256::new();
                    for part in parts {
                        state.update(part);
                    }
                    assert_eq!(
                        Hex::from(state.finish()).as_str(),
                        expected,
                        "{length}, {cut}"
                    );
                }
            }
        }
    }

    #[test]
    fn whole_pieces_agree_with_the_library() {
        let bytes: Vec<u8> = (0..128).collect();
        let (pieces, _) = bytes.as_chunks();
        assert_eq!(
            Hex::from(of_two(&pieces[0], &pieces[1])).as_str(),
            expected(&bytes)
        );
    }

    #[test]
    fn keyed_as_the_library_does() {
        use hmac::{KeyInit as _, Mac as _};
        for length in [0, 1, 16, 63, 64, 65, 200] {
            let key: Vec<u8> = (0..length).collect();
            let mut library = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
            let mut own = Hmac::new(&key);
            for part in [&b"text"[..], b"", &[7; 300]] {
                library.update(part);
                own.update(part);
                assert_eq!(
                    own.clone().finish().map(u32::to_be_bytes).concat(),
                    library.clone().finalize().into_bytes()[..],
                    "a key of {length} bytes"
                );
            }
        }
    }
}
