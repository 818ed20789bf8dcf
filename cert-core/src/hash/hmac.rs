//! HMAC-SHA-256 (RFC 2104). The key is hashed once for many messages.

use sha256_lanes::{Words, begin, copy, hash, resume, to_bytes};
use zeroize::{Zeroize as _, Zeroizing};

/// Hashes under a key. The state is as secret as the key, so it is wiped on drop.
#[derive(Clone)]
pub(crate) struct Hmac {
    /// The states of the inner and the outer hash after the key.
    inner: Words,
    outer: Words,
}

impl Hmac {
    pub(crate) fn new(key: &[u8]) -> Self {
        let mut block = Zeroizing::new([0; 64]);
        if let Some(place) = block.get_mut(..key.len()) {
            copy(place, key);
        } else {
            copy(&mut *block, &*bytes(hash(key, &[])));
        }
        let pad = |with: u8| {
            let mut padded = block.clone();
            padded.iter_mut().for_each(|byte| *byte ^= with);
            begin(&padded)
        };
        Self {
            inner: pad(0x36),
            outer: pad(0x5c),
        }
    }

    /// Returns the message authentication code of a message.
    pub(crate) fn of(&self, text: &[u8]) -> Words {
        let inner = resume(self.inner, 64, text, &[]);
        resume(self.outer, 64, &*bytes(inner), &[])
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// Returns the bytes of a hash, wiped on drop because the hash may be a key.
pub(crate) fn bytes(hash: Words) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(to_bytes(&hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn keyed_hashes_agree_with_the_library() {
        use hmac::{KeyInit as _, Mac as _};
        for length in [0, 1, 16, 63, 64, 65, 200] {
            let key: Vec<u8> = (0..length).collect();
            let own = Hmac::new(&key);
            for text in [&b"text"[..], b"", &[7; 300]] {
                let mut library = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
                library.update(text);
                assert_eq!(
                    *bytes(own.of(text)),
                    library.finalize().into_bytes()[..],
                    "a key of {length} bytes"
                );
            }
        }
    }
}
