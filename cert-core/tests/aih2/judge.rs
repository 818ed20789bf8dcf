//! A slow verifier of AIH-2. It was written from the specification only and shares no code with the crate. It parses a proof by its grammar
//! and judges each place separately. For each place it searches all pairs.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::model::{Block, Hash, Says, Slot, counted, depth, max_items, sha256, slots, split};

/// A path and the value at this path.
pub(crate) type Pair = (Vec<Json>, Json);

/// All findings of the verifier about evidence that is not refused.
pub(crate) struct Judged {
    pub(crate) imprint: Hash,
    pub(crate) says: Says,
    /// Codes and paths of places that are not covered, or whose key the schema does not have.
    pub(crate) faults: Vec<Json>,
    /// The number of hashes that were computed.
    pub(crate) work: u64,
}

/// The values that belong to a proof.
#[derive(Clone, Copy)]
pub(crate) enum With<'w> {
    Document(&'w Json),
    Pairs(&'w [Pair]),
}

struct Judge<'w> {
    with: With<'w>,
    used: BTreeSet<usize>,
    says: Says,
    faults: Vec<Json>,
}

/// The findings in the block of all slots of a place.
#[derive(Default)]
struct Walk {
    /// Starts and sizes of hidden blocks.
    hidden: Vec<(u64, u64)>,
    /// Open slots, each with the detached document's value there.
    open: Vec<(u64, Option<Json>)>,
    /// The first void of a list.
    end: Option<u64>,
}

/// Judges a proof. Returns `None` if the proof is refused.
pub(crate) fn judge(schema: &Json, proof: &[u8], with: With<'_>) -> Option<Judged> {
    let mut rest = proof;
    let block = parse(&mut rest, 0)?;
    let (Block::Open(_) | Block::Object(_) | Block::List(..)) = block else {
        return None;
    };
    if !rest.is_empty() {
        return None;
    }
    let shown = match with {
        With::Document(document) => Some(document.as_object().map(|_| document)?),
        With::Pairs(_) => None,
    };
    let id = sha256(&[super::model::jcs(schema).as_bytes()]);
    let mut judge = Judge {
        with,
        used: BTreeSet::new(),
        says: Says::default(),
        faults: vec![],
    };
    let before = counted();
    let (root, document) = judge.place(&block, schema, &[], shown)?;
    if let With::Pairs(pairs) = with
        && (pairs.len() != judge.used.len() || !document.as_ref()?.is_object())
    {
        return None;
    }
    judge.says.document = document;
    let imprint = sha256(&[&[5], b"AIH-2", &id, &root]);
    let work = counted() - before;
    (work <= 1 << 22).then_some(Judged {
        imprint,
        says: judge.says,
        faults: judge.faults,
        work,
    })
}

/// Parses a block by the grammar only. Returns `None` if the bytes do not follow the grammar.
pub(crate) fn parse(proof: &mut &[u8], nested: usize) -> Option<Block> {
    let (first, rest) = proof.split_first()?;
    *proof = rest;
    let mut bytes = |count| {
        let (bytes, rest) = proof.split_at_checked(count)?;
        *proof = rest;
        Some(bytes)
    };
    // At most 64 places are nested, each with a depth of at most 32.
    if nested > 64 * 34 {
        return None;
    }
    Some(match first {
        b'H' => Block::Hidden(bytes(32)?.try_into().ok()?),
        b'K' => Block::Open(bytes(32)?.try_into().ok()?),
        b'N' => {
            let left = parse(proof, nested + 1)?;
            Block::Halves(Box::new(left), Box::new(parse(proof, nested + 1)?))
        }
        b'O' => Block::Object(Box::new(parse(proof, nested + 1)?)),
        b'A' => {
            let depth = bytes(1)?[0];
            Block::List(depth.into(), Box::new(parse(proof, nested + 1)?))
        }
        _ => return None,
    })
}

fn below(path: &[Json], step: impl Into<Json>) -> Vec<Json> {
    [path, &[step.into()]].concat()
}

impl Judge<'_> {
    /// Judges an open place. Returns its hash and the detached document's value there, or `None` if the proof is refused.
    fn place(
        &mut self,
        block: &Block,
        schema: &Json,
        path: &[Json],
        shown: Option<&Json>,
    ) -> Option<(Hash, Option<Json>)> {
        match block {
            Block::Open(key) => {
                // This code runs only for the root, which is always present.
                let value = self.value(path, shown)?.filter(Json::is_object)?;
                let hash = self.open(schema, path, &[Some(value.clone())], 0, key)?;
                Some((hash, Some(value)))
            }
            Block::Object(block) => {
                split(schema, &json!({}))?;
                self.nothing_given(path)?;
                self.object(block, schema, path, shown)
            }
            Block::List(depth, block) => {
                split(schema, &json!([]))?;
                self.nothing_given(path)?;
                self.list(*depth, block, schema, path, shown)
            }
            Block::Hidden(_) | Block::Halves(..) => None,
        }
    }

    /// Returns `None` if a place that is open in part has a pair.
    fn nothing_given(&self, path: &[Json]) -> Option<()> {
        let With::Pairs(pairs) = self.with else {
            return Some(());
        };
        (!pairs.iter().any(|(at, _)| at == path)).then_some(())
    }

    /// Returns the shown value of a slot that a key covers, or `Some(None)` if no value is shown. Returns `None` if pairs give the value in
    /// parts.
    fn value(&mut self, path: &[Json], shown: Option<&Json>) -> Option<Option<Json>> {
        let With::Pairs(pairs) = self.with else {
            return Some(shown.cloned());
        };
        let mut found = None;
        for (number, (at, value)) in pairs.iter().enumerate() {
            if at == path {
                self.used.insert(number);
                found = Some(value.clone());
            } else if at.starts_with(path) {
                return None;
            }
        }
        Some(found)
    }

    /// Returns the hash of a block of open slots. Slots missing at the end are voids.
    fn open(
        &mut self,
        schema: &Json,
        path: &[Json],
        values: &[Option<Json>],
        level: u32,
        key: &Hash,
    ) -> Option<Hash> {
        let slots: Vec<_> = values
            .iter()
            .map(|value| Slot {
                path: path.to_vec(),
                schema,
                value: value.as_ref(),
            })
            .collect();
        self.open_slots(&slots, level, key)
    }

    fn open_slots(&mut self, slots: &[Slot<'_>], level: u32, key: &Hash) -> Option<Hash> {
        for slot in slots {
            if let Some(value) = slot.value {
                self.certifiable(slot.schema, value, &slot.path)?;
            }
            self.says.open(slot);
        }
        Some(super::model::tree(slots, level, 0, key))
    }

    /// Checks the rules for certified values: no list may be too long, and a key that the schema does not have is a fault.
    fn certifiable(&mut self, schema: &Json, value: &Json, path: &[Json]) -> Option<()> {
        match split(schema, value) {
            None => {}
            Some('O') => {
                self.unknown(schema, value, path);
                for (name, schema) in schema["properties"].as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        self.certifiable(schema, value, &below(path, name.as_str()))?;
                    }
                }
            }
            Some(_) => {
                let items = value.as_array().unwrap();
                if max_items(schema).is_some_and(|max| items.len() > max) {
                    return None;
                }
                for (index, item) in items.iter().enumerate() {
                    self.certifiable(&schema["items"], item, &below(path, index))?;
                }
            }
        }
        Some(())
    }

    fn unknown(&mut self, schema: &Json, object: &Json, path: &[Json]) {
        for key in object.as_object().unwrap().keys() {
            if schema["properties"].get(key).is_none() {
                self.fault("not-in-schema", &below(path, key.as_str()));
            }
        }
    }

    fn fault(&mut self, code: &str, path: &[Json]) {
        self.faults.push(json!({ "code": code, "path": path }));
    }

    fn object(
        &mut self,
        block: &Block,
        schema: &Json,
        path: &[Json],
        shown: Option<&Json>,
    ) -> Option<(Hash, Option<Json>)> {
        if let With::Document(_) = self.with {
            shown.filter(|value| value.is_object())?;
        }
        if let Block::Hidden(_) = block {
            return None;
        }
        let nothing = json!({});
        let slots = slots(schema, &nothing, path);
        let size = slots.len() as u64;
        let level = depth(schema, &nothing, slots.len());
        let mut walk = Walk::default();
        let hash = self.properties(block, &slots, level, 0, shown, &mut walk)?;
        let complete = walk.hidden.iter().all(|(start, _)| *start >= size);
        self.says
            .objects
            .push(json!({ "path": path, "complete": complete }));
        if let (With::Document(_), Some(object)) = (self.with, shown) {
            self.unknown(schema, object, path);
            for (at, slot) in slots.iter().enumerate() {
                let name = slot.path.last().unwrap().as_str().unwrap();
                if walk.hides(at as u64) && object.get(name).is_some() {
                    self.fault("not-covered", &slot.path);
                }
            }
            // Only a list that is proven empty, or a place with such a list inside, can be open without being shown.
            for (at, value) in &walk.open {
                let path = &slots[*at as usize].path;
                let name = path.last().unwrap().as_str().unwrap();
                if value.is_some() && object.get(name).is_none() {
                    self.fault("not-covered", path);
                }
            }
        }
        let name = |at: u64| slots[at as usize].path.last().unwrap().as_str().unwrap();
        let members = walk
            .open
            .into_iter()
            .filter_map(|(at, value)| Some((name(at).to_owned(), value?)));
        let document = Json::Object(members.collect());
        Some((sha256(&[&[3, level as u8], &hash]), Some(document)))
    }

    fn properties(
        &mut self,
        block: &Block,
        slots: &[Slot<'_>],
        level: u32,
        start: u64,
        shown: Option<&Json>,
        walk: &mut Walk,
    ) -> Option<Hash> {
        let value = |slot: &Slot<'_>| {
            let name = slot.path.last().unwrap().as_str().unwrap();
            shown.and_then(|object| object.get(name)).cloned()
        };
        match block {
            Block::Hidden(hash) => {
                walk.hidden.push((start, 1 << level));
                Some(*hash)
            }
            Block::Open(key) => {
                let from = (start as usize).min(slots.len());
                let to = (from + (1 << level)).min(slots.len());
                let mut values = vec![];
                for slot in &slots[from..to] {
                    values.push(self.value(&slot.path, value(slot).as_ref())?);
                }
                for (at, value) in (start..).zip(&values) {
                    walk.open.push((at, value.clone()));
                }
                let open: Vec<_> = slots[from..to]
                    .iter()
                    .zip(&values)
                    .map(|(slot, value)| Slot {
                        value: value.as_ref(),
                        ..slot.clone()
                    })
                    .collect();
                self.open_slots(&open, level, key)
            }
            Block::Halves(left, right) => {
                let (level, middle) = halved(left, right, level, start)?;
                let left = self.properties(left, slots, level, start, shown, walk)?;
                let right = self.properties(right, slots, level, middle, shown, walk)?;
                Some(sha256(&[&[1], &left, &right]))
            }
            Block::Object(_) | Block::List(..) => {
                let slot = slots.get(start as usize).filter(|_| level == 0)?;
                let value = value(slot);
                let (hash, document) =
                    self.place(block, slot.schema, &slot.path, value.as_ref())?;
                walk.open.push((start, document));
                Some(hash)
            }
        }
    }

    fn list(
        &mut self,
        level: u32,
        block: &Block,
        schema: &Json,
        path: &[Json],
        shown: Option<&Json>,
    ) -> Option<(Hash, Option<Json>)> {
        let is_item = path.last().is_some_and(Json::is_u64);
        let items = match shown {
            Some(Json::Array(items)) => Some(items),
            Some(Json::Null) if is_item => None,
            Some(_) => return None,
            None => None,
        };
        let max = max_items(schema).map(|max| max as u64);
        let depth_for = |count: u64| depth(schema, &json!([]), count as usize);
        if level > 32 || max.is_some() && depth_for(0) != level {
            return None;
        }
        let most = max.unwrap_or(1 << level);
        if items.is_some_and(|items| items.len() as u64 > most) {
            return None;
        }
        let mut walk = Walk::default();
        let hash = self.items(block, schema, path, (level, 0), items, &mut walk)?;
        if walk
            .end
            .is_some_and(|end| end > most || depth_for(end) != level)
        {
            return None;
        }
        let at_most = walk.end.unwrap_or(most);
        let opens = |at: u64| walk.open.iter().any(|(open, _)| *open == at);
        let length = (at_most == 0 || opens(at_most - 1)).then_some(at_most);
        let complete = walk.hidden.iter().all(|(start, _)| *start >= most);
        self.says.lists.push(
            json!({ "path": path, "atMost": at_most, "length": length, "complete": complete }),
        );
        let mut document = vec![];
        for (at, value) in &walk.open {
            if let Some(value) = value {
                // Documents with a billion placeholders are not compared here.
                document.resize((*at as usize).min(1 << 16), Json::Null);
                document.push(value.clone());
            }
        }
        let is_shown = !document.is_empty() || length == Some(0);
        if let (With::Document(_), Some(items)) = (self.with, items) {
            for (at, item) in items.iter().enumerate() {
                let place = below(path, at);
                let open = walk.open.iter().find(|(open, _)| *open == at as u64);
                let value = open.and_then(|(_, value)| value.as_ref());
                let is_missing = item.is_null() && value.is_some_and(|value| !value.is_null());
                let is_more = walk.hides(at as u64) && !item.is_null();
                // An item that is open but not shown is a list. Its own items are judged when the walk reaches it.
                let is_after = at >= document.len() && (open.is_none() || item.is_null());
                if is_after || is_missing || is_more {
                    self.fault("not-covered", &place);
                }
            }
            if items.len() < document.len() || items.is_empty() && !is_shown {
                self.fault("not-covered", path);
            }
        }
        let document = is_shown.then_some(Json::Array(document));
        Some((sha256(&[&[4, level as u8], &hash]), document))
    }

    fn items(
        &mut self,
        block: &Block,
        schema: &Json,
        path: &[Json],
        (level, start): (u32, u64),
        shown: Option<&Vec<Json>>,
        walk: &mut Walk,
    ) -> Option<Hash> {
        if walk.end.is_some() && !matches!(block, Block::Open(_)) {
            return None;
        }
        let max = max_items(schema).map(|max| max as u64);
        let item = |at: u64| shown.and_then(|items| items.get(at as usize));
        match block {
            Block::Hidden(hash) => {
                walk.hidden.push((start, 1 << level));
                Some(*hash)
            }
            Block::Open(key) => {
                let mut values = vec![];
                for at in start..start + (1 << level) {
                    match self.value(&below(path, at), item(at))? {
                        Some(value) => values.push(value),
                        None => break,
                    }
                }
                let after = start + values.len() as u64;
                if !values.is_empty() && (walk.end.is_some() || max.is_some_and(|max| after > max))
                {
                    return None;
                }
                if after < start + (1 << level) && walk.end.is_none() {
                    walk.end = Some(after);
                }
                let mut open = vec![];
                for (at, value) in (start..).zip(&values) {
                    walk.open.push((at, Some(value.clone())));
                    open.push(Slot {
                        path: below(path, at),
                        schema: &schema["items"],
                        value: Some(value),
                    });
                }
                self.open_slots(&open, level, key)
            }
            Block::Halves(left, right) => {
                let (level, middle) = halved(left, right, level, start)?;
                let left = self.items(left, schema, path, (level, start), shown, walk)?;
                let right = self.items(right, schema, path, (level, middle), shown, walk)?;
                Some(sha256(&[&[1], &left, &right]))
            }
            Block::Object(_) | Block::List(..) => {
                if level > 0 || max.is_some_and(|max| start >= max) {
                    return None;
                }
                let (hash, document) =
                    self.place(block, &schema["items"], &below(path, start), item(start))?;
                walk.open.push((start, document));
                Some(hash)
            }
        }
    }
}

impl Walk {
    fn hides(&self, at: u64) -> bool {
        let mut hidden = self.hidden.iter();
        hidden.any(|(start, size)| (*start..start + size).contains(&at))
    }
}

/// Returns the level of both halves and the start of the right half. Returns `None` if both halves are hidden or the block is a slot.
fn halved(left: &Block, right: &Block, level: u32, start: u64) -> Option<(u32, u64)> {
    if let (Block::Hidden(_), Block::Hidden(_)) = (left, right) {
        return None;
    }
    let level = level.checked_sub(1)?;
    Some((level, start + (1 << level)))
}
