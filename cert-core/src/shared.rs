//! Text that values share.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, Range};

/// A string of a JSON value: it derefs to `&str`, and to clone it copies nothing.
///
/// The strings of a document that a binding handed over are parts of one text, which they keep alive.
#[derive(Clone)]
pub struct Str {
    text: Arc<str>,
    range: Range<usize>,
}

impl Str {
    /// A part of a text; `None` outside of it and between the bytes of a character.
    pub(crate) fn part(text: &Arc<str>, range: Range<usize>) -> Option<Self> {
        text.get(range.clone())?;
        Some(Self {
            text: Arc::clone(text),
            range,
        })
    }

    /// How many bytes it has, without a look at the text.
    pub(crate) fn size(&self) -> usize {
        self.range.len()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self {
            text: text.into(),
            range: 0..text.len(),
        }
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
