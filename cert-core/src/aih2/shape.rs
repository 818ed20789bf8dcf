//! The shape of a schema. The shape decides which values of a document are split into slots and which are one leaf.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep};
use crate::json::str::Str;
use crate::json::utf16;
use crate::json::value::{Object, Value};
use crate::schema::with_unread;

/// The maximum level of a schema node. The root's level is 1.
const MAX_LEVELS: usize = 64;

/// A node of the schema. Its values may be split as objects, as lists, as both or not at all.
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
    /// The `maxItems` of the schema; `None` unless it is an integer from 0 to 2^32 − 1.
    pub(super) max: Option<u64>,
}

/// A value that is split into slots.
#[derive(Clone, Copy, Debug)]
pub(super) enum Split<'a> {
    Object(&'a ObjectShape, &'a Object),
    List(&'a ListShape, &'a [Value]),
}

impl Shape {
    /// Returns the slots of a value, or `None` if the value is one leaf.
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

    /// Returns the slot of a name, or `None` if the schema does not have this property.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        let by_name = |slot: &(Str, Shape)| utf16::compare(&slot.0, name);
        self.slots.binary_search_by(by_name).ok()
    }
}

impl ListShape {
    /// Returns the depth of the tree of a list with `size` items.
    pub(super) fn depth(&self, size: u64) -> u8 {
        depth(self.max.unwrap_or(size))
    }
}

/// Returns 0 for a count of 0 or 1, otherwise ⌈log2(count)⌉.
pub(super) fn depth(count: u64) -> u8 {
    let zeros = count.saturating_sub(1).leading_zeros();
    64_u32.saturating_sub(zeros).try_into().unwrap_or(u8::MAX)
}

/// Compiles a schema into its shape. The root must split objects.
pub(super) fn compile(schema: &Value) -> Result<Shape, CertError> {
    if schema.as_object().is_none() {
        return Err(CertError::new(
            ErrorCode::SchemaInvalid,
            Path::root(),
            "a schema must be a JSON object",
        ));
    }
    let shape = node(schema, 1)?;
    if shape.object.is_none() {
        return Err(CertError::new(
            ErrorCode::SchemaRootNotObject,
            Path::root(),
            with_unread(
                "the root of a schema must be of type `object` and have `properties`",
                schema.as_object(),
            ),
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

/// Returns true if `type` is this name or a list that contains it.
pub(super) fn has_type(schema: &Object, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => *one == *name,
        Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(name)),
        _ => false,
    }
}

/// Returns the value if it is an integer from 0 to 2^32 − 1, otherwise `None`.
fn max_items(value: &Value) -> Option<u64> {
    let Value::Number(number) = value else {
        return None;
    };
    let count: u32 = number.as_str().parse().ok()?;
    Some(count.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString as _;

    fn shape(schema: &str) -> Result<Shape, CertError> {
        compile(&Value::parse(schema).unwrap())
    }

    /// Returns the shape of a property with this schema.
    fn property(schema: &str) -> Shape {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#);
        let object = shape(&schema).unwrap().object.unwrap();
        object.slots.into_iter().next().unwrap().1
    }

    #[test]
    fn depth_is_the_logarithm_rounded_up() {
        let depths = [
            0,
            1,
            2,
            3,
            4,
            5,
            8,
            9,
            1 << 31,
            (1 << 31) + 1,
            (1 << 32) - 1,
        ];
        let expected = [0, 0, 1, 2, 2, 3, 3, 4, 31, 32, 32];
        assert_eq!(depths.map(depth), expected);
    }

    #[test]
    fn types_may_be_listed_and_other_keywords_change_nothing() {
        for (schema, object, list) in [
            (r#"{"type":"object","properties":{}}"#, true, false),
            (
                r#"{"type":["null","object"],"properties":{},"oneOf":[],"$ref":"\u0023"}"#,
                true,
                false,
            ),
            (r#"{"type":"object"}"#, false, false),
            (r#"{"type":"object","properties":[]}"#, false, false),
            (r#"{"properties":{}}"#, false, false),
            (r#"{"type":"array","items":{}}"#, false, true),
            (
                r#"{"type":["array"],"items":{},"prefixItems":[{}]}"#,
                false,
                true,
            ),
            (r#"{"type":"array","items":true}"#, false, false),
            (r#"{"type":"array","items":[{}]}"#, false, false),
            (
                r#"{"type":["array","object"],"items":{},"properties":{}}"#,
                true,
                true,
            ),
            (r#"{"type":{"object":1},"properties":{}}"#, false, false),
            ("true", false, false),
            ("7", false, false),
            ("null", false, false),
        ] {
            let shape = property(schema);
            assert_eq!(
                (shape.object.is_some(), shape.list.is_some()),
                (object, list),
                "{schema}"
            );
        }
    }

    #[test]
    fn max_items_counts_only_if_it_is_a_32_bit_integer() {
        for (max, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("5", Some(5)),
            ("5.0", Some(5)),
            ("4294967295", Some(4_294_967_295)),
            ("4294967296", None),
            ("-1", None),
            ("0.5", None),
            ("1e99", None),
            (r#""5""#, None),
            ("null", None),
        ] {
            let shape = property(&format!(
                r#"{{"type":"array","items":{{}},"maxItems":{max}}}"#
            ));
            assert_eq!(shape.list.unwrap().max, expected, "{max}");
        }
    }

    #[test]
    fn slots_are_ordered_by_code_units() {
        let schema = r#"{"type":"object","properties":{"！":{},"b":{},"😀":{},"":{},"a":{}}}"#;
        let object = shape(schema).unwrap().object.unwrap();
        let names: Vec<_> = object
            .slots
            .iter()
            .map(|(name, _)| name.to_string())
            .collect();
        assert_eq!(names, ["", "a", "b", "😀", "！"]);
        assert_eq!(object.depth, 3);
        for (slot, name) in names.iter().enumerate() {
            assert_eq!(object.slot(name), Some(slot));
        }
        assert_eq!(object.slot("c"), None);
    }

    #[test]
    fn schema_levels_are_bounded() {
        let nested = |levels: usize, last: &str| {
            let open = r#"{"type":"object","properties":{"a":"#.repeat(levels);
            format!("{open}{last}{}", "}}".repeat(levels))
        };
        for last in ["true", "{}", r#"{"type":"array","items":[[]]}"#] {
            assert!(shape(&nested(MAX_LEVELS - 1, last)).is_ok());
            let error = shape(&nested(MAX_LEVELS, last)).unwrap_err();
            assert_eq!(error.code(), ErrorCode::SchemaTooDeep);
            assert_eq!(error.path().steps().len(), MAX_LEVELS);
        }
        for (schema, code) in [
            ("[]", ErrorCode::SchemaInvalid),
            ("true", ErrorCode::SchemaInvalid),
            ("{}", ErrorCode::SchemaRootNotObject),
            (
                r#"{"type":"array","items":{}}"#,
                ErrorCode::SchemaRootNotObject,
            ),
        ] {
            assert_eq!(shape(schema).unwrap_err().code(), code, "{schema}");
        }
    }
}
