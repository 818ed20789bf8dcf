//! Kinds of tampering: false values, hashes and proofs in the places of true ones.

use serde_json::json;

use super::Tamper;
use super::changing::odd_index;
use super::changing::odd_step;
use super::spot::{Spot, index_of, node, proof_of, rehash, set_value};
use crate::lies::pick;

/// Evidence that contains the false statement.
pub(crate) const KINDS: &[(&str, Tamper)] = &[
    (
        "value planted, hashes kept",
        |_, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            spot.plant(document, evidence, lie)
        },
    ),
    (
        "value planted, its hashes removed",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            spot.plant(document, evidence, lie)?;
            let (at, all) = (spot.position, random.below(2) == 0);
            spot.list(evidence, "nodes")?.retain(|node| {
                let index = index_of(node).unwrap_or(0);
                index != 2 * at + 1 && (index % 2 == 1 || index > 2 * at || !all)
            });
            Some(())
        },
    ),
    (
        "value planted, its proof hashed anew",
        |_, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            spot.plant(document, evidence, lie)?;
            rehash(document, evidence.get_mut(spot.proof)?).map(drop)
        },
    ),
    (
        "value planted, all proofs hashed anew, imprint kept",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            spot.plant(document, evidence, lie)?;
            let mut place = lie.place.clone();
            place.pop();
            let mut imprint = rehash(document, evidence.get_mut(spot.proof)?)?;
            while !place.is_empty() {
                let spot = Spot::at(document, &place, evidence)?;
                let entry = spot.list(evidence, "values")?;
                let value = entry
                    .iter_mut()
                    .find(|value| index_of(value) == Some(spot.position))?;
                *value.get_mut("value")? = imprint.into();
                imprint = rehash(document, evidence.get_mut(spot.proof)?)?;
                place.pop();
            }
            let root = proof_of(evidence, &[])?;
            node(evidence.get_mut(root)?, 0, &document.imprint, random)
        },
    ),
    (
        "value planted beside the genuine one",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let values = spot.list(evidence, "values")?;
            let at = values
                .iter()
                .position(|value| index_of(value) == Some(spot.position))?;
            let mut planted = values[at].clone();
            set_value(&mut planted, lie.value.clone());
            let place = *random.pick(&[0, at, at + 1, values.len()]);
            values.insert(place, planted);
            Some(())
        },
    ),
    (
        "value planted under an index that looks similar",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let values = spot.list(evidence, "values")?;
            let index = odd_index(random, spot.position);
            let planted = json!({ "index": index, "nonce": (document.scheme.hash)("") });
            let mut planted = match values.first() {
                Some(value) if random.below(2) == 0 => {
                    let mut value = value.clone();
                    value["index"] = index;
                    value
                }
                _ => planted,
            };
            set_value(&mut planted, lie.value.clone());
            if random.below(2) == 0 {
                values.retain(|value| index_of(value) != Some(spot.position));
            }
            let place = *random.pick(&[0, values.len()]);
            values.insert(place, planted);
            Some(())
        },
    ),
    (
        "value planted after the end",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let imprint = rehash(document, &mut evidence.get(spot.proof)?.clone())?;
            let index = *random.pick(&[spot.position, 0, 1]);
            let mut planted = json!({ "index": index, "nonce": (document.scheme.hash)("") });
            set_value(&mut planted, lie.value.clone());
            let end = *random.pick(&[0, 0, index, 2 * index]);
            let proof = evidence.get_mut(spot.proof)?;
            proof["nodes"] = json!([{ "index": end, "hash": imprint }]);
            proof["values"] = json!([planted]);
            Some(())
        },
    ),
    (
        "node planted beside the genuine ones",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let genuine = spot.list(evidence, "nodes")?.clone();
            spot.plant(document, evidence, lie)?;
            rehash(document, evidence.get_mut(spot.proof)?)?;
            let nodes = spot.list(evidence, "nodes")?;
            match random.below(3) {
                0 => nodes.extend(genuine),
                1 => drop(nodes.splice(0..0, genuine)),
                _ => nodes.push(pick(random, &genuine)?.clone()),
            }
            Some(())
        },
    ),
    (
        "proof planted beside the genuine one",
        |random, document, lie, evidence| {
            let spot = Spot::of(document, lie, evidence)?;
            let genuine = evidence.get(spot.proof)?.clone();
            spot.plant(document, evidence, lie)?;
            if random.below(2) == 0 {
                rehash(document, evidence.get_mut(spot.proof)?)?;
            }
            let mut genuine_path = genuine;
            if random.below(3) == 0 {
                let step = genuine_path["path"].as_array_mut()?.last_mut()?;
                *step = odd_step(random, step);
            }
            let proofs = evidence.as_array_mut()?;
            let place = *random.pick(&[0, proofs.len()]);
            proofs.insert(place, genuine_path);
            Some(())
        },
    ),
];
