//! The id of a schema (`docs/interface.md`, Asset certificate: "the string `0x` followed by
//! the hex SHA-256 hash of the JSON-serialized schema").

use alloc::string::String;
use alloc::vec::Vec;

use crate::hash::sha256::sha256;
use crate::json::join::join;
use crate::json::sort;
use crate::json::str::Str;
use crate::json::utf16;
use crate::json::value::{Array, Object, Value};
use crate::json::write;

/// Returns the id of a schema exactly as `JSON.stringify` writes it. The order of keys matters.
///
/// ```
/// use cert_core::{Value, convention, identify, identify_sorted};
///
/// let one = Value::parse(r#"{ "type": "object", "properties": {} }"#)?;
/// let other = Value::parse(r#"{ "properties": {}, "type": "object" }"#)?;
/// assert_ne!(identify(&one), identify(&other));
/// assert_eq!(identify_sorted(&one), identify_sorted(&other));
/// // Convention 88, a digital collectible, is known by its id.
/// assert!(convention("0xa8b28cb4542f28ab17dca323aa53eb55aeac2635000848f4d6b36c28427da463").is_some());
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[must_use]
pub fn identify(schema: &Value) -> String {
    identify_text(&schema.to_json())
}

/// Returns the id of the schema with this JSON text. The text must be exactly as `JSON.stringify` writes it.
#[must_use]
pub fn identify_text(schema: &str) -> String {
    join(&["0x", sha256(schema).as_str()])
}

/// Returns the id of a schema after its keys and array items are sorted as JavaScript's `sort()` does. Objects in an array keep their order
/// among each other. The content of objects and arrays inside an array is not sorted.
#[must_use]
pub fn identify_sorted(schema: &Value) -> String {
    identify(&sorted(schema))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries = Vec::with_capacity(object.len());
            for (key, value) in object.by_utf16() {
                entries.push((Str::from(key), sorted(value)));
            }
            Object::from_distinct(entries).into()
        }
        Value::Array(array) => {
            let mut texts = Vec::with_capacity(array.len());
            for item in array {
                let mut out = String::new();
                text(&mut out, item);
                texts.push(out);
            }
            let mut items = Vec::with_capacity(array.len());
            for (text, item) in texts.iter().zip(array) {
                items.push((text.as_str(), item));
            }
            let by_text = |one: &(&str, _), other: &(&str, _)| utf16::compare(one.0, other.0);
            let mut sorted = Vec::with_capacity(items.len());
            for (_, item) in sort::items(&items, &by_text) {
                sorted.push(item.clone());
            }
            Array::from_bounded(sorted).into()
        }
        scalar => scalar.clone(),
    }
}

/// ECMA-262, ToString: appends the text that `Array.prototype.sort` compares.
fn text(out: &mut String, value: &Value) {
    match value {
        Value::Null | Value::Bool(_) => write::value(out, value),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(string) => out.push_str(string),
        Value::Object(_) => out.push_str("[object Object]"),
        // Array.prototype.join writes null items as empty strings.
        Value::Array(array) => {
            for (index, item) in array.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                if !matches!(item, Value::Null) {
                    text(out, item);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_items_are_sorted_as_in_javascript() {
        // Node: [10, 9, null, "b", [2, null], {}, true, 1e21, "😀", "\uff01"].sort()
        let array =
            Value::parse(r#"[10,9,null,"b",[2,null],{"z":1,"a":2},true,1e21,"😀","！"]"#).unwrap();
        let expected = r#"[10,1e+21,[2,null],9,{"z":1,"a":2},"b",null,true,"😀","！"]"#;
        assert_eq!(sorted(&array).to_json(), expected);
        let object = Value::parse(r#"{"b":{"d":1,"c":[2,1]},"a":null}"#).unwrap();
        assert_eq!(
            sorted(&object).to_json(),
            r#"{"a":null,"b":{"c":[1,2],"d":1}}"#
        );
    }

    #[test]
    fn key_order_changes_only_the_literal_id() {
        let one = Value::parse(r#"{"a":1,"b":2}"#).unwrap();
        let other = Value::parse(r#"{"b":2,"a":1}"#).unwrap();
        assert_ne!(identify(&one), identify(&other));
        assert_eq!(identify_sorted(&one), identify_sorted(&other));
        assert_eq!(identify(&one), identify_sorted(&other));
        assert_eq!(identify(&one).len(), 66);
    }
}
