//! Small helpers that put JSON together.

use alloc::string::ToString;

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

/// Indexes count things in memory, far fewer than the 2^53 that a double counts exactly.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub(crate) fn number(index: usize) -> Value {
    Value::Number(index as f64)
}

/// A whole number that can count something in memory.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked before"
)]
pub(crate) fn index(value: &Value) -> Option<usize> {
    /// More than anything counted here; as a `usize` of 32 bits too.
    const LIMIT: f64 = 4_294_967_295.0;
    match value {
        Value::Number(number) if (0.0..LIMIT).contains(number) && number % 1.0 == 0.0 => {
            Some(*number as usize)
        }
        _ => None,
    }
}
