use cert_core::{Path, proofs_to_value};

use super::*;
use crate::badge::verdict::Integrity;

const SCHEMA: &str = r#"{"type":"object","properties":{
    "$evidence":{"type":"string"},"$schema":{"type":"string"},
    "name":{"type":"string"},"born":{"type":"integer"},"alive":{"type":"boolean"},
    "tags":{"type":"array","items":{"type":"string"}},
    "book":{"type":"object","properties":{"title":{"type":"string"},"year":{"type":"integer"}}}
}}"#;
const DATA: &str = r#"{"$evidence":"e.json","$schema":"s.json","name":"Ada","born":1815,"alive":false,
    "tags":["a","b","c"],"book":{"title":"Notes","year":1843}}"#;

fn json(text: &str) -> Value {
    Value::parse(text).unwrap()
}

fn paths(keys: &[&str]) -> Vec<Path> {
    keys.iter().map(|key| key.split('.').collect()).collect()
}

/// Judges the documents for an asset. The documents do not contain the asset's id.
fn judge(schema: &Value, metadata: &Value, evidence: &Value, imprint: &str) -> Outcome {
    let subject = Subject {
        ledger: "0x1111111111111111111111111111111111111111"
            .parse()
            .unwrap(),
        asset: "1".parse().unwrap(),
    };
    let imprints = Imprints {
        current: imprint.parse().unwrap(),
        past: &[],
    };
    super::judge(schema, metadata, evidence, &imprints, &subject).0
}

/// Certifies the test data, and judges `metadata` with proofs for the paths in `disclosed`.
fn on(metadata: &str, disclosed: &[&str]) -> Outcome {
    on_whole(DATA, metadata, disclosed)
}

fn on_whole(data: &str, metadata: &str, disclosed: &[&str]) -> Outcome {
    let (schema, data) = (json(SCHEMA), json(data));
    let cert = Cert::new(&schema).unwrap();
    let evidence = proofs_to_value(&cert.disclose(&data, &paths(disclosed)).unwrap());
    judge(
        &schema,
        &json(metadata),
        &evidence,
        &cert.imprint(&data).unwrap(),
    )
}

/// Returns the validity of the documents. `None` if they could not be checked.
fn valid(outcome: &Outcome) -> Option<bool> {
    match outcome.integrity {
        Integrity::NotChecked => None,
        integrity => Some(integrity == Integrity::Unchanged),
    }
}

/// Returns `reason path` of every finding.
fn found(outcome: &Outcome) -> Vec<String> {
    outcome
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.reason, finding.path))
        .collect()
}

#[test]
fn documents_with_matching_evidence_are_valid() {
    let (schema, data) = (json(SCHEMA), json(DATA));
    let cert = Cert::new(&schema).unwrap();
    let imprint = cert.imprint(&data).unwrap();
    for keys in [
        &["name"][..],
        &["born", "alive"],
        &["book.year"],
        &["book"],
        &["tags"],
        &["$schema", "$evidence", "name"],
    ] {
        let paths = paths(keys);
        let proofs = proofs_to_value(&cert.disclose(&data, &paths).unwrap());
        let metadata = cert.expose(&data, &paths);
        let whole = json(&format!(r#"{{"$schema":"x","data":{}}}"#, proofs.to_json()));
        for evidence in [proofs, whole] {
            let outcome = judge(&schema, &metadata, &evidence, &imprint);
            assert_eq!(
                (valid(&outcome), found(&outcome)),
                (Some(true), vec![]),
                "{keys:?}"
            );
        }
    }
    assert_eq!(
        valid(&on(
            DATA,
            &[
                "$evidence",
                "$schema",
                "name",
                "born",
                "alive",
                "tags",
                "book"
            ]
        )),
        Some(true)
    );
}

#[test]
fn a_changed_value_is_invalid_even_if_its_hash_is_equal() {
    for (metadata, path) in [
        (r#"{"name":"Eva"}"#, "metadata.name"),
        (r#"{"born":"1815"}"#, "metadata.born"),
        (r#"{"alive":"false"}"#, "metadata.alive"),
        (r#"{"name":""}"#, "metadata.name"),
        (r#"{"name":null}"#, "metadata.name"),
        (r#"{"tags":["a","B","c"]}"#, "metadata.tags[1]"),
        (r#"{"tags":[]}"#, "metadata.tags"),
        (
            r#"{"book":{"title":"Notes","year":1844}}"#,
            "metadata.book.year",
        ),
    ] {
        let outcome = on(metadata, &["name", "born", "alive", "tags", "book"]);
        assert_eq!(
            (valid(&outcome), found(&outcome)),
            (Some(false), vec![format!("value-mismatch {path}")])
        );
        assert_eq!(outcome.findings[0].code, None);
    }
}

#[test]
fn an_uncovered_value_is_invalid() {
    for (metadata, finding) in [
        (r#"{"name":"Ada","born":1815}"#, "not-covered metadata.born"),
        (r#"{"name":"Ada","born":null}"#, "not-covered metadata.born"),
        (r#"{"name":"Ada","tags":[]}"#, "not-covered metadata.tags"),
        (
            r#"{"name":"Ada","tags":["a"]}"#,
            "not-covered metadata.tags[0]",
        ),
        (
            r#"{"name":"Ada","book":{}}"#,
            "nothing-stated metadata.book",
        ),
        (
            r#"{"name":"Ada","book":{"year":1843}}"#,
            "not-covered metadata.book.year",
        ),
        (
            r#"{"name":"Ada","$schema":"s.json"}"#,
            "not-covered metadata.$schema",
        ),
        (
            r#"{"name":"Ada","book":"Notes"}"#,
            "data-type-mismatch metadata.book",
        ),
    ] {
        let outcome = on(metadata, &["name"]);
        assert_eq!(
            (valid(&outcome), found(&outcome)),
            (Some(false), vec![finding.to_owned()]),
            "{metadata}"
        );
    }
    // A proven empty object still says nothing about the asset.
    let outcome = on_whole(
        r#"{"name":"Ada","book":{}}"#,
        r#"{"name":"Ada","book":{}}"#,
        &["name", "book"],
    );
    assert_eq!(found(&outcome), ["nothing-stated metadata.book"]);
    // A proven empty list says that the list is empty.
    let data = r#"{"name":"Ada","tags":[]}"#;
    assert_eq!(valid(&on_whole(data, data, &["name", "tags"])), Some(true));
}

#[test]
fn values_outside_the_schema_are_ignored() {
    let outcome = on(r#"{"name":"Ada","rumour":{"x":[]},"note":null}"#, &["name"]);
    assert_eq!((valid(&outcome), found(&outcome)), (Some(true), vec![]));
}

#[test]
fn a_proof_of_only_the_pointers_is_invalid() {
    for metadata in [
        "{}",
        r#"{"$schema":"s.json"}"#,
        r#"{"$schema":"s.json","$evidence":"e.json","rumour":1}"#,
    ] {
        let outcome = on(metadata, &["$schema", "$evidence"]);
        assert_eq!(
            (valid(&outcome), found(&outcome)),
            (Some(false), vec!["nothing-proven metadata".to_owned()])
        );
    }
}

#[test]
fn evidence_of_another_imprint_is_the_only_reported_reason() {
    let (schema, data) = (json(SCHEMA), json(DATA));
    let cert = Cert::new(&schema).unwrap();
    let evidence = proofs_to_value(&cert.notarize(&data).unwrap());
    let outcome = judge(&schema, &data, &evidence, &"0".repeat(64));
    assert_eq!(
        (valid(&outcome), found(&outcome)),
        (Some(false), vec!["imprint-mismatch evidence".to_owned()])
    );
    let imprint = cert.imprint(&data).unwrap();
    let outcome = judge(&schema, &data, &json(r#"{"data":[]}"#), &imprint);
    assert_eq!(
        (valid(&outcome), found(&outcome)),
        (Some(false), vec!["root-missing evidence".to_owned()])
    );
    // The nonces in the proofs were changed, but the hashes were not.
    let tampered = evidence.to_json().replace("\"nonce\":\"", "\"nonce\":\"0");
    let outcome = judge(&schema, &data, &json(&tampered), &imprint);
    assert_eq!(valid(&outcome), Some(false));
}

#[test]
fn invalid_evidence_or_schema_gives_the_verdict_unknown() {
    let (schema, data) = (json(SCHEMA), json(DATA));
    for evidence in [
        "null",
        "{}",
        "7",
        r#""data""#,
        r#"{"error":"not found"}"#,
        r#"{"data":{}}"#,
        r#"{"data":[1]}"#,
        r#"[[]]"#,
    ] {
        let outcome = judge(&schema, &data, &json(evidence), &"0".repeat(64));
        assert_eq!(
            (valid(&outcome), found(&outcome)),
            (None, vec!["evidence-malformed evidence".to_owned()])
        );
        assert_eq!(outcome.findings[0].code, Some(400_017));
    }
    for schema in [
        "{}",
        "[]",
        "true",
        r#"{"type":"string"}"#,
        r#"{"type":"object"}"#,
    ] {
        let outcome = judge(&json(schema), &data, &json("[]"), &"0".repeat(64));
        assert_eq!(
            (valid(&outcome), found(&outcome)),
            (None, vec!["schema-not-usable schema".to_owned()])
        );
    }
}

#[test]
fn forgeries_are_never_valid() {
    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        schema: serde_json::Value,
        data: serde_json::Value,
        proofs: serde_json::Value,
        imprint: String,
    }
    #[derive(serde::Deserialize)]
    struct File {
        cases: Vec<Case>,
    }
    let file: File =
        serde_json::from_str(include_str!("../../../../tests/vectors/cert/forged.json")).unwrap();
    assert!(file.cases.len() > 100);
    for case in file.cases {
        let [schema, data, proofs] =
            [&case.schema, &case.data, &case.proofs].map(|value| Value::try_from(value).unwrap());
        let outcome = judge(&schema, &data, &proofs, &case.imprint);
        assert_ne!(valid(&outcome), Some(true), "{}", case.name);
    }
}
