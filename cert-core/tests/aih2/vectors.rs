//! The vectors of AIH-2, made by other software.

use cert_core::aih2::{Cert, DocumentKey, Evidence, Keys, Report, Secret};
use cert_core::{CertError, Value};
use serde::Deserialize as _;
use serde_json::Value as Json;

fn cases() -> Vec<Json> {
    let text = include_str!("../../../tests/vectors/aih2/vectors.json");
    let mut json = serde_json::Deserializer::from_str(text);
    // One of them is a document of 257 levels.
    json.disable_recursion_limit();
    let vectors = Json::deserialize(&mut json).unwrap();
    vectors["cases"].as_array().unwrap().clone()
}

fn bytes(digits: &Json) -> Option<Vec<u8>> {
    let digits = digits.as_str()?;
    let pairs = (0..digits.len()).step_by(2);
    Some(
        pairs
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect(),
    )
}

/// A value of a case: a text to be read, or JSON.
fn value(case: &Json, name: &str) -> Result<Value, CertError> {
    match case["text"].as_bool() {
        Some(true) => cert_core::aih2::parse(case[name].as_str().unwrap()),
        _ => Value::try_from(&case[name]),
    }
}

/// The sources of the key that a case has.
fn keys(case: &Json) -> Result<Vec<Keys>, CertError> {
    let mut keys = Vec::new();
    if let Some(key) = bytes(&case["key"]) {
        keys.push(Keys::Key(DocumentKey::try_from(&key[..])?));
    }
    if let Some(secret) = bytes(&case["secret"]) {
        let asset_id = case["assetId"].as_str().unwrap_or("");
        keys.push(Keys::Secret(Secret::new(&secret, asset_id)?));
    }
    Ok(keys)
}

#[test]
fn imprints() {
    let mut count = 0;
    for case in cases() {
        if case["kind"] != "disclose" || case["valid"] != true {
            continue;
        }
        let cert = Cert::new(&value(&case, "schema").unwrap()).unwrap();
        assert_eq!(
            cert.schema_id().to_string(),
            case["schemaId"].as_str().unwrap()
        );
        for keys in keys(&case).unwrap() {
            let imprint = cert.imprint(&value(&case, "data").unwrap(), &keys).unwrap();
            assert_eq!(
                imprint.to_string(),
                case["imprint"].as_str().unwrap(),
                "{}",
                case["name"]
            );
            count += 1;
        }
    }
    assert!(count > 120, "{count}");
}

/// The value of a case that may be missing.
fn optional(case: &Json, name: &str) -> Result<Option<Value>, CertError> {
    match case.get(name) {
        None => Ok(None),
        Some(_) => value(case, name).map(Some),
    }
}

/// The report of a verification, its text and values read as a caller reads them.
fn verify(case: &Json) -> Result<Report, CertError> {
    let cert = Cert::new(&value(case, "schema")?)?;
    let document = optional(case, "document")?;
    let imprint = case["imprint"].as_str().unwrap();
    match case["text"].as_bool() {
        Some(true) => {
            let evidence = Evidence::parse(case["evidence"].as_str().unwrap())?;
            cert.verify_read(document.as_ref(), &evidence, &imprint.parse()?)
        }
        _ => cert.verify(document.as_ref(), &value(case, "evidence")?, imprint),
    }
}

/// The findings of a report as a case has them, ordered.
fn assert_findings(report: &Report, case: &Json, name: &str) {
    assert!(report.valid, "{name}: {:?}", report.errors);
    let found: Json = (&report.to_value()).into();
    for list in ["absent", "objects", "lists"] {
        let ordered = |list: &Json| {
            let mut items: Vec<_> = list
                .as_array()
                .unwrap()
                .iter()
                .map(Json::to_string)
                .collect();
            items.sort();
            items
        };
        assert_eq!(
            ordered(&found[list]),
            ordered(&case[list]),
            "{name}: {list}"
        );
    }
}

/// Verifies evidence alone, beside its values and by them alone.
fn assert_verifies(cert: &Cert, case: &Json, imprint: &str, name: &str) {
    let document = value(case, "document").unwrap();
    let mut evidence = case["evidence"].clone();
    let verify = |document: Option<&Value>, evidence: &Json| {
        let evidence = Value::try_from(evidence).unwrap();
        cert.verify(document, &evidence, imprint).unwrap()
    };
    let detached = verify(Some(&document), &evidence);
    assert_findings(&detached, case, name);
    evidence["values"] = case["values"].clone();
    let attached = verify(None, &evidence);
    assert_findings(&attached, case, name);
    assert_eq!(attached, verify(Some(&document), &evidence), "{name}");
    assert_eq!(attached.entries.len(), detached.entries.len(), "{name}");
    assert!(
        attached
            .entries
            .iter()
            .all(|entry| detached.entries.contains(entry)),
        "{name}"
    );
}

#[test]
fn evidence_is_verified() {
    for case in cases()
        .iter()
        .filter(|case| case["kind"] == "disclose" && case["valid"] == true)
    {
        let cert = Cert::new(&value(case, "schema").unwrap()).unwrap();
        let (imprint, name) = (
            case["imprint"].as_str().unwrap(),
            case["name"].as_str().unwrap(),
        );
        assert_verifies(&cert, case, imprint, name);
        if case.get("reduce").is_some() {
            assert_verifies(&cert, &case["reduce"], imprint, name);
        }
    }
}

#[test]
fn refusals_of_evidence() {
    for case in cases().iter().filter(|case| case["kind"] == "verify") {
        let code = match verify(case) {
            Err(error) => Some(error.code().as_str()),
            Ok(report) => {
                assert_eq!(report.valid, report.errors.is_empty());
                report.errors.first().map(|error| error.code.as_str())
            }
        };
        assert_eq!(code, case["code"].as_str(), "{}", case["name"]);
    }
}
