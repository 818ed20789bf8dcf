//! The JSON data model of certification.
//!
//! It is the crate's own so that a hash can never depend on how some other crate was compiled:
//! numbers are IEEE doubles, text is well-formed Unicode, keys are unique and keep their order, and
//! nesting is bounded, so that nothing that walks or drops a value can run out of stack.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::error::{CertError, ErrorCode};
use crate::json::join::join;
use crate::json::number::{Digits, Number};
use crate::json::path::Path;
use crate::json::sort;
use crate::json::str::Str;
use crate::json::utf16;

/// How deep arrays and objects may be nested in each other.
pub const MAX_JSON_DEPTH: usize = 256;

/// Objects of up to this many keys are searched from first to last; larger ones by a sorted index.
const LINEAR_KEYS: usize = 16;

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number: the IEEE double nearest to its text.
    Number(Number),
    /// A string.
    String(Str),
    /// An array.
    Array(Array),
    /// An object.
    Object(Object),
}

/// A JSON value that is neither array nor object, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(&'a str),
}

impl Scalar<'_> {
    /// The scalar as a value of its own.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(bool),
            Self::Number(number) => Value::Number(number),
            Self::String(string) => Value::String(string.into()),
        }
    }
}

impl Value {
    /// Reads JSON text (RFC 8259) of at most [`MAX_JSON_DEPTH`] levels.
    ///
    /// # Errors
    /// [`ErrorCode::JsonInvalid`], [`ErrorCode::JsonTooDeep`], [`ErrorCode::KeyDuplicate`] and, for an
    /// escape that names half of a surrogate pair, [`ErrorCode::SurrogateUnpaired`].
    pub fn parse(text: &str) -> Result<Self, CertError> {
        crate::json::read::parse(text)
    }

    /// Writes JSON text as ECMAScript's `JSON.stringify` does, keys that are array indexes first.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        crate::json::write::value(&mut text, self);
        text
    }

    /// The value, unless it is an array or an object.
    #[must_use]
    pub fn as_scalar(&self) -> Option<Scalar<'_>> {
        match self {
            Self::Null => Some(Scalar::Null),
            Self::Bool(bool) => Some(Scalar::Bool(*bool)),
            Self::Number(number) => Some(Scalar::Number(*number)),
            Self::String(string) => Some(Scalar::String(string)),
            Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(string) => Some(string),
            _ => None,
        }
    }

    /// The array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Levels of arrays and objects: 0 for a scalar, 1 for `[]`.
    #[must_use]
    pub fn depth(&self) -> usize {
        match self {
            Self::Array(array) => array.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// What the value is, in the words of JSON.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Value {
    fn from(string: &str) -> Self {
        Self::String(string.into())
    }
}

impl From<String> for Value {
    fn from(string: String) -> Self {
        Self::String(string.into())
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// A JSON array of bounded depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    items: Vec<Value>,
    depth: usize,
}

impl Array {
    /// The elements, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Value] {
        &self.items
    }

    /// An array of values that were, or could be, part of a bounded one.
    pub(crate) fn from_bounded(items: Vec<Value>) -> Self {
        let depth = depth_above(items.iter());
        Self { items, depth }
    }

    /// The element at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The elements, in order.
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
    /// [`ErrorCode::JsonTooDeep`] where the array would exceed [`MAX_JSON_DEPTH`].
    fn try_from(items: Vec<Value>) -> Result<Self, CertError> {
        let array = Self::from_bounded(items);
        if array.depth > MAX_JSON_DEPTH {
            Err(too_deep())
        } else {
            Ok(array)
        }
    }
}

/// A JSON object of bounded depth: unique keys in the order they were given.
#[derive(Clone, Debug)]
pub struct Object {
    entries: Vec<(Str, Value)>,
    /// Positions in `entries`, ordered by key; empty where a search from first to last is quicker.
    sorted: Vec<usize>,
    depth: usize,
}

impl Object {
    /// An object of distinct keys whose values were, or could be, part of a bounded one.
    pub(crate) fn from_distinct(entries: Vec<(Str, Value)>) -> Self {
        let depth = depth_above(entries.iter().map(|(_, value)| value));
        let mut sorted = Vec::new();
        if entries.len() > LINEAR_KEYS {
            let key_at = |at: usize| entries.get(at).map(|(key, _)| key.as_str());
            sorted = sort::indexes(entries.len(), &|left, right| {
                key_at(left).cmp(&key_at(right))
            });
        }
        Self {
            entries,
            sorted,
            depth,
        }
    }

    /// A key that occurs more than once.
    fn duplicate(&self) -> Option<&str> {
        let key_at = |at: usize| self.entries.get(at).map(|(key, _)| key.as_str());
        if self.sorted.is_empty() {
            let mut keys = self.iter().map(|(key, _)| key).enumerate();
            return keys
                .find(|&(at, key)| self.entries.iter().take(at).any(|(k, _)| *k == *key))
                .map(|(_, key)| key);
        }
        let mut neighbours = self.sorted.iter().zip(self.sorted.iter().skip(1));
        let (&twice, _) = neighbours.find(|&(&one, &other)| key_at(one) == key_at(other))?;
        key_at(twice)
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        if self.sorted.is_empty() {
            let found = self.entries.iter().find(|(k, _)| *k == *key);
            return found.map(|(_, value)| value);
        }
        let key_at = |&at: &usize| self.entries.get(at).map_or("", |(k, _)| k.as_str());
        let found = self
            .sorted
            .binary_search_by(|at| key_at(at).cmp(key))
            .ok()?;
        self.sorted
            .get(found)
            .and_then(|&at| self.entries.get(at))
            .map(|(_, value)| value)
    }

    /// The value of `key`, which may well be the one at this place: objects are often written in the order that they are read in.
    pub(crate) fn get_near(&self, place: usize, key: &str) -> Option<&Value> {
        match self.entries.get(place) {
            Some((near, value)) if *near == *key => Some(value),
            _ => self.get(key),
        }
    }

    /// Keys and values in the order of JavaScript's `sort()`.
    pub(crate) fn by_utf16(&self) -> Vec<(&str, &Value)> {
        self.sorted(&utf16::compare)
    }

    /// Keys and values in another order of the keys.
    pub(crate) fn sorted(&self, compare: &dyn Fn(&str, &str) -> Ordering) -> Vec<(&str, &Value)> {
        let mut entries = Vec::with_capacity(self.len());
        for entry in self.iter() {
            entries.push(entry);
        }
        sort::items(&entries, &|(one, _), (other, _)| compare(one, other))
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys, as they can be shared, and values, in the order they were given.
    pub(crate) fn entries(&self) -> &[(Str, Value)] {
        &self.entries
    }

    /// Keys and values, in the order they were given.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }
}

impl TryFrom<Vec<(Str, Value)>> for Object {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::KeyDuplicate`], and [`ErrorCode::JsonTooDeep`] where the object would exceed
    /// [`MAX_JSON_DEPTH`].
    fn try_from(entries: Vec<(Str, Value)>) -> Result<Self, CertError> {
        let object = Self::from_distinct(entries);
        if let Some(key) = object.duplicate() {
            return Err(CertError::new(
                ErrorCode::KeyDuplicate,
                Path::from([key]),
                "a JSON object may have a key only once",
            ));
        }
        if object.depth > MAX_JSON_DEPTH {
            Err(too_deep())
        } else {
            Ok(object)
        }
    }
}

impl TryFrom<Vec<(String, Value)>> for Object {
    type Error = CertError;

    /// # Errors
    /// As for keys that share their text.
    fn try_from(entries: Vec<(String, Value)>) -> Result<Self, CertError> {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), value));
        Self::try_from(entries.collect::<Vec<(Str, Value)>>())
    }
}

/// As in JSON, the order of keys makes no difference.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key) == Some(value))
    }
}

/// The depth of a value with these children.
fn depth_above<'a>(children: impl Iterator<Item = &'a Value>) -> usize {
    children
        .map(Value::depth)
        .max()
        .unwrap_or(0)
        .saturating_add(1)
}

/// One level further in, where that is allowed.
pub(crate) fn deeper(depth: usize) -> Result<usize, CertError> {
    if depth >= MAX_JSON_DEPTH {
        return Err(too_deep());
    }
    Ok(depth.saturating_add(1))
}

pub(crate) fn too_deep() -> CertError {
    CertError::new(
        ErrorCode::JsonTooDeep,
        Path::root(),
        join(&[
            "JSON may be nested at most ",
            Digits::new(MAX_JSON_DEPTH).as_str(),
            " levels deep",
        ]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

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
                assert_eq!(object.get(&n.to_string()), Some(&Value::from(n as f64)));
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

    #[test]
    fn depth_is_bounded_by_construction() {
        let mut value = Value::Null;
        for _ in 0..MAX_JSON_DEPTH {
            value = Array::try_from(vec![value]).unwrap().into();
        }
        assert_eq!(value.depth(), MAX_JSON_DEPTH);
        let deeper = Object::try_from(vec![("a".to_string(), value)]).unwrap_err();
        assert_eq!(deeper.code(), ErrorCode::JsonTooDeep);
    }
}
