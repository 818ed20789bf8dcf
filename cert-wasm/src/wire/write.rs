//! What JavaScript unpacks.

use alloc::vec::Vec;

use cert_core::{Number, Path, Proof, Step, Value};

use super::{
    ABSENT, ARRAY, FALSE, KEY, KEY_AGAIN, MAX_SIZE, NULL, NUMBER, NUMBER_BYTES, OBJECT, STRING,
    TRUE, WHOLE, WORD, index_of,
};

/// So many keys are found again: reports and questions have fewer, and data may have any.
const KEPT_KEYS: usize = 32;

/// Packs a value.
pub(crate) fn pack(value: &Value) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.value(value);
    writer.finish()
}

/// Packs proofs.
#[cfg(feature = "cert")]
pub(crate) fn pack_proofs(proofs: &[Proof]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.put(ARRAY, proofs.len());
    for proof in proofs {
        writer.path(&proof.path);
        // Most is hashes, of 64 characters each; the list takes two or three numbers for each.
        let count = proof.nodes.len().saturating_add(proof.values.len());
        writer.text.reserve(count.saturating_mul(80));
        writer.list.reserve(count.saturating_mul(3));
        writer.put(ARRAY, proof.nodes.len());
        for node in &proof.nodes {
            writer.put(WHOLE, node.index);
            writer.text(STRING, &node.hash);
        }
        writer.put(ARRAY, proof.values.len());
        for value in &proof.values {
            writer.put(WHOLE, value.index);
            match &value.value {
                Some(value) => writer.value(value),
                None => writer.put(WORD, ABSENT),
            }
            writer.text(STRING, &value.nonce);
        }
    }
    writer.finish()
}

/// The text, and the list that says what is where in it.
#[derive(Default)]
pub(super) struct Writer<'v> {
    pub(super) text: Vec<u8>,
    pub(super) list: Vec<u32>,
    keys: Vec<&'v str>,
}

impl<'v> Writer<'v> {
    pub(super) fn finish(mut self) -> Vec<u8> {
        let count = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(count);
        self.text
            .reserve(self.list.len().saturating_mul(NUMBER_BYTES));
        for number in &self.list {
            self.text.extend_from_slice(&number.to_le_bytes());
        }
        self.text
    }

    fn value(&mut self, value: &'v Value) {
        match value {
            Value::Null => self.put(WORD, NULL),
            Value::Bool(true) => self.put(WORD, TRUE),
            Value::Bool(false) => self.put(WORD, FALSE),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(STRING, text),
            Value::Array(items) => {
                self.put(ARRAY, items.len());
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(object) => {
                self.put(OBJECT, object.len());
                for (key, item) in object.iter() {
                    self.key(key);
                    self.value(item);
                }
            }
        }
    }

    fn path(&mut self, path: &Path) {
        self.put(ARRAY, path.steps().len());
        for step in path.steps() {
            match step.as_step() {
                Step::Key(key) => self.text(STRING, key),
                Step::Index(index) => self.number(&index.into()),
            }
        }
    }

    fn key(&mut self, key: &'v str) {
        if let Some(known) = self.keys.iter().position(|known| *known == key) {
            return self.put(KEY_AGAIN, known);
        }
        if self.keys.len() < KEPT_KEYS {
            self.keys.push(key);
        }
        self.text(KEY, key);
    }

    fn number(&mut self, number: &Number) {
        match index_of(number) {
            Some(whole) if whole < MAX_SIZE => self.put(WHOLE, whole),
            _ if number.is_finite() => self.text(NUMBER, number.as_str()),
            // As in JSON (ECMA-262, SerializeJSONProperty).
            _ => self.put(WORD, NULL),
        }
    }

    fn text(&mut self, kind: u32, text: &str) {
        let units = if text.is_ascii() {
            text.len()
        } else {
            text.encode_utf16().count()
        };
        self.put(kind, units);
        self.text.extend_from_slice(text.as_bytes());
    }

    fn put(&mut self, kind: u32, size: usize) {
        self.list.push(of(kind, size));
    }
}

/// A number of a list.
pub(super) fn of(kind: u32, size: usize) -> u32 {
    // What is larger fits no memory.
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    size.wrapping_shl(3) | kind
}
