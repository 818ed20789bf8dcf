//! Objects. Keys are found without a hash table, whose code would add much to what a page loads.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

use crate::error::{CertError, ErrorCode};
use crate::invariant::certain;
use crate::json::path::Path;
use crate::json::sort;
use crate::json::str::Str;
use crate::json::utf16;
use crate::json::value::{MAX_JSON_DEPTH, Value, bounded, depth_above};

/// Objects of up to this many keys are searched linearly. Larger objects have a sorted index, which is searched by bisection.
const LINEAR_KEYS: usize = 16;

/// A JSON object of bounded depth: unique keys in the order of insertion.
#[derive(Clone, Debug)]
pub struct Object {
    entries: Vec<(Str, Value)>,
    /// Positions in `entries`, ordered by key. Empty if a linear search is faster.
    sorted: Vec<usize>,
    pub(super) depth: usize,
}

impl Object {
    /// Returns an object of at most `levels` nesting levels, as [`Array::with_levels`](crate::Array::with_levels) does.
    ///
    /// # Errors
    /// [`ErrorCode::KeyDuplicate`] and [`ErrorCode::JsonTooDeep`].
    pub fn with_levels(entries: Vec<(Str, Value)>, levels: usize) -> Result<Self, CertError> {
        let object = Self::from_distinct(entries);
        object.check_keys()?;
        bounded(object.depth, levels)?;
        Ok(object)
    }

    /// Returns an object without a check of its keys or its depth. Callers must pass distinct keys, or call [`Self::check_keys`]
    /// afterwards. Callers must also bound the depth themselves.
    pub(crate) fn from_distinct(entries: Vec<(Str, Value)>) -> Self {
        let mut object = Self {
            depth: depth_above(entries.iter().map(|(_, value)| value)),
            entries,
            sorted: Vec::new(),
        };
        if object.len() > LINEAR_KEYS {
            object.sorted = sort::indexes(object.len(), &|left, right| {
                object.entry(left).0.cmp(&object.entry(right).0)
            });
        }
        object
    }

    /// Refuses duplicate keys.
    pub(crate) fn check_keys(&self) -> Result<(), CertError> {
        match self.duplicate() {
            None => Ok(()),
            Some(key) => Err(CertError::new(
                ErrorCode::KeyDuplicate,
                Path::from([key]),
                "a JSON object may have a key only once",
            )),
        }
    }

    fn duplicate(&self) -> Option<&str> {
        if self.sorted.is_empty() {
            let mut entries = self.entries.iter().enumerate();
            let twice = entries.find(|(at, (key, _))| {
                let mut before = self.entries.iter().take(*at);
                before.any(|(k, _)| k == key)
            });
            return twice.map(|(_, (key, _))| key.as_str());
        }
        let mut keys = self.sorted.iter().map(|at| &self.entry(*at).0);
        let mut last = keys.next()?;
        keys.find_map(|key| (*mem::replace(&mut last, key) == *key).then_some(key.as_str()))
    }

    fn entry(&self, at: usize) -> &(Str, Value) {
        let invariant = "`sorted` holds positions in `entries`, which never become fewer";
        certain(self.entries.get(at), invariant)
    }

    /// Returns the value of `key`, or `None` if the object does not have the key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let found = if self.sorted.is_empty() {
            self.entries.iter().find(|(k, _)| *k == *key)
        } else {
            let by_key = |at: &usize| self.entry(*at).0.as_str().cmp(key);
            let at = self.sorted.binary_search_by(by_key).ok()?;
            self.sorted.get(at).map(|at| self.entry(*at))
        };
        found.map(|(_, value)| value)
    }

    /// Returns the value of `key`, or `None` if the object does not have the key. Looks first at `index` in the order of insertion, then at
    /// `index` among the sorted keys, then searches. Callers often read keys in the order of insertion or in sorted order.
    pub(crate) fn get_near(&self, index: usize, key: &str) -> Option<&Value> {
        let is_near = |entry: &&(Str, Value)| entry.0 == *key;
        let near = self.entries.get(index).filter(is_near);
        let near = near.or_else(|| {
            let at = self.sorted.get(index)?;
            Some(self.entry(*at)).filter(is_near)
        });
        match near {
            Some((_, value)) => Some(value),
            None => self.get(key),
        }
    }

    /// Returns keys and values in the order of JavaScript's `sort()`.
    pub(crate) fn by_utf16(&self) -> Vec<(&str, &Value)> {
        self.sorted(&utf16::compare)
    }

    /// Returns keys and values, ordered by key with `compare`.
    pub(crate) fn sorted(&self, compare: &dyn Fn(&str, &str) -> Ordering) -> Vec<(&str, &Value)> {
        let mut entries = Vec::with_capacity(self.len());
        for entry in self.iter() {
            entries.push(entry);
        }
        sort::items(&entries, &|(one, _), (other, _)| compare(one, other))
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns keys and values in the order of insertion. A clone of a key shares its text.
    pub(crate) fn entries(&self) -> &[(Str, Value)] {
        &self.entries
    }

    /// Returns keys and values in the order of insertion.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }
}

impl TryFrom<Vec<(Str, Value)>> for Object {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::KeyDuplicate`], and [`ErrorCode::JsonTooDeep`] if the object would exceed [`MAX_JSON_DEPTH`].
    fn try_from(entries: Vec<(Str, Value)>) -> Result<Self, CertError> {
        Self::with_levels(entries, MAX_JSON_DEPTH)
    }
}

impl TryFrom<Vec<(String, Value)>> for Object {
    type Error = CertError;

    /// # Errors
    /// The same errors as for keys of type [`Str`].
    fn try_from(entries: Vec<(String, Value)>) -> Result<Self, CertError> {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
        Self::try_from(entries.collect::<Vec<(Str, Value)>>())
    }
}

/// The order of keys does not matter, as in JSON.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key) == Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn object(count: usize) -> Object {
        let entries: Vec<_> = (0..count)
            .rev()
            .map(|n| (n.to_string(), Value::from(n as f64)))
            .collect();
        Object::try_from(entries).unwrap()
    }

    #[test]
    fn small_and_large_objects_find_their_keys() {
        for count in [0, 1, 15, 16, 17, 18, 400] {
            let object = object(count);
            for n in 0..count {
                let found = Some(&Value::from(n as f64));
                assert_eq!(object.get(&n.to_string()), found);
                for near in [0, n, count] {
                    assert_eq!(object.get_near(near, &n.to_string()), found);
                }
            }
            assert_eq!(object.get("absent"), None);
        }
        assert_ne!(object(17), object(18));
        let reversed: Vec<_> = (0..40)
            .map(|n| (n.to_string(), Value::from(f64::from(n))))
            .collect();
        assert_eq!(object(40), Object::try_from(reversed).unwrap());
    }

    #[test]
    fn duplicate_keys_are_refused() {
        for count in [1, 15, 16, 300] {
            let mut entries: Vec<_> = (0..count).map(|n| (n.to_string(), Value::Null)).collect();
            entries.push(("0".to_string(), Value::Bool(true)));
            let error = Object::try_from(entries).unwrap_err();
            assert_eq!(error.code(), ErrorCode::KeyDuplicate);
            assert_eq!(error.path(), &Path::from(["0"]));
        }
    }
}
