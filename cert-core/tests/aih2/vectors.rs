//! Tests the crate with the vectors of AIH-2, which other software made.

use cert_core::aih2::{Asset, Cert, DocumentKey, Evidence, Keys, Report, Secret, Status, Values};
use cert_core::{CertError, Path, Value};
use serde::Deserialize as _;
use serde_json::Value as Json;

use crate::agree::sorted;

fn cases() -> Vec<Json> {
    let text = include_str!("../../../tests/vectors/aih2/vectors.json");
    let mut json = serde_json::Deserializer::from_str(text);
    // One vector has a document of 257 levels.
    json.disable_recursion_limit();
    let vectors = Json::deserialize(&mut json).unwrap();
    vectors["cases"].as_array().unwrap().clone()
}

fn bytes(digits: &Json) -> Option<Vec<u8>> {
    let digits = digits.as_str()?;
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty());
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    Some(pairs.iter().map(byte).collect())
}

/// Returns a value of a case. Parses the value if it is given as text.
fn value(case: &Json, name: &str) -> Result<Value, CertError> {
    match case["text"].as_bool() {
        Some(true) => cert_core::aih2::parse(case[name].as_str().unwrap()),
        _ => Value::try_from(&case[name]),
    }
}

/// Returns the sources of a case's key.
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
fn imprints_equal_the_vectors() {
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

/// Returns a value of a case, or `None` if the case does not have it.
fn optional(case: &Json, name: &str) -> Result<Option<Value>, CertError> {
    match case.get(name) {
        None => Ok(None),
        Some(_) => value(case, name).map(Some),
    }
}

/// Returns the report for a case. Reads text and values in the same way as a caller.
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

/// Asserts that a report is valid and has the findings of a case, in any order.
fn assert_findings(report: &Report, case: &Json, name: &str) {
    assert!(report.valid, "{name}: {:?}", report.errors);
    let found: Json = (&report.to_value()).into();
    for list in ["absent", "objects", "lists"] {
        assert_eq!(sorted(&found[list]), sorted(&case[list]), "{name}: {list}");
    }
}

/// Verifies evidence in three forms: detached with the document, attached, and attached together with the document.
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
    let beside = verify(Some(&document), &evidence);
    assert!(
        beside
            .shown
            .iter()
            .all(|value| value.status == Status::Proven),
        "{name}"
    );
    assert_eq!(beside.shown, detached.shown, "{name}");
    let attached = Report {
        shown: beside.shown.clone(),
        ..attached
    };
    assert_eq!(attached, beside, "{name}");
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
fn evidence_of_the_vectors_is_valid() {
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
fn evidence_is_refused_with_the_codes_of_the_vectors() {
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

fn paths(case: &Json) -> Result<Vec<Path>, CertError> {
    Path::list_from(&value(case, "paths")?)
}

/// Asserts that attached and detached evidence equal the evidence of a case, and that the detached document equals the document of
/// the case.
fn assert_made(make: impl Fn(Values) -> Evidence, exposed: &Value, case: &Json, name: &str) {
    let detached: Json = (&make(Values::Detach).to_value()).into();
    assert_eq!(detached, case["evidence"], "{name}");
    let attached: Json = (&make(Values::Attach).to_value()).into();
    assert_eq!(attached["proof"], case["evidence"]["proof"], "{name}");
    let as_read = |values: &Json| sorted(&(&Value::try_from(values).unwrap()).into());
    assert_eq!(
        sorted(&attached["values"]),
        as_read(&case["values"]),
        "{name}"
    );
    assert_eq!(exposed, &value(case, "document").unwrap(), "{name}");
}

#[test]
fn evidence_equals_the_vectors_byte_for_byte() {
    let mut reduced = 0;
    for case in cases()
        .iter()
        .filter(|case| case["kind"] == "disclose" && case["valid"] == true)
    {
        let cert = Cert::new(&value(case, "schema").unwrap()).unwrap();
        let (data, paths) = (value(case, "data").unwrap(), paths(case).unwrap());
        let name = case["name"].as_str().unwrap();
        let exposed = cert.expose(&data, &paths);
        for keys in keys(case).unwrap() {
            let make = |values| cert.disclose(&data, &keys, &paths, values).unwrap();
            assert_made(make, &exposed, case, name);
            let whole = cert.notarize(&data, &keys).unwrap();
            let make = |values| cert.reduce(Some(&data), &whole, &paths, values).unwrap();
            assert_made(make, &exposed, case, name);
        }
        let Some(less) = case.get("reduce") else {
            continue;
        };
        let less_paths = self::paths(less).unwrap();
        let evidence = Evidence::from_value(&value(case, "evidence").unwrap()).unwrap();
        let shown = cert.expose(&exposed, &less_paths);
        let make = |values| {
            cert.reduce(Some(&exposed), &evidence, &less_paths, values)
                .unwrap()
        };
        assert_made(make, &shown, less, name);
        // Attached evidence without a document gives the same result.
        let evidence = cert
            .reduce(Some(&exposed), &evidence, &paths, Values::Attach)
            .unwrap();
        let make = |values| cert.reduce(None, &evidence, &less_paths, values).unwrap();
        assert_made(make, &shown, less, name);
        reduced += 1;
    }
    assert!(reduced > 20, "{reduced}");
}

/// Makes evidence from the inputs of a case.
fn make(case: &Json) -> Result<(), CertError> {
    let cert = Cert::new(&value(case, "schema")?)?;
    if case["kind"] == "reduce" {
        let evidence = Evidence::from_value(&value(case, "evidence")?)?;
        let document = optional(case, "document")?;
        cert.reduce(document.as_ref(), &evidence, &paths(case)?, Values::Detach)?;
        return Ok(());
    }
    let data = value(case, "data")?;
    for keys in keys(case)? {
        let evidence = cert.notarize(&data, &keys)?;
        assert_eq!(
            cert.calculate(Some(&data), &evidence)?,
            cert.imprint(&data, &keys)?
        );
        if case["kind"] == "disclose" {
            cert.disclose(&data, &keys, &paths(case)?, Values::Attach)?;
        }
    }
    Ok(())
}

#[test]
fn making_evidence_is_refused_with_the_codes_of_the_vectors() {
    let mut count = 0;
    for case in cases()
        .iter()
        .filter(|case| case["kind"] != "verify" && case["valid"] == false)
    {
        // This case cannot be expressed in Rust, because the key is a required argument.
        if case["name"] == "neither key nor secret" {
            assert!(keys(case).unwrap().is_empty());
            continue;
        }
        let error = make(case).unwrap_err();
        assert_eq!(
            error.code().as_str(),
            case["code"].as_str().unwrap(),
            "{}",
            case["name"]
        );
        count += 1;
    }
    assert!(count > 30, "{count}");
}

/// The vectors of reports: the errors, the status of each value of the document, and the asset.
#[test]
fn reports_equal_the_vectors() {
    let text = include_str!("../../../tests/vectors/aih2/reports.json");
    let vectors: Json = serde_json::from_str(text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        let cert = Cert::new(&value(case, "schema").unwrap()).unwrap();
        let document = optional(case, "document").unwrap();
        let evidence = value(case, "evidence").unwrap();
        let imprint = case["imprint"].as_str().unwrap();
        let named = |name: &str| case["asset"][name].as_str();
        let verify = |document| match (named("ledgerId"), named("assetId")) {
            (Some(ledger), Some(id)) => {
                let asset = Asset::new(ledger, id).unwrap();
                cert.verify_asset(document, &evidence, imprint, &asset)
            }
            _ => cert.verify(document, &evidence, imprint),
        };
        let report: Json = (&verify(document.as_ref()).unwrap().to_value()).into();
        assert_eq!(report["valid"], case["valid"], "{}", case["name"]);
        for list in ["errors", "shown"] {
            let lists = [&report[list], &case[list]].map(sorted);
            assert_eq!(lists[0], lists[1], "{}: {list}", case["name"]);
        }
    }
}
