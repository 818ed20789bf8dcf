//! Writes values that JavaScript unpacks.

use alloc::vec::Vec;

use cert_core::{Number, Path, PathStep, Value};

use super::{
    ARRAY, FALSE, KEY, KEY_AGAIN, MAX_SIZE, NULL, NUMBER, NUMBER_BYTES, OBJECT, STRING, TRUE,
    WHOLE, WORD, index_of,
};

/// The maximum number of keys that are kept for reuse. Reports and questions have fewer keys; data may have any number.
const KEPT_KEYS: usize = 32;

/// The text, and the list of numbers that describes its structure.
#[derive(Default)]
pub(crate) struct Writer<'v> {
    pub(super) text: Vec<u8>,
    pub(super) list: Vec<u32>,
    keys: Vec<&'v str>,
}

impl<'v> Writer<'v> {
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let count = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(count);
        self.text
            .reserve(self.list.len().saturating_mul(NUMBER_BYTES));
        for number in &self.list {
            self.text.extend_from_slice(&number.to_le_bytes());
        }
        self.text
    }

    pub(crate) fn value(&mut self, value: &'v Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(flag) => self.flag(*flag),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.array(items.len());
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(object) => {
                self.object(object.len());
                for (key, item) in object.iter() {
                    self.key(key);
                    self.value(item);
                }
            }
        }
    }

    pub(crate) fn null(&mut self) {
        self.put(WORD, NULL);
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.put(WORD, if flag { TRUE } else { FALSE });
    }

    pub(crate) fn array(&mut self, length: usize) {
        self.put(ARRAY, length);
    }

    pub(crate) fn object(&mut self, length: usize) {
        self.put(OBJECT, length);
    }

    pub(crate) fn path(&mut self, steps: &[PathStep]) {
        self.array(steps.len());
        for step in steps {
            match step {
                PathStep::Key(key) => self.text(key),
                PathStep::Index(index) => self.index(*index),
            }
        }
    }

    /// Writes a whole number that counts or numbers objects in memory.
    pub(crate) fn index(&mut self, index: usize) {
        match index < MAX_SIZE {
            true => self.put(WHOLE, index),
            false => self.counted(NUMBER, Number::from(index).as_str()),
        }
    }

    /// Writes a count from a document, below 2^53. The document may come from another machine, so the count may exceed `usize`.
    pub(crate) fn count(&mut self, count: u64) {
        self.counted(NUMBER, Number::from(count).as_str());
    }

    pub(super) fn optional_count(&mut self, count: Option<u64>) {
        match count {
            Some(count) => self.count(count),
            None => self.null(),
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.counted(STRING, text);
    }

    pub(crate) fn key(&mut self, key: &'v str) {
        if let Some(known) = self.keys.iter().position(|known| *known == key) {
            return self.put(KEY_AGAIN, known);
        }
        if self.keys.len() < KEPT_KEYS {
            self.keys.push(key);
        }
        self.counted(KEY, key);
    }

    pub(super) fn member(&mut self, key: &'static str, text: &str) {
        self.key(key);
        self.text(text);
    }

    pub(super) fn path_of(&mut self, path: &Path) {
        self.key("path");
        self.path(path.steps());
    }

    fn number(&mut self, number: &Number) {
        match index_of(number) {
            Some(whole) if whole < MAX_SIZE => self.put(WHOLE, whole),
            _ if number.is_finite() => self.counted(NUMBER, number.as_str()),
            // JSON has no infinite numbers. `JSON.stringify` writes null, too (ECMA-262, SerializeJSONProperty).
            _ => self.null(),
        }
    }

    fn counted(&mut self, kind: u32, text: &str) {
        let units = if text.is_ascii() {
            text.len()
        } else {
            text.encode_utf16().count()
        };
        self.put(kind, units);
        self.text.extend_from_slice(text.as_bytes());
    }

    pub(super) fn put(&mut self, kind: u32, size: usize) {
        self.list.push(of(kind, size));
    }
}

/// Returns the number in the list that encodes a kind and a size.
pub(super) fn of(kind: u32, size: usize) -> u32 {
    // A larger size does not fit in memory.
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    size.wrapping_shl(3) | kind
}
