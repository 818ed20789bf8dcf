//! Compares verdicts on evidence of AIH-2 with the verdicts of the tests' slow verifier.

use cert_core::Value;
use cert_core::aih2::{Cert, Evidence, Report, Values, parse};
use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use agree::{Claim, agreed};

#[path = "../../cert-core/tests/aih2/agree.rs"]
mod agree;
#[path = "../../cert-core/tests/aih2/judge.rs"]
mod judge;
#[path = "../../cert-core/tests/aih2/model.rs"]
#[allow(dead_code, reason = "verifying uses only a part of the model")]
mod model;

/// Seeds of this many bytes or more are left out.
const LONGEST: usize = 4_000;

/// Returns the evidence of the vectors: detached, attached, and attached together with the document.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = include_str!("../../tests/vectors/aih2/vectors.json");
    let mut json = serde_json::Deserializer::from_str(text);
    // A vector has a document of 257 levels, which serde_json refuses by default.
    json.disable_recursion_limit();
    let vectors = Json::deserialize(&mut json).unwrap();
    let mut seeds = vec![];
    for case in vectors["cases"].as_array().unwrap() {
        let (schema, document, values) = (&case["schema"], &case["document"], &case["values"]);
        let evidence = &case["evidence"];
        let mut attached = evidence.clone();
        if let (Some(evidence), true) = (attached.as_object_mut(), values.is_array()) {
            evidence.insert("values".to_owned(), values.clone());
        }
        for seed in [
            json!({ "schema": schema, "evidence": evidence, "document": document }),
            json!({ "schema": schema, "evidence": attached }),
            json!({ "schema": schema, "evidence": attached, "document": document }),
        ] {
            seeds.push(seed.to_string().into_bytes());
        }
    }
    seeds.retain(|seed| seed.len() < LONGEST);
    seeds
}

/// Takes a schema, evidence and optionally a document: `{"schema": …, "evidence": …, "document": …}`. The crate must agree with the slow
/// verifier on the verdict and on the work, and must be able to reduce evidence that it accepts.
pub fn aih2(input: &[u8]) {
    judged(input);
}

/// Returns the report of evidence under its own imprint. Returns `None` for input of a different form, and for evidence that is refused.
fn judged(input: &[u8]) -> Option<Report> {
    let Value::Object(input) = parse(std::str::from_utf8(input).ok()?).ok()? else {
        return None;
    };
    let (schema, evidence) = (input.get("schema")?, input.get("evidence")?);
    let cert = Cert::new(schema).ok()?;
    let document = input.get("document");
    let imprint = "0".repeat(64);
    let report = cert.verify(document, evidence, &imprint).unwrap();
    assert!(!report.valid);
    let (schema, claim): (Json, _) = (
        schema.into(),
        Claim {
            evidence: evidence.into(),
            document: document.map(Json::from),
        },
    );
    let document_json = claim.document.as_ref().unwrap_or(&Json::Null);
    if ![&schema, &claim.evidence, document_json]
        .into_iter()
        .all(is_plain)
    {
        return None;
    }
    let report = agreed(&cert, &schema, &claim)?;
    let evidence = Evidence::from_value(evidence).unwrap();
    let imprint = report.imprint.unwrap().to_string();
    for entry in report.entries.iter().filter(|_| report.valid).take(2) {
        let paths = [entry.path.clone()];
        let less = cert
            .reduce(document, &evidence, &paths, Values::Attach)
            .unwrap();
        let found = cert.verify(None, &less.to_value(), &imprint).unwrap();
        assert!(found.valid && found.entries == [entry.clone()]);
    }
    Some(report)
}

/// Returns true if the model writes all numbers as ECMAScript does.
fn is_plain(json: &Json) -> bool {
    match json {
        Json::Number(number) => {
            Value::try_from(json).is_ok_and(|value| value.to_json() == number.to_string())
        }
        Json::Array(items) => items.iter().all(is_plain),
        Json::Object(object) => object.values().all(is_plain),
        _ => true,
    }
}

#[test]
fn more_than_100_seeds_are_valid() {
    let reports: Vec<_> = seeds().iter().filter_map(|seed| judged(seed)).collect();
    let valid = reports.iter().filter(|report| report.valid).count();
    assert!(valid > 100, "{valid}");
}
