//! Walks along open values before anything is hashed. Counts the hashes that the values need, and reports findings about the values.

use alloc::vec::Vec;

use crate::aih2::findings::Findings;
use crate::aih2::message::refusal;
use crate::aih2::shape::{ObjectShape, Shape, Split};
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step};
use crate::json::value::{Object, Value};

/// The maximum number of hashes for a document or its evidence, including derived keys.
/// [`Cert::with_most_work`](crate::aih2::Cert::with_most_work) sets a lower limit.
pub const MAX_WORK: u64 = 1 << 22;

/// Walks along open values and counts hashes.
pub(super) struct Counter<'a> {
    /// The number of hashes so far.
    pub(super) work: u64,
    pub(super) path: Vec<Step<'a>>,
}

impl<'a> Counter<'a> {
    /// Starts with one hash, for the imprint.
    pub(super) fn new() -> Self {
        Self {
            work: 1,
            path: Vec::new(),
        }
    }

    /// Adds hashes and refuses more than [`MAX_WORK`].
    pub(super) fn add(&mut self, hashes: u64) -> Result<(), CertError> {
        self.work = self.work.saturating_add(hashes);
        if self.work > MAX_WORK {
            return Err(too_much_work("the operation takes more than 2^22 hashes"));
        }
        Ok(())
    }

    /// Counts an open slot and everything in it, and reports the findings.
    pub(super) fn slot(
        &mut self,
        shape: &'a Shape,
        value: Option<&'a Value>,
        findings: &mut dyn Findings,
    ) -> Result<(), CertError> {
        let Some(value) = value else {
            return self.add(1);
        };
        match shape.split(value) {
            None => {
                findings.leaf(&self.path, value);
                self.add(1)
            }
            Some(Split::Object(shape, object)) => {
                self.add(1)?;
                self.add(beside_slots(shape.depth, shape.size()))?;
                findings.object(&self.path, true);
                if self.properties(shape, object, findings)? < object.len() {
                    self.unknown(shape, object, findings)?;
                }
                Ok(())
            }
            Some(Split::List(shape, items)) => {
                let size = items.len() as u64;
                if shape.max.is_some_and(|max| size > max) {
                    return Err(list_too_long(&self.path));
                }
                self.add(1)?;
                self.add(beside_slots(shape.depth(size), size))?;
                findings.list(&self.path, size, Some(size), true);
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    self.slot(&shape.items, Some(item), findings)?;
                    self.path.pop();
                }
                Ok(())
            }
        }
    }

    /// Counts the properties of an object. Returns the number of schema properties that the object has.
    fn properties(
        &mut self,
        shape: &'a ObjectShape,
        object: &'a Object,
        findings: &mut dyn Findings,
    ) -> Result<usize, CertError> {
        let mut count = 0_usize;
        for (index, (name, property)) in shape.slots.iter().enumerate() {
            let value = object.get_near(index, name);
            self.path.push(Step::Key(name));
            match value {
                Some(_) => count = count.saturating_add(1),
                None => findings.absent(&self.path),
            }
            self.slot(property, value, findings)?;
            self.path.pop();
        }
        Ok(count)
    }

    /// Reports the keys of a shown object that the schema does not have.
    pub(super) fn unknown(
        &mut self,
        shape: &'a ObjectShape,
        object: &'a Object,
        findings: &mut dyn Findings,
    ) -> Result<(), CertError> {
        for (index, (key, _)) in object.iter().enumerate() {
            let near = shape.slots.get(index);
            if near.is_some_and(|(name, _)| *name == *key) || shape.slot(key).is_some() {
                continue;
            }
            self.path.push(Step::Key(key));
            findings.fault(ErrorCode::NotInSchema, &self.path)?;
            self.path.pop();
        }
        Ok(())
    }
}

/// Returns the number of hashes of an open block of this level with `slots` existing slots, without the hashes of the slots themselves. The
/// result counts a node and two keys for each split block, and the voids after the slots.
pub(super) fn beside_slots(level: u8, slots: u64) -> u64 {
    if slots == 0 {
        return 1;
    }
    let blocks = (1..=u32::from(level)).map(|level| match 1_u64.checked_shl(level) {
        Some(size) => slots.div_ceil(size),
        None => 1,
    });
    let splits = blocks.fold(0, u64::saturating_add);
    // A tree has one more leaf than it has splits. The leaves that are not slots are voids.
    let voids = splits.saturating_add(1).saturating_sub(slots);
    splits.saturating_mul(3).saturating_add(voids)
}

pub(super) fn too_much_work(message: &str) -> CertError {
    refusal(ErrorCode::TooMuchWork, Path::root(), message)
}

pub(super) fn list_too_long(path: &[Step<'_>]) -> CertError {
    refusal(
        ErrorCode::ListTooLong,
        Path::from(path),
        "the list has more items than its schema's `maxItems`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the hashes block by block.
    #[expect(clippy::arithmetic_side_effects, reason = "a test's own small numbers")]
    fn slow(level: u8, start: u64, slots: u64) -> u64 {
        match (start >= slots, level.checked_sub(1)) {
            (true, _) => 1,
            (false, None) => 0,
            (false, Some(below)) => {
                3 + slow(below, start, slots) + slow(below, start + (1 << below), slots)
            }
        }
    }

    #[test]
    fn beside_slots_agrees_with_a_walk() {
        for level in 0..7 {
            for slots in 0..=1_u64 << level {
                assert_eq!(
                    beside_slots(level, slots),
                    slow(level, 0, slots),
                    "{level} {slots}"
                );
            }
        }
        // A list of 3 items in a tree of 2^32 slots takes four hashes more for each additional level: a void, a node and two keys.
        assert_eq!(beside_slots(32, 3), slow(2, 0, 3) + 30 * 4);
    }
}
