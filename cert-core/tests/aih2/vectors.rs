//! The vectors of AIH-2, made by other software.

use cert_core::aih2::{Cert, DocumentKey, Keys, Secret};
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
