//! Values and proofs as a binding packs them: all their text in one piece, and a list of numbers that
//! says what is where.
//!
//! JSON text would be written and read again character by character on both sides, and every proof
//! would spell out the same keys. Here all text crosses at once, and the form of a proof is known.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::slice::Iter;

use crate::aih1::evidence::{Evidence, RawEvidence, RawNode, malformed};
use crate::aih1::proof::Proof;
use crate::error::{CertError, ErrorCode};
use crate::hash::Role;
use crate::hash::deferred::{Ask, Part, Question};
use crate::json::number::{Number, parse_index};
use crate::json::path::{Path, PathStep, Step, paths_invalid};
use crate::json::str::Str;
use crate::json::utf16;
use crate::json::value::{Array, Object, Scalar, Value, deeper};
use crate::verify::report::{Reason, ReasonCode, Report};

// The kinds of numbers.
const STRING: u32 = 0;
const NUMBER: u32 = 1;
const WHOLE: u32 = 2;
const WORD: u32 = 3;
const ARRAY: u32 = 4;
const OBJECT: u32 = 5;
const KEY: u32 = 6;
const KEY_AGAIN: u32 = 7;

// The words.
const NULL: usize = 0;
const TRUE: usize = 1;
const FALSE: usize = 2;
const ABSENT: usize = 3;

const NUMBER_BYTES: usize = 4;

/// Sizes are below this, so that eight times as much and a kind is a number of 32 bits.
const MAX_SIZE: usize = 1 << 29;

/// Values and proofs that a binding of another language packed together.
///
/// It is much quicker than JSON text, and spares bindings the tables that reading and writing decimal
/// fractions takes: their language has written the numbers, as ECMAScript does.
///
/// It is one piece of bytes: the text of all strings, one after the other; a list of numbers that says
/// what is where, each of four bytes, the lowest first; and how many numbers these are. A number is
/// `8 × size + kind`. Sizes of text are in UTF-16 code units.
///
/// | kind | size | is |
/// |---|---|---|
/// | 0 | length | a string |
/// | 1 | length | a number's text, `Infinity` and `NaN` too |
/// | 2 | the number | a whole number |
/// | 3 | 0, 1, 2 | null, true, false |
/// | 3 | 3 | in proofs: nothing |
/// | 3 | another | in proofs: what has no place there |
/// | 4 | count | an array; its elements follow |
/// | 5 | count | an object; keys and values follow in turn |
/// | 6 | length | a key |
/// | 7 | which | a key again; the first one was 0 |
///
/// Proofs are an array of proofs, each an array of keys and indexes, an array of nodes, of which index
/// and hash follow in turn, and an array of values, of which index, value and nonce do. Paths are an
/// array of such arrays of keys and indexes.
#[derive(Debug)]
pub struct Packed {
    text: Arc<String>,
    is_ascii: bool,
    list: Vec<u8>,
    /// How much of text and list has been read.
    read: (usize, usize),
    keys: Vec<Str>,
}

impl Packed {
    /// What a binding packed. A text that is not Unicode is an empty one.
    #[must_use]
    pub fn new(mut bytes: Vec<u8>) -> Self {
        let count = bytes
            .last_chunk()
            .map_or(0, |count| u32::from_le_bytes(*count));
        bytes.truncate(bytes.len().saturating_sub(NUMBER_BYTES));
        let list = usize::try_from(count).unwrap_or(usize::MAX);
        let list = list.saturating_mul(NUMBER_BYTES);
        let list = bytes.split_off(bytes.len().saturating_sub(list));
        let text = String::from_utf8(bytes).unwrap_or_default();
        Self {
            is_ascii: text.is_ascii(),
            text: Arc::new(text),
            list,
            read: (0, 0),
            keys: Vec::new(),
        }
    }

    /// Whether everything has been read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reader().list.len() == 0
    }

    /// Reads the next value.
    ///
    /// # Errors
    /// [`ErrorCode::JsonInvalid`] for a list that does not fit its text, [`ErrorCode::JsonTooDeep`]
    /// and [`ErrorCode::KeyDuplicate`].
    pub fn value(&mut self) -> Result<Value, CertError> {
        let mut keys = mem::take(&mut self.keys);
        let mut reader = self.reader();
        let value = reader.value(&mut keys, 0)?;
        let (at, rest) = (reader.at, reader.list.len());
        self.read = (at, self.list().len().saturating_sub(rest));
        self.keys = keys;
        Ok(value)
    }

    /// Reads strings that end what is packed; whatever else there is ends them.
    #[must_use]
    pub fn strings(self) -> Vec<String> {
        let mut reader = self.reader();
        let mut strings = Vec::with_capacity(reader.list.len());
        while let Ok(text) = reader.string() {
            strings.push(text.into());
        }
        strings
    }

    /// What follows the values, as paths.
    ///
    /// # Errors
    /// [`ErrorCode::PathsInvalid`] for what is no list of lists of keys and indexes.
    pub fn paths(self) -> Result<Vec<Path>, CertError> {
        let mut reader = self.reader();
        let mut read = || {
            let mut paths = Vec::new();
            for _ in 0..reader.count()? {
                let mut steps = Vec::new();
                reader.steps(&mut steps)?;
                paths.push(Path::from(steps.as_slice()));
            }
            Ok(paths)
        };
        read().map_err(|_: ReasonCode| paths_invalid())
    }

    /// What follows the values, as evidence.
    #[must_use]
    pub fn proofs(self) -> PackedProofs {
        PackedProofs(self)
    }

    fn list(&self) -> &[[u8; NUMBER_BYTES]] {
        self.list.as_chunks().0
    }

    fn reader(&self) -> Reader<'_> {
        Reader {
            text: &self.text,
            is_ascii: self.is_ascii,
            at: self.read.0,
            list: self.list().get(self.read.1..).unwrap_or_default().iter(),
        }
    }
}

/// Evidence that a binding packed.
#[derive(Debug)]
pub struct PackedProofs(Packed);

impl Evidence for PackedProofs {
    fn read<'e>(&'e self, given: &mut RawEvidence<'e>) -> Result<(), Reason> {
        let mut reader = self.0.reader();
        for _ in 0..reader.count().map_err(|_| malformed())? {
            given.proof(|given| reader.proof(given))?;
        }
        Ok(())
    }
}

struct Reader<'p> {
    text: &'p Arc<String>,
    is_ascii: bool,
    /// A byte offset in `text`.
    at: usize,
    list: Iter<'p, [u8; NUMBER_BYTES]>,
}

impl<'p> Reader<'p> {
    fn value(&mut self, keys: &mut Vec<Str>, depth: usize) -> Result<Value, CertError> {
        let (kind, size) = self.next().ok_or_else(misread)?;
        Ok(match kind {
            ARRAY => {
                let inner = deeper(depth)?;
                let mut items = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    items.push(self.value(keys, inner)?);
                }
                Array::try_from(items)?.into()
            }
            OBJECT => {
                let inner = deeper(depth)?;
                let mut entries = Vec::with_capacity(self.room(size));
                for _ in 0..size {
                    let key = self.key(keys).ok_or_else(misread)?;
                    entries.push((key, self.value(keys, inner)?));
                }
                Object::try_from(entries)?.into()
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

    /// A scalar, or nothing where it is absent; `None` if it is neither.
    fn scalar(&mut self, kind: u32, size: usize) -> Option<Option<Scalar<'p>>> {
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

    fn steps(&mut self, steps: &mut Vec<Step<'p>>) -> Result<(), ReasonCode> {
        for _ in 0..self.count()? {
            steps.push(match self.cell()? {
                Cell::Whole(index) => Step::Index(index),
                Cell::Scalar(Some(Scalar::String(key))) => Step::Key(key),
                Cell::Scalar(_) => return Err(ReasonCode::EvidenceMalformed),
            });
        }
        Ok(())
    }

    fn proof(&mut self, given: &mut RawEvidence<'p>) -> Result<(), ReasonCode> {
        self.steps(&mut given.steps)?;
        for _ in 0..self.count()? {
            let index = self.index()?;
            let hash = self.string()?.as_bytes();
            given.nodes.push(RawNode { index, hash });
        }
        for _ in 0..self.count()? {
            let index = self.index()?;
            let value = match self.cell()? {
                Cell::Whole(number) => Some(Scalar::Number(number.into())),
                Cell::Scalar(scalar) => scalar,
            };
            let nonce = self.string()?.as_bytes();
            given.value(index, value, nonce)?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<usize, ReasonCode> {
        match self.next() {
            Some((ARRAY, count)) => Ok(count),
            _ => Err(ReasonCode::EvidenceMalformed),
        }
    }

    fn index(&mut self) -> Result<usize, ReasonCode> {
        match self.cell()? {
            Cell::Whole(index) => Ok(index),
            Cell::Scalar(None) => Err(ReasonCode::EvidenceMalformed),
            Cell::Scalar(Some(_)) => Err(ReasonCode::IndexOutOfRange),
        }
    }

    fn string(&mut self) -> Result<&'p str, ReasonCode> {
        match self.next() {
            Some((STRING, units)) => self.text(units).ok_or(ReasonCode::EvidenceMalformed),
            _ => Err(ReasonCode::EvidenceMalformed),
        }
    }

    fn cell(&mut self) -> Result<Cell<'p>, ReasonCode> {
        let (kind, size) = self.next().ok_or(ReasonCode::EvidenceMalformed)?;
        if kind == WHOLE {
            return Ok(Cell::Whole(size));
        }
        let scalar = self.scalar(kind, size);
        Ok(match scalar.ok_or(ReasonCode::EvidenceMalformed)? {
            Some(Scalar::Number(number)) if let Some(index) = number.to_index() => {
                Cell::Whole(index)
            }
            scalar => Cell::Scalar(scalar),
        })
    }

    fn next(&mut self) -> Option<(u32, usize)> {
        let number = u32::from_le_bytes(*self.list.next()?);
        Some((number & 7, usize::try_from(number >> 3).ok()?))
    }

    /// How many elements to make room for: no more than can follow.
    fn room(&self, count: usize) -> usize {
        count.min(self.list.len())
    }

    fn shared(&mut self, units: usize) -> Option<Str> {
        let start = self.at;
        self.text(units)?;
        Str::part(self.text, start..self.at)
    }

    fn text(&mut self, units: usize) -> Option<&'p str> {
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

/// What may stand in a proof.
enum Cell<'p> {
    /// A whole number that can count something in memory.
    Whole(usize),
    /// A scalar, or nothing where it is absent.
    Scalar(Option<Scalar<'p>>),
}

/// Packs questions: an array, of each of which follow how many steps its path has in common with the one before, an array of the
/// other steps; which [`Role`](crate::Role) it has
/// unless it is for a nonce; its value; and an array of the texts to hash, each a string or the number of
/// the question whose answer it is.
#[must_use]
pub fn pack_questions(questions: &[Question]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.put(ARRAY, questions.len());
    let mut last = &[][..];
    for Question { path, ask } in questions {
        let steps = path.steps();
        let pairs = steps.iter().zip(last);
        let common = pairs.take_while(|(one, other)| one == other).count();
        writer.put(WHOLE, common);
        writer.steps(steps.get(common..).unwrap_or_default());
        last = steps;
        let (position, value, parts) = match ask {
            Ask::Nonce => (None, None, &[][..]),
            Ask::Value(value) => (Some(Role::Value), value.as_ref(), &[][..]),
            Ask::Text(position, parts) => (Some(*position), None, parts.as_slice()),
        };
        match position {
            None => writer.put(WORD, ABSENT),
            Some(position) => writer.put(WHOLE, position as usize),
        }
        writer.cell(value.and_then(Value::as_scalar));
        writer.put(ARRAY, parts.len());
        for part in parts {
            match part {
                Part::Text(text) => writer.text(STRING, text),
                Part::Answer(number) => writer.put(WHOLE, *number),
            }
        }
    }
    writer.finish()
}

/// Packs a report: whether it is valid; the imprint or null; arrays of the reasons, each a code, a path and
/// a message, of the entries, each a path, a status and the reason or nothing, and of the lists, each a
/// path, a length and whether it is complete; an array of how many proven, not proven and not covered values and how many lists are
/// omitted, which is empty if none are; and the text of what is proven as JSON.
#[must_use]
pub fn pack_report(report: &Report) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.word(report.valid);
    match &report.imprint {
        None => writer.put(WORD, NULL),
        Some(imprint) => writer.text(STRING, imprint),
    }
    writer.put(ARRAY, report.reasons.len());
    for reason in &report.reasons {
        writer.text(STRING, reason.code.as_str());
        writer.path(&reason.path);
        writer.text(STRING, reason.code.message());
    }
    writer.put(ARRAY, report.entries.len());
    for entry in &report.entries {
        writer.path(&entry.path);
        writer.text(STRING, entry.status.as_str());
        match entry.reason {
            None => writer.put(WORD, ABSENT),
            Some(reason) => writer.text(STRING, reason.as_str()),
        }
    }
    writer.put(ARRAY, report.lists.len());
    for list in &report.lists {
        writer.path(&list.path);
        writer.put(WHOLE, list.length);
        writer.word(list.complete);
    }
    let omitted = report.omitted;
    if omitted.is_nothing() {
        writer.put(ARRAY, 0);
    } else {
        let counts = [
            omitted.proven,
            omitted.not_proven,
            omitted.not_covered,
            omitted.lists,
        ];
        writer.put(ARRAY, counts.len());
        for count in counts {
            writer.put(WHOLE, count);
        }
    }
    writer.text(STRING, &report.proven.to_json());
    writer.finish()
}

/// Packs paths: an array of arrays of keys and indexes.
#[must_use]
pub fn pack_paths(paths: &[Path]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.put(ARRAY, paths.len());
    for path in paths {
        writer.path(path);
    }
    writer.finish()
}

/// Packs an error: its code, its path and its message.
#[must_use]
pub fn pack_error(error: &CertError) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text(STRING, error.code().as_str());
    writer.path(error.path());
    writer.text(STRING, error.message());
    writer.finish()
}

/// Packs something for a binding to read.
#[derive(Default)]
pub(crate) struct Writer {
    text: Vec<u8>,
    list: Vec<u32>,
}

/// Packs proofs as evidence is packed.
#[must_use]
pub fn pack_proofs(proofs: &[Proof]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.put(ARRAY, proofs.len());
    for proof in proofs {
        writer.path(&proof.path);
        writer.put(ARRAY, proof.nodes.len());
        for node in &proof.nodes {
            writer.put(WHOLE, node.index);
            writer.bytes(STRING, node.hash.as_bytes());
        }
        writer.put(ARRAY, proof.values.len());
        for value in &proof.values {
            writer.put(WHOLE, value.index);
            writer.cell(value.value.as_ref().and_then(Value::as_scalar));
            writer.bytes(STRING, value.nonce.as_bytes());
        }
    }
    writer.finish()
}

impl Writer {
    fn finish(mut self) -> Vec<u8> {
        let count = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(count);
        let numbers = self.list.len().saturating_mul(NUMBER_BYTES);
        let start = self.text.len();
        // A binding may append what it says of the result.
        self.text.reserve(numbers.saturating_add(1));
        self.text.resize(start.saturating_add(numbers), 0);
        let bytes = self.text.get_mut(start..).unwrap_or_default();
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(&self.list) {
            *bytes = number.to_le_bytes();
        }
        self.text
    }

    fn put(&mut self, kind: u32, size: usize) {
        self.list.push(of(kind, size));
    }

    fn path(&mut self, path: &Path) {
        self.steps(path.steps());
    }

    fn steps(&mut self, steps: &[PathStep]) {
        self.put(ARRAY, steps.len());
        for step in steps {
            self.step(step.as_step());
        }
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Key(key) => self.text(STRING, key),
            Step::Index(index) => self.number(index.into()),
        }
    }

    fn cell(&mut self, value: Option<Scalar<'_>>) {
        match value {
            None => self.put(WORD, ABSENT),
            Some(Scalar::Null) => self.put(WORD, NULL),
            Some(Scalar::Bool(bool)) => self.word(bool),
            Some(Scalar::Number(number)) => self.number(number),
            Some(Scalar::String(text)) => self.text(STRING, text),
        }
    }

    fn word(&mut self, bool: bool) {
        self.put(WORD, if bool { TRUE } else { FALSE });
    }

    fn number(&mut self, number: Number) {
        match parse_index(number.as_str()) {
            Some(whole) if whole < MAX_SIZE => self.put(WHOLE, whole),
            _ => self.text(NUMBER, number.as_str()),
        }
    }

    fn text(&mut self, kind: u32, text: &str) {
        self.bytes(kind, text.as_bytes());
    }

    /// A text, given as its bytes.
    fn bytes(&mut self, kind: u32, text: &[u8]) {
        self.put(kind, utf16::length(text));
        self.text.extend_from_slice(text);
    }
}

/// A number of a list.
fn of(kind: u32, size: usize) -> u32 {
    // What is larger fits no memory.
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    size.wrapping_shl(3) | kind
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
    use crate::aih1::Input;
    use crate::cert::Cert;
    use crate::hash::Location;
    use alloc::{format, vec};

    fn packed(text: &str, list: &[u32]) -> Packed {
        let writer = Writer {
            text: text.into(),
            list: list.into(),
        };
        Packed::new(writer.finish())
    }

    fn unpack(text: &str, list: &[u32]) -> Result<Vec<Value>, CertError> {
        let mut packed = packed(text, list);
        let mut values = Vec::new();
        while !packed.is_empty() {
            values.push(packed.value()?);
        }
        Ok(values)
    }

    fn unpacked(text: &str, list: &[u32]) -> String {
        let values = unpack(text, list).unwrap();
        let values: Vec<_> = values.iter().map(Value::to_json).collect();
        values.join(" ")
    }

    #[test]
    fn packed_values_are_read() {
        let list = [
            of(OBJECT, 2),
            of(KEY, 1),
            of(ARRAY, 3),
            of(STRING, 4),
            of(NUMBER, 4),
            of(WHOLE, 17),
            of(KEY, 1),
            of(OBJECT, 1),
            of(KEY_AGAIN, 0),
            of(WORD, 2),
            of(WORD, 1),
            of(WORD, 0),
            of(STRING, 0),
        ];
        assert_eq!(
            unpacked("aé😀c1.25ä", &list),
            r#"{"a":["é😀c",1.25,17],"ä":{"a":false}} true null """#
        );
        assert_eq!(unpacked("", &[]), "");
        let infinite = unpack("Infinity", &[of(NUMBER, 8)]).unwrap();
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
            ("", vec![24 + 3]),      // what is only in proofs
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

    /// What is packed is evidence of the same proofs, whatever their text is, and says in what order they belong.
    #[test]
    fn packed_proofs_are_the_same_proofs() {
        let schema = r#"{"type":"object","properties":{
            "é😀":{"type":"array","items":{"type":"object","properties":{"a":{},"b":{"type":"array","items":{}}}}},
            "none":{}, "null":{}, "yes":{}, "no":{}, "half":{}, "many":{}, "text":{}}}"#;
        let rows = (0..12).map(|row| format!(r#"{{"a":"{row}ä","b":[{row}]}}"#));
        let rows = rows.collect::<Vec<_>>().join(",");
        let data = format!(
            r#"{{"é😀":[{rows}],"null":null,"yes":true,"no":false,"half":-0.5,"many":1e9,"text":"ö"}}"#
        );
        let data = Value::parse(&data).unwrap();
        let hasher = |input: Input<'_>, _: Location<'_>| Ok(format!("häsh{}", input.text().len()));
        let noncer = |place: Location<'_>| Ok(format!("{}😀", place.path()));
        let cert = Cert::with(&Value::parse(schema).unwrap(), hasher, noncer).unwrap();
        let proofs = cert.notarize(&data).unwrap();
        let alone = Packed::new(pack_proofs(&proofs));
        let list = alone
            .list()
            .iter()
            .map(|number| u32::from_le_bytes(*number));
        let list: Vec<u32> = [of(STRING, 1)].into_iter().chain(list).collect();
        let text = ["ö", alone.reader().text].concat();
        let mut packed = packed(&text, &list);
        assert_eq!(packed.value().unwrap(), "ö".into());
        let packed = packed.proofs();
        let (mut one, mut other) = (RawEvidence::default(), RawEvidence::default());
        packed.read(&mut one).unwrap();
        proofs.read(&mut other).unwrap();
        assert_eq!(one, other);
        assert_eq!(one.proofs.len(), 1 + 1 + 12 + 12);
    }

    #[test]
    fn what_is_no_proof_is_malformed() {
        let code = |list: &[u32]| {
            let packed = packed("ab", list).proofs();
            packed.read(&mut RawEvidence::default()).unwrap_err().code
        };
        let (array, other) = (ARRAY, of(WORD, 4));
        let node = |index, hash| [of(ARRAY, 1), array, of(ARRAY, 1), index, hash, array];
        for list in [
            &[][..],
            &[other],
            &[of(ARRAY, 1)],
            &[of(ARRAY, 1), other],
            &[of(ARRAY, 1), array, array],
            &[of(ARRAY, 1), of(ARRAY, 1), of(WORD, 3), array, array],
            &node(of(WHOLE, 0), other),
            &node(of(WHOLE, 0), of(STRING, 3)),
            &node(of(WORD, 3), of(STRING, 1)),
            &[u32::MAX - 3],
        ] {
            assert_eq!(code(list), ReasonCode::EvidenceMalformed, "{list:?}");
        }
        for index in [of(STRING, 1), of(WORD, 0), of(WORD, 1)] {
            assert_eq!(
                code(&node(index, of(STRING, 1))),
                ReasonCode::IndexOutOfRange
            );
        }
    }
}
