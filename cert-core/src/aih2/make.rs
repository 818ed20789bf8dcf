//! Makes the smallest evidence that proves the requested places.
//!
//! A request for the end of a list requests all slots after the list's last item. A block without requested slots is hidden. A block whose
//! slots are all requested is given by its key. Any other block is given by its halves, or as an object or list that is open in part.

use alloc::vec::Vec;

use crate::aih2::cert::Values;
use crate::aih2::formula::{Kind, halves};
use crate::aih2::hashing;
use crate::aih2::pairs::Pair;
use crate::aih2::proof::{self, Part, Token};
use crate::aih2::shape::{ObjectShape, Shape};
use crate::aih2::source::{Source, index, list_of, object_of};
use crate::aih2::tree::{Members, Tree, block_size, place_of};
use crate::aih2::wants::Wants;
use crate::invariant::certain;
use crate::json::path::{Path, Step};
use crate::json::value::Value;

/// The invariant that allows a lookup of each slot in an open block.
const THERE: &str = "a slot below the size of its block exists";

/// Writes a proof and the pairs for the opened values.
pub(super) struct Maker<'s, 'a> {
    pub(super) source: Source<'s, 'a>,
    pub(super) proof: Vec<u8>,
    pub(super) pairs: Option<Vec<Pair>>,
    path: Vec<Step<'s>>,
    /// The hidden blocks, and the positions in the proof where their hashes end. The hashes are computed together at the end.
    hidden: Vec<Tree<'s>>,
    hashes_end: Vec<usize>,
}

/// The steps that lead to the slots of a block.
#[derive(Clone, Copy)]
enum Names<'a> {
    Root,
    Properties(&'a ObjectShape),
    Items,
}

impl<'a> Names<'a> {
    fn step(self, slot: u64) -> Option<Step<'a>> {
        match self {
            Self::Root => None,
            Self::Properties(shape) => {
                let slot = index(slot).and_then(|slot| shape.slots.get(slot));
                slot.map(|(name, _)| Step::Key(name))
            }
            Self::Items => index(slot).map(Step::Index),
        }
    }
}

impl<'s, 'a> Maker<'s, 'a> {
    pub(super) fn new(source: Source<'s, 'a>, values: Values) -> Self {
        Self {
            source,
            proof: Vec::new(),
            pairs: (values == Values::Attach).then(Vec::new),
            path: Vec::new(),
            hidden: Vec::new(),
            hashes_end: Vec::new(),
        }
    }

    /// Writes the whole proof.
    pub(super) fn root(&mut self, wants: Wants<'_>) {
        match self.source.part(0) {
            Part::Open(open) if wants.all() => self.open(open.tree(), Names::Root),
            Part::Open(open) => self.slot(open.tree(), wants),
            _ => self.part(0, self.source.shape, Some(wants)),
        }
        for (end, hash) in self.hashes_end.iter().zip(hashing::trees(&self.hidden)) {
            let place = self.proof.get_mut(..*end).and_then(<[u8]>::last_chunk_mut);
            *certain(place, "a hidden block has room for its hash") = hash;
        }
    }

    /// Writes an object or list that is open in part. Without `wants`, everything in it is requested.
    fn part(&mut self, place: usize, shape: &'s Shape, wants: Option<Wants<'_>>) {
        let wants = wants.filter(|wants| !wants.all());
        let (names, void) = match self.source.part(place) {
            Part::List(list) => {
                Token::List(list.depth).write(&mut self.proof);
                (Names::Items, list.void)
            }
            _ => {
                Token::Object.write(&mut self.proof);
                (Names::Properties(object_of(shape)), None)
            }
        };
        let first = (place.saturating_add(1), self.source.depth(place), 0_u64);
        let mut blocks = Vec::from([first]);
        while let Some((at, level, start)) = blocks.pop() {
            let is_wanted = wants.is_none_or(|wants| is_wanted(wants, level, start, void));
            match self.source.part(at) {
                Part::Hidden(hash) => Token::Hidden(*hash).write(&mut self.proof),
                _ if !is_wanted => {
                    let parts = self.source.parts.get(at..self.source.end(at));
                    let parts = certain(parts, "the end of a part is at most the number of parts");
                    Token::Hidden(proof::hash(parts)).write(&mut self.proof);
                }
                Part::Open(open) => match wants {
                    None => self.open(open.tree(), names),
                    Some(wants) => self.block(open.tree(), names, wants),
                },
                Part::Halves => {
                    Token::Halves.write(&mut self.proof);
                    let level = level.saturating_sub(1);
                    let left = at.saturating_add(1);
                    let right = start.saturating_add(block_size(level));
                    blocks.push((self.source.end(left), level, right));
                    blocks.push((left, level, start));
                }
                Part::Object { .. } | Part::List(_) => {
                    let step = certain(names.step(start), THERE);
                    let below = match names {
                        Names::Properties(shape) => {
                            let property = index(start).and_then(|at| shape.slots.get(at));
                            &certain(property, THERE).1
                        }
                        _ => &*list_of(shape).items,
                    };
                    self.path.push(step);
                    self.part(at, below, wants.map(|wants| wants.child(start)));
                    self.path.pop();
                }
            }
        }
    }

    /// Writes an open block that is requested in part.
    fn block(&mut self, tree: Tree<'s>, names: Names<'s>, wants: Wants<'_>) {
        let is_list = matches!(names, Names::Items);
        let size = tree.members.size();
        let mut blocks = Vec::from([(tree.level, tree.start, tree.key)]);
        while let Some((level, start, key)) = blocks.pop() {
            let block = Tree {
                level,
                start,
                key,
                ..tree
            };
            let after = start.saturating_add(block_size(level));
            let void = (is_list && size < after).then_some(size.max(start));
            if !is_wanted(wants, level, start, void) {
                Token::Hidden([0; 32]).write(&mut self.proof);
                self.hidden.push(block);
                self.hashes_end.push(self.proof.len());
            } else if (void.is_none() || wants.end())
                && (start..after.min(size)).all(|slot| wants.child(slot).all())
            {
                self.open(block, names);
            } else if level == 0 {
                self.path.extend(names.step(start));
                self.slot(block, wants.child(start));
                self.path.pop();
            } else {
                Token::Halves.write(&mut self.proof);
                let [left, right] = halves(&key);
                let level = level.saturating_sub(1);
                blocks.push((level, start.saturating_add(block_size(level)), right));
                blocks.push((level, start, left));
            }
        }
    }

    /// Writes an open slot that is requested in part. Its value is split, because paths lead only into split values.
    fn slot(&mut self, slot: Tree<'s>, wants: Wants<'_>) {
        let split = slot
            .members
            .get(slot.start)
            .and_then(|(shape, value)| shape.split(value));
        let split = certain(split, "a path leads only into values with slots");
        let (kind, tree) = place_of(split, slot.key);
        match kind {
            Kind::Object => Token::Object.write(&mut self.proof),
            Kind::List => Token::List(tree.level).write(&mut self.proof),
        }
        let names = match tree.members {
            Members::Object(shape, _) => Names::Properties(shape),
            Members::Items(..) | Members::Some(..) => Names::Items,
        };
        self.block(tree, names, wants);
    }

    /// Writes a block that is requested as a whole.
    fn open(&mut self, tree: Tree<'s>, names: Names<'s>) {
        Token::Open(tree.key).write(&mut self.proof);
        let Some(pairs) = &mut self.pairs else {
            return;
        };
        let after = tree.start.saturating_add(block_size(tree.level));
        for slot in tree.start..after.min(tree.members.size()) {
            let Some((_, value)) = tree.members.get(slot) else {
                continue;
            };
            let mut path = Path::from(self.path.as_slice());
            if let Some(step) = names.step(slot) {
                path.push(step.to_owned());
            }
            let value = Value::clone(value);
            pairs.push(Pair { path, value });
        }
    }
}

/// Returns true if a part of a block is requested: a slot, or the end of a list. The end covers all slots from `void` on.
fn is_wanted(wants: Wants<'_>, level: u8, start: u64, void: Option<u64>) -> bool {
    let last = start.saturating_add(block_size(level).saturating_sub(1));
    wants.within(start, last).any() || wants.end() && void.is_some_and(|void| void <= last)
}
