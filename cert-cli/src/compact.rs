//! The form 2 of a certificate's link, which QR codes on paper have: proof and values of AIH-2 in decimal digits. docs/spec/file.md specifies it.
//! The tool only writes forms that need no public evidence.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use cert_core::{Object, Value};

/// The maximum length of a form, in characters.
const MAX_LENGTH: usize = 8192;
/// The most bytes of a proof. Digits of more would be longer than a form.
const MAX_PROOF: usize = 4096;
/// The deepest tree that is read. Each level of halves takes 33 bytes, and there are at most 64 levels of objects and lists, so deeper proofs are longer.
const MAX_DEPTH: usize = 256;
/// The bytes of a hash or a key.
const WIDTH: usize = 32;
/// The bytes that are written as one number, and its digits. A shorter last group has fewer digits.
const GROUP: usize = 7;
const DIGITS: [usize; GROUP] = [3, 5, 8, 10, 13, 15, 17];
/// The key of a list at a node that also splits objects.
const LIST: u8 = 0;

/// The ids in the link's address, as the service writes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids<'a> {
    pub(crate) ledger: &'a str,
    pub(crate) asset: &'a str,
}

/// Returns the form of a document with its evidence. `None` if the evidence is not of AIH-2, the document does not fit it, or the form would be too long
/// for a link.
pub(crate) fn form(
    schema: &Value,
    document: &Value,
    evidence: &Value,
    ids: Ids<'_>,
) -> Option<String> {
    let evidence = evidence.as_object()?;
    let text = |name: &str| evidence.get(name).and_then(Value::as_str);
    if text("profile") != Some("AIH-2") {
        return None;
    }
    let proof = Base64UrlUnpadded::decode_vec(text("proof")?).ok()?;
    if proof.len() > MAX_PROOF {
        return None;
    }
    let (block, rest) = read(&proof, 0)?;
    if !rest.is_empty() {
        return None;
    }
    let mut values = Values::default();
    values.collect(&block, Some(schema), Some(document), Some(ids))?;
    let mut content = proof;
    head(&mut content, 4, values.count);
    content.extend(values.bytes);
    if content.len() > 9999 {
        return None;
    }
    let form = format!("2{:04}{}", content.len(), digits(&content));
    (form.len() <= MAX_LENGTH).then_some(form)
}

/// Returns bytes as decimal digits.
fn digits(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for group in bytes.chunks(GROUP) {
        let number = group
            .iter()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let width = group
            .len()
            .checked_sub(1)
            .and_then(|index| DIGITS.get(index));
        let width = width.copied().unwrap_or_default();
        digits.push_str(&format!("{number:0width$}"));
    }
    digits
}

/// A block of slots in a proof (docs/spec/aih-2.md, section 6).
enum Block {
    Hidden,
    Open,
    Halves(Box<Block>, Box<Block>),
    Object(Box<Block>),
    List(u8, Box<Block>),
}

/// Returns the block at the start of bytes, and the bytes after it.
fn read(bytes: &[u8], depth: usize) -> Option<(Block, &[u8])> {
    if depth > MAX_DEPTH {
        return None;
    }
    let (token, rest) = bytes.split_first()?;
    let below = depth.saturating_add(1);
    let inner = |rest| read(rest, below).map(|(block, rest)| (Box::new(block), rest));
    match token {
        b'H' => Some((Block::Hidden, rest.get(WIDTH..)?)),
        b'K' => Some((Block::Open, rest.get(WIDTH..)?)),
        b'N' => {
            let (left, rest) = inner(rest)?;
            let (right, rest) = inner(rest)?;
            Some((Block::Halves(left, right), rest))
        }
        b'O' => {
            let (block, rest) = inner(rest)?;
            Some((Block::Object(block), rest))
        }
        b'A' => {
            let (depth, rest) = rest.split_first()?;
            let (block, rest) = inner(rest)?;
            Some((Block::List(*depth, block), rest))
        }
        _ => None,
    }
}

/// A slot of an object: its name, its schema, and the id that the link's address has for it.
struct Member<'a> {
    name: &'a str,
    schema: &'a Value,
    id: Option<&'a str>,
}

fn has_type(schema: Option<&Value>, name: &str) -> bool {
    let kind = schema
        .and_then(Value::as_object)
        .and_then(|node| node.get("type"));
    match kind {
        Some(Value::String(kind)) => kind.as_str() == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some(name)),
        _ => false,
    }
}

/// Returns the slots of an object in their order. `None` if the schema does not split objects.
fn members<'a>(schema: Option<&'a Value>, ids: Option<Ids<'a>>) -> Option<Vec<Member<'a>>> {
    if !has_type(schema, "object") {
        return None;
    }
    let properties = schema?.as_object()?.get("properties")?.as_object()?;
    let mut members: Vec<Member<'a>> = properties
        .iter()
        .map(|(name, schema)| Member {
            name,
            schema,
            id: ids.and_then(|ids| match name {
                "ledgerId" => Some(ids.ledger),
                "assetId" => Some(ids.asset),
                _ => None,
            }),
        })
        .collect();
    members.sort_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
    Some(members)
}

/// Returns the schema of a list's items. `None` if the schema does not split lists.
fn items(schema: Option<&Value>) -> Option<&Value> {
    if !has_type(schema, "array") {
        return None;
    }
    let items = schema?.as_object()?.get("items")?;
    items.as_object().map(|_| items)
}

/// The values that a proof opens, as items of a CBOR list.
#[derive(Default)]
struct Values {
    count: usize,
    bytes: Vec<u8>,
}

impl Values {
    /// Adds the values that the proof of a slot opens, in the order of the proof.
    fn collect(
        &mut self,
        block: &Block,
        schema: Option<&Value>,
        value: Option<&Value>,
        ids: Option<Ids<'_>>,
    ) -> Option<()> {
        match block {
            Block::Open => self.push(|bytes| packed(bytes, value, schema, ids)),
            Block::Object(inner) => {
                let members = members(schema, ids)?;
                let depth = members.len().max(1).next_power_of_two().trailing_zeros();
                self.members(inner, &members, depth, 0, value.and_then(Value::as_object))
            }
            Block::List(depth, inner) => {
                let list = value
                    .and_then(Value::as_array)
                    .map_or(&[][..], |list| list.as_slice());
                self.items(inner, items(schema), u32::from(*depth), 0, list)
            }
            Block::Hidden => Some(()),
            Block::Halves(..) => None,
        }
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<()> {
        self.count = self.count.saturating_add(1);
        write(&mut self.bytes)
    }

    fn members(
        &mut self,
        block: &Block,
        members: &[Member<'_>],
        level: u32,
        start: usize,
        object: Option<&Object>,
    ) -> Option<()> {
        match block {
            Block::Hidden => Some(()),
            Block::Halves(left, right) => {
                let below = level.checked_sub(1)?;
                self.members(left, members, below, start, object)?;
                let middle = start.checked_add(1_usize.checked_shl(below)?)?;
                self.members(right, members, below, middle, object)
            }
            block => {
                let end = start.checked_add(1_usize.checked_shl(level)?)?;
                let inside = members
                    .get(start..end.min(members.len()))
                    .unwrap_or_default();
                for member in inside {
                    let value = object.and_then(|object| object.get(member.name));
                    match block {
                        Block::Open => self.push(|bytes| packed_member(bytes, value, member))?,
                        block => self.collect(block, Some(member.schema), value, None)?,
                    }
                }
                Some(())
            }
        }
    }

    fn items(
        &mut self,
        block: &Block,
        schema: Option<&Value>,
        level: u32,
        start: usize,
        list: &[Value],
    ) -> Option<()> {
        match block {
            Block::Hidden => Some(()),
            Block::Halves(left, right) => {
                let below = level.checked_sub(1)?;
                self.items(left, schema, below, start, list)?;
                let middle = start.checked_add(1_usize.checked_shl(below)?)?;
                self.items(right, schema, below, middle, list)
            }
            Block::Open => {
                let end = start.checked_add(1_usize.checked_shl(level)?)?;
                let run = list.get(start..end.min(list.len())).unwrap_or_default();
                self.push(|bytes| {
                    head(bytes, 4, run.len());
                    run.iter()
                        .try_for_each(|item| packed(bytes, Some(item), schema, None))
                })
            }
            block => self.collect(block, schema, list.get(start), None),
        }
    }
}

/// Writes the head of a CBOR item in its shortest form.
fn head(bytes: &mut Vec<u8>, kind: u8, count: usize) {
    let kind = kind << 5;
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    match (
        u8::try_from(count),
        u16::try_from(count),
        u32::try_from(count),
    ) {
        (Ok(small), ..) if small < 24 => bytes.push(kind | small),
        (Ok(small), ..) => bytes.extend([kind | 24, small]),
        (_, Ok(small), _) => {
            bytes.push(kind | 25);
            bytes.extend(small.to_be_bytes());
        }
        (.., Ok(small)) => {
            bytes.push(kind | 26);
            bytes.extend(small.to_be_bytes());
        }
        _ => {
            bytes.push(kind | 27);
            bytes.extend(count.to_be_bytes());
        }
    }
}

/// Writes the value of a slot. An empty byte string stands for an id that the link's address has.
fn packed_member(bytes: &mut Vec<u8>, value: Option<&Value>, member: &Member<'_>) -> Option<()> {
    if member.id.is_some() && member.id == value.and_then(Value::as_str) {
        head(bytes, 2, 0);
        return Some(());
    }
    packed(bytes, value, Some(member.schema), None)
}

/// Writes a value. `None` for a value without this form.
fn packed(
    bytes: &mut Vec<u8>,
    value: Option<&Value>,
    schema: Option<&Value>,
    ids: Option<Ids<'_>>,
) -> Option<()> {
    let members = members(schema, ids);
    match value {
        None => bytes.push(0xf7),
        Some(Value::Null) => bytes.push(0xf6),
        Some(Value::Bool(is_true)) => bytes.push(if *is_true { 0xf5 } else { 0xf4 }),
        Some(Value::Number(number)) => float(bytes, number.to_f64()),
        Some(Value::String(text)) => {
            // Readers drop a byte order mark at the start of a text.
            let text = text.as_str();
            if text.starts_with('\u{feff}') {
                return None;
            }
            head(bytes, 3, text.len());
            bytes.extend(text.as_bytes());
        }
        Some(Value::Array(list)) => {
            if members.is_some() {
                bytes.extend([0xa1, LIST]);
            }
            head(bytes, 4, list.len());
            for item in list.iter() {
                packed(bytes, Some(item), items(schema), None)?;
            }
        }
        Some(Value::Object(object)) => match members {
            None => {
                head(bytes, 5, object.len());
                for (key, value) in object.iter() {
                    head(bytes, 3, key.len());
                    bytes.extend(key.as_bytes());
                    packed(bytes, Some(value), None, None)?;
                }
            }
            Some(members) => slots(bytes, object, &members)?,
        },
    }
    Some(())
}

/// Writes an object as the list of its slots, without absent ones at its end.
fn slots(bytes: &mut Vec<u8>, object: &Object, members: &[Member<'_>]) -> Option<()> {
    let is_known = |key: &str| members.iter().any(|member| member.name == key);
    if !object.iter().all(|(key, _)| is_known(key)) {
        return None;
    }
    let last = members
        .iter()
        .rposition(|member| object.get(member.name).is_some());
    let count = last.map_or(0, |last| last.saturating_add(1));
    head(bytes, 4, count);
    members
        .iter()
        .take(count)
        .try_for_each(|member| packed_member(bytes, object.get(member.name), member))
}

/// Writes a number: as an integer within ±(2^53 − 1), else as the shortest exact float.
fn float(bytes: &mut Vec<u8>, number: f64) {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST {
        let size = number.abs() as u64;
        let (kind, size) = if number < 0.0 {
            (1, size.saturating_sub(1))
        } else {
            (0, size)
        };
        head(bytes, kind, usize::try_from(size).unwrap_or(usize::MAX));
    } else if f64::from(number as f32) == number {
        bytes.push(0xfa);
        bytes.extend((number as f32).to_be_bytes());
    } else {
        bytes.push(0xfb);
        bytes.extend(number.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Vectors {
        ids: GivenIds,
        accepted: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct GivenIds {
        ledger: String,
        asset: String,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        form: String,
        schema: Box<serde_json::value::RawValue>,
        public: Option<serde_json::Value>,
        copy: GivenCopy,
    }

    #[derive(serde::Deserialize)]
    struct GivenCopy {
        document: Box<serde_json::value::RawValue>,
        evidence: Box<serde_json::value::RawValue>,
    }

    #[test]
    fn forms_are_those_of_the_vectors() {
        let text = include_str!("../../tests/vectors/file/compact.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        let ids = Ids {
            ledger: &vectors.ids.ledger,
            asset: &vectors.ids.asset,
        };
        let mut count = 0;
        for case in vectors.accepted.iter().filter(|case| case.public.is_none()) {
            let value = |json: &serde_json::value::RawValue| Value::parse(json.get()).unwrap();
            let [schema, document, evidence] =
                [&case.schema, &case.copy.document, &case.copy.evidence].map(|json| value(json));
            let form = form(&schema, &document, &evidence, ids);
            assert_eq!(form.as_deref(), Some(case.form.as_str()), "{}", case.name);
            count += 1;
        }
        assert!(count >= 5, "{count} vectors");
    }

    #[test]
    fn evidence_that_does_not_fit_has_no_form() {
        let ids = Ids {
            ledger: "0x1",
            asset: "1",
        };
        let value = |json: &str| Value::parse(json).unwrap();
        let schema = value(r#"{"type":"object","properties":{"a":{}}}"#);
        let of = |document: &str, proof: &[u8]| {
            let proof = Base64UrlUnpadded::encode_string(proof);
            let evidence = format!(r#"{{"profile":"AIH-2","proof":"{proof}"}}"#);
            form(&schema, &value(document), &value(&evidence), ids)
        };
        let open = [&b"K"[..], &[7; 32]].concat();
        assert!(of(r#"{"a":1}"#, &open).is_some());
        assert!(of(r#"{"b":1}"#, &open).is_none(), "an unknown key");
        assert!(of("{\"a\":\"\u{feff}\"}", &open).is_none(), "a mark");
        assert!(
            of(&format!(r#"{{"a":"{}"}}"#, "x".repeat(9000)), &open).is_none(),
            "too long"
        );
        for proof in [
            &b"K"[..],
            b"",
            b"X",
            b"N",
            b"A",
            &b"N".repeat(4000),
            &[&open[..], b"K"].concat(),
        ] {
            assert!(of(r#"{"a":1}"#, proof).is_none(), "{} bytes", proof.len());
        }
        assert!(
            of(r#"{"a":1}"#, &[&b"N"[..], &open, &open].concat()).is_none(),
            "a half without a level"
        );
        let other = value(r#"{"profile":"AIH-1","proof":""}"#);
        assert!(form(&schema, &value("{}"), &other, ids).is_none());
    }
}
