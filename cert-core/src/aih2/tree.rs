//! Open blocks and their slots.

use crate::aih2::formula::{Hash, Kind, halves};
use crate::aih2::shape::{ObjectShape, Shape, Split};
use crate::json::value::{Object, Value};

/// An open slot.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub(super) key: Hash,
    /// The value and its shape; `None` for a void.
    pub(super) value: Option<(&'a Shape, &'a Value)>,
}

/// The existing slots of an object or list.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Object(&'a ObjectShape, &'a Object),
    Items(&'a Shape, &'a [Value]),
    /// The slots of one block, with the number of the first slot.
    Some(u64, &'a [Option<(&'a Shape, &'a Value)>]),
}

impl<'a> Members<'a> {
    /// Returns the number of slots up to the last existing one.
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

/// An open block.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) members: Members<'a>,
    pub(super) level: u8,
    /// The number of the block's first slot.
    pub(super) start: u64,
    pub(super) key: Hash,
}

impl Tree<'_> {
    /// Returns the number of the block's existing slots.
    pub(super) fn count(&self) -> u64 {
        let after = self.members.size().saturating_sub(self.start);
        after.min(block_size(self.level))
    }

    /// Returns the block's two halves.
    pub(super) fn halves(&self) -> [Self; 2] {
        let [left, right] = halves(&self.key);
        let level = self.level.saturating_sub(1);
        let middle = self.start.saturating_add(block_size(level));
        [(self.start, left), (middle, right)].map(|(start, key)| Self {
            level,
            start,
            key,
            ..*self
        })
    }
}

/// Returns the block of all slots of a value.
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

/// Returns the number of slots of a block. No block has a level above 32.
pub(super) fn block_size(level: u8) -> u64 {
    1_u64.checked_shl(level.into()).unwrap_or(u64::MAX)
}
