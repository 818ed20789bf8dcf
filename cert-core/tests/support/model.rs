//! The slow, obvious way: what an imprint is, and what a document may claim under one.

use cert_core::Value;
use sha2::{Digest as _, Sha256};

use super::random::{items, kind, properties};

fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The imprint of a whole document.
pub(crate) fn imprint(schema: &Value, data: &Value) -> String {
    group(&members(schema, Some(data), &[]), &[])
}

enum Member {
    Leaf(String),
    Group(Vec<Member>, Vec<String>),
}

/// The members of a group in their order.
fn members(schema: &Value, data: Option<&Value>, path: &[String]) -> Vec<Member> {
    let below = |step: &str| [path, &[step.to_owned()]].concat();
    if kind(schema) == "object" {
        let mut keys: Vec<&str> = properties(schema).map(|(key, _)| key).collect();
        keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<u16>>());
        let found = keys.into_iter().filter_map(|key| {
            let schema = properties(schema)
                .find(|(known, _)| *known == key)
                .unwrap()
                .1;
            member(
                schema,
                data.and_then(|data| data.as_object()?.get(key)),
                &below(key),
            )
        });
        found.collect()
    } else {
        let mut all: Vec<(String, &Value)> = match data.and_then(Value::as_array) {
            Some(array) => array
                .iter()
                .enumerate()
                .map(|(i, v)| (i.to_string(), v))
                .collect(),
            None => vec![],
        };
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all.iter()
            .filter_map(|(index, v)| member(items(schema), Some(v), &below(index)))
            .collect()
    }
}

fn member(schema: &Value, data: Option<&Value>, path: &[String]) -> Option<Member> {
    match kind(schema) {
        "object" => {
            let members = members(schema, data, path);
            (!members.is_empty()).then(|| Member::Group(members, path.to_vec()))
        }
        "array" => {
            let members = members(schema, data, path);
            Some(match members.is_empty() {
                true => Member::Leaf(String::new()),
                false => Member::Group(members, path.to_vec()),
            })
        }
        _ => Some(Member::Leaf(text(data))),
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(string)) => string.clone(),
        Some(other) => other.to_json(),
    }
}

fn group(members: &[Member], path: &[String]) -> String {
    let nonce = |at: usize| sha256(&[path, &[at.to_string()]].concat().join("."));
    let mut node = sha256(&nonce(members.len()));
    for (at, member) in members.iter().enumerate().rev() {
        let value = match member {
            Member::Leaf(text) => sha256(text),
            Member::Group(members, path) => sha256(&group(members, path)),
        };
        let leaf = sha256(&(value + &nonce(at)));
        node = sha256(&(leaf + &node));
    }
    node
}

/// Whether everything that a document states is so in the certified one. Types are not compared: a
/// certificate cannot tell `1` from `"1"`.
pub(crate) fn is_part_of(schema: &Value, claim: &Value, truth: Option<&Value>) -> bool {
    match (kind(schema), claim) {
        ("object", Value::Object(claim)) => claim.iter().all(|(key, value)| {
            let schema = properties(schema).find(|(known, _)| *known == key);
            let truth = truth.and_then(|truth| truth.as_object()?.get(key));
            schema.is_none_or(|(_, schema)| is_part_of(schema, value, truth))
        }),
        // Everything described in it is absent; that is what its imprint says, too.
        ("object", Value::Null) => {
            let nothing = members(schema, None, &[]);
            group(&nothing, &[]) == group(&members(schema, truth, &[]), &[])
        }
        ("array", Value::Array(claim)) => {
            let truth = truth.and_then(Value::as_array);
            if claim.is_empty() || member(items(schema), None, &[]).is_none() {
                return member(items(schema), None, &[]).is_none()
                    || truth.is_none_or(|truth| truth.is_empty());
            }
            claim.iter().enumerate().all(|(index, value)| {
                let item = truth.and_then(|truth| truth.get(index));
                // What only contains other statements does not itself say that the item exists.
                let contains = match value {
                    Value::Object(_) => true,
                    Value::Array(inner) => !inner.is_empty(),
                    _ => false,
                };
                *value == Value::Null
                    || (contains || item.is_some()) && is_part_of(items(schema), value, item)
            })
        }
        ("array", Value::Null) => truth.is_none_or(|t| t.as_array().is_none_or(|t| t.is_empty())),
        ("object" | "array", _) | (_, Value::Object(_) | Value::Array(_)) => false,
        (_, scalar) => text(Some(scalar)) == text(truth),
    }
}
