//! Small helpers that put JSON together.

use alloc::string::ToString;

use crate::number::parse_index;
use crate::value::{Array, Object, Value};

pub(crate) fn list(items: impl Iterator<Item = Value>) -> Value {
    Array::from_bounded(items.collect()).into()
}

/// An object of the keys that have a value.
pub(crate) fn object<const N: usize>(entries: [(&str, Option<Value>); N]) -> Value {
    let entries = entries
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_string(), value?)));
    Object::from_distinct(entries.collect()).into()
}

pub(crate) fn number(index: usize) -> Value {
    Value::Number(index.into())
}

/// A whole number that can count something in memory.
pub(crate) fn index(value: &Value) -> Option<usize> {
    /// More than anything counted here; as a `usize` of 32 bits too.
    const LIMIT: usize = 0xffff_ffff;
    match value {
        Value::Number(number) => parse_index(number.as_str()).filter(|index| *index < LIMIT),
        _ => None,
    }
}
