//! Compares the crate with the model on random documents.

use cert_core::aih2::{Cert, Evidence, Keys, Values};
use cert_core::{Path, Value};
use serde_json::{Value as Json, json};

use crate::agree::{bytes, sorted};
use crate::model::{Model, Says, Wanted};
use crate::random::{Case, Random};
use crate::report::assert_reads_back;

/// The number of random documents. Each is checked in several ways.
const CASES: u64 = 4000;

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

fn paths(paths: &[Vec<Json>]) -> Vec<Path> {
    Path::list_from(&value(&json!(paths))).unwrap()
}

/// Asserts that evidence is valid and that its report has the model's findings, in any order.
fn assert_says(
    cert: &Cert,
    document: Option<&Value>,
    evidence: &Evidence,
    imprint: &str,
    says: &Says,
) {
    let report = cert
        .verify(document, &evidence.to_value(), imprint)
        .unwrap();
    assert!(report.valid, "{:?}", report.errors);
    assert_reads_back(&report);
    let found: Json = (&report.to_value()).into();
    for (name, expected) in [
        ("entries", &says.entries),
        ("absent", &says.absent),
        ("objects", &says.objects),
        ("lists", &says.lists),
    ] {
        assert_eq!(sorted(&found[name]), sorted(&json!(expected)), "{name}");
    }
}

fn check(case: &Case, random: &mut Random) {
    let cert = Cert::new(&value(&case.schema)).unwrap();
    let (data, keys) = (value(&case.data), Keys::Key(case.key.into()));
    let model = Model {
        schema: &case.schema,
        data: &case.data,
        key: case.key,
    };
    assert_eq!(cert.schema_id().as_bytes(), &model.schema_id());
    let imprint = cert.imprint(&data, &keys).unwrap();
    assert_eq!(imprint.as_bytes(), &model.imprint());
    let imprint = imprint.to_string();

    // Evidence is reduced step by step. Each step removes one of the paths.
    let (mut wanted, mut shown) = (case.paths.clone(), data.clone());
    let mut evidence = cert.notarize(&data, &keys).unwrap();
    let mut attached = None;
    while !wanted.is_empty() {
        let proof = model.proof(&Wanted::new(&wanted));
        let says = model.says(&proof);
        let asked = paths(&wanted);
        evidence = cert
            .reduce(Some(&shown), &evidence, &asked, Values::Detach)
            .unwrap();
        assert_eq!(
            evidence,
            cert.disclose(&data, &keys, &asked, Values::Detach).unwrap()
        );
        shown = cert.expose(&shown, &asked);
        assert_eq!(shown, value(says.document.as_ref().unwrap()));
        let bytes = proof.bytes();
        assert_eq!(decoded(&evidence), bytes);
        assert_says(&cert, Some(&shown), &evidence, &imprint, &says);

        let with_values = match &attached {
            None => cert.disclose(&data, &keys, &asked, Values::Attach).unwrap(),
            Some(before) => cert.reduce(None, before, &asked, Values::Attach).unwrap(),
        };
        let json: Json = (&with_values.to_value()).into();
        assert_eq!(sorted(&json["values"]), sorted(&json!(says.pairs)));
        assert_eq!(decoded(&with_values), bytes);
        assert_eq!(cert.document(&with_values).as_ref(), Some(&shown));
        assert_eq!(
            cert.document(&evidence),
            None,
            "detached evidence has no document"
        );
        assert_says(&cert, None, &with_values, &imprint, &says);
        assert_says(&cert, Some(&shown), &with_values, &imprint, &says);
        attached = Some(with_values);
        let at = random.below(wanted.len());
        wanted.remove(at);
    }
}

/// Returns the bytes of a proof. The text is decoded independently of the crate.
pub(crate) fn decoded(evidence: &Evidence) -> Vec<u8> {
    let json: Json = (&evidence.to_value()).into();
    bytes(json["proof"].as_str().unwrap())
}

#[test]
fn documents_agree_with_the_model() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let case = random.case();
        let checked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&case, &mut random)));
        assert!(
            checked.is_ok(),
            "seed {seed}: {}",
            json!({ "schema": case.schema, "data": case.data, "paths": case.paths })
        );
    }
}
