//! Serializes JSON with its keys in a readable order.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

/// Keys that come first, in this order, at every level. All others follow alphabetically.
const FIRST: [&str; 40] = [
    "openapi",
    "info",
    "servers",
    "operationId",
    "name",
    "in",
    "title",
    "version",
    "tags",
    "paths",
    "webhooks",
    "components",
    "summary",
    "$ref",
    "type",
    "format",
    "description",
    "license",
    "security",
    "parameters",
    "requestBody",
    "responses",
    "securitySchemes",
    "headers",
    "schemas",
    "required",
    "properties",
    "items",
    "uniqueItems",
    "anyOf",
    "const",
    "enum",
    "x-enum-descriptions",
    "schema",
    "style",
    "explode",
    "get",
    "post",
    "put",
    "delete",
];

/// Keys that come first in examples: the members of the envelope, and a record's `ref`.
const FIRST_OF_EXAMPLES: [&str; 7] = ["id", "ref", "status", "data", "meta", "errors", "hash"];

/// Serializes a document. Keys in `order`, such as paths, keep this order.
pub(super) fn text(value: &Value, order: &[String]) -> String {
    let first = &FIRST;
    let ordered = Ordered {
        value,
        first,
        order,
    };
    let mut text = serde_json::to_string_pretty(&ordered).unwrap_or_default();
    text.push('\n');
    text
}

struct Ordered<'a> {
    value: &'a Value,
    first: &'a [&'a str],
    order: &'a [String],
}

impl Ordered<'_> {
    fn within<'a>(&'a self, value: &'a Value) -> Ordered<'a> {
        Ordered { value, ..*self }
    }

    fn example<'a>(value: &'a Value) -> Ordered<'a> {
        Ordered {
            value,
            first: &FIRST_OF_EXAMPLES,
            order: &[],
        }
    }

    /// Returns the position of a key among its siblings.
    fn place(&self, key: &str) -> usize {
        let known = self.first.iter().copied();
        let all = known.chain(self.order.iter().map(String::as_str));
        all.clone()
            .position(|first| first == key)
            .unwrap_or_else(|| all.count())
    }
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Object(fields) => {
                let mut keys: Vec<&String> = fields.keys().collect();
                keys.sort_by_key(|key| self.place(key));
                let mut map = serializer.serialize_map(Some(keys.len()))?;
                for key in keys {
                    match (key.as_str(), fields.get(key)) {
                        ("properties", Some(Value::Object(properties))) => {
                            map.serialize_entry(key, &Properties(self, properties, fields))?;
                        }
                        ("example" | "examples", Some(value)) => {
                            map.serialize_entry(key, &Ordered::example(value))?;
                        }
                        (_, Some(value)) => map.serialize_entry(key, &self.within(value))?,
                        (_, None) => {}
                    }
                }
                map.end()
            }
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&self.within(item))?;
                }
                list.end()
            }
            scalar => scalar.serialize(serializer),
        }
    }
}

/// The properties of a schema, in the schema's order.
struct Properties<'a>(
    &'a Ordered<'a>,
    &'a Map<String, Value>,
    &'a Map<String, Value>,
);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(ordered, properties, schema) = self;
        serializer.collect_map(
            in_order(schema, properties)
                .into_iter()
                .map(|(name, value)| (name, ordered.within(value))),
        )
    }
}

/// Returns the properties of a schema: first the required properties, in the order of `required`, then the others. The order of
/// `required` is the order of the struct's fields.
pub(super) fn in_order<'a>(
    schema: &Map<String, Value>,
    properties: &'a Map<String, Value>,
) -> Vec<(&'a String, &'a Value)> {
    let required = schema.get("required").and_then(Value::as_array);
    let place = |name: &str| {
        let found = required.and_then(|all| all.iter().position(|one| one == name));
        found.unwrap_or(usize::MAX)
    };
    let mut found: Vec<_> = properties.iter().collect();
    found.sort_by_key(|(name, _)| place(name));
    found
}
