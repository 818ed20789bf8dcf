//! Finds and changes parts of evidence.

use cert_core::Value;
use serde_json::{Value as Json, json};

use crate::exhibits::Document;
use crate::json::at;
use crate::lies::Lie;
use crate::support::model::position;
use crate::support::random::Random;

/// The spot in the evidence that proves a value.
pub(crate) struct Spot {
    pub(crate) proof: usize,
    pub(crate) position: usize,
}

impl Spot {
    pub(crate) fn of(document: &Document, lie: &Lie, evidence: &Json) -> Option<Self> {
        Self::at(document, &lie.place, evidence)
    }

    pub(crate) fn at(document: &Document, place: &[Json], evidence: &Json) -> Option<Self> {
        let (step, group) = place.split_last()?;
        let length = match at(&document.json, group) {
            Some(Json::Array(items)) => items.len(),
            _ => 0,
        };
        let step = step
            .as_str()
            .map_or_else(|| step.to_string(), str::to_owned);
        Some(Self {
            proof: proof_of(evidence, group)?,
            position: position(document.schema_at(group)?, &step, length)?,
        })
    }

    pub(crate) fn list<'e>(&self, evidence: &'e mut Json, name: &str) -> Option<&'e mut Vec<Json>> {
        evidence.get_mut(self.proof)?.get_mut(name)?.as_array_mut()
    }

    /// Changes the evidence to contain the false value. If the value was hidden, invents a nonce.
    pub(crate) fn plant(&self, document: &Document, evidence: &mut Json, lie: &Lie) -> Option<()> {
        let values = self.list(evidence, "values")?;
        let known = values
            .iter_mut()
            .find(|value| index_of(value) == Some(self.position));
        match known {
            Some(value) => set_value(value, lie.value.clone()),
            None => {
                let mut value =
                    json!({ "index": self.position, "nonce": (document.scheme.hash)("nonce") });
                set_value(&mut value, lie.value.clone());
                values.push(value);
            }
        }
        Some(())
    }
}

pub(crate) fn proof_of(evidence: &Json, group: &[Json]) -> Option<usize> {
    let is_it = |proof: &Json| proof["path"].as_array().is_some_and(|path| path == group);
    evidence.as_array()?.iter().position(is_it)
}

pub(crate) fn index_of(entry: &Json) -> Option<usize> {
    usize::try_from(entry.get("index")?.as_u64()?).ok()
}

pub(crate) fn set_value(entry: &mut Json, value: Option<Json>) {
    let Some(entry) = entry.as_object_mut() else {
        return;
    };
    match value {
        Some(value) => drop(entry.insert("value".to_owned(), value)),
        None => drop(entry.remove("value")),
    }
}

/// Recomputes a proof's hashes from its values, replaces the existing hashes, and returns the imprint.
pub(crate) fn rehash(document: &Document, proof: &mut Json) -> Option<String> {
    let hash = document.scheme.hash;
    let values = proof.get("values")?.as_array()?.clone();
    let nodes = proof.get_mut("nodes")?.as_array_mut()?;
    let end = nodes
        .iter()
        .filter_map(index_of)
        .filter(|index| index % 2 == 0)
        .max()?;
    let text = |hash: &Json| hash.as_str().map(str::to_owned);
    let mut next = text(&nodes.iter().find(|node| index_of(node) == Some(end))?["hash"])?;
    for at in (0..end / 2).rev() {
        let node = nodes.iter().find(|node| index_of(node) == Some(2 * at + 1));
        let leaf = match values.iter().find(|value| index_of(value) == Some(at)) {
            Some(value) => {
                let hashed = match value.get("value") {
                    None | Some(Json::Null) => String::new(),
                    Some(Json::String(text)) => text.clone(),
                    Some(other) => Value::try_from(other).ok()?.to_json(),
                };
                hash(&(hash(&hashed) + value["nonce"].as_str()?))
            }
            None => text(&node?["hash"])?,
        };
        next = hash(&(leaf.clone() + &next));
        for node in nodes.iter_mut() {
            match index_of(node) {
                Some(index) if index == 2 * at + 1 => node["hash"] = json!(leaf),
                Some(index) if index == 2 * at => node["hash"] = json!(next),
                _ => {}
            }
        }
    }
    Some(next)
}

/// Adds a node. In three of four cases, removes the existing node that has the same index.
pub(crate) fn node(
    proof: &mut Json,
    index: usize,
    hash: &str,
    random: &mut Random<'_>,
) -> Option<()> {
    let nodes = proof.get_mut("nodes")?.as_array_mut()?;
    if random.below(4) > 0 {
        nodes.retain(|node| index_of(node) != Some(index));
    }
    nodes.insert(0, json!({ "index": index, "hash": hash }));
    Some(())
}
