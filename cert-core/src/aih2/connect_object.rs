//! Connects objects that are open in part: their properties and the shown values.

use alloc::vec::Vec;

use crate::aih2::blocks::{Block, Blocks, slots_of};
use crate::aih2::connect::{Connector, Shown};
use crate::aih2::proof::{Part, Shaped, Token};
use crate::aih2::shape::ObjectShape;
use crate::aih2::work::beside_slots;
use crate::error::CertError;
use crate::json::path::Step;
use crate::json::value::Value;

impl<'a> Connector<'a, '_> {
    pub(super) fn object(
        &mut self,
        shape: &'a ObjectShape,
        shown: Shown<'a>,
    ) -> Result<(), CertError> {
        let object = match shown {
            Shown::Value(Value::Object(object)) => Some(object),
            Shown::Pairs(_) => None,
            _ => return Err(self.mismatch("the evidence opens an object here")),
        };
        let number = self.parts.len();
        self.parts.push(Part::Object {
            depth: shape.depth,
            complete: false,
        });
        let mut hidden = Vec::new();
        let mut used = 0_usize;
        let mut blocks = Blocks::new(shape.depth);
        while let Some(block) = blocks.next() {
            match self.token()? {
                Token::Hidden(hash) => {
                    if block.is_whole() {
                        return Err(self.shape(
                            "the proof hides everything in an object that is open in part",
                        ));
                    }
                    self.hide(&mut blocks, block, hash)?;
                    hidden.push(block);
                }
                Token::Open(key) => {
                    let mut slots = Vec::new();
                    for (index, (name, property)) in slots_of(shape, block) {
                        let value = match shown {
                            Shown::Pairs(pairs) => self.pair(pairs, Step::Key(name), &mut used)?,
                            _ => object.and_then(|object| object.get_near(index, name)),
                        };
                        slots.push(value.map(|value| (property, value)));
                    }
                    self.open_properties(shape, block, &slots)?;
                    self.push_open(key, block.level, block.start, slots);
                }
                Token::Halves => {
                    self.halves(&mut blocks, block)?;
                }
                place => {
                    let slot = slots_of(shape, block).next().filter(|_| block.level == 0);
                    let (index, (name, property)) = slot.ok_or_else(|| {
                        self.shape("an object or list can only be open in a slot")
                    })?;
                    let below = match shown {
                        Shown::Pairs(pairs) => {
                            let below = pairs.child(Step::Key(name));
                            used = used.saturating_add(below.len());
                            Shown::Pairs(below)
                        }
                        _ => object
                            .and_then(|object| object.get_near(index, name))
                            .map_or(Shown::Nothing, Shown::Value),
                    };
                    self.counter.path.push(Step::Key(name));
                    self.place(place, property, below)?;
                    self.counter.path.pop();
                }
            }
        }
        self.require_used(shown, used)?;
        // A block after the last property only fills the tree and has no slots.
        let complete = hidden.iter().all(|block| block.start >= shape.size());
        if let Some(part) = self.parts.get_mut(number) {
            let depth = shape.depth;
            *part = Part::Object { depth, complete };
        }
        self.findings.object(&self.counter.path, complete);
        Ok(())
    }

    /// Opens properties and reports a finding for each.
    fn open_properties(
        &mut self,
        shape: &'a ObjectShape,
        block: Block,
        slots: &[Option<Shaped<'a>>],
    ) -> Result<(), CertError> {
        self.counter
            .add(beside_slots(block.level, slots.len() as u64))?;
        for ((_, (name, property)), slot) in slots_of(shape, block).zip(slots) {
            self.counter.path.push(Step::Key(name));
            let value = slot.map(|(_, value)| value);
            if value.is_none() {
                self.findings.absent(&self.counter.path);
            }
            self.counter.slot(property, value, self.findings)?;
            self.counter.path.pop();
        }
        Ok(())
    }
}
