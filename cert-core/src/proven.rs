//! What is proven of the data and nothing else, put together along the walk through it.

use alloc::vec::Vec;

use crate::path::PathStep;
use crate::shared::Str;
use crate::value::{Array, Object, Value};

/// What is proven so far. An object or list is part of it as soon as anything in it is.
#[derive(Default)]
pub(crate) struct Proven {
    whole: Option<Value>,
    /// What the walk is in, the innermost last.
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

    /// Adds a value of what the walk is in.
    pub(crate) fn put(&mut self, path: &[PathStep], value: Value) {
        match (self.open.last_mut(), path.last()) {
            (Some(Open::Object(entries)), Some(PathStep::Key(key))) => {
                entries.push((key.clone(), value));
            }
            (Some(Open::List(items)), Some(PathStep::Index(index))) => {
                // No further than the data's own list goes.
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
