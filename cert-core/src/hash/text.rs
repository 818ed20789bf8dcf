//! Hashes and nonces.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use serde::ser::{Serialize, Serializer};
use sha256_lanes::{Block, Words, write_hex};

/// A hash or a nonce: a text, which as long as it is as long as the built-in ones takes no allocation.
#[derive(Clone)]
pub struct Hash(Repr);

#[derive(Clone)]
enum Repr {
    /// Of 64 bytes, which fill a block of SHA-256.
    Block(Block),
    Owned(String),
    /// What is still to be asked for: the number of the question.
    Answer(usize),
}

/// Where there is no text yet.
pub(crate) static EMPTY: Hash = Hash(Repr::Owned(String::new()));

impl Hash {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Block(text) => str::from_utf8(text).unwrap_or_default(),
            Repr::Owned(text) => text,
            Repr::Answer(_) => "",
        }
    }

    /// The bytes of the text. To compare them takes no look at what characters they are.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Block(text) => text,
            Repr::Owned(text) => text.as_bytes(),
            Repr::Answer(_) => &[],
        }
    }

    /// A hash as the half of a text to hash. Of another text, which none of SHA-256's hashes is, it means nothing.
    pub(crate) fn as_block(&self) -> &Block {
        match &self.0 {
            Repr::Block(text) => text,
            Repr::Owned(_) | Repr::Answer(_) => &[0; 64],
        }
    }

    /// The place of a hash that is still to be computed.
    pub(crate) const ROOM: Self = Self(Repr::Block([0; 64]));

    /// Becomes a hash, as 64 lower-case hexadecimal characters.
    pub(crate) fn put(&mut self, hash: &Words) {
        if let Repr::Block(text) = &mut self.0 {
            write_hex(hash, text);
        } else {
            *self = (*hash).into();
        }
    }

    /// A text, given as its bytes.
    pub(crate) fn of(text: &[u8]) -> Self {
        Self(match text.try_into() {
            Ok(block) => Repr::Block(block),
            Err(_) => Repr::Owned(str::from_utf8(text).unwrap_or_default().to_owned()),
        })
    }

    /// The answer to a question.
    pub(crate) fn answer(number: usize) -> Self {
        Self(Repr::Answer(number))
    }

    /// The number of the question that this is the answer to.
    pub(crate) fn as_answer(&self) -> Option<usize> {
        match self.0 {
            Repr::Answer(number) => Some(number),
            Repr::Block(_) | Repr::Owned(_) => None,
        }
    }
}

impl Default for Hash {
    fn default() -> Self {
        EMPTY.clone()
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
    /// As 64 lower-case hexadecimal characters.
    fn from(hash: Words) -> Self {
        let mut text = Self::ROOM;
        text.put(&hash);
        text
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
            Repr::Block(_) | Repr::Answer(_) => text.as_str().to_owned(),
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
