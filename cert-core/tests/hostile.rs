//! Tests evidence that is designed to crash or stall its reader.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{Cert, Value, proofs_to_value};
use support::{json, json_with_infinities};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "a":{}, "b":{"type":"array","items":{"type":"array","items":{}}}, "o":{"type":"object","properties":{"x":{}}}
}}"#;

/// Returns the reason why evidence is refused.
fn reason(evidence: &str) -> String {
    let cert = Cert::new(&json(SCHEMA)).unwrap();
    let evidence = json_with_infinities(evidence);
    let data = json("{}");
    assert_eq!(cert.calculate(&data, &evidence).unwrap(), None);
    let report = cert.verify(&data, &evidence, "").unwrap();
    assert!(!report.valid && report.imprint.is_none());
    report.reasons[0].code.as_str().to_owned()
}

fn root(nodes: &str, values: &str) -> String {
    format!(r#"{{"path":[],"nodes":[{nodes}],"values":[{values}]}}"#)
}

const HASH: &str = r#""hash":"0000000000000000000000000000000000000000000000000000000000000000""#;

fn node(index: &str) -> String {
    format!(r#"{{"index":{index},{HASH}}}"#)
}

fn value(index: &str) -> String {
    format!(r#"{{"index":{index},"value":1,"nonce":""}}"#)
}

#[test]
fn malformed_evidence_is_refused() {
    for evidence in [
        "null",
        "1",
        r#""""#,
        "{}",
        r#"{"data":{}}"#,
        "[null]",
        "[[]]",
        "[{}]",
        r#"[{"path":"","nodes":[],"values":[]}]"#,
        r#"[{"path":[null],"nodes":[],"values":[]}]"#,
        r#"[{"path":[-1],"nodes":[],"values":[]}]"#,
        r#"[{"path":[0.5],"nodes":[],"values":[]}]"#,
        r#"[{"path":[],"nodes":[]}]"#,
        r#"[{"path":[],"values":[]}]"#,
        r#"[{"path":[],"nodes":[null],"values":[]}]"#,
        r#"[{"path":[],"nodes":[{"index":0}],"values":[]}]"#,
        r#"[{"path":[],"nodes":[{"hash":""}],"values":[]}]"#,
        r#"[{"path":[],"nodes":[{"index":0,"hash":0}],"values":[]}]"#,
        &format!("[{}]", root(&node("2"), "1")),
        &format!("[{}]", root(&node("2"), r#"{"index":0,"value":1}"#)),
        &format!(
            "[{}]",
            root(&node("2"), r#"{"index":0,"value":[],"nonce":""}"#)
        ),
        &format!(
            "[{}]",
            root(&node("2"), r#"{"index":0,"value":"∞","nonce":""}"#)
        ),
    ] {
        assert_eq!(reason(evidence), "evidence-malformed", "{evidence}");
    }
    assert_eq!(reason("[]"), "root-missing");
    assert_eq!(
        reason(r#"[{"path":["b"],"nodes":[],"values":[]}]"#),
        "root-missing"
    );
}

#[test]
fn broken_proofs_of_the_root_are_refused() {
    let leaves = [node("1"), node("3"), node("5")].join(",");
    for (nodes, values, expected) in [
        (String::new(), String::new(), "proof-incomplete"),
        (node("1"), String::new(), "proof-incomplete"),
        (node("2"), String::new(), "proof-incomplete"),
        (node("4"), value("0"), "proof-incomplete"),
        (
            format!("{},{}", node("4"), node("1")),
            value("0"),
            "proof-incomplete",
        ),
        (node("8"), String::new(), "index-out-of-range"),
        (node("1e15"), String::new(), "index-out-of-range"),
        (node("4294967294"), String::new(), "index-out-of-range"),
        (node("-2"), String::new(), "index-out-of-range"),
        (node("0.5"), String::new(), "index-out-of-range"),
        (node(r#""0""#), String::new(), "index-out-of-range"),
        (node("null"), String::new(), "index-out-of-range"),
        (node("true"), String::new(), "index-out-of-range"),
        (node(r#""∞""#), String::new(), "index-out-of-range"),
        // No entry may follow the node at which a proof closes, because such an entry would not affect the imprint.
        (node("0"), value("0"), "index-out-of-range"),
        (node("2"), value("1"), "index-out-of-range"),
        (
            format!("{},{}", node("0"), node("1")),
            String::new(),
            "index-out-of-range",
        ),
        (node("2"), value(r#""0""#), "index-out-of-range"),
        (
            format!("{},{}", node("0"), node("0")),
            String::new(),
            "index-duplicate",
        ),
        (
            format!("{leaves},{},{}", node("6"), node("6")),
            String::new(),
            "index-duplicate",
        ),
        (
            format!("{leaves},{},{}", node("6"), node("3")),
            String::new(),
            "index-duplicate",
        ),
        (
            format!("{},{}", node("4"), node("1")),
            [value("1"), value("1")].join(","),
            "index-duplicate",
        ),
        (
            r#"{"index":0,"hash":""}"#.into(),
            String::new(),
            "hash-malformed",
        ),
        (
            node("0").replace("00\"", "0G\""),
            String::new(),
            "hash-malformed",
        ),
        (
            node("0").replace("00\"", "0A\""),
            String::new(),
            "hash-malformed",
        ),
        (
            format!("{},{}", node("2"), node("1")),
            value("0"),
            "hash-mismatch",
        ),
        (
            format!("{},{}", node("2"), node("0")),
            value("0"),
            "hash-mismatch",
        ),
    ] {
        assert_eq!(
            reason(&format!("[{}]", root(&nodes, &values))),
            expected,
            "{nodes} {values}"
        );
    }
    assert_eq!(
        reason(&format!(
            "[{},{}]",
            root(&node("0"), ""),
            root(&node("0"), "")
        )),
        "proof-duplicate"
    );
}

#[test]
fn proofs_without_a_place_are_refused() {
    let cert = Cert::new(&json(SCHEMA)).unwrap();
    let data = json(r#"{"a":1,"b":[[1],[2,3]],"o":{"x":1}}"#);
    let proofs = proofs_to_value(&cert.notarize(&data).unwrap());
    let proofs = support::list(&proofs).to_vec();
    let paths: Vec<String> = proofs
        .iter()
        .map(|proof| support::at(proof, "path").to_json())
        .collect();
    assert_eq!(
        paths,
        ["[]", r#"["b"]"#, r#"["b",0]"#, r#"["b",1]"#, r#"["o"]"#]
    );
    let joined = |proofs: &[&Value]| {
        format!(
            "[{}]",
            proofs
                .iter()
                .map(|proof| proof.to_json())
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    let [root, b, b0, b1, o] = proofs.as_slice() else {
        panic!("five groups")
    };
    let moved = |proof: &Value, path: &str| {
        let text = proof.to_json();
        json(&format!(
            r#"{{"path":{path}{}"#,
            &text[text.find(r#","nodes""#).unwrap()..]
        ))
    };
    for (evidence, expected) in [
        (joined(&[root, b0]), "proof-unconnected"),
        (joined(&[root, b, b0, b0]), "proof-duplicate"),
        (
            joined(&[root, b, b0, &moved(b1, r#"["b",0]"#)]),
            "proof-duplicate",
        ),
        (
            joined(&[root, b, &moved(b1, r#"["b",0]"#)]),
            "link-mismatch",
        ),
        (
            joined(&[root, b, &moved(b1, r#"["b",2]"#)]),
            "proof-unconnected",
        ),
        (
            joined(&[root, b, &moved(b1, r#"["b",4294967294]"#)]),
            "proof-unconnected",
        ),
        (
            joined(&[root, b, &moved(b1, r#"["b","0"]"#)]),
            "path-unknown",
        ),
        (joined(&[root, &moved(o, r#"["a"]"#)]), "path-unknown"),
        (joined(&[root, &moved(o, r#"["z"]"#)]), "path-unknown"),
        (joined(&[root, &moved(o, "[0]")]), "path-unknown"),
        (
            joined(&[root, o, &moved(o, r#"["o","x"]"#)]),
            "path-unknown",
        ),
        (
            joined(&[root, o, &moved(o, r#"["o","x","y"]"#)]),
            "path-unknown",
        ),
        (
            joined(&[&json(&root.to_json().replace(r#""value":1,"#, "")), o]),
            "hash-mismatch",
        ),
    ] {
        assert_eq!(reason(&evidence), expected, "{evidence}");
    }
    // The order of proofs does not matter.
    assert!(
        cert.calculate(&data, &json(&joined(&[o, b1, b0, b, root])))
            .unwrap()
            .is_some()
    );
}

/// Very long paths, many proofs and wide objects must not overflow the stack or take quadratic time.
#[test]
fn very_large_inputs_are_handled() {
    let long = format!(
        r#"[{{"path":[{}],"nodes":[],"values":[]}}]"#,
        vec![r#""b""#; 200_000].join(",")
    );
    assert_eq!(reason(&long), "root-missing");
    let long = format!("[{},{}", root(&node("0"), ""), &long[1..]);
    assert_eq!(reason(&long), "proof-unconnected");

    let many = vec![root(&node("0"), ""); 10_000].join(",");
    assert_eq!(reason(&format!("[{many}]")), "proof-duplicate");

    // A wide object.
    let keys: Vec<String> = (0..10_000).map(|n| format!(r#""k{n}":{{}}"#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, keys.join(","));
    let data: Vec<String> = (0..10_000).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let (cert, data) = (
        Cert::new(&json(&schema)).unwrap(),
        json(&format!("{{{}}}", data.join(","))),
    );
    let imprint = cert.imprint(&data).unwrap();
    let proofs = proofs_to_value(&cert.notarize(&data).unwrap());
    assert_eq!(cert.calculate(&data, &proofs).unwrap(), Some(imprint));
}
