//! Kinds of tampering: small changes anywhere in the evidence.

use serde_json::{Value as Json, json};

use super::Tamper;
use super::spot::{Spot, index_of, set_value};
use crate::json::{at_mut, places, put};
use crate::lies::{pick, retyped, similar};
use crate::support::random::Random;

/// The kinds. Most of them make one change.
pub(crate) const KINDS: &[(&str, Tamper)] = &[
    ("nothing: evidence as it is", |_, _, _, _| Some(())),
    (
        "a proof, value or node deleted",
        |random, _, _, evidence| {
            let lists: Vec<_> = places(evidence)
                .into_iter()
                .filter(|(_, value)| value.as_array().is_some_and(|items| !items.is_empty()))
                .map(|(place, _)| place)
                .collect();
            let items = at_mut(evidence, pick(random, &lists)?)?.as_array_mut()?;
            let at = random.below(items.len());
            items.remove(at);
            Some(())
        },
    ),
    ("a proof's path changed", |random, _, _, evidence| {
        let proofs = evidence.as_array_mut()?;
        let at = random.below(proofs.len().max(1));
        let other = proofs.get(random.below(proofs.len().max(1)))?["path"].clone();
        let path = proofs.get_mut(at)?["path"].as_array_mut()?;
        match random.below(5) {
            0 => *path = other.as_array()?.clone(),
            1 => path.push(json!(*random.pick(&["0", "a", "__proto__"]))),
            2 => drop(path.pop()?),
            3 => path.insert(0, json!("a")),
            _ => {
                let step = path.last_mut()?;
                *step = odd_step(random, step);
            }
        }
        Some(())
    }),
    (
        "an index of another type or size",
        |random, _, _, evidence| {
            let all: Vec<_> = places(evidence)
                .into_iter()
                .filter(|(place, _)| place.last() == Some(&json!("index")))
                .collect();
            let (place, old) = pick(random, &all)?;
            let new = odd_index(random, usize::try_from(old.as_u64()?).ok()?);
            put(evidence, &place.clone(), Some(new))
        },
    ),
    (
        "a hash or nonce rewritten",
        |random, document, _, evidence| {
            let all: Vec<_> = places(evidence)
                .into_iter()
                .filter(|(place, _)| {
                    matches!(place.last().and_then(Json::as_str), Some("hash" | "nonce"))
                })
                .collect();
            let (place, old) = pick(random, &all)?;
            let old = old.as_str()?;
            let new = match random.below(7) {
                0 => json!(old.to_uppercase()),
                1 => json!(format!("0x{old}")),
                2 => json!(format!("{old}0")),
                3 => json!(old.get(1..)?),
                4 => json!(""),
                5 => json!((document.scheme.hash)(old)),
                _ => json!([old]),
            };
            put(evidence, &place.clone(), Some(new))
        },
    ),
    (
        "a value's type changed in the evidence too",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let values = spot.list(evidence, "values")?;
            let value = values
                .iter_mut()
                .find(|value| index_of(value) == Some(spot.position))?;
            let new = retyped(random, value.get("value").unwrap_or(&Json::Null))?;
            set_value(value, Some(new));
            Some(())
        },
    ),
    (
        "value planted, then anything else",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            spot.plant(document, evidence, lie)?;
            anything(random, evidence)
        },
    ),
    ("anything", |random, _, _, evidence| {
        anything(random, evidence)
    }),
];

/// Makes a few random changes.
fn anything(random: &mut Random<'_>, evidence: &mut Json) -> Option<()> {
    for _ in 0..=random.below(3) {
        let all = places(evidence);
        let (place, old) = pick(random, &all)?;
        let (place, old) = (place.clone(), (*old).clone());
        let other = pick(random, &all)?.1.clone();
        match random.below(5) {
            0 => put(evidence, &place, None)?,
            1 => put(evidence, &place, Some(other))?,
            2 => put(evidence, &place, Some(similar(random, &old)))?,
            3 => {
                let list = at_mut(evidence, &place)?.as_array_mut()?;
                let (one, other) = (
                    random.below(list.len().max(1)),
                    random.below(list.len().max(1)),
                );
                let copy = list.get(one)?.clone();
                list.insert(other, copy);
            }
            _ => {
                let list = at_mut(evidence, &place)?.as_array_mut()?;
                let at = random.below(list.len().max(1));
                list.truncate(at);
            }
        }
    }
    Some(())
}

/// Returns a value that a careless reader could accept as this index.
pub(crate) fn odd_index(random: &mut Random<'_>, index: usize) -> Json {
    match random.below(14) {
        0 => json!(index.to_string()),
        1 => json!(format!(" {index}")),
        2 => json!(index as f64 + 0.5),
        3 => json!(-(index as f64)),
        4 => json!(index as f64 + 4_294_967_296.0),
        5 => json!(9_007_199_254_740_991_u64),
        6 => json!(9_007_199_254_740_992_u64),
        7 => json!(9_007_199_254_740_993_u64),
        8 => json!(1e300),
        9 => json!(index == 1),
        10 => json!(null),
        11 => json!([index]),
        12 => json!(u64::MAX),
        _ => json!(format!("0{index}")),
    }
}

/// Returns a value that a careless reader could accept as this step of a path.
pub(crate) fn odd_step(random: &mut Random<'_>, step: &Json) -> Json {
    match step {
        Json::String(key) => key
            .parse()
            .map_or_else(|_| similar(random, step), |n: u64| json!(n)),
        index => odd_index(
            random,
            usize::try_from(index.as_u64().unwrap_or(0)).unwrap_or(0),
        ),
    }
}
