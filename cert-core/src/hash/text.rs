//! Hashes and nonces.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use serde::ser::{Serialize, Serializer};
use sha256_lanes::{Block, Words};

use crate::hash::hex::{is_same, write_hex};
use crate::invariant::certain;

/// A hash or a nonce, as a string. A string of 64 bytes, such as a default hash, needs no allocation.
#[derive(Clone)]
pub struct Hash(Repr);

#[derive(Clone)]
enum Repr {
    /// A string of 64 bytes, which fills one block of SHA-256.
    Block(Aligned),
    Owned(String),
    /// A hash or nonce that is not known yet. The number identifies the question for it. `None` if there is no question.
    Unknown(Option<usize>),
}

/// A word-aligned block. Without the alignment, the block would be copied in pieces, because it follows the tag of an enum.
#[derive(Clone)]
#[repr(align(8))]
struct Aligned(Block);

impl Hash {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = str::from_utf8(self.as_bytes()).ok();
        certain(
            text,
            "a hash consists of hexadecimal digits or comes from a string",
        )
    }

    /// Returns the bytes of the text. Comparing bytes avoids a UTF-8 check.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Block(Aligned(text)) => text,
            Repr::Owned(text) => text.as_bytes(),
            Repr::Unknown(_) => &[],
        }
    }

    /// Returns the text as a block of SHA-256, or `None` if it does not have 64 bytes.
    pub(crate) fn as_block(&self) -> Option<&Block> {
        match &self.0 {
            Repr::Block(Aligned(text)) => Some(text),
            Repr::Owned(text) => text.as_bytes().try_into().ok(),
            Repr::Unknown(_) => None,
        }
    }

    /// Returns the hash that has this text. The bytes come from a string, so they are UTF-8.
    pub(crate) fn of(text: &[u8]) -> Self {
        Self(match text.try_into() {
            Ok(block) => Repr::Block(Aligned(block)),
            Err(_) => {
                let text = str::from_utf8(text).ok();
                Repr::Owned(certain(text, "the bytes come from a string").to_owned())
            }
        })
    }

    /// Returns a hash that is not known yet. `question` is the number of the question whose answer will be the hash.
    pub(crate) fn unknown(question: Option<usize>) -> Self {
        Self(Repr::Unknown(question))
    }

    /// Returns the number of the question whose answer will be the hash. `None` if the hash is known, or if there is no question.
    pub(crate) fn question(&self) -> Option<usize> {
        match self.0 {
            Repr::Unknown(question) => question,
            Repr::Block(_) | Repr::Owned(_) => None,
        }
    }

    /// Returns true if the text is known.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.0, Repr::Unknown(_))
    }

    /// Returns true if the hash has this text, given as bytes, or is not known yet.
    pub(crate) fn may_be(&self, text: &[u8]) -> bool {
        !self.is_known() || is_same(self.as_bytes(), text)
    }
}

impl Default for Hash {
    fn default() -> Self {
        Self(Repr::Owned(String::new()))
    }
}

impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Hash {}

impl PartialEq<str> for Hash {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Hash {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Deref for Hash {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<Words> for Hash {
    /// Returns the hash as 64 lower-case hexadecimal characters.
    fn from(hash: Words) -> Self {
        let mut text = Aligned([0; 64]);
        write_hex(&hash, &mut text.0);
        Self(Repr::Block(text))
    }
}

impl From<String> for Hash {
    fn from(text: String) -> Self {
        Self(Repr::Owned(text))
    }
}

impl From<&str> for Hash {
    fn from(text: &str) -> Self {
        Self::of(text.as_bytes())
    }
}

impl From<Hash> for String {
    fn from(text: Hash) -> Self {
        match text.0 {
            Repr::Owned(text) => text,
            Repr::Block(_) | Repr::Unknown(_) => text.as_str().to_owned(),
        }
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
