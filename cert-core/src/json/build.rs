//! Small helpers that put JSON together.

use alloc::vec::Vec;

use crate::json::number::{Number, parse_index};
use crate::json::value::{Array, Object, Value};

pub(crate) fn list(mut items: impl Iterator<Item = Value>) -> Value {
    // One copy of the loop for all callers.
    fn collect(items: &mut dyn Iterator<Item = Value>) -> Value {
        let mut all = Vec::with_capacity(items.size_hint().0);
        for item in items {
            all.push(item);
        }
        Array::from_bounded(all).into()
    }
    collect(&mut items)
}

/// An object of the keys that have a value.
pub(crate) fn object<const N: usize>(mut entries: [(&str, Option<Value>); N]) -> Value {
    fn collect(entries: &mut [(&str, Option<Value>)]) -> Value {
        let mut all = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            if let Some(value) = value.take() {
                all.push(((*key).into(), value));
            }
        }
        Object::from_distinct(all).into()
    }
    collect(&mut entries)
}

pub(crate) fn number(index: usize) -> Value {
    Value::Number(index.into())
}

/// A whole number that can count something in memory.
pub(crate) fn index(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => index_of(number),
        _ => None,
    }
}

/// The number as one that can count something in memory.
pub(crate) fn index_of(number: &Number) -> Option<usize> {
    /// More than anything counted here; as a `usize` of 32 bits too.
    const LIMIT: usize = 0xffff_ffff;
    parse_index(number.as_str()).filter(|index| *index < LIMIT)
}
