//! The schema, compiled once to the parts of JSON Schema that certification needs.

mod ambiguity;
pub(crate) mod conventions;
pub(crate) mod identify;
pub(crate) mod paths;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::invariant::certain;
use crate::json::join::join;
use crate::json::number::Digits;
use crate::json::path::{Path, PathStep};
use crate::json::utf16;
use crate::json::value::{Object, Value};

/// The maximum nesting depth of objects and arrays in a schema, including the root.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// A part of the schema.
#[derive(Debug)]
pub(crate) enum Node {
    /// Anything that is neither of type `object` nor of type `array`. If the schema describes the value by a keyword that certification
    /// does not read, the leaf has this keyword, for error messages.
    Leaf(Option<&'static str>),
    /// `type: "object"`: a group of its properties.
    Object(ObjectNode),
    /// `type: "array"`: a group of the data's elements.
    List(ListNode),
}

impl Node {
    /// Returns true if the node has a position in its parent's group. An object has none if it has no properties, or only properties that
    /// have no position. Nodes without a position contribute nothing to a hash.
    pub(crate) fn has_position(&self) -> bool {
        match self {
            Self::Leaf(_) | Self::List(_) => true,
            Self::Object(object) => object.width() > 0,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&ObjectNode> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct ObjectNode {
    /// The members, ordered by the UTF-16 code units of their keys.
    members: Vec<Member>,
    /// The members that have a position, by their index in `members`.
    positions: Vec<usize>,
}

impl ObjectNode {
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the number of members that have a position.
    pub(crate) fn width(&self) -> usize {
        self.positions.len()
    }

    /// Returns the member at a position below `width`, and its index among all members.
    pub(crate) fn at(&self, position: usize) -> (usize, &Member) {
        let member = |index: &usize| Some((*index, self.members.get(*index)?));
        let member = self.positions.get(position).and_then(member);
        certain(member, "every position below `width` belongs to a member")
    }

    /// Returns the member with this key, or `None`. Tries the member at `index` first, because most objects are written in the order of
    /// their schema.
    pub(crate) fn member_near(&self, index: usize, key: &str) -> Option<&Member> {
        let near = self.members.get(index).filter(|near| near.key == key);
        near.or_else(|| self.member(key))
    }

    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        let found = self
            .members
            .binary_search_by(|m| utf16::compare(&m.key, key))
            .ok()?;
        self.members.get(found)
    }
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) node: Node,
    /// `None` if the member contributes nothing to a hash.
    pub(crate) position: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct ListNode {
    pub(crate) items: Box<Node>,
}

/// Compiles a schema. Its root must be of type `object`.
pub(crate) fn compile(schema: &Value) -> Result<ObjectNode, CertError> {
    let Node::Object(root) = node(schema, 1)? else {
        let message =
            "the root of a schema must be of type `object`, because an asset is a JSON object";
        return Err(CertError::new(
            ErrorCode::SchemaRootNotObject,
            Path::root(),
            with_unread(message, schema.as_object()),
        ));
    };
    ambiguity::check(&root)?;
    Ok(root)
}

/// The keywords that can describe an object or array, and that certification does not read. Each is quoted for error messages.
const UNREAD: [&str; 4] = ["`$ref`", "`allOf`", "`anyOf`", "`oneOf`"];

/// Returns the first keyword of a schema that can describe an object or array and is not read.
fn unread(schema: &Object) -> Option<&'static str> {
    let is_there = |keyword: &&str| schema.get(keyword.trim_matches('`')).is_some();
    UNREAD.into_iter().find(is_there)
}

/// Adds the keyword that the schema has instead to an error message.
pub(crate) fn with_unread(message: &str, schema: Option<&Object>) -> String {
    match schema.and_then(unread) {
        Some(unread) => join(&[message, "; certification does not read ", unread]),
        None => message.into(),
    }
}

fn node(schema: &Value, depth: usize) -> Result<Node, CertError> {
    let schema = match schema {
        Value::Object(schema) => schema,
        // The boolean schemas `true` and `false` do not state a type.
        Value::Bool(_) => return Ok(Node::Leaf(None)),
        other => {
            return Err(CertError::new(
                ErrorCode::SchemaInvalid,
                Path::root(),
                join(&["a schema must be a JSON object, not ", other.kind()]),
            ));
        }
    };
    let kind = schema.get("type").and_then(Value::as_str);
    if matches!(kind, Some("object" | "array")) && depth > MAX_SCHEMA_DEPTH {
        return Err(CertError::new(
            ErrorCode::SchemaTooDeep,
            Path::root(),
            join(&[
                "a schema may nest at most ",
                Digits::new(MAX_SCHEMA_DEPTH).as_str(),
                " objects and arrays",
            ]),
        ));
    }
    match kind {
        Some("object") => object(schema, depth).map(Node::Object),
        Some("array") => list(schema, depth).map(Node::List),
        Some(_) => Ok(Node::Leaf(None)),
        None if matches!(schema.get("type"), Some(Value::Array(_))) => {
            Ok(Node::Leaf(Some("a list of types")))
        }
        None => Ok(Node::Leaf(unread(schema))),
    }
}

fn object(schema: &Object, depth: usize) -> Result<ObjectNode, CertError> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Err(CertError::new(
            ErrorCode::SchemaPropertiesMissing,
            Path::root(),
            with_unread(
                "a schema of type `object` must list its `properties`, because only listed properties are certified",
                Some(schema),
            ),
        ));
    };
    let mut members = Vec::with_capacity(properties.len());
    let mut positions = Vec::new();
    for (index, (key, property)) in properties.by_utf16().into_iter().enumerate() {
        let node = node(property, depth.saturating_add(1)).map_err(|e| e.below(key.into()))?;
        let position = node.has_position().then_some(positions.len());
        if position.is_some() {
            positions.push(index);
        }
        members.push(Member {
            key: key.to_string(),
            node,
            position,
        });
    }
    Ok(ObjectNode { members, positions })
}

fn list(schema: &Object, depth: usize) -> Result<ListNode, CertError> {
    let items = match schema.get("items") {
        // A list of schemas, one for each position, has no type of its own.
        Some(Value::Array(_)) => Node::Leaf(Some("a list of `items`")),
        Some(items) => {
            node(items, depth.saturating_add(1)).map_err(|e| e.below(PathStep::Index(0)))?
        }
        None => {
            return Err(CertError::new(
                ErrorCode::SchemaItemsMissing,
                Path::root(),
                with_unread(
                    "a schema of type `array` must describe its `items`",
                    Some(schema),
                ),
            ));
        }
    };
    Ok(ListNode {
        items: Box::new(items),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn code(schema: &str) -> (ErrorCode, String) {
        let error = compile(&Value::parse(schema).unwrap()).unwrap_err();
        (error.code(), error.path().to_string())
    }

    #[test]
    fn schemas_that_cannot_certify_are_refused() {
        for (schema, expected, path) in [
            ("null", ErrorCode::SchemaInvalid, ""),
            ("[]", ErrorCode::SchemaInvalid, ""),
            ("true", ErrorCode::SchemaRootNotObject, ""),
            ("{}", ErrorCode::SchemaRootNotObject, ""),
            (r#"{"properties":{}}"#, ErrorCode::SchemaRootNotObject, ""),
            (
                r#"{"type":["object"],"properties":{}}"#,
                ErrorCode::SchemaRootNotObject,
                "",
            ),
            (
                r#"{"type":"array","items":{}}"#,
                ErrorCode::SchemaRootNotObject,
                "",
            ),
            (
                r#"{"type":"object"}"#,
                ErrorCode::SchemaPropertiesMissing,
                "",
            ),
            (
                r#"{"type":"object","properties":[]}"#,
                ErrorCode::SchemaPropertiesMissing,
                "",
            ),
            (
                r#"{"type":"object","properties":{"a":1}}"#,
                ErrorCode::SchemaInvalid,
                "a",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"array"}}}"#,
                ErrorCode::SchemaItemsMissing,
                "a",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}"#,
                ErrorCode::SchemaPropertiesMissing,
                "a[0]",
            ),
        ] {
            assert_eq!(code(schema), (expected, path.to_string()), "{schema}");
        }
    }

    #[test]
    fn errors_name_the_keyword_that_is_not_read() {
        for (schema, keyword) in [
            (r##"{"$ref":"#/$defs/a"}"##, "`$ref`"),
            (r#"{"type":"object","allOf":[]}"#, "`allOf`"),
            (
                r#"{"type":"object","properties":{"a":{"type":"array","oneOf":[]}}}"#,
                "`oneOf`",
            ),
        ] {
            let error = compile(&Value::parse(schema).unwrap()).unwrap_err();
            assert!(error.message().ends_with(keyword), "{error}");
        }
        for schema in ["{}", r#"{"type":"object"}"#, "[]"] {
            let error = compile(&Value::parse(schema).unwrap()).unwrap_err();
            assert!(!error.message().contains('$'), "{error}");
        }
    }

    #[test]
    fn schema_depth_is_limited() {
        let nested = |levels: usize| {
            let open = r#"{"type":"array","items":"#.repeat(levels);
            let close = "}".repeat(levels);
            format!(r#"{{"type":"object","properties":{{"a":{open}{{}}{close}}}}}"#)
        };
        assert!(compile(&Value::parse(&nested(MAX_SCHEMA_DEPTH - 1)).unwrap()).is_ok());
        assert_eq!(code(&nested(MAX_SCHEMA_DEPTH)).0, ErrorCode::SchemaTooDeep);
    }

    #[test]
    fn objects_without_properties_have_no_position() {
        let schema = r#"{"type":"object","properties":{
            "b":{}, "a":{"type":"object","properties":{"x":{"type":"object","properties":{}}}},
            "c":{"type":"array","items":{"type":"object","properties":{}}}, "ä":true
        }}"#;
        let root = compile(&Value::parse(schema).unwrap()).unwrap();
        let found: Vec<_> = root
            .members()
            .iter()
            .map(|m| (m.key.as_str(), m.position))
            .collect();
        assert_eq!(
            found,
            [("a", None), ("b", Some(0)), ("c", Some(1)), ("ä", Some(2))]
        );
        assert_eq!(root.width(), 3);
        assert!(root.member("ä").is_some() && root.member("z").is_none());
    }
}
