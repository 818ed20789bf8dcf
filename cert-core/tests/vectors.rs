//! Tests the crate with vectors: results of other software, and forgeries that must be refused.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{Cert, Status, Value, identify, identify_sorted, proofs_to_value};
use support::{array, at, by_path, cases, list, paths, text};

fn cert(case: &Value) -> Cert {
    Cert::new(at(case, "schema")).unwrap()
}

#[test]
fn schema_ids_equal_the_vectors() {
    for case in cases("reference.json") {
        let (schema, expected) = (at(&case, "schema"), at(&case, "schemaId"));
        assert_eq!(identify(schema), format!("0x{}", text(expected, "literal")));
        assert_eq!(
            identify_sorted(schema),
            format!("0x{}", text(expected, "sorted"))
        );
    }
}

#[test]
fn imprints_and_full_proofs_equal_the_vectors() {
    let cases = cases("reference.json");
    assert_eq!(cases.len(), 120);
    for case in cases {
        let (cert, data, name) = (cert(&case), at(&case, "data"), text(&case, "name"));
        let imprint = text(&case, "imprint");
        assert_eq!(cert.imprint(data).unwrap(), imprint, "{name}");

        let proofs = proofs_to_value(&cert.notarize(data).unwrap());
        assert_eq!(by_path(&proofs), by_path(at(&case, "notarize")), "{name}");
        assert_eq!(
            at(&list(&proofs)[0], "path").to_json(),
            "[]",
            "the root comes first"
        );
        // The proofs are equal byte for byte, including the order of keys.
        for (path, proof) in by_path(at(&case, "notarize")) {
            assert_eq!(
                by_path(&proofs)[&path].to_json(),
                proof.to_json(),
                "{name} {path}"
            );
        }
        assert_eq!(
            cert.calculate(data, &proofs).unwrap().as_deref(),
            Some(imprint),
            "{name}"
        );
        let report = cert.verify(data, &proofs, imprint).unwrap();
        assert!(report.valid && report.reasons.is_empty(), "{name}");
        assert!(report.lists.iter().all(|list| list.complete), "{name}");
    }
}

#[test]
fn disclosed_proofs_and_exposed_data_equal_the_vectors() {
    let mut sets = 0;
    for case in cases("reference.json") {
        let (cert, data, name) = (cert(&case), at(&case, "data"), text(&case, "name"));
        let imprint = text(&case, "imprint");
        for set in list(at(&case, "disclose")) {
            let paths = paths(at(set, "paths"));
            let exposed = cert.expose(data, &paths);
            assert_eq!(exposed.to_json(), at(set, "expose").to_json(), "{name}");
            let proofs = proofs_to_value(&cert.disclose(data, &paths).unwrap());
            if at(&case, "arraysOver10") == &Value::Bool(false) {
                assert_eq!(by_path(&proofs), by_path(at(set, "proofs")), "{name}");
                let theirs = cert.calculate(&exposed, at(set, "proofs")).unwrap();
                assert_eq!(theirs.as_deref(), Some(imprint), "{name}");
            }
            let ours = cert.calculate(&exposed, &proofs).unwrap();
            assert_eq!(ours.as_deref(), Some(imprint), "{name}");
            sets += 1;
        }
        if let Some(set) = case.as_object().unwrap().get("compound") {
            let paths = paths(at(set, "paths"));
            let exposed = cert.expose(data, &paths);
            assert_eq!(exposed.to_json(), at(set, "expose").to_json(), "{name}");
            let proofs = proofs_to_value(&cert.disclose(data, &paths).unwrap());
            assert_eq!(
                cert.calculate(&exposed, &proofs).unwrap().as_deref(),
                Some(imprint)
            );
            sets += 1;
        }
    }
    assert_eq!(sets, 287);
}

#[test]
fn forgeries_of_the_vectors_are_refused() {
    let cases = cases("forged.json");
    assert_eq!(cases.len(), 111);
    for case in cases {
        let (data, proofs, imprint) = (
            at(&case, "data"),
            at(&case, "proofs"),
            text(&case, "imprint"),
        );
        let name = text(&case, "name");
        let cert = cert(&case);
        let calculated = cert.calculate(data, proofs).unwrap();
        assert_ne!(calculated.as_deref(), Some(imprint), "{name}");
        let report = cert.verify(data, proofs, imprint).unwrap();
        assert!(!report.valid, "{name}");
        let refused = report.reasons.iter().map(|reason| reason.code.as_str());
        let entries = report
            .entries
            .iter()
            .filter(|entry| entry.status != Status::Proven);
        let entries = entries
            .filter_map(|entry| entry.reason)
            .map(|code| code.as_str());
        assert!(refused.chain(entries).next().is_some(), "{name}: no reason");
    }
}

#[test]
fn an_evidence_object_is_accepted() {
    let case = &cases("reference.json")[0];
    let entries = vec![
        (
            "$schema".to_owned(),
            Value::from("https://example.com/evidence.json"),
        ),
        (
            "data".to_owned(),
            array(list(at(case, "notarize")).to_vec()),
        ),
    ];
    let evidence = Value::Object(entries.try_into().unwrap());
    let calculated = cert(case).calculate(at(case, "data"), &evidence).unwrap();
    assert_eq!(calculated.as_deref(), Some(text(case, "imprint")));
}
