//! Text that values share.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

/// A string of a JSON value: it derefs to `&str`, and to clone it copies nothing.
#[derive(Clone)]
pub struct Str(Arc<String>);

impl Str {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Keys that were read or written lately. Documents have the same few again and again: sharing them
/// saves an allocation for each, and whoever looks for one finds its text in the cache.
pub(crate) struct Keys([Option<Str>; Self::SLOTS]);

impl Keys {
    const SLOTS: usize = 64;

    pub(crate) fn new() -> Self {
        Self([const { None }; Self::SLOTS])
    }

    /// The key, shared with the last one of the same text unless another took its slot.
    pub(crate) fn share(&mut self, key: &str) -> Str {
        let ends = key.bytes().next().zip(key.bytes().next_back());
        let (first, last) = ends.map_or((0, 0), |(first, last)| (first.into(), last.into()));
        let mix = key.len().wrapping_mul(31).wrapping_add(first);
        let slot = mix
            .wrapping_mul(31)
            .wrapping_add(last)
            .wrapping_rem(Self::SLOTS);
        let Some(slot) = self.0.get_mut(slot) else {
            return key.into();
        };
        match slot {
            Some(known) if *known == *key => known.clone(),
            other => other.insert(key.into()).clone(),
        }
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        String::from(text).into()
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

/// Keys that occur again and again share their text, and are found equal without a look at it.
impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
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
