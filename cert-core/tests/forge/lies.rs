//! False statements that a forger may put into a document.

use cert_core::Value;
use serde_json::{Value as Json, json};

use crate::exhibits::Document;
use crate::json::{Place, at, places, put};
use crate::support::model::text_order;
use crate::support::random::{Random, kind, properties};

/// A change to the claim.
pub(crate) struct Lie {
    pub(crate) claim: Json,
    /// The changed place.
    pub(crate) place: Place,
    /// The new value at this place; `None` if the value was removed.
    pub(crate) value: Option<Json>,
}

pub(crate) type Tell = fn(&mut Random<'_>, &Document, &Json) -> Option<Lie>;

/// All kinds of lies, by name.
pub(crate) const LIES: &[(&str, Tell)] = &[
    ("a value changed", |random, document, claim| {
        let (place, old) = leaf(random, document, claim)?;
        let new = similar(random, old);
        Lie::told(claim, place, Some(new))
    }),
    ("a value's type changed", |random, document, claim| {
        let (place, old) = leaf(random, document, claim)?;
        let new = retyped(random, old)?;
        Lie::told(claim, place, Some(new))
    }),
    ("two values swapped", |random, document, claim| {
        let (place, one) = leaf(random, document, claim)?;
        let (other_place, other) = leaf(random, document, claim)?;
        let mut claim = claim.clone();
        put(&mut claim, &other_place, Some(one.clone()))?;
        Lie::told(&claim, place, Some(other.clone()))
    }),
    ("a group replaced by another", |random, _, claim| {
        let groups: Vec<_> = places(claim)
            .into_iter()
            .filter(|(place, value)| !place.is_empty() && !is_scalar(value))
            .collect();
        let (place, _) = pick(random, &groups)?;
        let (_, other) = pick(random, &groups)?;
        Lie::told(claim, place.clone(), Some((*other).clone()))
    }),
    (
        "a value stated where it is absent or hidden",
        |random, document, claim| {
            let all = described(document, claim);
            let (place, _) = pick(random, &all)?;
            let value = match at(&document.json, place) {
                Some(value) if random.below(2) == 0 => similar(random, value),
                _ => Json::from(&random.scalar()),
            };
            Lie::told(claim, place.clone(), Some(value))
        },
    ),
    ("stated to be absent or empty", |random, document, claim| {
        let all = described(document, claim);
        let (place, _) = pick(random, &all)?;
        let value = random
            .pick(&[json!(null), json!([]), json!({}), json!([{}]), json!("")])
            .clone();
        Lie::told(claim, place.clone(), Some(value))
    }),
    (
        "list items moved, doubled or dropped",
        |random, _, claim| {
            let lists: Vec<_> = places(claim)
                .into_iter()
                .filter(|(_, value)| value.as_array().is_some_and(|items| !items.is_empty()))
                .collect();
            let (place, list) = pick(random, &lists)?;
            let mut items = list.as_array()?.clone();
            let (one, other) = (random.below(items.len()), random.below(items.len()));
            match random.below(6) {
                0 => items.swap(one, other),
                1 => items.insert(one, items[other].clone()),
                2 => drop(items.remove(one)),
                3 => items.rotate_left(1),
                4 => items.reverse(),
                _ => items.push(items[other].clone()),
            }
            Lie::told(claim, place.clone(), Some(items.into()))
        },
    ),
    (
        "a list read as if it were one item longer",
        |random, _, claim| {
            let lists: Vec<_> = places(claim)
                .into_iter()
                .filter(|(_, value)| value.as_array().is_some_and(|items| items.len() > 9))
                .collect();
            let (place, list) = pick(random, &lists)?;
            let items = list.as_array()?;
            let mut moved = vec![json!(null); items.len() + 1];
            let (old, new) = (text_order(items.len()), text_order(items.len() + 1));
            for (from, to) in old.into_iter().zip(new) {
                moved[to] = items[from].clone();
            }
            Lie::told(claim, place.clone(), Some(moved.into()))
        },
    ),
    (
        "a value moved to a key that looks similar",
        |random, document, claim| {
            let (mut place, value) = leaf(random, document, claim)?;
            let old = place.pop()?;
            let key = match pick(random, &keys(document.schema_at(&place)?)) {
                Some(key) if random.below(2) == 0 => key.clone(),
                _ => alike(random, old.as_str()?),
            };
            place.push(key.into());
            let mut claim = claim.clone();
            if random.below(2) == 0 {
                put(
                    &mut claim,
                    &[place.get(..place.len() - 1)?, &[old]].concat(),
                    None,
                )?;
            }
            Lie::told(&claim, place, Some(value.clone()))
        },
    ),
    (
        "single values and groups exchanged",
        |random, document, claim| {
            let all = described(document, claim);
            let (place, value) = pick(random, &all)?;
            let value = (*value)?;
            let new = match random.below(5) {
                0 => json!([value]),
                1 => json!({ "0": value }),
                2 => json!({ "name": value, "value": value }),
                3 => json!(value.to_string()),
                _ => value
                    .get(0)
                    .or(value.get("name"))
                    .unwrap_or(&json!(true))
                    .clone(),
            };
            Lie::told(claim, place.clone(), Some(new))
        },
    ),
];

impl Lie {
    fn told(claim: &Json, place: Place, value: Option<Json>) -> Option<Self> {
        let mut claim = claim.clone();
        put(&mut claim, &place, value.clone())?;
        Some(Self {
            claim,
            place,
            value,
        })
    }
}

fn is_scalar(value: &Json) -> bool {
    !value.is_object() && !value.is_array()
}

pub(crate) fn pick<'v, T>(random: &mut Random<'_>, all: &'v [T]) -> Option<&'v T> {
    let far = random.below(256) * 256 + random.below(256);
    all.get(far.checked_rem(all.len())?)
}

/// Returns a scalar that the claim states and the schema describes, with its place. Returns `None` if there is none.
fn leaf<'j>(
    random: &mut Random<'_>,
    document: &Document,
    claim: &'j Json,
) -> Option<(Place, &'j Json)> {
    let mut all = places(claim);
    all.retain(|(place, value)| is_scalar(value) && document.schema_at(place).is_some());
    pick(random, &all).cloned()
}

/// Returns every place of the claim that the schema describes, and places that the claim could have in addition.
fn described<'j>(document: &Document, claim: &'j Json) -> Vec<(Place, Option<&'j Json>)> {
    let mut all = Vec::new();
    for (place, value) in places(claim) {
        let Some(schema) = document.schema_at(&place) else {
            continue;
        };
        if let (Json::Object(object), "object") = (value, kind(schema)) {
            let absent = keys(schema)
                .into_iter()
                .filter(|key| !object.contains_key(key));
            all.extend(absent.map(|key| ([place.as_slice(), &[key.into()]].concat(), None)));
        }
        if let (Json::Array(items), "array") = (value, kind(schema)) {
            all.push(([place.as_slice(), &[items.len().into()]].concat(), None));
        }
        if !place.is_empty() {
            all.push((place, Some(value)));
        }
    }
    all
}

/// Returns the keys that a schema describes.
fn keys(schema: &Value) -> Vec<String> {
    match kind(schema) {
        "object" => properties(schema).map(|(key, _)| key.to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Returns another value that could be mistaken for this one.
pub(crate) fn similar(random: &mut Random<'_>, value: &Json) -> Json {
    match value {
        Json::Number(number) => {
            let number = number.as_f64().unwrap_or(0.0);
            match random.below(6) {
                0 => json!(number + 1.0),
                1 => json!(-number),
                2 => json!(f64::from_bits(number.to_bits() ^ 1)),
                3 => json!(number * 10.0),
                4 => json!(number + 0.5),
                _ => json!(9_007_199_254_740_993_u64),
            }
        }
        Json::String(text) => json!(alike(random, text)),
        Json::Bool(bool) => json!(!bool),
        _ => Json::from(&random.scalar()),
    }
}

/// Returns another string that looks like this one.
fn alike(random: &mut Random<'_>, text: &str) -> String {
    match random.below(12) {
        0 => format!("{text} "),
        1 => format!("\u{feff}{text}"),
        2 => format!("{text}\u{200b}"),
        3 => text.to_uppercase(),
        4 => text.replace('a', "\u{430}"),
        5 => text.replace('é', "e\u{301}"),
        6 => text.replace("e\u{301}", "é"),
        7 => format!("{text}\0"),
        8 => text.chars().rev().collect(),
        9 => (*random.pick(&[
            "__proto__",
            "constructor",
            "prototype",
            "toString",
            "length",
            "0",
        ]))
        .to_owned(),
        10 => text.chars().skip(1).collect(),
        _ => (*random.pick(&["a", "b", "name", "A", "K", "\u{212a}", "é", "1", "10"])).to_owned(),
    }
}

/// Returns a value of another type that has the same text or is equally empty. Returns `None` for an array or object.
pub(crate) fn retyped(random: &mut Random<'_>, value: &Json) -> Option<Json> {
    Some(match value {
        Json::String(text) => serde_json::from_str::<Json>(text)
            .ok()
            .filter(is_scalar)
            .unwrap_or(json!(null)),
        Json::Null => random
            .pick(&[json!(""), json!("null"), json!(false), json!(0)])
            .clone(),
        Json::Bool(bool) if random.below(2) == 0 => json!(u8::from(*bool)),
        Json::Array(_) | Json::Object(_) => return None,
        scalar => json!(scalar.to_string()),
    })
}
