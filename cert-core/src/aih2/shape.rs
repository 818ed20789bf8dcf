//! The shape that a schema gives to documents: which values are split into slots, and which are one leaf.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep};
use crate::json::str::Str;
use crate::json::utf16;
use crate::json::value::{Object, Value};

/// The greatest level of a schema node that is read; the root's is 1.
const MAX_LEVELS: usize = 64;

/// A node of the schema: values may be split as objects, as lists, as both or not at all.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) object: Option<ObjectShape>,
    pub(super) list: Option<ListShape>,
}

/// An object's slots, ordered by the UTF-16 code units of their names.
#[derive(Debug)]
pub(super) struct ObjectShape {
    pub(super) slots: Vec<(Str, Shape)>,
    pub(super) depth: u8,
}

#[derive(Debug)]
pub(super) struct ListShape {
    pub(super) items: Box<Shape>,
    /// The `maxItems` of the schema, if it is one that counts: at most 2^32 − 1.
    pub(super) max: Option<u64>,
}

/// A value that is split into slots.
#[derive(Clone, Copy, Debug)]
pub(super) enum Split<'a> {
    Object(&'a ObjectShape, &'a Object),
    List(&'a ListShape, &'a [Value]),
}

impl Shape {
    /// The slots of a value, unless it is one leaf.
    pub(super) fn split<'a>(&'a self, value: &'a Value) -> Option<Split<'a>> {
        match value {
            Value::Object(object) => Some(Split::Object(self.object.as_ref()?, object)),
            Value::Array(array) => Some(Split::List(self.list.as_ref()?, array.as_slice())),
            _ => None,
        }
    }
}

impl ObjectShape {
    pub(super) fn size(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The slot of a name.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        let by_name = |slot: &(Str, Shape)| utf16::compare(&slot.0, name);
        self.slots.binary_search_by(by_name).ok()
    }
}

impl ListShape {
    /// The depth of the tree of a list of so many items.
    pub(super) fn depth(&self, size: u64) -> u8 {
        depth(self.max.unwrap_or(size))
    }
}

/// 0 for a count of 0 or 1, else ⌈log2(count)⌉.
pub(super) fn depth(count: u64) -> u8 {
    let zeros = count.saturating_sub(1).leading_zeros();
    64_u32.saturating_sub(zeros).try_into().unwrap_or(u8::MAX)
}

/// Reads the shape of a schema, whose root has to split objects.
pub(super) fn compile(schema: &Value) -> Result<Shape, CertError> {
    if schema.as_object().is_none() {
        return Err(CertError::new(
            ErrorCode::SchemaInvalid,
            Path::root(),
            "a schema has to be a JSON object",
        ));
    }
    let shape = node(schema, 1)?;
    if shape.object.is_none() {
        return Err(CertError::new(
            ErrorCode::SchemaRootNotObject,
            Path::root(),
            "the root of a schema has to be of type `object`, with `properties`",
        ));
    }
    Ok(shape)
}

fn node(schema: &Value, level: usize) -> Result<Shape, CertError> {
    if level > MAX_LEVELS {
        return Err(CertError::new(
            ErrorCode::SchemaTooDeep,
            Path::root(),
            "a schema may have at most 64 levels of `properties` and `items`",
        ));
    }
    let Value::Object(schema) = schema else {
        return Ok(Shape::default());
    };
    let below = level.saturating_add(1);
    let mut shape = Shape::default();
    if has_type(schema, "object")
        && let Some(Value::Object(properties)) = schema.get("properties")
    {
        let mut slots = Vec::with_capacity(properties.len());
        for (name, property) in properties.by_utf16() {
            let node = node(property, below).map_err(|error| error.below(name.into()))?;
            slots.push((Str::from(name), node));
        }
        shape.object = Some(ObjectShape {
            depth: depth(slots.len() as u64),
            slots,
        });
    }
    if has_type(schema, "array")
        && let Some(items @ Value::Object(_)) = schema.get("items")
    {
        let items = node(items, below).map_err(|error| error.below(PathStep::Index(0)))?;
        shape.list = Some(ListShape {
            items: Box::new(items),
            max: schema.get("maxItems").and_then(max_items),
        });
    }
    Ok(shape)
}

/// Whether `type` is this name, or a list with it.
fn has_type(schema: &Object, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => *one == *name,
        Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(name)),
        _ => false,
    }
}

/// An integer from 0 to 2^32 − 1.
fn max_items(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else {
        return None;
    };
    let count: u32 = number.as_str().parse().ok()?;
    Some(count.into())
}
