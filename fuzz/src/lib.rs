//! Fuzz targets for every part of the certification library that reads untrusted input, and for the readers of badges. Results are compared with a slow model.
//!
//! `cargo xtask fuzz` runs the targets guided by coverage. `smoke.rs` runs them on seeds and on random changes of the seeds, on every
//! platform.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a target that finds something wrong should stop"
)]

mod aih2;
mod badge;
#[cfg(test)]
mod smoke;
#[path = "../../cert-core/tests/support/mod.rs"]
#[allow(unreachable_pub, reason = "shared with the tests of cert-core")]
mod support;

use std::sync::OnceLock;

pub use aih2::aih2;
pub use badge::badge;

use cert_core::{
    Cert, ErrorCode, Path, PathStep, ProofNode, Value, identify, identify_sorted, proofs_to_value,
};
#[cfg(feature = "validate")]
use cert_core::{MAX_VIOLATIONS, Validator};
use support::model::{self, Standard};
use support::random::Random;
use support::schemes::{Certifies, SCHEMES, Scheme};
use support::{at, cases};

/// A target. It panics if a check fails.
pub type Target = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: &[(&str, Target)] = &[
    ("data", data),
    ("schema", schema),
    ("evidence", evidence),
    ("imprint", imprint),
    ("aih2", aih2),
    ("badge", badge),
    #[cfg(feature = "validate")]
    ("validate", validate),
];

/// Seeds of the target `validate`, in addition to the vectors. Their schemas have keywords that refer, match, combine and count.
const VALIDATED: [&str; 9] = [
    r##"{"schema":{"$ref":"#/definitions/a","definitions":{"a":{"type":["object","null"],"properties":{"a":{"$ref":"#/definitions/a"}}}}},"data":{"a":{"a":1}}}"##,
    r#"{"schema":{"items":{"pattern":"^(a|b)+$","minLength":2,"maxLength":9}},"data":["ab","x",""]}"#,
    r#"{"schema":{"properties":{"0":{"pattern":"(?<!a)b(?=c)\\1"}},"required":["a"]},"data":{"0":"abc"}}"#,
    r#"{"schema":{"oneOf":[{"type":"integer","multipleOf":0.01},{"minimum":5},{"not":{"const":1}}]},"data":1.005}"#,
    r#"{"schema":{"patternProperties":{"^x":{"format":"date"}},"additionalProperties":false,"minProperties":1},"data":{"x":"2026-02-30","y":1}}"#,
    r#"{"schema":{"contains":{"enum":[1,"1",null,[]]},"uniqueItems":true,"maxItems":2},"data":[1,1.0,"1"]}"#,
    r#"{"schema":{"if":{"required":["a"]},"then":{"required":["b"]},"else":false,"dependencies":{"a":["c"]}},"data":{"a":0}}"#,
    r##"{"schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"format":"uri"}},"unevaluatedItems":false},"data":["a:b",2]}"##,
    r##"{"schema":{"$schema":"https://json-schema.org/draft/2019-09/schema","$anchor":"a","properties":{"a":{"$ref":"#a"}},"unevaluatedProperties":false},"data":{"a":{"b":1}}}"##,
];

/// Returns the seeds of a target: the vectors, or random bytes for a target that draws its input from bytes.
#[must_use]
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let text = |value: &Value| value.to_json().into_bytes();
    let cases = cases("reference.json");
    match target {
        "data" => cases.iter().map(|case| text(at(case, "data"))).collect(),
        "schema" => cases.iter().map(|case| text(at(case, "schema"))).collect(),
        "evidence" => {
            let seed = |index, data: &str, proofs: &[cert_core::Proof]| {
                let proofs = proofs_to_value(proofs).to_json();
                format!(r#"{{"case":{index},"data":{data},"proofs":{proofs}}}"#).into_bytes()
            };
            let mut seeds = Vec::new();
            for (index, document) in documents().iter().enumerate() {
                let mut proofs = document.cert.notarize(&document.data).unwrap();
                seeds.push(seed(index, &document.data.to_json(), &proofs));
                if document.data.to_json() == TEN {
                    document.open(&mut proofs);
                    seeds.push(seed(index, ELEVEN, &proofs));
                }
            }
            seeds
        }
        "aih2" => aih2::seeds(),
        "badge" => badge::seeds(),
        "validate" => {
            let pair = |schema: &Value, data: &Value| {
                let (schema, data) = (schema.to_json(), data.to_json());
                format!(r#"{{"schema":{schema},"data":{data}}}"#).into_bytes()
            };
            let certified = documents()
                .iter()
                .map(|document| pair(&document.schema, &document.data));
            certified
                .chain(VALIDATED.map(|text| text.as_bytes().to_vec()))
                .collect()
        }
        _ => {
            let mut state = 1;
            (0..64)
                .map(|_| support::random::bytes(&mut state))
                .collect()
        }
    }
}

/// Takes JSON text. A value must stay the same when it is written and read again, and must equal the value that serde_json reads.
pub fn data(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let other = serde_json::from_str::<serde_json::Value>(text);
    match Value::parse(text) {
        Ok(value) => {
            let written = value.to_json();
            let again = Value::parse(&written).unwrap();
            assert_eq!(again.to_json(), written);
            if all_finite(&value) {
                assert_eq!(again, value);
                // serde_json stops at 128 levels.
                if value.depth() < 100 {
                    assert_eq!(Value::try_from(&other.unwrap()).unwrap(), value);
                }
            }
        }
        // serde_json accepts duplicate keys. It refuses everything else that this crate refuses, such as half of a surrogate pair.
        Err(error) => assert!(
            other.is_err() || error.code() == ErrorCode::KeyDuplicate,
            "{error}"
        ),
    }
}

fn all_finite(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        Value::Array(array) => array.iter().all(all_finite),
        Value::Object(object) => object.iter().all(|(_, value)| all_finite(value)),
        _ => true,
    }
}

/// Takes a schema. If the schema compiles, its imprint of the empty document must equal the model's imprint.
pub fn schema(input: &[u8]) {
    let Some(schema) = json(input) else { return };
    assert_eq!(identify(&schema).len(), 66);
    assert_eq!(identify_sorted(&schema).len(), 66);
    let Ok(cert) = Cert::new(&schema) else { return };
    let empty = json(b"{}").unwrap();
    let imprint = cert.imprint(&empty).unwrap();
    assert_eq!(imprint, model::imprint(&schema, &empty));
    let proofs = proofs_to_value(&cert.notarize(&empty).unwrap());
    assert_eq!(cert.calculate(&empty, &proofs).unwrap(), Some(imprint));
}

/// Takes evidence and the document that it should prove: `{"case": …, "data": …, "proofs": …}`. Accepted values must be true in the model.
pub fn evidence(input: &[u8]) {
    let Some(Value::Object(input)) = json(input) else {
        return;
    };
    let number = |value: &Value| match value {
        Value::Number(number) => number.as_str().parse::<usize>().ok(),
        _ => None,
    };
    let documents = documents();
    let case = input.get("case").and_then(number).unwrap_or(0);
    let document = &documents[case % documents.len()];
    let (Some(claim), Some(proofs)) = (input.get("data"), input.get("proofs")) else {
        return;
    };
    let calculated = document.cert.calculate(claim, proofs).unwrap();
    let report = document
        .cert
        .verify(claim, proofs, &document.imprint)
        .unwrap();
    assert_eq!(
        report.valid,
        calculated.as_deref() == Some(document.imprint.as_str())
    );
    let standard = Standard {
        types: false,
        lengths: model::lengths(proofs),
    };
    let truth = Some(&document.data);
    let holds = |claim| standard.holds(&document.schema, claim, truth, &mut Vec::new());
    assert!(!report.valid || holds(claim), "a forgery is accepted");
    assert!(holds(&report.proven), "a false value is reported as proven");
}

/// Takes bytes, from which a schema and a document are drawn. The imprint must equal the model's imprint. Exposed data and proofs for the
/// same paths must verify.
pub fn imprint(input: &[u8]) {
    let mut random = Random(input);
    let schema = random.schema();
    let Ok(cert) = Cert::new(&schema) else { return };
    let data = random.data(&schema);
    let imprint = cert.imprint(&data).unwrap();
    assert_eq!(imprint, model::imprint(&schema, &data));
    let paths = random.paths(&data);
    let exposed = cert.expose(&data, &paths);
    let proofs = proofs_to_value(&cert.disclose(&data, &paths).unwrap());
    assert_eq!(cert.calculate(&exposed, &proofs).unwrap(), Some(imprint));
}

/// Takes a JSON Schema and data: `{"schema": …, "data": …}`. `validate` and `is_valid` must agree, and every violation must have a path
/// that leads to a value of the data.
#[cfg(feature = "validate")]
pub fn validate(input: &[u8]) {
    let Some(Value::Object(input)) = json(input) else {
        return;
    };
    let (Some(schema), Some(data)) = (input.get("schema"), input.get("data")) else {
        return;
    };
    let Ok(validator) = Validator::new(schema) else {
        return;
    };
    let Ok(violations) = validator.validate(data) else {
        assert!(!all_finite(data));
        return;
    };
    assert_eq!(violations.is_empty(), validator.is_valid(data).unwrap());
    assert!(violations.len() <= MAX_VIOLATIONS);
    for violation in violations {
        let mut place = Some(data);
        for step in violation.path.steps() {
            place = match (place, step) {
                (Some(Value::Object(object)), PathStep::Key(key)) => object.get(key),
                (Some(Value::Array(items)), PathStep::Index(index)) => items.get(*index),
                _ => None,
            };
        }
        assert!(place.is_some(), "{violation:?} has a path without a value");
        assert!(!violation.message.is_empty());
    }
}

fn json(input: &[u8]) -> Option<Value> {
    Value::parse(std::str::from_utf8(input).ok()?).ok()
}

/// A certified document.
struct Document {
    schema: Value,
    scheme: Scheme,
    cert: Box<dyn Certifies>,
    data: Value,
    imprint: String,
}

/// A list of ten items, and the list of eleven items that has the same values at the same positions. The eleventh position is hidden, so
/// one item is `null`.
const TEN: &str = r#"{"l":["a","b","c","d","e","f","g","h","i","j"]}"#;
const ELEVEN: &str = r#"{"l":["a","b","d","e","f","g","h","i","j",null,"c"]}"#;

impl Document {
    /// Returns `None` if the document cannot be certified.
    fn new(scheme: Scheme, schema: Value, data: Value) -> Option<Self> {
        let cert = scheme.cert(&schema).unwrap();
        let imprint = cert.imprint(&data).ok()?;
        Some(Self {
            schema,
            scheme,
            cert,
            data,
            imprint,
        })
    }

    /// Changes the proofs so that the nonce at the end of the list of ten is presented as one more item.
    fn open(&self, proofs: &mut [cert_core::Proof]) {
        let path: Path = [PathStep::from("l"), 10.into()].into_iter().collect();
        let nonce: Vec<char> = (self.scheme.nonce)(&path).chars().collect();
        let (leaf, closing) = nonce.split_at(nonce.len() / 2);
        let nodes = &mut proofs[1].nodes;
        nodes.retain(|node| node.index != 20);
        for (index, part) in [(21, leaf), (22, closing)] {
            let hash = part.iter().collect::<String>().into();
            nodes.push(ProofNode { index, hash });
        }
    }
}

/// Returns the smaller vectors, and the list of ten items certified under each pair of hasher and noncer that can certify it.
fn documents() -> &'static [Document] {
    static DOCUMENTS: OnceLock<Vec<Document>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let cases = cases("reference.json");
        let small = cases
            .iter()
            .filter(|case| at(case, "notarize").to_json().len() < 4_000);
        let vectors = small.filter_map(|case| {
            let (schema, data) = (at(case, "schema").clone(), at(case, "data").clone());
            Document::new(SCHEMES[0], schema, data)
        });
        let schema = Value::parse(
            r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}"#,
        );
        let (schema, ten) = (schema.unwrap(), Value::parse(TEN).unwrap());
        let lists = SCHEMES
            .iter()
            .filter_map(|scheme| Document::new(*scheme, schema.clone(), ten.clone()));
        vectors.chain(lists).collect()
    })
}
