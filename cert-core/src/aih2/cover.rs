//! Compares a document with evidence, and finds the evidence's statement about each value that the document shows.
//!
//! The walk follows the document, so each value of the document gets exactly one status. The walk compares values and computes no hashes.
//! Its findings therefore count only if the evidence has the right imprint.

use alloc::vec::Vec;
use core::ptr;

use crate::aih2::findings::Findings;
use crate::aih2::proof::{OpenList, Part};
use crate::aih2::report::Status;
use crate::aih2::shape::{ListShape, ObjectShape, Shape, Split};
use crate::aih2::source::{Found, Source, index};
use crate::error::{CertError, ErrorCode};
use crate::json::path::Step;
use crate::json::value::{Object, Value};

/// The state of a walk along a document.
struct Cover<'c, 'p, 'a> {
    source: Option<&'c Source<'p, 'a>>,
    /// The code for a place that the evidence opens but the document does not show.
    missing: ErrorCode,
    path: Vec<Step<'a>>,
    findings: &'c mut dyn Findings,
}

/// Reports the same status for each value of a document. Values under keys that the schema does not have get [`Status::NotInSchema`].
pub(super) fn all<'a>(
    shape: &'a Shape,
    document: &'a Value,
    status: Status,
    findings: &mut dyn Findings,
) {
    let mut cover = Cover {
        source: None,
        missing: ErrorCode::ValueMismatch,
        path: Vec::new(),
        findings,
    };
    cover.each(shape, document, status);
}

/// Compares a document with the parts that evidence opens. A document without faults equals the detached document of these parts.
///
/// `missing` is the code for an open place that the document does not show. If the evidence was connected to this document, only a list
/// that is proven empty can be such a place.
pub(super) fn cover<'a>(
    source: &Source<'_, 'a>,
    document: &'a Value,
    missing: ErrorCode,
    findings: &mut dyn Findings,
) -> Result<(), CertError> {
    let root = match source.part(0) {
        Part::Open(open) => match open.slots.first() {
            Some(Some(value)) => Found::Value(*value),
            _ => Found::Void,
        },
        _ => Found::Part(0),
    };
    let mut cover = Cover {
        source: Some(source),
        missing,
        path: Vec::new(),
        findings,
    };
    cover.place(source.shape, document, root)
}

impl<'a> Cover<'_, '_, 'a> {
    /// Compares a place with the value that the document shows there.
    fn place(
        &mut self,
        shape: &'a Shape,
        value: &'a Value,
        found: Found<'a>,
    ) -> Result<(), CertError> {
        let code = match (found, shape.split(value)) {
            (Found::Hidden, _) => ErrorCode::NotCovered,
            (Found::Void, _) => ErrorCode::ValueMismatch,
            (Found::Value((_, certified)), split) => {
                // Inside a proven value, the walk continues only for a report, which lists each value.
                if ptr::eq(value, certified) && !self.findings.wants_shown() {
                    return Ok(());
                }
                match (split, certified) {
                    (Some(Split::Object(shape, object)), Value::Object(_)) => {
                        return self.object(found, shape, object);
                    }
                    (Some(Split::List(shape, items)), Value::Array(certified)) => {
                        let count = certified.len() as u64;
                        return self.list(found, (Some(count), count), shape, items);
                    }
                    (None, _) if value == certified => {
                        self.shown(Status::Proven);
                        return Ok(());
                    }
                    _ => ErrorCode::ValueMismatch,
                }
            }
            (Found::Part(number), split) => match (self.list_at(number), split) {
                (None, Some(Split::Object(shape, object))) => {
                    return self.object(found, shape, object);
                }
                (Some(list), Some(Split::List(shape, items))) => {
                    return self.list(found, (list.shown, list.at_most), shape, items);
                }
                _ => ErrorCode::ValueMismatch,
            },
        };
        self.against(shape, value, code)
    }

    /// Returns the list at a part; `None` if the part is not a list.
    fn list_at(&self, number: usize) -> Option<&OpenList> {
        match self.source?.part(number) {
            Part::List(list) => Some(list),
            _ => None,
        }
    }

    /// Looks up a slot of an object or list in the evidence.
    fn within(&self, place: Found<'a>, slot: usize, step: Step<'a>) -> Found<'a> {
        let (shape, value) = match (place, self.source) {
            (Found::Part(number), Some(source)) => return source.find(number, slot as u64),
            (Found::Value((shape, Value::Object(object))), _) => match step {
                Step::Key(name) => (shape, object.get_near(slot, name)),
                Step::Index(_) => (shape, None),
            },
            (Found::Value((shape, Value::Array(items))), _) => (shape, items.get(slot)),
            _ => return place,
        };
        // Callers use only the value. They get the value's shape from the walk along the document.
        value.map_or(Found::Void, |value| Found::Value((shape, value)))
    }

    /// Compares an object of the document. The evidence opens the object as a whole or in part.
    fn object(
        &mut self,
        place: Found<'a>,
        shape: &'a ObjectShape,
        object: &'a Object,
    ) -> Result<(), CertError> {
        for (near, (key, value)) in object.entries().iter().enumerate() {
            self.path.push(Step::Key(key));
            match property(shape, near, key) {
                Some((slot, property)) => {
                    let found = self.within(place, slot, Step::Key(key));
                    self.place(property, value, found)?;
                }
                None => {
                    // If the value in the evidence has the key, too, the fault was already reported when the hashes of that value were
                    // counted.
                    let certified = match place {
                        Found::Value((_, certified)) => certified.as_object(),
                        _ => None,
                    };
                    if certified.is_none_or(|certified| certified.get(key).is_none()) {
                        self.fault(ErrorCode::NotInSchema)?;
                    }
                    self.shown(Status::NotInSchema);
                }
            }
            self.path.pop();
        }
        let mut is_whole = match place {
            Found::Value((_, Value::Object(certified))) => certified.is_empty(),
            _ => true,
        };
        let open = match (place, self.source) {
            (Found::Part(number), Some(source)) => source.open_in(number),
            _ => Vec::from([(0, 0)]),
        };
        for (part, start) in open {
            let count = match (place, self.source.map(|source| source.part(part))) {
                (Found::Part(_), Some(Part::Open(open))) => open.slots.len(),
                (Found::Part(_), _) => 1,
                _ => shape.slots.len(),
            };
            let from = index(start).unwrap_or(usize::MAX);
            let slots = shape.slots.iter().enumerate().skip(from).take(count);
            for (slot, (name, _)) in slots {
                if object.get_near(slot, name).is_some() {
                    continue;
                }
                let is_expected = match self.within(place, slot, Step::Key(name)) {
                    Found::Hidden | Found::Void => false,
                    Found::Value(_) => true,
                    Found::Part(number) => {
                        self.list_at(number).is_none_or(|list| list.shown.is_some())
                    }
                };
                if is_expected {
                    is_whole = false;
                    self.path.push(Step::Key(name));
                    self.fault(self.missing)?;
                    self.path.pop();
                }
            }
        }
        if object.is_empty() {
            self.empty(is_whole);
        }
        Ok(())
    }

    /// Compares a list of the document. The evidence opens the list as a whole or in part.
    ///
    /// `shown` is the number of items in the detached document, placeholders included; `None` if that document does not show the list. The
    /// list has at most `at_most` items.
    fn list(
        &mut self,
        place: Found<'a>,
        (shown, at_most): (Option<u64>, u64),
        shape: &'a ListShape,
        items: &'a [Value],
    ) -> Result<(), CertError> {
        let count = shown.unwrap_or(0);
        for (at, item) in items.iter().enumerate() {
            self.path.push(Step::Index(at));
            let is_after = at as u64 >= count;
            let found = match at as u64 >= at_most {
                true => Found::Void,
                false => self.within(place, at, Step::Index(at)),
            };
            let nested = match found {
                Found::Part(number) => self.list_at(number).map(|list| list.shown),
                _ => None,
            };
            match (item, found, nested) {
                // A `null` may be a placeholder, which is not a value. After the last item that shows a value, a `null` is not a
                // placeholder.
                (Value::Null, Found::Part(_), _) if is_after => {
                    self.against(&shape.items, item, ErrorCode::NotCovered)?;
                }
                (Value::Null, Found::Hidden, _) if !is_after => {}
                (Value::Null, _, Some(None)) => {}
                (Value::Null, _, Some(_)) => {
                    self.fault(self.missing)?;
                    self.shown(Status::Changed);
                }
                _ => self.place(&shape.items, item, found)?,
            }
            self.path.pop();
        }
        if (items.len() as u64) < count {
            self.fault(self.missing)?;
        }
        match (items.is_empty(), shown) {
            (true, Some(count)) => self.empty(count == 0),
            (true, None) => {
                self.fault(ErrorCode::NotCovered)?;
                self.shown(Status::NotCovered);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reports the status of an object or list that is empty in the document.
    fn empty(&mut self, is_proven: bool) {
        self.shown(match is_proven {
            true => Status::Proven,
            false => Status::Changed,
        });
    }

    /// Reports a value that the evidence does not prove, and everything in it.
    fn against(
        &mut self,
        shape: &'a Shape,
        value: &'a Value,
        code: ErrorCode,
    ) -> Result<(), CertError> {
        self.fault(code)?;
        let status = match code {
            ErrorCode::NotCovered => Status::NotCovered,
            _ => Status::Changed,
        };
        self.each(shape, value, status);
        Ok(())
    }

    fn each(&mut self, shape: &'a Shape, value: &'a Value, status: Status) {
        match shape.split(value) {
            Some(Split::Object(shape, object)) if !object.is_empty() => {
                for (near, (key, value)) in object.entries().iter().enumerate() {
                    self.path.push(Step::Key(key));
                    match property(shape, near, key) {
                        Some((_, property)) => self.each(property, value, status),
                        None => self.shown(Status::NotInSchema),
                    }
                    self.path.pop();
                }
            }
            Some(Split::List(shape, items)) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(at));
                    self.each(&shape.items, item, status);
                    self.path.pop();
                }
            }
            _ => self.shown(status),
        }
    }

    fn shown(&mut self, status: Status) {
        self.findings.shown(&self.path, status);
    }

    fn fault(&mut self, code: ErrorCode) -> Result<(), CertError> {
        self.findings.fault(code, &self.path)
    }
}

/// Returns the slot and the shape of a key; `None` if the schema does not have the key. Tries the slot `near` first, because documents
/// often follow the order of their schema.
fn property<'a>(shape: &'a ObjectShape, near: usize, key: &str) -> Option<(usize, &'a Shape)> {
    let slot = match shape.slots.get(near) {
        Some((name, _)) if *name == *key => near,
        _ => shape.slot(key)?,
    };
    shape.slots.get(slot).map(|(_, shape)| (slot, shape))
}
