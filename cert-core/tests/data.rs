//! Tests data that cannot be certified, and data with equal hashes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{Array, Cert, Object, Value};
use support::{json, paths};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "leaf":{"type":"string"}, "any":{"type":["object","array"],"properties":{"x":{}},"items":{}},
    "object":{"type":"object","properties":{"in":{}}}, "list":{"type":"array","items":{}},
    "rows":{"type":"array","items":{"type":"object","properties":{"in":{}}}},
    "nothing":{"type":"object","properties":{"deep":{"type":"object","properties":{}}}},
    "nothings":{"type":"array","items":{"type":"object","properties":{}}}
}}"#;

fn cert() -> Cert {
    Cert::new(&json(SCHEMA)).unwrap()
}

#[test]
fn data_of_the_wrong_kind_is_refused() {
    for (data, path) in [
        (r#"{"leaf":{}}"#, "leaf"),
        (r#"{"leaf":[]}"#, "leaf"),
        (r#"{"any":{"x":1}}"#, "any"),
        (r#"{"any":[1]}"#, "any"),
        (r#"{"object":[]}"#, "object"),
        (r#"{"object":"text"}"#, "object"),
        (r#"{"object":0}"#, "object"),
        (r#"{"object":{"in":{}}}"#, "object.in"),
        (r#"{"list":{}}"#, "list"),
        (r#"{"list":"text"}"#, "list"),
        (r#"{"list":false}"#, "list"),
        (r#"{"list":[1,[]]}"#, "list[1]"),
        (r#"{"rows":[null,{},7]}"#, "rows[2]"),
        (r#"{"rows":[{"in":[1]}]}"#, "rows[0].in"),
        (r#"{"nothing":1}"#, "nothing"),
        (r#"{"nothing":{"deep":[]}}"#, "nothing.deep"),
        (r#"{"nothings":[{},1]}"#, "nothings[1]"),
        (r#"{"nothings":{}}"#, "nothings"),
        ("[]", ""),
        ("1", ""),
    ] {
        let data = json(data);
        let error = cert().imprint(&data).unwrap_err();
        let found = (error.code().as_str(), error.path().to_string());
        assert_eq!(
            found,
            ("data-type-mismatch", path.to_owned()),
            "{}",
            data.to_json()
        );
        assert!(cert().notarize(&data).is_err() && cert().disclose(&data, &[]).is_err());
    }
}

#[test]
fn only_certified_numbers_must_be_finite() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let with = |key: &str| support::object([(key, number.into())]);
        let error = cert().imprint(&with("leaf")).unwrap_err();
        assert_eq!(
            (error.code().as_str(), error.path().to_string()),
            ("number-not-finite", "leaf".into())
        );
        assert_eq!(
            cert().imprint(&with("ignored")).unwrap(),
            cert().imprint(&json("{}")).unwrap()
        );
        // During verification, a number that is not finite is not an error. The evidence does not prove it.
        let proofs = cert_core::proofs_to_value(&cert().notarize(&json("{}")).unwrap());
        assert_eq!(cert().calculate(&with("leaf"), &proofs).unwrap(), None);
    }
}

#[test]
fn absent_null_and_empty_values_have_equal_hashes() {
    let imprint = |data: &str| cert().imprint(&json(data)).unwrap();
    let empty = imprint("{}");
    for data in [
        "null",
        r#"{"leaf":null}"#,
        r#"{"leaf":""}"#,
        r#"{"list":[]}"#,
        r#"{"list":null,"rows":[],"object":{}}"#,
        r#"{"object":null,"nothing":{"deep":{"ignored":[{}]}},"nothings":[{},null,{"x":1}]}"#,
        r#"{"object":{"in":null},"ignored":{"any":[1]}}"#,
    ] {
        assert_eq!(imprint(data), empty, "{data}");
    }
    assert_ne!(
        imprint(r#"{"list":[null]}"#),
        empty,
        "a list of one absent value is still a list"
    );
    assert_eq!(imprint(r#"{"leaf":1}"#), imprint(r#"{"leaf":"1"}"#));
    assert_eq!(imprint(r#"{"leaf":true}"#), imprint(r#"{"leaf":"true"}"#));
    assert_eq!(imprint(r#"{"leaf":-0}"#), imprint(r#"{"leaf":"0"}"#));
}

#[test]
fn a_schema_without_properties_has_an_imprint() {
    let cert = Cert::new(&json(r#"{"type":"object","properties":{}}"#)).unwrap();
    // SHA-256 of the hexadecimal SHA-256 of "0": the closing node of an empty group.
    let expected = "5122a1d1bc9d87662dcf5fb870adf8c55faf2ce12fad1bacac2fe7df88172466";
    assert_eq!(cert.imprint(&json(r#"{"x":1}"#)).unwrap(), expected);
    let proofs = cert_core::proofs_to_value(&cert.notarize(&json("{}")).unwrap());
    assert_eq!(
        cert.calculate(&json("{}"), &proofs).unwrap().as_deref(),
        Some(expected)
    );
}

/// If a proof discloses an item of a list of more than ten items, the proof closes at the end of the list.
#[test]
fn proofs_of_long_lists_bind_positions() {
    let data = json(r#"{"list":["0","1","2","3","4","5","6","7","8","9","10","11"]}"#);
    let imprint = cert().imprint(&data).unwrap();
    let path = paths(&json(r#"[["list",10]]"#));
    let proofs = cert_core::proofs_to_value(&cert().disclose(&data, &path).unwrap());
    let calculate = |claim: &str| cert().calculate(&json(claim), &proofs).unwrap();
    let nulls = "null,".repeat(10);
    assert_eq!(
        calculate(&format!(r#"{{"list":[{nulls}"10"]}}"#)),
        Some(imprint.clone())
    );
    // "10" is third in the group, but not in the list.
    assert_eq!(calculate(r#"{"list":[null,null,"10"]}"#), None);
    assert_eq!(calculate(r#"{"list":[null,null,null,"10"]}"#), None);
    let report = cert()
        .verify(
            &json(&format!(r#"{{"list":[{nulls}"10"]}}"#)),
            &proofs,
            &imprint,
        )
        .unwrap();
    assert!(report.valid && report.lists[0].complete);
    // A path past the end discloses nothing, so the list's proof has only the imprint.
    let past = cert()
        .disclose(&data, &paths(&json(r#"[["list",12]]"#)))
        .unwrap();
    assert_eq!(
        (
            past[1].nodes.len(),
            past[1].nodes[0].index,
            past[1].values.len()
        ),
        (1, 0, 0)
    );
}

/// The depth of data that is built in code is bounded before a walk can overflow the stack.
#[test]
fn deep_data_is_bounded_by_construction() {
    let mut value = Value::Null;
    let depth = (0..)
        .take_while(|level| {
            let next = match level % 2 {
                0 => Array::try_from(vec![value.clone()]).map(Value::from),
                _ => Object::try_from(vec![("a".to_owned(), value.clone())]).map(Value::from),
            };
            next.map(|next| value = next).is_ok()
        })
        .count();
    assert_eq!(depth, cert_core::MAX_JSON_DEPTH);
    let data = support::object([(
        "ignored",
        value
            .as_array()
            .map_or(Value::Null, |a| a.as_slice()[0].clone()),
    )]);
    assert!(cert().imprint(&data).is_ok());
}

/// A path that continues below a single value is a mistake and must not reveal the value.
#[test]
fn a_path_below_a_value_reveals_nothing() {
    let data = json(r#"{"leaf":"secret","list":["secret"]}"#);
    for selected in [
        r#"[["leaf","x"]]"#,
        r#"[["list",0,0]]"#,
        r#"[["nowhere","x"]]"#,
    ] {
        let paths = paths(&json(selected));
        let proofs = cert().disclose(&data, &paths).unwrap();
        let text = cert_core::proofs_to_value(&proofs).to_json();
        assert!(!text.contains("secret"), "{selected}: {text}");
        assert!(!cert().expose(&data, &paths).to_json().contains("secret"));
    }
}
