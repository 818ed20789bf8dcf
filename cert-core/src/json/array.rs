//! Arrays.

use alloc::vec::Vec;

use crate::error::CertError;
use crate::json::value::{MAX_JSON_DEPTH, Value, bounded, depth_above};

/// A JSON array of bounded depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    items: Vec<Value>,
    pub(super) depth: usize,
}

impl Array {
    /// Returns the elements, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Value] {
        &self.items
    }

    /// Returns an array of at most `levels` nesting levels, including its own. Evidence of AIH-2 may have more levels than documents
    /// ([`MAX_EVIDENCE_DEPTH`](crate::aih2::MAX_EVIDENCE_DEPTH)).
    ///
    /// # Errors
    /// [`ErrorCode::JsonTooDeep`](crate::ErrorCode::JsonTooDeep) for more levels.
    pub fn with_levels(items: Vec<Value>, levels: usize) -> Result<Self, CertError> {
        let array = Self::from_bounded(items);
        bounded(array.depth, levels)?;
        Ok(array)
    }

    /// Returns an array without a depth check. Callers must bound the depth themselves.
    pub(crate) fn from_bounded(items: Vec<Value>) -> Self {
        let depth = depth_above(items.iter());
        Self { items, depth }
    }

    /// Returns the element at `index`, or `None` if `index` is out of range.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the elements, in order.
    pub fn iter(&self) -> core::slice::Iter<'_, Value> {
        self.items.iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = core::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl TryFrom<Vec<Value>> for Array {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::JsonTooDeep`](crate::ErrorCode::JsonTooDeep) if the array would exceed [`MAX_JSON_DEPTH`].
    fn try_from(items: Vec<Value>) -> Result<Self, CertError> {
        Self::with_levels(items, MAX_JSON_DEPTH)
    }
}
