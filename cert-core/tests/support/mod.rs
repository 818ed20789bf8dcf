//! Code that several test files share.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

pub(crate) mod model;
pub(crate) mod random;
pub(crate) mod schemes;

use cert_core::{Path, PathStep, Value};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Returns the cases of a file in `tests/vectors/cert` of the workspace.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let path = format!(
        "{}/../tests/vectors/cert/{file}",
        env!("CARGO_MANIFEST_DIR")
    );
    let value = Value::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    list(at(&value, "cases")).to_vec()
}

pub(crate) fn json(text: &str) -> Value {
    Value::parse(text).unwrap()
}

/// Reads JSON in which the string `∞` represents infinity, which JSON does not have.
pub(crate) fn json_with_infinities(text: &str) -> Value {
    fn of(value: &Value) -> Value {
        match value {
            Value::String(string) if string.as_str() == "∞" => f64::INFINITY.into(),
            Value::Array(items) => {
                let items = items.iter().map(of).collect::<Vec<_>>();
                items.try_into().map(Value::Array).unwrap()
            }
            Value::Object(object) => {
                let entries = object.iter().map(|(key, item)| (key.to_owned(), of(item)));
                let entries = entries.collect::<Vec<_>>();
                entries.try_into().map(Value::Object).unwrap()
            }
            other => other.clone(),
        }
    }
    of(&json(text))
}

pub(crate) fn at<'a>(value: &'a Value, key: &str) -> &'a Value {
    value
        .as_object()
        .unwrap()
        .get(key)
        .unwrap_or_else(|| panic!("no `{key}`"))
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    at(value, key).as_str().unwrap()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap().as_slice()
}

pub(crate) fn paths(value: &Value) -> Vec<Path> {
    let step = |step: &Value| match step {
        Value::String(key) => PathStep::from(key.as_str()),
        Value::Number(number) => PathStep::Index(number.as_str().parse().unwrap()),
        other => panic!("{other:?} is not a step of a path"),
    };
    list(value)
        .iter()
        .map(|path| list(path).iter().map(step).collect())
        .collect()
}

/// Returns proofs by their path, because the order of proofs has no meaning.
pub(crate) fn by_path(proofs: &Value) -> BTreeMap<String, Value> {
    list(proofs)
        .iter()
        .map(|proof| (at(proof, "path").to_json(), proof.clone()))
        .collect()
}

/// Asserts that a value that was written as JSON is read as an equal value.
pub(crate) fn assert_reads_back<T>(value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
}

pub(crate) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries: Vec<_> = entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    Value::Object(entries.try_into().unwrap())
}

pub(crate) fn array(items: Vec<Value>) -> Value {
    Value::Array(items.try_into().unwrap())
}
