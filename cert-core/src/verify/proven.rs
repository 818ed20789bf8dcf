//! Builds the proven part of the data during the walk.

use alloc::vec::Vec;

use crate::json::path::PathStep;
use crate::json::str::Str;
use crate::json::value::{Array, Object, Value};

/// The part of the data that is proven so far. It includes an object or list as soon as a value inside is proven.
#[derive(Default)]
pub(crate) struct Proven {
    whole: Option<Value>,
    /// The objects and lists that enclose the current value, innermost last.
    open: Vec<Open>,
}

enum Open {
    Object(Vec<(Str, Value)>),
    /// Items that are not proven are null.
    List(Vec<Value>),
}

impl Proven {
    pub(crate) fn open(&mut self, outer: &Value) {
        self.open.push(match outer {
            Value::Array(_) => Open::List(Vec::new()),
            _ => Open::Object(Vec::new()),
        });
    }

    pub(crate) fn close(&mut self, path: &[PathStep]) {
        match self.open.pop() {
            Some(Open::Object(entries)) if !entries.is_empty() => {
                self.put(path, Object::from_distinct(entries).into());
            }
            Some(Open::List(items)) if !items.is_empty() => {
                self.put(path, Array::from_bounded(items).into());
            }
            _ => {}
        }
    }

    /// Adds a value to the innermost open object or list.
    pub(crate) fn put(&mut self, path: &[PathStep], value: Value) {
        match (self.open.last_mut(), path.last()) {
            (Some(Open::Object(entries)), Some(PathStep::Key(key))) => {
                entries.push((key.clone(), value));
            }
            (Some(Open::List(items)), Some(PathStep::Index(index))) => {
                // The list grows at most to the length of the data's own list.
                items.resize(*index, Value::Null);
                items.push(value);
            }
            _ => self.whole = Some(value),
        }
    }

    pub(crate) fn finish(self) -> Value {
        let nothing = || Object::from_distinct(Vec::new()).into();
        self.whole.unwrap_or_else(nothing)
    }
}
