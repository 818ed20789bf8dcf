//! The detached document: the part of a document that detached evidence proves.

use alloc::vec::Vec;

use crate::aih2::proof::{Open, Part};
use crate::aih2::shape::{Shape, Split};
use crate::aih2::source::Source;
use crate::aih2::wants::{Wanted, Wants};
use crate::json::path::Path;
use crate::json::value::{Array, Object, Value};

pub(super) fn expose(shape: &Shape, data: &Value, paths: &[Path]) -> Value {
    let parts = [Part::Open(Open {
        key: [0; 32],
        level: 0,
        start: 0,
        slots: Vec::from([Some((shape, data))]),
    })];
    let source = Source::new(&parts, shape);
    let mut wanted = Vec::with_capacity(paths.len());
    for path in paths {
        wanted.extend(source.resolve_one(path).ok());
    }
    part(shape, data, Wanted::new(wanted).root())
        .unwrap_or_else(|| Object::from_distinct(Vec::new()).into())
}

/// Returns the shown part of a value, if it has one.
fn part(shape: &Shape, value: &Value, wants: Wants<'_>) -> Option<Value> {
    if wants.all() {
        return Some(value.clone());
    }
    match shape.split(value)? {
        Split::Object(shape, object) => {
            let mut entries = Vec::new();
            for (key, value) in object.entries() {
                let Some(slot) = shape.slot(key) else {
                    continue;
                };
                let wants = wants.child(slot as u64);
                let below = shape.slots.get(slot).filter(|_| wants.any());
                if let Some(shown) = below.and_then(|(_, shape)| part(shape, value, wants)) {
                    entries.push((key.clone(), shown));
                }
            }
            Some(Object::from_distinct(entries).into())
        }
        Split::List(shape, items) => {
            let mut shown = Vec::new();
            for slot in wants.slots() {
                let Ok(index) = usize::try_from(slot) else {
                    continue;
                };
                let item = items.get(index);
                let Some(item) = item.and_then(|item| part(&shape.items, item, wants.child(slot)))
                else {
                    continue;
                };
                shown.resize(index, Value::Null);
                shown.push(item);
            }
            // Every path into an empty list leads to its end.
            (!shown.is_empty() || items.is_empty()).then(|| Array::from_bounded(shown).into())
        }
    }
}
