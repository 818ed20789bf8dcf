//! Evidence and documents tampered with: whatever is believed is true.

use cert_core::aih2::{Cert, Keys, Report};
use cert_core::{Path, PathStep, Value};
use serde_json::{Value as Json, json};

use crate::random::{Case, Random};
use crate::tokens::base64url;

const CASES: u64 = 600;
/// Forgeries of each case.
const FORGERIES: usize = 40;

/// What is at a path of the true document.
fn at<'d>(data: &'d Json, path: &Path) -> Option<&'d Json> {
    path.steps().iter().try_fold(data, |data, step| match step {
        PathStep::Key(key) => data.get(key.as_str()),
        PathStep::Index(index) => data.get(*index),
    })
}

/// Whether everything that a report says is so.
fn is_true(report: &Report, data: &Json) -> bool {
    let length = |path: &Path| {
        at(data, path)
            .and_then(Json::as_array)
            .map(|items| items.len() as u64)
    };
    report.entries.iter().all(|entry| {
        let value = at(data, &entry.path);
        value.is_some_and(|value| Value::try_from(value).unwrap() == entry.value)
    }) && report.absent.iter().all(|path| at(data, path).is_none())
        && report
            .objects
            .iter()
            .all(|object| at(data, &object.path).is_some_and(Json::is_object))
        && report.lists.iter().all(|list| {
            let found = length(&list.path);
            found.is_some_and(|found| {
                found <= list.at_most && list.length.is_none_or(|length| length == found)
            })
        })
}

/// A value with something in it changed.
fn tampered(random: &mut Random, value: &Json) -> Json {
    match value {
        Json::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            let (one, other) = (random.below(items.len()), random.below(items.len()));
            match random.below(6) {
                0 => drop(items.remove(one)),
                1 => items.insert(one, items[other].clone()),
                2 => items.swap(one, other),
                3 => items.push(Json::Null),
                _ => items[one] = tampered(random, &items[one]),
            }
            items.into()
        }
        Json::Object(object) if !object.is_empty() => {
            let mut object = object.clone();
            let key = object
                .keys()
                .nth(random.below(object.len()))
                .unwrap()
                .clone();
            match random.below(5) {
                0 => drop(object.remove(&key)),
                1 => drop(object.insert(
                    (*random.pick(&["a", "b", "-", "z"])).to_owned(),
                    random.scalar(),
                )),
                _ => {
                    let value = tampered(random, &object[&key]);
                    object.insert(key, value);
                }
            }
            object.into()
        }
        _ => random.scalar(),
    }
}

/// A proof with something in it changed.
fn tampered_proof(random: &mut Random, proof: &[u8], other: &[u8]) -> Vec<u8> {
    let mut proof = proof.to_vec();
    let at = random.below(proof.len());
    match random.below(7) {
        0 => proof[at] ^= 1 << random.below(8),
        1 => proof[at] = *random.pick(b"HKNOA"),
        2 => proof.truncate(at),
        3 => proof.insert(at, *random.pick(b"HKNOA\x00\x01\x02")),
        4 => drop(proof.remove(at)),
        5 => {
            // From here on another proof of the same document.
            let from = at.min(other.len());
            proof.truncate(at);
            proof.extend(&other[from..]);
        }
        _ => {
            // The same token elsewhere.
            let to = random.below(proof.len());
            let end = (at + 33).min(proof.len());
            let moved = proof[at..end].to_vec();
            proof.splice(to..to, moved);
        }
    }
    proof
}

fn forge(case: &Case, random: &mut Random) -> usize {
    let value = |json: &Json| Value::try_from(json).unwrap();
    let cert = Cert::new(&value(&case.schema)).unwrap();
    let (data, keys) = (value(&case.data), Keys::Key(case.key.into()));
    let imprint = cert.imprint(&data, &keys).unwrap().to_string();
    let disclosed = |paths: &[Vec<Json>]| {
        let paths = Path::list_from(&value(&json!(paths))).unwrap();
        (
            cert.disclose(&data, &keys, &paths, true).unwrap(),
            cert.expose(&data, &paths),
        )
    };
    let (evidence, document) = disclosed(&case.paths);
    let (other, _) = disclosed(&case.paths[..1]);
    let (proof, other) = (
        crate::properties::decoded(&evidence),
        crate::properties::decoded(&other),
    );
    let (evidence, document): (Json, Json) = ((&evidence.to_value()).into(), (&document).into());
    let mut believed = 0;
    for _ in 0..FORGERIES {
        let (mut forged, mut shown) = (evidence.clone(), document.clone());
        for _ in 0..=random.below(2) {
            match random.below(3) {
                0 => forged["proof"] = base64url(&tampered_proof(random, &proof, &other)).into(),
                1 => forged["values"] = tampered(random, &forged["values"]),
                _ => shown = tampered(random, &shown),
            }
        }
        let mut detached = forged.clone();
        detached.as_object_mut().unwrap().remove("values");
        for (document, evidence) in [
            (Some(&shown), &detached),
            (None, &forged),
            (Some(&shown), &forged),
        ] {
            let document = document.map(value);
            let report = cert
                .verify(document.as_ref(), &value(evidence), &imprint)
                .unwrap();
            if report
                .imprint
                .is_some_and(|found| found.to_string() == imprint)
            {
                believed += 1;
                // What is uncovered makes no entry, so that the rest is true even then.
                assert!(
                    is_true(&report, &case.data),
                    "{evidence} {shown} {report:?}"
                );
            } else {
                assert!(!report.valid && report.entries.is_empty());
            }
        }
    }
    believed
}

#[test]
fn what_is_believed_is_true() {
    let mut believed = 0;
    for seed in 0..CASES {
        let mut random = Random::new(seed + 1_000_000);
        let case = random.case();
        believed += forge(&case, &mut random);
    }
    // Some change nothing, or only what is shown beside what is open.
    assert!(believed > 1000, "{believed}");
}
