//! Strings that share their text.

use alloc::string::String;
use alloc::sync::Arc;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, Range};

use crate::invariant::certain;

/// The invariant of every [`Str`].
const WHOLE: &str = "only ranges of whole characters are kept";

/// A string of a JSON value, or a key. Clones share the text.
#[derive(Clone)]
pub struct Str {
    text: Arc<String>,
    /// The string's range in the text. `start` and `end` are character boundaries.
    start: usize,
    end: usize,
}

impl Str {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        certain(self.text.get(self.start..self.end), WHOLE)
    }

    fn as_bytes(&self) -> &[u8] {
        certain(self.text.as_bytes().get(self.start..self.end), WHOLE)
    }

    /// Returns a part of a text, or `None` if the range does not consist of whole characters. The whole text stays in memory as long as any
    /// part of it is in use.
    #[must_use]
    pub fn part(text: &Arc<String>, part: Range<usize>) -> Option<Self> {
        text.get(part.clone())?;
        Some(Self {
            text: text.clone(),
            start: part.start,
            end: part.end,
        })
    }
}

/// A cache of recently read keys. Documents repeat a few keys many times. Sharing a key's text saves an allocation for each repetition, and
/// a search for the key finds the text in the CPU cache.
pub(crate) struct Keys([Option<Str>; Self::SLOTS]);

impl Keys {
    const SLOTS: usize = 64;

    pub(crate) fn new() -> Self {
        Self([const { None }; Self::SLOTS])
    }

    /// Returns the key. It shares the text of the last equal key, unless a different key has replaced that key in the cache.
    pub(crate) fn share(&mut self, key: &str) -> Str {
        let ends = key.bytes().next().zip(key.bytes().next_back());
        let (first, last) = ends.map_or((0, 0), |(first, last)| (first.into(), last.into()));
        let mix = key.len().wrapping_mul(31).wrapping_add(first);
        let slot = mix
            .wrapping_mul(31)
            .wrapping_add(last)
            .wrapping_rem(Self::SLOTS);
        let slot = self.0.get_mut(slot);
        match certain(slot, "a remainder is below its divisor") {
            Some(known) if *known == *key => known.clone(),
            other => other.insert(key.into()).clone(),
        }
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
        String::from(text).into()
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self {
            start: 0,
            end: text.len(),
            text: Arc::new(text),
        }
    }
}

/// Equal keys usually share their text. In this case, the text is not compared.
impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(test)]
        crate::steps::count();
        let range = |of: &Self| (Arc::as_ptr(&of.text), of.start, of.end);
        range(self) == range(other) || *self == **other
    }
}

impl Eq for Str {}

/// The last bytes are compared first, because keys of one object often have equal lengths and equal beginnings.
impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        #[cfg(test)]
        crate::steps::count();
        let (one, other) = (self.as_bytes(), other.as_bytes());
        one.len() == other.len() && one.last() == other.last() && one == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Self) -> Ordering {
        #[cfg(test)]
        crate::steps::count();
        self.as_str().cmp(other.as_str())
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
