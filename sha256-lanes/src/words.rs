//! The types and constants of SHA-256 that the other modules share.

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

/// Copies bytes up to the end of the shorter slice. Functions that panic on unequal lengths would add their messages to a page's code.
pub fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
