//! Hashes and nonces.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use crate::hex::Hex;
use crate::sha256::{Block, Words};

/// A hash or a nonce: a text, which for the built-in ones takes no allocation.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Hex(Hex),
    Owned(String),
}

impl Text {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Hex(hex) => hex.as_str(),
            Repr::Owned(text) => text,
        }
    }

    /// The bytes of the text. To compare them takes no look at what characters they are.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Hex(hex) => hex.as_bytes(),
            Repr::Owned(text) => text.as_bytes(),
        }
    }

    /// The bytes of a text of 64, which fill a block of SHA-256.
    pub(crate) fn block(&self) -> Option<&Block> {
        match &self.0 {
            Repr::Hex(hex) => Some(hex.as_bytes()),
            Repr::Owned(text) => text.as_bytes().try_into().ok(),
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<Words> for Text {
    /// As 64 lower-case hexadecimal characters.
    fn from(hash: Words) -> Self {
        Self(Repr::Hex(hash.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Repr::Owned(text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Repr::Owned(text.to_owned()))
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text.0 {
            Repr::Owned(text) => text,
            Repr::Hex(hex) => hex.as_str().to_owned(),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
