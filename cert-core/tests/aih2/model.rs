//! A slow model of AIH-2. It was written from the specification only and shares no code with the crate. It identifies places by the text of
//! their path, builds whole trees and caches nothing.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

pub(crate) type Hash = [u8; 32];

/// A document with its key and its schema.
pub(crate) struct Model<'m> {
    pub(crate) schema: &'m Json,
    pub(crate) data: &'m Json,
    pub(crate) key: Hash,
}

/// A block of a proof.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Hidden(Hash),
    Open(Hash),
    Halves(Box<Block>, Box<Block>),
    Object(Box<Block>),
    List(u32, Box<Block>),
}

/// A slot: the path, the schema and the content.
#[derive(Clone)]
pub(crate) struct Slot<'m> {
    pub(crate) path: Vec<Json>,
    pub(crate) schema: &'m Json,
    pub(crate) value: Option<&'m Json>,
}

/// The requested paths, as strings.
pub(crate) struct Wanted(BTreeSet<String>);

fn text(path: &[Json]) -> String {
    // Each step ends with a separator, so a path's text is a prefix of the text of every path below it.
    path.iter().map(|step| format!("{step},")).collect()
}

impl Wanted {
    pub(crate) fn new(paths: &[Vec<Json>]) -> Self {
        Self(paths.iter().map(|path| text(path)).collect())
    }

    fn exactly(&self, path: &[Json]) -> bool {
        self.0.contains(&text(path))
    }

    fn within(&self, path: &[Json]) -> bool {
        let start = text(path);
        self.0.iter().any(|path| path.starts_with(&start))
    }

    /// Returns true if a path requests the end of a list with `size` items: `"-"` or an index past the end.
    fn end(&self, path: &[Json], size: usize) -> bool {
        let start = text(path);
        self.0.iter().any(|path| {
            let step = path
                .strip_prefix(&start)
                .and_then(|rest| rest.split(',').next());
            step == Some("\"-\"")
                || step
                    .and_then(|step| step.parse().ok())
                    .is_some_and(|index: usize| index >= size)
        })
    }
}

thread_local! {
    static HASHES: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of hashes that this thread has computed.
pub(crate) fn counted() -> u64 {
    HASHES.get()
}

pub(crate) fn sha256(parts: &[&[u8]]) -> Hash {
    HASHES.set(HASHES.get() + 1);
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Returns the canonical text of a document whose numbers serde_json writes as ECMAScript does.
pub(crate) fn jcs(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("[{}]", items.iter().map(jcs).collect::<Vec<_>>().join(",")),
        Json::Object(object) => {
            let mut keys: Vec<_> = object.keys().collect();
            keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
            let pairs = keys
                .iter()
                .map(|key| format!("{}:{}", json!(key), jcs(&object[*key])));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

fn has_type(schema: &Json, name: &str) -> bool {
    match &schema["type"] {
        Json::Array(names) => names.contains(&json!(name)),
        one => one == name,
    }
}

/// Returns `O` for a value that is split as an object, `A` for a list, and `None` for a value that is not split.
pub(crate) fn split(schema: &Json, value: &Json) -> Option<char> {
    if value.is_object() && has_type(schema, "object") && schema["properties"].is_object() {
        Some('O')
    } else if value.is_array() && has_type(schema, "array") && schema["items"].is_object() {
        Some('A')
    } else {
        None
    }
}

pub(crate) fn slots<'m>(schema: &'m Json, value: &'m Json, path: &[Json]) -> Vec<Slot<'m>> {
    let below = |step: Json| [path, &[step]].concat();
    match value {
        Json::Object(object) => {
            let properties = schema["properties"].as_object().unwrap();
            let mut names: Vec<_> = properties.keys().collect();
            names.sort_by_key(|name| name.encode_utf16().collect::<Vec<_>>());
            let slot = |name: &&'m String| Slot {
                path: below(json!(name)),
                schema: &properties[*name],
                value: object.get(*name),
            };
            names.iter().map(slot).collect()
        }
        _ => {
            let items = value.as_array().unwrap().iter().enumerate();
            let slot = |(index, item)| Slot {
                path: below(json!(index)),
                schema: &schema["items"],
                value: Some(item),
            };
            items.map(slot).collect()
        }
    }
}

pub(crate) fn max_items(schema: &Json) -> Option<usize> {
    let max = &schema["maxItems"];
    // `5.0` is an integer, too.
    let whole = max
        .as_f64()
        .filter(|max| max.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(max))?;
    Some(whole as usize)
}

/// Returns the depth of an object or list: the smallest depth for which 2^depth is at least the number of slots, or at least a list's
/// `maxItems`.
pub(crate) fn depth(schema: &Json, value: &Json, size: usize) -> u32 {
    let count = match value {
        Json::Array(_) => max_items(schema).unwrap_or(size),
        _ => size,
    };
    (0..).find(|depth| 1_usize << depth >= count).unwrap()
}

pub(crate) fn halves(key: &Hash) -> [Hash; 2] {
    [sha256(&[&[6], key]), sha256(&[&[7], key])]
}

pub(crate) fn slot_hash(slot: &Slot<'_>, key: &Hash) -> Hash {
    let Some(value) = slot.value else {
        return sha256(&[&[2], key]);
    };
    let Some(kind) = split(slot.schema, value) else {
        return sha256(&[&[0], key, jcs(value).as_bytes()]);
    };
    let slots = slots(slot.schema, value, &slot.path);
    let depth = depth(slot.schema, value, slots.len());
    let first = if kind == 'O' { 3 } else { 4 };
    sha256(&[&[first, depth as u8], &tree(&slots, depth, 0, key)])
}

pub(crate) fn tree(slots: &[Slot<'_>], level: u32, start: usize, key: &Hash) -> Hash {
    if start >= slots.len() {
        return sha256(&[&[2], key]);
    }
    if level == 0 {
        return slot_hash(&slots[start], key);
    }
    let [left, right] = halves(key);
    let middle = start + (1 << (level - 1));
    let [left, right] = [
        tree(slots, level - 1, start, &left),
        tree(slots, level - 1, middle, &right),
    ];
    sha256(&[&[1], &left, &right])
}

impl<'m> Model<'m> {
    fn root(&self) -> Slot<'m> {
        Slot {
            path: vec![],
            schema: self.schema,
            value: Some(self.data),
        }
    }

    pub(crate) fn schema_id(&self) -> Hash {
        sha256(&[jcs(self.schema).as_bytes()])
    }

    pub(crate) fn imprint(&self) -> Hash {
        sha256(&[
            &[5],
            b"AIH-2",
            &self.schema_id(),
            &slot_hash(&self.root(), &self.key),
        ])
    }

    /// Returns the proof for the requested paths.
    pub(crate) fn proof(&self, wanted: &Wanted) -> Block {
        self.slot(&self.root(), &self.key, wanted)
    }

    fn slot(&self, slot: &Slot<'_>, key: &Hash, wanted: &Wanted) -> Block {
        if wanted.exactly(&slot.path) || slot.value.is_none() && wanted.within(&slot.path) {
            return Block::Open(*key);
        }
        if !wanted.within(&slot.path) {
            return Block::Hidden(slot_hash(slot, key));
        }
        let value = slot.value.unwrap();
        let slots = slots(slot.schema, value, &slot.path);
        let depth = depth(slot.schema, value, slots.len());
        let is_list = value.is_array();
        let end = is_list && wanted.end(&slot.path, slots.len());
        let block = Box::new(self.block(&slots, depth, 0, key, wanted, is_list, end));
        if is_list {
            Block::List(depth, block)
        } else {
            Block::Object(block)
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the model is written for readability"
    )]
    fn block(
        &self,
        slots: &[Slot<'_>],
        level: u32,
        start: usize,
        key: &Hash,
        wanted: &Wanted,
        is_list: bool,
        end: bool,
    ) -> Block {
        let after = start + (1_usize << level);
        let there = &slots[start.min(slots.len())..after.min(slots.len())];
        let has_end = is_list && after > slots.len();
        if !(has_end && end || there.iter().any(|slot| wanted.within(&slot.path))) {
            return Block::Hidden(tree(slots, level, start, key));
        }
        let is_open = |slot: &Slot<'_>| matches!(self.slot(slot, key, wanted), Block::Open(_));
        if there.iter().all(is_open) && (!has_end || end) {
            return Block::Open(*key);
        }
        if level == 0 {
            return self.slot(&slots[start], key, wanted);
        }
        let middle = start + (1 << (level - 1));
        let [left, right] = halves(key);
        let half = |start, key: &Hash| {
            Box::new(self.block(slots, level - 1, start, key, wanted, is_list, end))
        };
        Block::Halves(half(start, &left), half(middle, &right))
    }

    /// Returns the statements that a report must make about a proof: `entries`, `absent`, `objects` and `lists`. Also returns the pairs of
    /// the opened values and the detached document.
    pub(crate) fn says(&self, proof: &Block) -> Says {
        let mut says = Says::default();
        says.document = says.slot(proof, &self.root());
        says
    }
}

#[derive(Debug, Default)]
pub(crate) struct Says {
    pub(crate) entries: Vec<Json>,
    pub(crate) absent: Vec<Json>,
    pub(crate) objects: Vec<Json>,
    pub(crate) lists: Vec<Json>,
    pub(crate) pairs: Vec<Json>,
    pub(crate) document: Option<Json>,
}

impl Says {
    /// Returns the shown value of a slot, or `None` if no part of it is shown.
    fn slot(&mut self, proof: &Block, slot: &Slot<'_>) -> Option<Json> {
        let block = match proof {
            Block::Hidden(_) => return None,
            Block::Halves(..) => unreachable!("a slot has no halves"),
            Block::Open(_) => {
                self.open(slot);
                self.pairs
                    .extend(slot.value.map(|value| json!([slot.path, value])));
                return slot.value.cloned();
            }
            Block::Object(block) | Block::List(_, block) => block,
        };
        let value = slot.value.unwrap();
        let slots = slots(slot.schema, value, &slot.path);
        let depth = depth(slot.schema, value, slots.len());
        // Each slot of the tree, with the block that contains it.
        let mut found = vec![];
        spread(block, depth, &mut found);
        let is_open = |at: usize| !matches!(found[at], Block::Hidden(_));
        let shown: Vec<_> = slots
            .iter()
            .zip(&found)
            .map(|(slot, block)| self.slot(block, slot))
            .collect();
        if value.is_object() {
            let complete = (0..slots.len()).all(is_open);
            self.objects
                .push(json!({ "path": slot.path, "complete": complete }));
            let keys = slots
                .iter()
                .map(|slot| slot.path.last().unwrap().as_str().unwrap().to_owned());
            let pairs = keys
                .zip(shown)
                .filter_map(|(key, value)| Some((key, value?)));
            return Some(Json::Object(pairs.collect()));
        }
        let size = slots.len();
        let most = max_items(slot.schema).unwrap_or(1 << depth);
        let at_most = if size < found.len() && is_open(size) {
            size
        } else {
            most
        };
        let length = (at_most == size && (size == 0 || is_open(size - 1))).then_some(size);
        let complete = (0..most).all(is_open);
        self.lists.push(
            json!({ "path": slot.path, "atMost": at_most, "length": length, "complete": complete }),
        );
        let last = shown.iter().rposition(Option::is_some);
        match last {
            Some(last) => Some(
                shown
                    .into_iter()
                    .take(last + 1)
                    .map(|item| item.unwrap_or(Json::Null))
                    .collect(),
            ),
            None => (length == Some(0)).then(|| json!([])),
        }
    }

    /// Adds the statements for a slot that is open with everything below it.
    pub(crate) fn open(&mut self, slot: &Slot<'_>) {
        let Some(value) = slot.value else {
            self.absent.push(json!(slot.path));
            return;
        };
        match split(slot.schema, value) {
            None => {
                self.entries
                    .push(json!({ "path": slot.path, "value": value }));
                return;
            }
            Some('O') => self
                .objects
                .push(json!({ "path": slot.path, "complete": true })),
            Some(_) => {
                let size = value.as_array().unwrap().len();
                self.lists.push(
                    json!({ "path": slot.path, "atMost": size, "length": size, "complete": true }),
                );
            }
        }
        for slot in slots(slot.schema, value, &slot.path) {
            self.open(&slot);
        }
    }
}

/// Collects the block of each slot. A block that is not split is repeated for each of its slots.
fn spread<'b>(block: &'b Block, level: u32, found: &mut Vec<&'b Block>) {
    match block {
        Block::Halves(left, right) => {
            spread(left, level - 1, found);
            spread(right, level - 1, found);
        }
        block => found.extend(std::iter::repeat_n(block, 1 << level)),
    }
}

impl Block {
    /// Returns the bytes of the block's tokens.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Hidden(hash) => [b"H", &hash[..]].concat(),
            Self::Open(key) => [b"K", &key[..]].concat(),
            Self::Halves(left, right) => [b"N".to_vec(), left.bytes(), right.bytes()].concat(),
            Self::Object(block) => [b"O".to_vec(), block.bytes()].concat(),
            Self::List(depth, block) => [vec![b'A', *depth as u8], block.bytes()].concat(),
        }
    }
}
