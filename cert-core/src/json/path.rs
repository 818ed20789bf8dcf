//! Paths to values in a JSON document.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::json::number::Digits;
use crate::json::str::Str;

/// A borrowed step of a path: a key of an object or an index of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step<'a> {
    /// A key of an object.
    Key(&'a str),
    /// An index of an array.
    Index(usize),
}

impl Step<'_> {
    /// Returns an owned step.
    #[must_use]
    pub fn to_owned(self) -> PathStep {
        match self {
            Step::Key(key) => PathStep::Key(key.into()),
            Step::Index(index) => PathStep::Index(index),
        }
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => f.write_str(Digits::new(*index).as_str()),
        }
    }
}

/// Returns the approximate size of a path in bytes: the length of each key, and the size of a `usize` for each index. Many paths may repeat
/// the same keys, so the total size of paths can exceed the size of the document.
pub(crate) fn path_bytes(steps: &[PathStep]) -> usize {
    let bytes = steps.iter().map(|step| match step {
        PathStep::Key(key) => key.len(),
        PathStep::Index(_) => size_of::<usize>(),
    });
    bytes.fold(0, usize::saturating_add)
}

/// A step of a [`Path`]: a key of an object or an index of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "a step of a path must be a key or an index")]
pub enum PathStep {
    /// A key of an object. Paths share its text.
    Key(Str),
    /// An index of an array.
    Index(usize),
}

impl PathStep {
    /// Returns a borrowed step.
    #[must_use]
    pub fn as_step(&self) -> Step<'_> {
        match self {
            Self::Key(key) => Step::Key(key),
            Self::Index(index) => Step::Index(*index),
        }
    }
}

impl From<&str> for PathStep {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

impl From<String> for PathStep {
    fn from(key: String) -> Self {
        Self::Key(key.into())
    }
}

impl From<usize> for PathStep {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path from the root of a document to one of its values. Empty for the root itself.
///
/// The interface specification (Resources, Proof object) defines a path as an array of strings and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(Vec<PathStep>);

impl Path {
    /// Returns the path of the root.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Returns the steps from the root.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Returns true if this is the path of the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the path consists of these steps.
    pub(crate) fn is(&self, steps: &[Step<'_>]) -> bool {
        self.0.len() == steps.len()
            && self
                .0
                .iter()
                .zip(steps)
                .all(|(one, other)| one.as_step() == *other)
    }

    /// Appends a step.
    pub fn push(&mut self, step: impl Into<PathStep>) {
        self.0.push(step.into());
    }

    /// Returns the path as text for display.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                PathStep::Index(index) => {
                    text.push('[');
                    text.push_str(Digits::new(*index).as_str());
                    text.push(']');
                }
                PathStep::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(key);
                }
            }
        }
        text
    }

    pub(crate) fn prepend(&mut self, step: PathStep) {
        let mut steps = Vec::from([step]);
        steps.append(&mut self.0);
        self.0 = steps;
    }
}

impl From<Vec<PathStep>> for Path {
    fn from(steps: Vec<PathStep>) -> Self {
        Self(steps)
    }
}

impl<S: Into<PathStep>, const N: usize> From<[S; N]> for Path {
    fn from(steps: [S; N]) -> Self {
        steps.into_iter().collect()
    }
}

impl From<&[PathStep]> for Path {
    fn from(steps: &[PathStep]) -> Self {
        // Reserves space for one more step, which callers often append.
        let mut path = Vec::with_capacity(steps.len().saturating_add(1));
        path.extend_from_slice(steps);
        Self(path)
    }
}

impl From<&[Step<'_>]> for Path {
    fn from(steps: &[Step<'_>]) -> Self {
        // Reserves space for one more step, which callers often append.
        let mut path = Vec::with_capacity(steps.len().saturating_add(1));
        for step in steps {
            path.push(step.to_owned());
        }
        Self(path)
    }
}

impl<S: Into<PathStep>> FromIterator<S> for Path {
    fn from_iter<I: IntoIterator<Item = S>>(steps: I) -> Self {
        Self(steps.into_iter().map(Into::into).collect())
    }
}

/// The path for display: `books[0].title`. It does not distinguish a key that contains dots from nested keys. Programs should use
/// [`Path::steps`].
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
