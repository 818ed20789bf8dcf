//! Values as a binding packs them: all their text in one piece, and a list of numbers that says what is where.
//!
//! JSON text would be written and read again character by character on both sides. Here strings are
//! copied once, as a whole, and values refer to their part of it.
//!
//! [`Value::unpack`] says what the numbers mean.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::slice::Iter;

use crate::error::{CertError, ErrorCode};
use crate::number::Number;
use crate::path::Path;
use crate::shared::Str;
use crate::value::{Array, Object, Value, deeper};

/// Reads all values that were packed together.
pub(crate) fn unpack(text: &str, list: &[u32]) -> Result<Vec<Value>, CertError> {
    let mut reader = Reader {
        is_ascii: text.is_ascii(),
        text: text.into(),
        at: 0,
        list: list.iter(),
        keys: Vec::new(),
    };
    let mut values = Vec::new();
    while !reader.list.as_slice().is_empty() {
        values.push(reader.value(0)?);
    }
    Ok(values)
}

struct Reader<'l> {
    text: Arc<str>,
    is_ascii: bool,
    /// A byte offset in `text`.
    at: usize,
    list: Iter<'l, u32>,
    keys: Vec<Str>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, CertError> {
        let (kind, size) = self.next()?;
        Ok(match kind {
            0 => Value::String(self.text(size)?),
            1 => Value::Number(Number::from_stringified(&self.text(size)?)),
            2 => Value::Number(size.into()),
            3 if size == 0 => Value::Null,
            3 => Value::Bool(size == 1),
            4 => {
                let inner = deeper(depth)?;
                let mut items = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    items.push(self.value(inner)?);
                }
                Array::try_from(items)?.into()
            }
            5 => {
                let inner = deeper(depth)?;
                let mut entries = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    let key = self.key()?;
                    entries.push((key, self.value(inner)?));
                }
                Object::of_entries(entries)?.into()
            }
            _ => return Err(misread()),
        })
    }

    fn key(&mut self) -> Result<Str, CertError> {
        match self.next()? {
            (6, size) => {
                let key = self.text(size)?;
                self.keys.push(key.clone());
                Ok(key)
            }
            (7, which) => self.keys.get(which).cloned().ok_or_else(misread),
            _ => Err(misread()),
        }
    }

    fn next(&mut self) -> Result<(u32, usize), CertError> {
        let &number = self.list.next().ok_or_else(misread)?;
        let size = usize::try_from(number >> 3).map_err(|_| misread())?;
        Ok((number & 7, size))
    }

    /// How many elements to make room for: no more than can follow.
    fn room(&self, count: usize) -> usize {
        count.min(self.list.as_slice().len())
    }

    fn text(&mut self, units: usize) -> Result<Str, CertError> {
        let mut length = units;
        if !self.is_ascii {
            length = 0;
            let mut left = units;
            let rest = self.text.get(self.at..).unwrap_or_default();
            for char in rest.chars().take(units) {
                if left == 0 {
                    break;
                }
                left = left.checked_sub(char.len_utf16()).ok_or_else(misread)?;
                length = length.saturating_add(char.len_utf8());
            }
            if left > 0 {
                return Err(misread());
            }
        }
        let start = self.at;
        self.at = start.saturating_add(length);
        Str::part(&self.text, start..self.at).ok_or_else(misread)
    }
}

fn misread() -> CertError {
    CertError::new(
        ErrorCode::JsonInvalid,
        Path::root(),
        "list and text differ".to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    fn unpacked(text: &str, list: &[u32]) -> String {
        let values = unpack(text, list).unwrap();
        let values: Vec<_> = values.iter().map(Value::to_json).collect();
        values.join(" ")
    }

    #[test]
    fn packed_values_are_read() {
        let (string, number, whole, word, array, object, key, again) = (0, 1, 2, 3, 4, 5, 6, 7_u32);
        let of = |size: u32, kind: u32| 8 * size + kind;
        let list = [
            of(2, object),
            of(1, key),
            of(3, array),
            of(4, string),
            of(4, number),
            of(17, whole),
            of(1, key),
            of(1, object),
            of(0, again),
            of(2, word),
            of(1, word),
            of(0, word),
            of(0, string),
        ];
        assert_eq!(
            unpacked("aé😀c1.25ä", &list),
            r#"{"a":["é😀c",1.25,17],"ä":{"a":false}} true null """#
        );
        assert_eq!(unpacked("", &[]), "");
        let infinite = unpack("Infinity", &[of(8, number)]).unwrap();
        assert_eq!(infinite, [Value::from(f64::INFINITY)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let code = |text, list: &[u32]| unpack(text, list).unwrap_err().code();
        for (text, list) in [
            ("", vec![8]), // a text that is not there
            ("é", vec![16]),
            ("😀", vec![8]),   // half of a character
            ("", vec![8 + 4]), // an element that is not there
            ("", vec![8 + 5]),
            ("", vec![8 + 5, 3, 3]), // what is no key
            ("", vec![8 + 5, 7, 3]), // a key that was not there
            ("", vec![6]),           // a key where a value should be
            ("", vec![u32::MAX - 3]),
            ("", vec![u32::MAX - 7]),
        ] {
            assert_eq!(code(text, &list), ErrorCode::JsonInvalid, "{text} {list:?}");
        }
        assert_eq!(
            code("a", &[16 + 5, 8 + 6, 3, 7, 3]),
            ErrorCode::KeyDuplicate
        );
        assert_eq!(code("", &[12; 257]), ErrorCode::JsonTooDeep);
        assert!(unpack("", &[&[12; 256][..], &[3]].concat()).is_ok());
    }
}
