//! Hashes of open blocks: keys down, hashes up.
//!
//! Hashes of one level do not depend on each other, so up to [`LANES`] trees are gone through side by side, in windows of
//! 2^[`WINDOW`] slots, each of which is done level by level. Between windows a tree holds a key or a hash for each level, so that
//! memory grows with the depth of the document alone.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use sha256_lanes::LANES;

use crate::aih2::formula::{Batch, Hash, Kind, halves, node};
use crate::aih2::shape::{ObjectShape, Shape, Split};
use crate::aih2::window::{WINDOW, Window, hash_windows};
use crate::invariant::certain;
use crate::json::value::{Object, Value};
use crate::json::write;

/// A slot that is open.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub(super) key: Hash,
    /// The value and its shape; none for a void.
    pub(super) value: Option<(&'a Shape, &'a Value)>,
}

/// The slots of an object or list that are there.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Object(&'a ObjectShape, &'a Object),
    Items(&'a Shape, &'a [Value]),
    /// The slots of one block, of which the first has this number.
    Some(u64, &'a [Option<(&'a Shape, &'a Value)>]),
}

impl<'a> Members<'a> {
    /// The number of slots that are there.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Object(shape, _) => shape.size(),
            Self::Items(_, items) => items.len() as u64,
            Self::Some(first, slots) => first.saturating_add(slots.len() as u64),
        }
    }

    pub(super) fn get(&self, slot: u64) -> Option<(&'a Shape, &'a Value)> {
        let at = |slot: u64| usize::try_from(slot).ok();
        match self {
            Self::Object(shape, object) => {
                let index = at(slot)?;
                let (name, shape) = shape.slots.get(index)?;
                Some((shape, object.get_near(index, name)?))
            }
            Self::Items(shape, items) => Some((shape, items.get(at(slot)?)?)),
            Self::Some(first, slots) => *slots.get(at(slot.checked_sub(*first)?)?)?,
        }
    }
}

/// A block that is open.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) members: Members<'a>,
    pub(super) level: u8,
    /// The number of the block's first slot.
    pub(super) start: u64,
    pub(super) key: Hash,
}

/// The hash of one slot.
pub(super) fn slot(slot: Slot<'_>) -> Hash {
    one(&slots(&[slot]))
}

/// The hash of one block.
pub(super) fn tree(tree: Tree<'_>) -> Hash {
    one(&trees(&[tree]))
}

fn one(hashes: &[Hash]) -> Hash {
    *certain(hashes.first(), "each slot and each block has a hash")
}

/// The hashes of slots: leaves and voids at once, then objects and lists, side by side.
pub(super) fn slots(slots: &[Slot<'_>]) -> Vec<Hash> {
    let mut batch = Batch::default();
    let mut direct = Vec::with_capacity(slots.len());
    let mut places = Vec::new();
    let mut text = String::new();
    for (at, slot) in slots.iter().enumerate() {
        match slot.value {
            None => batch.void(&slot.key),
            Some((shape, value)) => {
                if let Some(split) = shape.split(value) {
                    places.push((at, place_of(split, slot.key)));
                    continue;
                }
                text.clear();
                write::canonical(&mut text, value);
                batch.leaf(&slot.key, &text);
            }
        }
        direct.push(at);
    }
    let mut hashes = vec![[0; 32]; slots.len()];
    let mut put = |at: usize, hash: &Hash| {
        *certain(hashes.get_mut(at), "places are numbers of slots") = *hash;
    };
    for (at, hash) in direct.iter().zip(batch.finish()) {
        put(*at, hash);
    }
    for places in places.chunks(LANES) {
        let mut blocks = Vec::with_capacity(LANES);
        for (_, (_, tree)) in places {
            blocks.push(*tree);
        }
        batch.clear();
        for ((_, (kind, tree)), block) in places.iter().zip(trees(&blocks)) {
            batch.place(*kind, tree.level, &block);
        }
        for ((at, _), hash) in places.iter().zip(batch.finish()) {
            put(*at, hash);
        }
    }
    hashes
}

/// The block of all slots of a value.
pub(super) fn place_of<'a>(split: Split<'a>, key: Hash) -> (Kind, Tree<'a>) {
    let (kind, members, level) = match split {
        Split::Object(shape, object) => (Kind::Object, Members::Object(shape, object), shape.depth),
        Split::List(shape, items) => (
            Kind::List,
            Members::Items(&shape.items, items),
            shape.depth(items.len() as u64),
        ),
    };
    let tree = Tree {
        members,
        level,
        start: 0,
        key,
    };
    (kind, tree)
}

/// The hashes of up to [`LANES`] blocks.
fn trees(trees: &[Tree<'_>]) -> Vec<Hash> {
    let mut walks = Vec::with_capacity(trees.len());
    for tree in trees {
        walks.push(Walk::new(tree));
    }
    let mut windows = Vec::with_capacity(trees.len());
    loop {
        windows.clear();
        for (number, walk) in walks.iter_mut().enumerate() {
            windows.extend(walk.next(number));
        }
        if windows.is_empty() {
            break;
        }
        hash_windows(&mut windows);
        for window in &windows {
            let walk = walks.get_mut(window.walk);
            certain(walk, "each window is of a walk").put(window.level, one(&window.hashes));
        }
    }
    let mut hashes = Vec::with_capacity(trees.len());
    for walk in &walks {
        let (_, hash) = certain(walk.done.first(), "a block has a hash");
        hashes.push(*hash);
    }
    hashes
}

/// A block that is gone through from its first slot to its last.
struct Walk<'a> {
    members: Members<'a>,
    /// The first slot of the next window.
    at: u64,
    /// The blocks to come, the next one last, with their levels.
    todo: Vec<(u8, Hash)>,
    /// The blocks that have a hash and wait for the one to the right, with their levels.
    done: Vec<(u8, Hash)>,
}

impl<'a> Walk<'a> {
    fn new(tree: &Tree<'a>) -> Self {
        Self {
            members: tree.members,
            at: tree.start,
            todo: Vec::from([(tree.level, tree.key)]),
            done: Vec::new(),
        }
    }

    fn next(&mut self, walk: usize) -> Option<Window<'a>> {
        let (mut level, mut key) = self.todo.pop()?;
        let count = self.members.size().saturating_sub(self.at);
        while level > WINDOW && count > 0 {
            let [left, right] = halves(&key);
            level = level.wrapping_sub(1);
            self.todo.push((level, right));
            key = left;
        }
        let start = self.at;
        self.at = start.saturating_add(block_size(level));
        Some(Window {
            walk,
            members: self.members,
            level,
            start,
            // A window that is not empty is one of few slots.
            count: usize::try_from(count.min(block_size(level))).unwrap_or(usize::MAX),
            hashes: Vec::from([key]),
            voids: [[0; 32]; WINDOW as usize],
        })
    }

    /// Takes the hash of a block of this level.
    fn put(&mut self, mut level: u8, mut hash: Hash) {
        while let Some((_, left)) = self.done.pop_if(|(before, _)| *before == level) {
            hash = node(&left, &hash);
            level = level.wrapping_add(1);
        }
        self.done.push((level, hash));
    }
}

/// The number of slots of a block, of which none is of a level above 32.
pub(super) fn block_size(level: u8) -> u64 {
    1_u64.checked_shl(level.into()).unwrap_or(u64::MAX)
}
