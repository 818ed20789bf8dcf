//! Finds the values that can be shown only as a whole, although the schema describes their content.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::aih2::shape::has_type;
use crate::json::path::{Path, PathStep};
use crate::json::pointer::unescaped;
use crate::json::value::{Object, Value};
use crate::schema::paths::Disclosable;

/// The maximum number of schemas that are examined. Beyond it, a value is listed without examination.
const MAX_EXAMINED: usize = 100_000;
/// The maximum number of references that are followed for a value. Beyond it, the value is listed without further examination.
const MAX_TARGETS: usize = 1000;

/// Returns the paths of the values that AIH-2 certifies as one leaf, although the schema describes their content. The schema describes
/// this content by a keyword that certification does not read, such as `$ref` or `anyOf`. Such a value can be shown only as a whole.
/// To show its parts one by one, write out `type` with `properties` or `items` in place of the keyword.
///
/// The index 0 represents every index of a list. References inside the schema are followed. Every other reference counts as a
/// description. The result has the bounds of [`Cert::paths`](crate::aih2::Cert::paths).
///
/// ```
/// use cert_core::Path;
/// use cert_core::aih2::{self, shown_whole};
///
/// let schema = aih2::parse(
///     r##"{ "type": "object", "properties": {
///         "name": { "$ref": "#/$defs/name" }, "born": { "anyOf": [{ "type": "integer" }, { "type": "null" }] }
///     }, "$defs": { "name": { "type": "object", "properties": { "first": {}, "last": {} } } } }"##,
/// )?;
/// assert_eq!(shown_whole(&schema), [Path::from(["name"])]);
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[must_use]
pub fn shown_whole(schema: &Value) -> Vec<Path> {
    let mut walk = Walk {
        root: schema,
        whole: Vec::new(),
        left: MAX_EXAMINED,
    };
    // The walk stops at the bound.
    let _ = walk.inside(&mut Disclosable::default(), schema);
    walk.whole
}

struct Walk<'a> {
    root: &'a Value,
    whole: Vec<Path>,
    left: usize,
}

impl<'a> Walk<'a> {
    /// Walks along the nodes that split, as the shape of the schema does.
    fn inside(&mut self, found: &mut Disclosable, schema: &'a Value) -> ControlFlow<()> {
        let Value::Object(node) = schema else {
            return ControlFlow::Continue(());
        };
        let properties = node.get("properties").and_then(Value::as_object);
        let properties = properties.filter(|_| has_type(node, "object"));
        let items = node
            .get("items")
            .filter(|items| items.as_object().is_some());
        let items = items.filter(|_| has_type(node, "array"));
        if properties.is_none() && items.is_none() && self.describes_content(schema) {
            self.whole.push(found.path());
        }
        for (name, property) in properties.into_iter().flat_map(Object::by_utf16) {
            found.add(PathStep::from(name), |found| self.inside(found, property))?;
        }
        match items {
            Some(items) => found.add(PathStep::Index(0), |found| self.inside(found, items)),
            None => ControlFlow::Continue(()),
        }
    }

    /// Returns true if a part of the schema may describe the members of an object or the items of a list. Each target of a reference is
    /// examined once, so references may form a cycle.
    fn describes_content(&mut self, schema: &'a Value) -> bool {
        let mut targets = Vec::new();
        let mut rest = Vec::from([schema]);
        while let Some(schema) = rest.pop() {
            let Some(left) = self.left.checked_sub(1) else {
                return true;
            };
            self.left = left;
            let Value::Object(node) = schema else {
                continue;
            };
            let is_list = |keyword| matches!(node.get(keyword), Some(Value::Array(_)));
            let is_object = |keyword| matches!(node.get(keyword), Some(Value::Object(_)));
            let is_there = |keyword| node.get(keyword).is_some();
            if is_object("properties")
                || is_object("items")
                || is_list("items")
                || is_list("prefixItems")
                || is_there("$dynamicRef")
                || is_there("$recursiveRef")
            {
                return true;
            }
            if let Some(reference) = node.get("$ref") {
                let reference = reference.as_str().unwrap_or_default();
                let Some(target) = target(self.root, reference) else {
                    return true;
                };
                if !targets.contains(&reference) {
                    if targets.len() >= MAX_TARGETS {
                        return true;
                    }
                    targets.push(reference);
                    rest.push(target);
                }
            }
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let parts = node.get(keyword).and_then(Value::as_array);
                rest.extend(parts.into_iter().flat_map(|parts| parts.as_slice()));
            }
            rest.extend(
                ["then", "else"]
                    .into_iter()
                    .filter_map(|keyword| node.get(keyword)),
            );
        }
        false
    }
}

/// Returns the target of a reference with a JSON Pointer (RFC 6901) inside the schema, or `None` for any other reference.
fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let steps = pointer.strip_prefix('/')?.split('/');
    steps.into_iter().try_fold(root, |value, step| match value {
        Value::Object(object) => object.get(&unescaped(step)),
        Value::Array(array) => array.as_slice().get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aih2::parse;
    use alloc::format;
    use alloc::string::{String, ToString};

    /// Returns the paths under a property `a` with this schema. `$defs` has these definitions.
    fn whole(property: &str, definitions: &str) -> Vec<String> {
        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{property},"z":{{"type":"string"}}}},"$defs":{definitions}}}"#
        );
        let paths = shown_whole(&parse(&schema).unwrap());
        paths.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn content_behind_unread_keywords_is_found() {
        let object = r#"{"type":"object","properties":{"x":{}}}"#;
        for (property, path) in [
            (r##"{"$ref":"#/$defs/o"}"##, "a"),
            (r##"{"$ref":"#"}"##, "a"),
            (r##"{"$ref":"#/$defs/u~1v/0"}"##, "a"),
            (r#"{"$ref":"https://uni.example/schema.json"}"#, "a"),
            (r##"{"$ref":"#name"}"##, "a"),
            (r##"{"$ref":"#/$defs/absent"}"##, "a"),
            (r##"{"anyOf":[{"type":"null"},{"$ref":"#/$defs/o"}]}"##, "a"),
            (r##"{"type":"object","allOf":[{"$ref":"#/$defs/o"}]}"##, "a"),
            (r#"{"properties":{"x":{}}}"#, "a"),
            (r#"{"type":"array","prefixItems":[{}]}"#, "a"),
            (r##"{"type":"array","items":{"$ref":"#/$defs/o"}}"##, "a[0]"),
            (r##"{"if":{},"else":{"$ref":"#/$defs/o"}}"##, "a"),
            (r##"{"$ref":"#/$defs/cycle"}"##, "a"),
        ] {
            let definitions = format!(
                r##"{{"o":{object},"u/v":[{object}],"cycle":{{"oneOf":[{{"$ref":"#/$defs/cycle"}},{object}]}}}}"##
            );
            assert_eq!(whole(property, &definitions), [path], "{property}");
        }
        for property in [
            "{}",
            "true",
            object,
            r#"{"type":["object","null"],"properties":{"x":{}}}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
            r##"{"$ref":"#/$defs/s"}"##,
            r##"{"$ref":"#/$defs/cycle"}"##,
            r#"{"enum":["a",{"properties":{}}]}"#,
        ] {
            let definitions =
                r##"{"s":{"type":"string"},"cycle":{"anyOf":[{"$ref":"#/$defs/cycle"}]}}"##;
            assert_eq!(whole(property, definitions), [""; 0], "{property}");
        }
    }

    #[test]
    fn a_value_with_more_references_than_the_bound_is_listed() {
        for (count, expected) in [(MAX_TARGETS, &[][..]), (MAX_TARGETS + 1, &["a"][..])] {
            let part = |at: usize| format!(r##"{{"$ref":"#/$defs/{at}"}}"##);
            let parts: Vec<String> = (0..count).map(part).collect();
            let definition = |at: usize| format!(r#""{at}":{{"type":"string"}}"#);
            let definitions: Vec<String> = (0..count).map(definition).collect();
            let property = format!(r#"{{"anyOf":[{}]}}"#, parts.join(","));
            let definitions = format!("{{{}}}", definitions.join(","));
            assert_eq!(whole(&property, &definitions), expected, "{count}");
        }
    }

    /// Each property refers to the whole list of definitions, so without the bound the work is the product of both numbers.
    #[test]
    fn examined_schemas_are_bounded() {
        let count = 2_000;
        let part = |name: &str, value: &str| {
            let one = |at: usize| format!(r#""{name}{at}":{value}"#);
            (0..count).map(one).collect::<Vec<_>>().join(",")
        };
        let parts = [r#"{"type":"string"}"#].repeat(count).join(",");
        let schema = format!(
            r##"{{"type":"object","properties":{{{}}},"$defs":{{"all":{{"anyOf":[{parts}]}}}}}}"##,
            part("p", r##"{"$ref":"#/$defs/all"}"##)
        );
        let schema = parse(&schema).unwrap();
        let mut walk = Walk {
            root: &schema,
            whole: Vec::new(),
            left: MAX_EXAMINED,
        };
        let _ = walk.inside(&mut Disclosable::default(), &schema);
        assert_eq!(walk.left, 0);
        // Properties beyond the bound are listed.
        assert!((1..count).contains(&walk.whole.len()));
    }
}
