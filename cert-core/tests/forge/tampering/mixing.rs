//! Kinds of tampering: genuine hashes and proofs in the wrong places, or cut short.

use serde_json::{Value as Json, json};

use cert_core::{Path, Value, proofs_to_value};

use super::Tamper;
use super::spot::{Spot, index_of, node, proof_of, set_value};
use crate::exhibits::Document;
use crate::json::{at, places, put};
use crate::lies::{Lie, pick};
use crate::support::random::Random;

/// Rearranged evidence of this document and of other documents.
pub(crate) const KINDS: &[(&str, Tamper)] = &[
    (
        "two parts of the evidence swapped",
        |random, _, _, evidence| {
            let all: Vec<_> = places(evidence)
                .into_iter()
                .filter(|(place, _)| place.len() > 1)
                .collect();
            let (one, value) = pick(random, &all)?;
            let alike: Vec<_> = all
                .iter()
                .filter(|(place, _)| place.last() == one.last() || place.len() == one.len())
                .collect();
            let (other, other_value) = pick(random, &alike)?;
            let mut swapped = evidence.clone();
            put(&mut swapped, one, Some((*other_value).clone()))?;
            put(&mut swapped, other, Some((*value).clone()))?;
            *evidence = swapped;
            Some(())
        },
    ),
    (
        "the group's values swapped",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let with_nonce = random.below(2) == 0;
            let values = spot.list(evidence, "values")?;
            let (one, other) = (
                random.below(values.len().max(1)),
                random.below(values.len().max(1)),
            );
            let (first, second) = (values.get(one)?.clone(), values.get(other)?.clone());
            for (at, from) in [(one, &second), (other, &first)] {
                set_value(&mut values[at], from.get("value").cloned());
                if with_nonce {
                    values[at]["nonce"] = from["nonce"].clone();
                }
            }
            Some(())
        },
    ),
    ("a proof closed early", |random, document, lie, evidence| {
        let spot = Spot::of(document, lie, evidence)?;
        close(evidence.get_mut(spot.proof)?, random)
    }),
    ("any proof closed early", |random, _, _, evidence| {
        let at = random.below(evidence.as_array()?.len().max(1));
        close(evidence.get_mut(at)?, random)
    }),
    ("a proof closed late", |random, document, lie, evidence| {
        let hash = document.scheme.hash;
        let spot = Spot::of(document, lie, evidence)?;
        let nodes = spot.list(evidence, "nodes")?;
        let end = nodes
            .iter()
            .filter_map(index_of)
            .filter(|index| index % 2 == 0)
            .max()?;
        let (value, nonce) = (lie.value.clone(), hash(&(end / 2).to_string()));
        let end_hash = nodes.iter().find(|node| index_of(node) == Some(end))?["hash"].clone();
        nodes.push(
            json!({ "index": end + 2, "hash": *random.pick(&[end_hash, json!(hash(&nonce))]) }),
        );
        if random.below(2) == 0 {
            nodes.retain(|node| index_of(node) != Some(end));
        }
        let mut planted = json!({ "index": end / 2, "nonce": nonce });
        set_value(&mut planted, value);
        spot.list(evidence, "values")?.push(planted);
        Some(())
    }),
    (
        "evidence of the false document",
        |random, document, lie, evidence| {
            *evidence = of_false(document, lie)?;
            let root = proof_of(evidence, &[])?;
            node(evidence.get_mut(root)?, 0, &document.imprint, random)
        },
    ),
    (
        "the nonce that ends a list opened as one more item",
        |random, document, _, evidence| {
            let proofs = evidence.as_array_mut()?;
            let length = |proof: &Json| {
                let list = at(&document.json, proof["path"].as_array()?)?.as_array()?;
                let end = json!(2 * list.len());
                let nodes = proof["nodes"].as_array()?;
                let ends = nodes.iter().any(|node| node["index"] == end);
                ends.then_some(list.len())
            };
            let lists: Vec<_> = proofs
                .iter_mut()
                .filter_map(|proof| Some((length(proof)?, proof)))
                .collect();
            let nth = random.below(lists.len().max(1));
            let (length, proof) = lists.into_iter().nth(nth)?;
            let path = Value::try_from(&json!([proof["path"].clone()])).ok()?;
            let mut path = Path::list_from(&path).ok()?.pop()?;
            path.push(length);
            let nonce: Vec<char> = (document.scheme.nonce)(&path).chars().collect();
            let half = nonce.len() / 2;
            let split = *random.pick(&[half, half, half, 0, nonce.len(), half / 2]);
            let (leaf, closing) = nonce.split_at(split);
            let part = |index: usize, text: &[char]| json!({ "index": index, "hash": text.iter().collect::<String>() });
            let nodes = proof["nodes"].as_array_mut()?;
            nodes.retain(|node| index_of(node) != Some(2 * length));
            nodes.push(part(2 * length + 1, leaf));
            nodes.push(part(2 * length + 2, closing));
            Some(())
        },
    ),
    (
        "proofs of the false document mixed in",
        |random, document, lie, evidence| {
            let theirs = of_false(document, lie)?;
            let keep = random.below(256);
            for proof in evidence.as_array_mut()? {
                let same = |other: &&Json| other["path"] == proof["path"];
                if (keep >> (proof["path"].as_array()?.len() % 4)) & 1 == 0
                    && let Some(other) = theirs.as_array()?.iter().find(same)
                {
                    *proof = other.clone();
                }
            }
            Some(())
        },
    ),
    (
        "hashes of the false document mixed in",
        |random, document, lie, evidence| {
            let theirs = of_false(document, lie)?;
            let mut places: Vec<_> = places(&theirs)
                .into_iter()
                .filter(|(place, _)| place.len() == 4)
                .collect();
            places
                .retain(|(place, theirs)| at(evidence, place).is_some_and(|ours| ours != *theirs));
            for _ in 0..=random.below(4) {
                let (place, theirs) = pick(random, &places)?;
                put(evidence, place, Some((*theirs).clone()))?;
            }
            Some(())
        },
    ),
    (
        "proofs made for another path",
        |_, document, lie, evidence| {
            let mut other = lie.place.clone();
            match other.pop()? {
                Json::String(_) => other.push("name".into()),
                index => other.push((index.as_u64()? ^ 1).into()),
            }
            *evidence = document.proofs(&other)?;
            Some(())
        },
    ),
    (
        "keys added to the evidence",
        |random, document, lie, evidence| {
            let genuine = evidence.clone();
            let forged = of_false(document, lie)?;
            *evidence = match random.below(6) {
                0 => json!({ "$schema": lie.value, "data": genuine, "proofs": forged }),
                1 => json!({ "data": forged, "__proto__": { "data": genuine } }),
                2 => json!({ "__proto__": { "data": forged }, "data": genuine }),
                3 => json!({ "data": { "data": forged } }),
                4 => json!({ "constructor": forged, "data": genuine, "imprint": document.imprint }),
                _ => {
                    let mut all = genuine;
                    for proof in all.as_array_mut()? {
                        proof["__proto__"] = json!({ "values": forged[0]["values"] });
                        proof["constructor"] = forged[0].clone();
                    }
                    all
                }
            };
            Some(())
        },
    ),
];

/// Makes a proof close at one of its nodes before its end.
fn close(proof: &mut Json, random: &mut Random<'_>) -> Option<()> {
    let nodes = proof.get_mut("nodes")?.as_array_mut()?;
    let mut evens: Vec<_> = nodes
        .iter()
        .filter_map(index_of)
        .filter(|index| index % 2 == 0)
        .collect();
    evens.sort_unstable();
    evens.pop();
    let end = *pick(random, &evens)?;
    nodes.retain(|node| index_of(node).is_some_and(|index| index <= end));
    let values = proof.get_mut("values")?.as_array_mut()?;
    values.retain(|value| index_of(value).is_some_and(|index| 2 * index < end));
    Some(())
}

/// Returns all proofs of a document in which the lie is true.
fn of_false(document: &Document, lie: &Lie) -> Option<Json> {
    let mut data = document.json.clone();
    put(&mut data, &lie.place, lie.value.clone())?;
    let proofs = document.cert.notarize(&Value::try_from(&data).ok()?).ok()?;
    Some(Json::from(&proofs_to_value(&proofs)))
}
