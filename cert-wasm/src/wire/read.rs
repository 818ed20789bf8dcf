//! Reads values that JavaScript packed.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::slice::Iter;

use cert_core::{Array, CertError, ErrorCode, Number, Object, Path, Scalar, Str, Value};

use super::{
    ABSENT, ARRAY, FALSE, KEY, KEY_AGAIN, NULL, NUMBER, NUMBER_BYTES, OBJECT, STRING, TRUE, WHOLE,
    WORD,
};

/// Reads a packed value of at most `levels` levels.
pub(crate) fn value(bytes: Vec<u8>, levels: usize) -> Result<Value, CertError> {
    let packed = Packed::new(bytes);
    packed.reader().value(&mut Vec::new(), levels)
}

/// The text, and the list of numbers that describes its structure.
pub(super) struct Packed {
    text: Arc<String>,
    is_ascii: bool,
    list: Vec<u8>,
}

impl Packed {
    pub(super) fn new(mut bytes: Vec<u8>) -> Self {
        let count = bytes
            .last_chunk()
            .map_or(0, |count| u32::from_le_bytes(*count));
        bytes.truncate(bytes.len().saturating_sub(NUMBER_BYTES));
        let list = usize::try_from(count).unwrap_or(usize::MAX);
        let list = list.saturating_mul(NUMBER_BYTES);
        let list = bytes.split_off(bytes.len().saturating_sub(list));
        // Invalid UTF-8 becomes an empty text, which does not match the list and fails later.
        let text = String::from_utf8(bytes).unwrap_or_default();
        Self {
            is_ascii: text.is_ascii(),
            text: Arc::new(text),
            list,
        }
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            text: &self.text,
            is_ascii: self.is_ascii,
            at: 0,
            list: self.list.as_chunks().0.iter(),
        }
    }
}

pub(super) struct Reader<'p> {
    text: &'p Arc<String>,
    is_ascii: bool,
    /// A byte offset in `text`.
    at: usize,
    list: Iter<'p, [u8; NUMBER_BYTES]>,
}

impl<'p> Reader<'p> {
    fn value(&mut self, keys: &mut Vec<Str>, levels: usize) -> Result<Value, CertError> {
        let (kind, size) = self.next().ok_or_else(misread)?;
        Ok(match kind {
            ARRAY => {
                let mut items = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    items.push(self.value(keys, levels)?);
                }
                Array::with_levels(items, levels)?.into()
            }
            OBJECT => {
                let mut entries = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    let key = self.key(keys).ok_or_else(misread)?;
                    entries.push((key, self.value(keys, levels)?));
                }
                Object::with_levels(entries, levels)?.into()
            }
            STRING => Value::String(self.shared(size).ok_or_else(misread)?),
            _ => {
                let scalar = self.scalar(kind, size).flatten();
                scalar.ok_or_else(misread)?.to_value()
            }
        })
    }

    fn key(&mut self, keys: &mut Vec<Str>) -> Option<Str> {
        let (kind, size) = self.next()?;
        match kind {
            KEY => {
                let key = self.shared(size)?;
                keys.push(key.clone());
                Some(key)
            }
            KEY_AGAIN => keys.get(size).cloned(),
            _ => None,
        }
    }

    /// Reads a scalar or an absent value, which is `Some(None)`. Returns `None` for anything else.
    pub(super) fn scalar(&mut self, kind: u32, size: usize) -> Option<Option<Scalar<'p>>> {
        Some(Some(match (kind, size) {
            (STRING, _) => Scalar::String(self.text(size)?),
            (NUMBER, _) => Scalar::Number(Number::from_stringified(self.text(size)?)?),
            (WHOLE, _) => Scalar::Number(size.into()),
            (WORD, NULL) => Scalar::Null,
            (WORD, TRUE) => Scalar::Bool(true),
            (WORD, FALSE) => Scalar::Bool(false),
            (WORD, ABSENT) => return Some(None),
            _ => return None,
        }))
    }

    pub(super) fn next(&mut self) -> Option<(u32, usize)> {
        let number = u32::from_le_bytes(*self.list.next()?);
        Some((number & 7, usize::try_from(number >> 3).ok()?))
    }

    /// Returns the capacity to reserve for `count` elements: at most the count of numbers left in the list, so a wrong count cannot exhaust
    /// the memory.
    fn room(&self, count: usize) -> usize {
        count.min(self.list.len())
    }

    fn shared(&mut self, units: usize) -> Option<Str> {
        let start = self.at;
        self.text(units)?;
        Str::part(self.text, start..self.at)
    }

    pub(super) fn text(&mut self, units: usize) -> Option<&'p str> {
        let mut length = units;
        if !self.is_ascii {
            length = 0;
            let mut left = units;
            for char in self.text.get(self.at..)?.chars() {
                if left == 0 {
                    break;
                }
                left = left.checked_sub(char.len_utf16())?;
                length = length.saturating_add(char.len_utf8());
            }
            if left > 0 {
                return None;
            }
        }
        let start = self.at;
        self.at = start.saturating_add(length);
        self.text.get(start..self.at)
    }
}

fn misread() -> CertError {
    CertError::new(
        ErrorCode::JsonInvalid,
        Path::root(),
        "the packed value is malformed",
    )
}
