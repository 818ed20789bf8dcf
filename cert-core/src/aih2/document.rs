//! Builds the document that attached evidence contains.

use alloc::vec::Vec;
use core::slice::Iter;

use crate::aih2::blocks::Blocks;
use crate::aih2::cert::Cert;
use crate::aih2::evidence::Evidence;
use crate::aih2::findings::Refusing;
use crate::aih2::proof::{OpenList, Part};
use crate::aih2::shape::Shape;
use crate::json::value::{Array, Object, Value};

/// The maximum number of `null` placeholders for hidden items in a document built from evidence. Without a bound, a kilobyte of evidence
/// that opens the last item of a list of 2^32 items would exhaust the memory.
pub const MAX_PLACEHOLDERS: usize = 1 << 16;

impl Cert {
    /// Returns the document that contains the values of the evidence. This document equals the result of [`Cert::expose`] for the opened
    /// places.
    ///
    /// The function computes no hashes: the document is proven only if [`Cert::verify`] reports the evidence as valid. Returns `None` for
    /// evidence without values, and for evidence whose proof does not fit the schema or the values. Also returns `None` if the evidence
    /// takes more than [`MAX_WORK`](crate::aih2::MAX_WORK) hashes, or if more than [`MAX_PLACEHOLDERS`] hidden items come before shown ones.
    #[must_use]
    pub fn document(&self, evidence: &Evidence) -> Option<Value> {
        evidence.values.as_ref()?;
        let connected = self.connect(None, evidence, &mut Refusing).ok()?;
        let mut reader = Reader {
            parts: connected.parts.iter(),
            placeholders: 0,
        };
        let document = reader.value(&self.shape);
        document.filter(|_| reader.placeholders <= MAX_PLACEHOLDERS)
    }
}

/// Reads values from the parts of a proof, in the order of the parts.
struct Reader<'p, 'a> {
    parts: Iter<'p, Part<'a>>,
    /// The number of placeholders so far. No more are created once it exceeds the maximum.
    placeholders: usize,
}

impl Reader<'_, '_> {
    /// Reads a slot that the next part opens. Returns the slot's value, or `None` if no part of the value is shown.
    fn value(&mut self, shape: &Shape) -> Option<Value> {
        match self.parts.next()? {
            // Only an open root reaches this arm, because `slots` handles every other open slot.
            Part::Open(open) => open.slots.first()?.map(|(_, value)| value.clone()),
            Part::Object { depth, .. } => {
                let slots = &shape.object.as_ref()?.slots;
                let mut entries = Vec::new();
                self.slots(*depth, &mut |reader, slot, value| {
                    if let Some((name, shape)) = slots.get(slot)
                        && let Some(value) = reader.open(shape, value)
                    {
                        entries.push((name.clone(), value));
                    }
                });
                Some(Object::from_distinct(entries).into())
            }
            Part::List(OpenList { depth, void, .. }) => {
                let list = shape.list.as_ref()?;
                let mut items = Vec::new();
                self.slots(*depth, &mut |reader, slot, value| {
                    if let Some(value) = reader.open(&list.items, value) {
                        while items.len() < slot && reader.placeholders <= MAX_PLACEHOLDERS {
                            reader.placeholders = reader.placeholders.saturating_add(1);
                            items.push(Value::Null);
                        }
                        items.push(value);
                    }
                });
                // An empty list is shown if its end is proven.
                let is_shown = !items.is_empty() || void.or(list.max) == Some(0);
                is_shown.then(|| Array::from_bounded(items).into())
            }
            Part::Hidden(_) | Part::Halves => None,
        }
    }

    /// Returns the value of an open slot, or reads it from the next parts.
    fn open(&mut self, shape: &Shape, value: Option<&Value>) -> Option<Value> {
        match value {
            Some(value) => Some(value.clone()),
            None => self.value(shape),
        }
    }

    /// Reads the block of all slots of an object or list. Passes each open slot to `take`. The value is `None` if the slot is open in part,
    /// because the next parts then contain the value.
    fn slots(&mut self, depth: u8, take: &mut dyn FnMut(&mut Self, usize, Option<&Value>)) {
        let mut blocks = Blocks::new(depth);
        while let Some(block) = blocks.next() {
            let start = usize::try_from(block.start).unwrap_or(usize::MAX);
            match self.parts.as_slice().first() {
                Some(Part::Object { .. } | Part::List(_)) => {
                    take(self, start, None);
                    continue;
                }
                Some(Part::Halves) => drop(blocks.halve(block)),
                Some(Part::Open(open)) => {
                    for (number, value) in open.slots.iter().enumerate() {
                        if let Some((_, value)) = value {
                            take(self, start.saturating_add(number), Some(value));
                        }
                    }
                }
                Some(Part::Hidden(_)) | None => {}
            }
            self.parts.next();
        }
    }
}
