//! A slow, simple model of imprints, and of the documents that are true under an imprint.

use std::collections::BTreeMap;

use cert_core::Value;
use sha2::{Digest as _, Sha256};

use super::random::{items, kind, properties};

pub(crate) fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Returns bytes as hexadecimal text. Does not use `format!`, because a run of forgeries calls this function millions of times.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Returns the imprint of a whole document.
pub(crate) fn imprint(schema: &Value, data: &Value) -> String {
    group(&members(schema, Some(data), &[]), &[])
}

enum Member {
    Leaf(String),
    Group(Vec<Member>, Vec<String>),
}

/// Returns the members of a group in their order.
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
        Some(Value::String(string)) => string.to_string(),
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

/// The rules for comparing two statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standard {
    /// True if `1` and `"1"`, or an absent value and `""`, are different statements. Their hashes are equal, but unchanged evidence
    /// distinguishes them.
    pub(crate) types: bool,
    /// The lengths at which tampered evidence closes lists, by the JSON text of their paths. In lists of more than ten items, a proof
    /// proves positions in text order only. The index of an item then depends on the length.
    pub(crate) lengths: BTreeMap<String, usize>,
}

/// Returns true if the certified document also makes every statement of this document, as far as a certificate can show.
pub(crate) fn is_part_of(schema: &Value, claim: &Value, truth: Option<&Value>) -> bool {
    Standard::default().holds(schema, claim, truth, &mut Vec::new())
}

impl Standard {
    /// Returns true if the certified value also makes every statement of this value. `path` is the path of both values.
    pub(crate) fn holds(
        &self,
        schema: &Value,
        claim: &Value,
        truth: Option<&Value>,
        path: &mut Vec<String>,
    ) -> bool {
        let truth_of_kind = |kind: &str| match (kind, truth) {
            ("object", Some(Value::Object(_))) | ("array", Some(Value::Array(_))) => truth,
            _ => None,
        };
        match (kind(schema), claim) {
            ("object", Value::Object(claim)) => {
                let truth = truth_of_kind("object").and_then(Value::as_object);
                claim.iter().all(|(key, value)| {
                    let Some((_, schema)) = properties(schema).find(|(known, _)| *known == key)
                    else {
                        return true;
                    };
                    path.push(Value::from(key).to_json());
                    let holds = self.holds(schema, value, truth.and_then(|t| t.get(key)), path);
                    path.pop();
                    holds
                })
            }
            // A null object states that all described values of the object are absent. This is true if the certified object has the imprint
            // of an empty object.
            ("object", Value::Null) => {
                let nothing = members(schema, None, &[]);
                group(&nothing, &[]) == group(&members(schema, truth, &[]), &[])
            }
            ("array", Value::Array(claim)) => {
                let truth = truth_of_kind("array").and_then(Value::as_array);
                let counts = counts(items(schema));
                if claim.is_empty() {
                    return !counts || truth.is_none_or(|truth| truth.is_empty());
                }
                if !counts {
                    // The schema describes nothing inside the items, but it describes their kind.
                    let mut items = claim.iter();
                    return items.all(|item| {
                        *item == Value::Null || self.holds(self::items(schema), item, None, path)
                    });
                }
                let length = truth.map_or(0, |truth| truth.len());
                // If the list closes beyond the certified length, every item is still in its place.
                let closes = self.lengths.get(&format!("[{}]", path.join(",")));
                let closes = closes.filter(|closes| **closes <= length);
                claim.iter().enumerate().all(|(index, value)| {
                    let at = closes.and_then(|&closes| {
                        let position = text_order(closes).iter().position(|at| *at == index)?;
                        text_order(length).get(position).copied()
                    });
                    let item = truth.and_then(|truth| truth.get(at.unwrap_or(index)));
                    // An object, or a list that is not empty, makes statements only about its members. Neither states that the item exists.
                    let contains = match value {
                        Value::Object(_) => true,
                        Value::Array(inner) => !inner.is_empty(),
                        _ => false,
                    };
                    path.push(index.to_string());
                    let holds = *value == Value::Null
                        || (contains || item.is_some())
                            && self.holds(items(schema), value, item, path);
                    path.pop();
                    holds
                })
            }
            ("array", Value::Null) => {
                !counts(items(schema))
                    || truth.is_none_or(|t| t.as_array().is_none_or(|t| t.is_empty()))
            }
            ("object" | "array", _) | (_, Value::Object(_) | Value::Array(_)) => false,
            (_, Value::Null) if self.types => truth.is_none_or(|truth| *truth == Value::Null),
            (_, scalar) if self.types => truth == Some(scalar),
            (_, scalar) => text(Some(scalar)) == text(truth),
        }
    }
}

/// Returns the lengths at which evidence closes its lists and objects, by the JSON text of their paths.
pub(crate) fn lengths(evidence: &Value) -> BTreeMap<String, usize> {
    let part = |value: &Value, key: &str| value.as_object()?.get(key).cloned();
    let list = part(evidence, "data").unwrap_or_else(|| evidence.clone());
    let index = |node: &Value| match part(node, "index") {
        Some(Value::Number(number)) => number.as_str().parse::<usize>().ok(),
        _ => None,
    };
    let length = |proof: &Value| {
        let nodes = part(proof, "nodes")?;
        let indexes = nodes.as_array()?.iter().filter_map(index);
        let end = indexes.filter(|index| index % 2 == 0).max()?;
        // No list or object in these tests has this many members.
        Some((
            part(proof, "path")?.to_json(),
            Some(end / 2).filter(|length| *length < 1_000)?,
        ))
    };
    let proofs = list.as_array().map_or(&[][..], |list| list.as_slice());
    proofs.iter().filter_map(length).collect()
}

/// Returns the indexes of a list of this length, ordered as strings.
pub(crate) fn text_order(length: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by_key(usize::to_string);
    order
}

/// Returns true if a value with this schema has a position in its group.
pub(crate) fn counts(schema: &Value) -> bool {
    kind(schema) != "object" || properties(schema).any(|(_, schema)| counts(schema))
}

/// Returns the position of a member in its group, by the order of keys or of the indexes of a list of this length. Returns `None` if there
/// is no such member.
pub(crate) fn position(schema: &Value, step: &str, length: usize) -> Option<usize> {
    if kind(schema) == "array" {
        let order = text_order(length);
        return order.iter().position(|index| index.to_string() == step);
    }
    let mut keys: Vec<&str> = properties(schema)
        .filter(|(_, schema)| counts(schema))
        .map(|(key, _)| key)
        .collect();
    keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<u16>>());
    keys.iter().position(|key| *key == step)
}
