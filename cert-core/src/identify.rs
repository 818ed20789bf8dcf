//! The id of a schema (the interface specification, Asset certificate: "the string `0x` followed by
//! the hex SHA-256 hash of the JSON-serialized schema").

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::hash::sha256;
use crate::sort;
use crate::utf16;
use crate::value::{Array, Object, Value};

/// The id of a schema exactly as `JSON.stringify` writes it: the order of keys counts.
#[must_use]
pub fn identify(schema: &Value) -> String {
    format!("0x{}", sha256(&schema.to_json()).as_str())
}

/// The id of a schema whose keys, and the items of whose arrays, have been sorted first, so that
/// their order makes no difference. Objects in arrays are left as they are.
#[must_use]
pub fn identify_sorted(schema: &Value) -> String {
    identify(&sorted(schema))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let entries: Vec<_> = object
                .iter()
                .map(|(key, value)| (key.to_string(), sorted(value)))
                .collect();
            let entries = sort::items(entries, |(left, _), (right, _)| utf16::compare(left, right));
            Object::from_distinct(entries).into()
        }
        Value::Array(array) => {
            let items: Vec<_> = array.iter().map(|item| (text(item), item)).collect();
            let items = sort::items(items, |(left, _), (right, _)| utf16::compare(left, right));
            Array::from_bounded(items.into_iter().map(|(_, item)| item.clone()).collect()).into()
        }
        scalar => scalar.clone(),
    }
}

/// ECMA-262, ToString: what `Array.prototype.sort` compares.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "null".into(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Number(number) => number.as_str().into(),
        Value::String(string) => string.as_str().into(),
        Value::Object(_) => "[object Object]".into(),
        // Array.prototype.join: null items are empty.
        Value::Array(array) => {
            let items = array.iter().map(|item| match item {
                Value::Null => "".into(),
                item => text(item),
            });
            items.collect::<Vec<Cow<'_, str>>>().join(",").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_javascript_does() {
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
    fn order_of_keys_counts_only_literally() {
        let one = Value::parse(r#"{"a":1,"b":2}"#).unwrap();
        let other = Value::parse(r#"{"b":2,"a":1}"#).unwrap();
        assert_ne!(identify(&one), identify(&other));
        assert_eq!(identify_sorted(&one), identify_sorted(&other));
        assert_eq!(identify(&one), identify_sorted(&other));
        assert_eq!(identify(&one).len(), 66);
    }
}
