//! Trees that an honest issuer would never certify. The dishonest issuer knows every key and chooses every hash. Each tree has one imprint
//! and is shown in several ways. The reports about these ways must never contradict each other.

use std::collections::BTreeMap;

use cert_core::aih2::Report;
use serde_json::{Value as Json, json};

use crate::agree::{Claim, agreed};
use crate::forge::contradiction::contradiction;
use crate::forge::exhibit::cert;
use crate::judge::{Pair, With, judge};
use crate::model::{Block, Hash, Slot, depth, halves, jcs, max_items, sha256, split, tree};
use crate::random::Random;
use crate::tokens::base64url;

const TREES: u64 = 3_000;
/// The number of ways in which each tree is shown.
const VIEWS: usize = 8;

/// A rule that the dishonest issuer breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lie {
    /// An object or list has a wrong depth.
    WrongDepth,
    /// A void is before or between items.
    VoidBetween,
    /// An item comes after the end of its list.
    ItemAfterEnd,
    /// An item is at `maxItems` or after it.
    ItemPastMax,
    /// A list takes the place of an object, or an object the place of a list.
    OtherKind,
    /// A slot has two halves, so one path leads to two values.
    SlotTwice,
    /// An object or list that the schema splits is certified as one leaf.
    LeafOfPlace,
    /// A block of slots is certified as one leaf or one void, although it has several slots.
    BlockOfOne,
    /// An object or list is at a block of several slots instead of at a single slot.
    PlaceAbove,
    /// A slot after an object's last one is not void.
    SlotPastSize,
    /// A slot is inside a value that the schema does not split.
    PlaceInLeaf,
    /// A block is certified as a random hash that belongs to no content.
    HashAlone,
}

const LIES: [Lie; 12] = [
    Lie::WrongDepth,
    Lie::VoidBetween,
    Lie::ItemAfterEnd,
    Lie::ItemPastMax,
    Lie::OtherKind,
    Lie::SlotTwice,
    Lie::LeafOfPlace,
    Lie::BlockOfOne,
    Lie::PlaceAbove,
    Lie::SlotPastSize,
    Lie::PlaceInLeaf,
    Lie::HashAlone,
];

/// A block of an issuer's tree.
#[derive(Debug)]
enum Tree {
    Leaf(Hash, Json),
    Void(Hash),
    /// A hash without known content.
    Hash(Hash),
    /// Slots under one key. The slots after the given ones are voids.
    Whole(Hash, u32, Vec<(Json, Json)>),
    Halves(Box<Tree>, Box<Tree>),
    Object(u32, Box<Tree>),
    List(u32, Box<Tree>),
}

impl Tree {
    fn hash(&self) -> Hash {
        match self {
            Self::Leaf(key, value) => sha256(&[&[0], key, jcs(value).as_bytes()]),
            Self::Void(key) => sha256(&[&[2], key]),
            Self::Hash(hash) => *hash,
            Self::Whole(key, level, slots) => {
                let slots: Vec<_> = slots
                    .iter()
                    .map(|(schema, value)| Slot {
                        path: vec![],
                        schema,
                        value: Some(value),
                    })
                    .collect();
                tree(&slots, *level, 0, key)
            }
            Self::Halves(left, right) => sha256(&[&[1], &left.hash(), &right.hash()]),
            Self::Object(depth, block) => sha256(&[&[3, *depth as u8], &block.hash()]),
            Self::List(depth, block) => sha256(&[&[4, *depth as u8], &block.hash()]),
        }
    }
}

/// An issuer who breaks rules at random.
struct Issuer<'r> {
    random: &'r mut Random,
    lies: Vec<Lie>,
}

impl Issuer<'_> {
    fn lies(&mut self, lie: Lie) -> bool {
        let lies = self.random.below(12) == 0;
        if lies {
            self.lies.push(lie);
        }
        lies
    }

    fn place(&mut self, schema: &Json, kind: char) -> Tree {
        let kind = match self.lies(Lie::OtherKind) {
            true if kind == 'O' => 'A',
            true => 'O',
            false => kind,
        };
        let names: Vec<_> = properties(schema)
            .into_iter()
            .map(|(_, node)| node)
            .collect();
        let size = self.random.below(5);
        let mut level = match kind {
            'O' => depth(&json!({}), &json!({}), names.len()),
            _ => depth(schema, &json!([]), size),
        };
        if self.lies(Lie::WrongDepth) {
            level = [level + 1, level.saturating_sub(1)][self.random.below(2)];
        }
        // Slots with a few faults: the schema of each slot, or `None` for a void.
        let mut slots: Vec<Option<Json>> = match kind {
            'O' => names
                .into_iter()
                .map(|node| (self.random.below(4) > 0).then_some(node))
                .collect(),
            _ => vec![Some(schema["items"].clone()); size],
        };
        slots.resize(slots.len().max(1 << level), None);
        slots.truncate(1 << level);
        let item = schema["items"].clone();
        if kind == 'A' && size > 1 && self.lies(Lie::VoidBetween) {
            slots[0] = None;
        }
        if kind == 'A' && slots.len() > size && self.lies(Lie::ItemAfterEnd) {
            *slots.last_mut().unwrap() = Some(item.clone());
        }
        if let Some(max) = max_items(schema)
            && kind == 'A'
            && slots.len() > max
            && self.lies(Lie::ItemPastMax)
        {
            slots[max] = Some(item);
        }
        if kind == 'O' && slots.len() > properties(schema).len() && self.lies(Lie::SlotPastSize) {
            *slots.last_mut().unwrap() = Some(json!({}));
        }
        let block = Box::new(self.block(&slots, level));
        match kind {
            'O' => Tree::Object(level, block),
            _ => Tree::List(level, block),
        }
    }

    fn block(&mut self, slots: &[Option<Json>], level: u32) -> Tree {
        let key = self.random.bytes();
        if level > 0 && self.lies(Lie::BlockOfOne) {
            return match self.random.below(2) {
                0 => Tree::Void(key),
                _ => Tree::Leaf(key, self.random.scalar()),
            };
        }
        if level > 0 && self.lies(Lie::PlaceAbove) {
            let block = Box::new(Tree::Leaf(key, self.random.scalar()));
            return [Tree::Object, Tree::List][self.random.below(2)](0, block);
        }
        if self.lies(Lie::HashAlone) {
            return Tree::Hash(key);
        }
        // Some blocks are honest, with all slots under one key.
        let there = slots
            .iter()
            .position(Option::is_none)
            .unwrap_or(slots.len());
        if self.random.below(4) == 0 && slots[there..].iter().all(Option::is_none) {
            let slots = slots[..there].iter().flatten();
            let value = |node: &Json| (node.clone(), self.random.value(node, false));
            return Tree::Whole(key, level, slots.map(value).collect());
        }
        if level > 0 {
            let (left, right) = slots.split_at(slots.len() / 2);
            let left = Box::new(self.block(left, level - 1));
            return Tree::Halves(left, Box::new(self.block(right, level - 1)));
        }
        let Some(node) = &slots[0] else {
            return Tree::Void(key);
        };
        self.slot(node, key)
    }

    fn slot(&mut self, node: &Json, key: Hash) -> Tree {
        if self.lies(Lie::SlotTwice) {
            let one = Tree::Leaf(key, json!("one"));
            let other = Tree::Leaf(self.random.bytes(), json!("other"));
            return Tree::Halves(Box::new(one), Box::new(other));
        }
        let kinds = [split(node, &json!({})), split(node, &json!([]))];
        let kinds: Vec<_> = kinds.into_iter().flatten().collect();
        if kinds.is_empty() {
            if self.lies(Lie::PlaceInLeaf) {
                return self.place(&json!({ "items": {}, "properties": { "a": {} } }), 'O');
            }
            return Tree::Leaf(key, self.random.scalar());
        }
        if self.lies(Lie::LeafOfPlace) {
            return Tree::Leaf(key, self.random.value(node, true));
        }
        let kind = *self.random.pick(&kinds);
        self.place(node, kind)
    }
}

/// Returns the slots of an object, in the order of their names.
fn properties(schema: &Json) -> Vec<(String, Json)> {
    let all = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
    all
}

/// Evidence for a part of a tree, built without following the rules.
struct View<'r> {
    random: &'r mut Random,
    /// One in `hides` blocks is hidden, on average.
    hides: usize,
    pairs: Vec<Pair>,
}

impl View<'_> {
    /// Returns the proof's block for a block of the tree. The block's slots belong to `place`.
    fn show(&mut self, tree: &Tree, place: &Place, level: u32, start: usize) -> Block {
        if !place.is_document && self.random.below(self.hides) == 0 {
            return Block::Hidden(tree.hash());
        }
        match tree {
            Tree::Hash(hash) => Block::Hidden(*hash),
            Tree::Void(key) => Block::Open(*key),
            Tree::Leaf(key, value) => {
                let (_, path) = place.slot(start);
                self.pairs.push((path, value.clone()));
                Block::Open(*key)
            }
            Tree::Whole(key, level, slots) => self.whole(key, *level, slots, place, start),
            Tree::Halves(left, right) => {
                let below = level.saturating_sub(1);
                let left = self.show(left, place, below, start);
                let right = self.show(right, place, below, start + (1 << below));
                Block::Halves(Box::new(left), Box::new(right))
            }
            Tree::Object(depth, block) => Block::Object(Box::new(self.show(
                block,
                &place.below(start, 'O'),
                *depth,
                0,
            ))),
            Tree::List(depth, block) => Block::List(
                *depth,
                Box::new(self.show(block, &place.below(start, 'A'), *depth, 0)),
            ),
        }
    }

    fn whole(
        &mut self,
        key: &Hash,
        level: u32,
        slots: &[(Json, Json)],
        place: &Place,
        start: usize,
    ) -> Block {
        if level == 0 || slots.is_empty() || self.random.below(2) == 0 {
            for (at, (_, value)) in slots.iter().enumerate() {
                self.pairs.push((place.slot(start + at).1, value.clone()));
            }
            return Block::Open(*key);
        }
        let size = 1 << (level - 1);
        let (left, right) = slots.split_at(slots.len().min(size));
        let [left_key, right_key] = halves(key);
        let half = |key, slots: &[(Json, Json)]| Tree::Whole(key, level - 1, slots.to_vec());
        let left = self.show(&half(left_key, left), place, level - 1, start);
        let right = self.show(&half(right_key, right), place, level - 1, start + size);
        Block::Halves(Box::new(left), Box::new(right))
    }
}

/// A place that has slots: an object or a list.
struct Place {
    schema: Json,
    kind: char,
    path: Vec<Json>,
    /// True if the only slot is the document itself.
    is_document: bool,
}

impl Place {
    /// Returns the schema and the path of a slot.
    fn slot(&self, slot: usize) -> (Json, Vec<Json>) {
        if self.is_document {
            return (self.schema.clone(), vec![]);
        }
        let names = properties(&self.schema);
        let (node, step) = match names.get(slot).filter(|_| self.kind == 'O') {
            Some((name, node)) => (node.clone(), json!(name)),
            None => (self.schema["items"].clone(), json!(slot)),
        };
        (node, [&self.path[..], &[step]].concat())
    }

    fn below(&self, slot: usize, kind: char) -> Self {
        let (schema, path) = self.slot(slot);
        Self {
            schema,
            kind,
            path,
            is_document: false,
        }
    }
}

/// Returns ways to show a tree: a proof and its pairs, a proof and the document that these pairs give, and a proof, its pairs and the
/// document.
fn claims(random: &mut Random, schema: &Json, root: &Tree) -> Vec<Claim> {
    let hides = *random.pick(&[2, 4, 8, 1000]);
    let mut view = View {
        random,
        hides,
        pairs: vec![],
    };
    let document = Place {
        schema: schema.clone(),
        kind: 'O',
        path: vec![],
        is_document: true,
    };
    let proof = view.show(root, &document, 0, 0).bytes();
    let pairs = view.pairs;
    let id = digits(&sha256(&[jcs(schema).as_bytes()]));
    let detached =
        json!({ "profile": "AIH-2", "schemaId": format!("0x{id}"), "proof": base64url(&proof) });
    let mut attached = detached.clone();
    attached["values"] = json!(pairs);
    let page = judge(schema, &proof, With::Pairs(&pairs)).and_then(|judged| judged.says.document);
    let claim = |evidence: &Json, document: &Option<Json>| Claim {
        evidence: evidence.clone(),
        document: document.clone(),
    };
    let mut claims = vec![claim(&attached, &None)];
    if page.is_some() {
        claims.extend([claim(&detached, &page), claim(&attached, &page)]);
    }
    claims
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn reports_of_one_imprint_never_contradict_each_other() {
    // For each broken rule, the number of accepted claims and of refused claims.
    let mut counts = BTreeMap::new();
    let mut compared = 0;
    for seed in 0..TREES {
        let mut random = Random::new(seed + 2_000_000);
        let schema = random.case().schema;
        let mut issuer = Issuer {
            random: &mut random,
            lies: vec![],
        };
        let root = issuer.place(&schema, 'O');
        let lies = issuer.lies;
        let id = sha256(&[jcs(&schema).as_bytes()]);
        let imprint = sha256(&[&[5], b"AIH-2", &id, &root.hash()]);
        let cert = cert(&schema);
        let mut reports: Vec<Report> = vec![];
        for _ in 0..VIEWS {
            for claim in claims(&mut random, &schema, &root) {
                let judged = std::panic::catch_unwind(|| agreed(&cert, &schema, &claim));
                let Ok(judged) = judged else {
                    panic!(
                        "seed {seed}\n{schema}\n{}\n{:?}",
                        claim.evidence, claim.document
                    );
                };
                let believed = judged.filter(|report| report.imprint == Some(imprint.into()));
                for lie in &lies {
                    let (yes, no) = counts.entry(*lie).or_insert((0, 0));
                    *[no, yes][usize::from(believed.is_some())] += 1;
                }
                reports.extend(believed);
            }
        }
        for (at, one) in reports.iter().enumerate() {
            for other in reports.iter().skip(at + 1) {
                compared += 1;
                let found = contradiction(one, other).or_else(|| contradiction(other, one));
                assert_eq!(found, None, "seed {seed}\n{schema}\n{one:?}\n{other:?}");
            }
        }
    }
    println!("{compared} pairs of reports");
    assert!(compared > 100_000);
    for lie in LIES {
        let (believed, refused) = counts[&lie];
        println!("{believed:>7} believed, {refused:>7} refused: {lie:?}");
        assert!(
            believed > 20 && refused > 20,
            "too few trees have the lie {lie:?}"
        );
    }
}
