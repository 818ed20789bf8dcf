//! Reads schemas as generators write them, with `anyOf`, `const`, `enum` and references inside the schema.

use serde_json::{Map, Value};

/// The maximum number of schemas that are examined for a value. Beyond it, a schema accepts every value.
const MAX_EXAMINED: usize = 256;
/// The maximum number of references and branches that are followed to an object or list.
const MAX_FOLLOWED: usize = 32;

/// The comparison of a value with a constant: by the whole value, or only by its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    Value,
    Type,
}

/// Returns true if a schema accepts a text, number or boolean. Reads only the keywords that decide about the type: `type`, `const`, `enum`, `anyOf`,
/// `oneOf`, `allOf` and `$ref`. The validation reads all keywords.
pub(crate) fn accepts(root: &Value, schema: &Value, value: &Value, fit: Fit) -> bool {
    let mut walk = Walk {
        root,
        value,
        fit,
        left: MAX_EXAMINED,
    };
    walk.accepts(schema)
}

struct Walk<'a> {
    root: &'a Value,
    value: &'a Value,
    fit: Fit,
    left: usize,
}

impl Walk<'_> {
    fn accepts(&mut self, schema: &Value) -> bool {
        let Some(left) = self.left.checked_sub(1) else {
            return true;
        };
        self.left = left;
        let node = match schema {
            Value::Object(node) => node,
            other => return *other != Value::Bool(false),
        };
        self.has_type(node)
            && node.get("const").is_none_or(|one| self.equals(one))
            && list(node, "enum").is_none_or(|all| all.iter().any(|one| self.equals(one)))
            && list(node, "anyOf").is_none_or(|all| all.iter().any(|one| self.accepts(one)))
            && list(node, "oneOf").is_none_or(|all| all.iter().any(|one| self.accepts(one)))
            && list(node, "allOf").is_none_or(|all| all.iter().all(|one| self.accepts(one)))
            && target(self.root, node).is_none_or(|target| self.accepts(target))
    }

    fn has_type(&self, node: &Map<String, Value>) -> bool {
        let types: Vec<&str> = match node.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
            Some(one) => one.as_str().into_iter().collect(),
            None => Vec::new(),
        };
        types.is_empty()
            || types.iter().any(|kind| match *kind {
                "string" => self.value.is_string(),
                "boolean" => self.value.is_boolean(),
                "number" => self.value.is_number(),
                "integer" => {
                    let number = self.value.as_f64();
                    number.is_some_and(|number| self.fit == Fit::Type || number.fract() == 0.0)
                }
                _ => false,
            })
    }

    fn equals(&self, constant: &Value) -> bool {
        match (self.value, constant) {
            (Value::String(one), Value::String(other)) => self.fit == Fit::Type || one == other,
            (Value::Bool(one), Value::Bool(other)) => self.fit == Fit::Type || one == other,
            (Value::Number(one), Value::Number(other)) => {
                self.fit == Fit::Type || one.as_f64() == other.as_f64()
            }
            _ => false,
        }
    }
}

/// Returns the schema of an object's members or a list's items: the schema itself, or the only one to which its references and branches lead.
/// A branch for `null` does not count. Returns the last schema on the way if it describes no object and no list.
pub(crate) fn structure<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..MAX_FOLLOWED {
        let Some(node) = at.as_object() else {
            return at;
        };
        if node.contains_key("properties") || node.contains_key("items") {
            return at;
        }
        let branch = || {
            ["allOf", "anyOf", "oneOf"].into_iter().find_map(|keyword| {
                let mut branches = list(node, keyword)?.iter().filter(|one| !is_null(one));
                branches.next().filter(|_| branches.next().is_none())
            })
        };
        let Some(next) = target(root, node).or_else(branch) else {
            return at;
        };
        at = next;
    }
    at
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
        || schema.get("const") == Some(&Value::Null)
}

fn list<'a>(node: &'a Map<String, Value>, keyword: &str) -> Option<&'a Vec<Value>> {
    node.get(keyword)?.as_array()
}

/// Returns the target of `$ref` if it is a JSON Pointer (RFC 6901) inside the schema.
fn target<'a>(root: &'a Value, node: &Map<String, Value>) -> Option<&'a Value> {
    root.pointer(node.get("$ref")?.as_str()?.strip_prefix('#')?)
}
