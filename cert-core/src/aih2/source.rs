//! The source of new evidence: a document and its key, or the parts that other evidence opens. Also resolves paths in the source.

use alloc::vec;
use alloc::vec::Vec;

use crate::aih2::proof::{OpenList, Part, Shaped};
use crate::aih2::shape::{ListShape, ObjectShape, Shape, Split};
use crate::aih2::tree::block_size;
use crate::aih2::wants::{END, Wanted};
use crate::error::{CertError, ErrorCode};
use crate::invariant::certain;
use crate::json::path::{Path, Step};
use crate::json::value::Value;

/// The parts of a proof. New evidence may open all of them or only some.
pub(super) struct Source<'p, 'a> {
    pub(super) parts: &'p [Part<'a>],
    /// For each part, the number of the first part after everything below it.
    ends: Vec<usize>,
    /// For each part, true if no object or list in it has a hidden slot.
    open: Vec<bool>,
    pub(super) shape: &'a Shape,
}

/// A place that a path leads to.
enum Place<'a> {
    /// An object or list that is open in part, by the number of its part.
    Part(usize, &'a Shape),
    /// A value that is open with everything in it.
    Value(&'a Shape, &'a Value),
    /// A place without a value: an absent property, the end of a list, or a place below one of these.
    Absent(&'a Shape),
}

/// The part of a proof at a slot.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Hidden,
    Part(usize),
    Value(Shaped<'a>),
    Void,
}

impl<'p, 'a> Source<'p, 'a> {
    pub(super) fn new(parts: &'p [Part<'a>], shape: &'a Shape) -> Self {
        const FULL: &str = "each part is followed by the parts below it";
        let (mut ends, mut open) = (vec![0; parts.len()], vec![false; parts.len()]);
        // For each block that is not yet part of another block: its end, and true if it is open. The first block is the last element.
        let mut blocks = Vec::new();
        for (at, part) in parts.iter().enumerate().rev() {
            let mut below = || certain(blocks.pop(), FULL);
            let (end, is_open) = match part {
                // A hidden block counts as open here, because it may have no slots. `complete` of its object or list tells whether slots
                // are hidden.
                Part::Hidden(_) | Part::Open(_) => (at.saturating_add(1), true),
                Part::Object { complete, .. } | Part::List(OpenList { complete, .. }) => {
                    let (end, is_open) = below();
                    (end, is_open && *complete)
                }
                Part::Halves => {
                    let (_, left_is_open) = below();
                    let (end, right_is_open) = below();
                    (end, left_is_open && right_is_open)
                }
            };
            *certain(ends.get_mut(at), "each part has an end") = end;
            *certain(open.get_mut(at), "each part has an open flag") = is_open;
            blocks.push((end, is_open));
        }
        Self {
            parts,
            ends,
            open,
            shape,
        }
    }

    pub(super) fn part(&self, number: usize) -> &'p Part<'a> {
        certain(self.parts.get(number), "part numbers are indexes of parts")
    }

    /// Returns the number of the first part after everything below this part.
    pub(super) fn end(&self, number: usize) -> usize {
        *certain(self.ends.get(number), "each part has an end")
    }

    /// Returns true if everything is open. In this case, the length of each list is known.
    fn is_whole(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Open(_)))
    }

    /// Returns the slots that the paths lead to. Each path is resolved independently.
    pub(super) fn resolve(&self, paths: &[Path]) -> Result<Wanted, CertError> {
        let mut wanted = Vec::with_capacity(paths.len());
        for path in paths {
            wanted.push(self.resolve_one(path)?);
        }
        if wanted.is_empty() {
            return Err(CertError::new(
                ErrorCode::NothingOpen,
                Path::root(),
                "there is no path, so no value would be open",
            ));
        }
        Ok(Wanted::new(wanted))
    }

    pub(super) fn resolve_one(&self, path: &Path) -> Result<Vec<u64>, CertError> {
        let mut slots = Vec::new();
        let mut place = match self.parts.first() {
            Some(Part::Open(open)) => match open.slots.first() {
                Some(Some((shape, value))) => Place::Value(shape, value),
                _ => Place::Absent(self.shape),
            },
            _ => Place::Part(0, self.shape),
        };
        for step in path.steps() {
            place = self
                .step(place, step.as_step(), &mut slots)
                .map_err(|(code, message)| CertError::new(code, path.clone(), message))?;
        }
        if let Place::Part(number, _) = place
            && self.open.get(number) != Some(&true)
        {
            return Err(CertError::new(
                ErrorCode::NotAvailable,
                path.clone(),
                HIDDEN,
            ));
        }
        Ok(slots)
    }

    fn step(
        &self,
        place: Place<'a>,
        step: Step<'_>,
        slots: &mut Vec<u64>,
    ) -> Result<Place<'a>, Refusal> {
        match place {
            Place::Absent(shape) => absent(shape, step),
            Place::Value(shape, value) => match shape.split(value) {
                None => Err(LEAF),
                Some(Split::Object(shape, object)) => {
                    let (slot, name, property) = property(shape, step)?;
                    slots.push(slot);
                    Ok(match object.get(name) {
                        Some(value) => Place::Value(property, value),
                        None => Place::Absent(property),
                    })
                }
                Some(Split::List(shape, items)) => {
                    let item = match item(step)? {
                        None => None,
                        Some(index) => match items.get(index) {
                            None if !self.is_whole() => {
                                return Err((ErrorCode::NotAvailable, HIDDEN));
                            }
                            item => item.map(|item| (index, item)),
                        },
                    };
                    slots.push(item.map_or(END, |(index, _)| index as u64));
                    Ok(match item {
                        Some((_, item)) => Place::Value(&shape.items, item),
                        None => Place::Absent(&shape.items),
                    })
                }
            },
            Place::Part(number, shape) => self.step_in_part(number, shape, step, slots),
        }
    }

    fn step_in_part(
        &self,
        number: usize,
        shape: &'a Shape,
        step: Step<'_>,
        slots: &mut Vec<u64>,
    ) -> Result<Place<'a>, Refusal> {
        let hidden = (ErrorCode::NotAvailable, HIDDEN);
        let (slot, below, is_item) = match self.part(number) {
            Part::List(_) => {
                let shape = list_of(shape);
                match item(step)? {
                    None => {
                        slots.push(END);
                        return Ok(Place::Absent(&shape.items));
                    }
                    Some(index) => (index as u64, &*shape.items, true),
                }
            }
            _ => {
                let (slot, _, property) = property(object_of(shape), step)?;
                (slot, property, false)
            }
        };
        slots.push(slot);
        match self.find(number, slot) {
            Found::Value((shape, value)) => Ok(Place::Value(shape, value)),
            Found::Part(part) => Ok(Place::Part(part, below)),
            Found::Void if !is_item => Ok(Place::Absent(below)),
            Found::Hidden | Found::Void => Err(hidden),
        }
    }

    /// Returns the content of a slot of an object or list that is open in part.
    pub(super) fn find(&self, place: usize, slot: u64) -> Found<'a> {
        let (mut at, mut start) = (place.saturating_add(1), 0_u64);
        let mut level = self.depth(place);
        if slot >= block_size(level) {
            return Found::Hidden;
        }
        loop {
            match self.part(at) {
                Part::Hidden(_) => return Found::Hidden,
                Part::Object { .. } | Part::List(_) => return Found::Part(at),
                Part::Open(open) => {
                    let index = usize::try_from(slot.saturating_sub(open.start)).ok();
                    let value = index.and_then(|index| *open.slots.get(index)?);
                    return value.map_or(Found::Void, Found::Value);
                }
                Part::Halves => {
                    level = level.saturating_sub(1);
                    at = at.saturating_add(1);
                    let right = start.saturating_add(block_size(level));
                    if slot >= right {
                        (at, start) = (self.end(at), right);
                    }
                }
            }
        }
    }

    /// Returns the open parts of an object or list, each with its first slot, in order. Parts of nested objects and lists are not
    /// included.
    pub(super) fn open_in(&self, place: usize) -> Vec<(usize, u64)> {
        let mut open = Vec::new();
        let mut blocks = Vec::from([(place.saturating_add(1), self.depth(place), 0_u64)]);
        while let Some((at, level, start)) = blocks.pop() {
            match self.part(at) {
                Part::Hidden(_) => {}
                Part::Halves => {
                    let level = level.saturating_sub(1);
                    let left = at.saturating_add(1);
                    let right = start.saturating_add(block_size(level));
                    blocks.push((self.end(left), level, right));
                    blocks.push((left, level, start));
                }
                _ => open.push((at, start)),
            }
        }
        open
    }

    /// Returns the level of the block of all slots of an object or list that is open in part.
    pub(super) fn depth(&self, place: usize) -> u8 {
        match self.part(place) {
            Part::Object { depth, .. } | Part::List(OpenList { depth, .. }) => *depth,
            _ => 0,
        }
    }
}

/// The code and the message for a refused path.
type Refusal = (ErrorCode, &'static str);

const HIDDEN: &str = "the evidence does not open the place of this path";
const LEAF: Refusal = (
    ErrorCode::PathNotSeparable,
    "the path leads into a value that is disclosed as a whole",
);

/// Returns a property of the schema: its slot, its name and its shape.
fn property<'a, 's>(
    shape: &'a ObjectShape,
    step: Step<'s>,
) -> Result<(u64, &'s str, &'a Shape), Refusal> {
    let Step::Key(name) = step else {
        return Err((
            ErrorCode::PathsInvalid,
            "an index leads into an object: name the property by its key",
        ));
    };
    let found = shape.slot(name).and_then(|slot| {
        let (_, property) = shape.slots.get(slot)?;
        Some((slot as u64, name, property))
    });
    found.ok_or((ErrorCode::NotInSchema, "the schema does not have this key"))
}

/// Returns the index of an item, or `None` for the end of the list.
fn item(step: Step<'_>) -> Result<Option<usize>, Refusal> {
    match step {
        Step::Index(index) => Ok(Some(index)),
        Step::Key("-") => Ok(None),
        Step::Key(_) => Err((
            ErrorCode::PathsInvalid,
            "a key leads into a list: name an item by its index, and the end of the list by `-`",
        )),
    }
}

/// Follows a step below an absent place. Only the schema decides whether the step is allowed.
fn absent<'a>(shape: &'a Shape, step: Step<'_>) -> Result<Place<'a>, Refusal> {
    let below = match (&shape.object, &shape.list) {
        (None, None) => return Err(LEAF),
        (Some(object), None) => property(object, step)?.2,
        (None, Some(list)) => item(step).map(|_| &*list.items)?,
        (Some(object), Some(list)) => match property(object, step) {
            Ok((_, _, property)) => property,
            Err(error) => item(step).map(|_| &*list.items).map_err(|_| error)?,
        },
    };
    Ok(Place::Absent(below))
}

pub(super) fn list_of(shape: &Shape) -> &ListShape {
    certain(
        shape.list.as_ref(),
        "a list is open where the schema splits lists",
    )
}

pub(super) fn object_of(shape: &Shape) -> &ObjectShape {
    certain(
        shape.object.as_ref(),
        "an object is open where the schema splits objects",
    )
}

/// Returns the number of a slot as an index, or `None` if `usize` cannot hold the number.
pub(super) fn index(slot: u64) -> Option<usize> {
    usize::try_from(slot).ok()
}
