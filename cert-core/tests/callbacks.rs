//! Hashers and noncers of a user's own.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use std::cell::RefCell;

use cert_core::{
    Cert, ErrorCode, Failure, Hash, Input, KeyedNoncer, Location, Noncer, PathNoncer, Sha256Hasher,
    Step, Value, proofs_to_value,
};
use support::json;

const SCHEMA: &str = r#"{"type":"object","properties":{
    "b":{"type":"array","items":{"type":"number"}}, "a":{"type":"string"}, "c":{"type":"boolean"}
}}"#;

/// A hasher that shows what it was given.
fn spell(input: Input<'_>, place: Location<'_>) -> Result<String, Failure> {
    let position = input.role() as u8;
    Ok(format!("<{}|{}|{position}>", input.text(), place.path()))
}

fn spell_path(place: Location<'_>) -> Result<String, Failure> {
    Ok(format!("~{}~", place.path()))
}

#[test]
fn receive_value_path_and_position() {
    let cert = Cert::with(&json(SCHEMA), spell, spell_path).unwrap();
    let data = json(r#"{"a":"x","b":[7]}"#);
    let imprint = cert.imprint(&data).unwrap();
    // b's only item, at position 0 of the group at path b, which is position 1 of the root.
    let b = "<<<7|b[0]|0>~b[0]~|b[0]|1><~b[1]~|b[1]|2>|b[0]|2>";
    let leaf = |value: &str, at: u8| format!("<<{value}|[{at}]|0>~[{at}]~|[{at}]|1>");
    let end = "<~[3]~|[3]|2>";
    let expected = format!(
        "<{}<{}<{}{end}|[2]|2>|[1]|2>|[0]|2>",
        leaf("x", 0),
        leaf(b, 1),
        leaf("", 2)
    );
    assert_eq!(imprint, expected);

    let proofs = proofs_to_value(&cert.notarize(&data).unwrap());
    assert_eq!(
        cert.calculate(&data, &proofs).unwrap(),
        Some(imprint.clone())
    );
    assert!(
        cert.verify(&data, &proofs, &imprint)
            .unwrap()
            .lists
            .iter()
            .all(|list| list.complete)
    );
}

#[test]
fn receive_values_in_their_type() {
    let seen = RefCell::new(Vec::new());
    let hasher = |input: Input<'_>, place: Location<'_>| -> Result<String, Failure> {
        if let Input::Value(value) = input {
            seen.borrow_mut().push((
                place.group().len(),
                place.position(),
                value.map(|v| v.to_value()),
            ));
        }
        Ok(input.text())
    };
    let cert = Cert::with(&json(SCHEMA), hasher, PathNoncer).unwrap();
    cert.imprint(&json(r#"{"a":null,"c":true,"b":[1.5]}"#))
        .unwrap();
    let mut seen = seen.into_inner();
    seen.retain(|(level, index, _)| (*level, *index) != (0, 1)); // the imprint of b
    seen.sort_by_key(|(level, index, _)| (*level, *index));
    let value = |value: Value| Some(value);
    assert_eq!(
        seen,
        [
            (0, 0, value(Value::Null)),
            (0, 2, value(true.into())),
            (1, 0, value(1.5.into()))
        ]
    );
}

#[test]
fn hash_once_per_node_however_wide_the_data_is() {
    let calls = RefCell::new((0, 0));
    let hasher = |input: Input<'_>, _: Location<'_>| -> Result<String, Failure> {
        calls.borrow_mut().0 += 1;
        Ok(input.text().chars().take(4).collect())
    };
    let noncer = |_: Location<'_>| -> Result<String, Failure> {
        calls.borrow_mut().1 += 1;
        Ok(String::new())
    };
    let cert = Cert::with(&json(SCHEMA), hasher, noncer).unwrap();
    let data = json(&format!(r#"{{"b":[{}]}}"#, ["1"; 1000].join(",")));
    cert.disclose(&data, &[["b"].into()]).unwrap();
    // Per member value, leaf and node, per group its end; a nonce per member and end.
    assert_eq!(*calls.borrow(), (3 * 1003 + 2, 1003 + 2));
}

#[test]
fn failures_are_errors_with_place_and_source() {
    let hasher = |_: Input<'_>, place: Location<'_>| -> Result<String, Failure> {
        match place.group().is_empty() {
            true => Ok(String::new()),
            false => Err("the key service is down".into()),
        }
    };
    let cert = Cert::with(&json(SCHEMA), hasher, PathNoncer).unwrap();
    let data = json(r#"{"b":[1,2]}"#);
    let error = cert.imprint(&data).unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string()),
        (ErrorCode::HasherFailed, "b[2]".into())
    );
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "the key service is down");
    assert_eq!(
        error.to_string(),
        "the hasher failed: the key service is down (at `b[2]`)"
    );

    // To verify, a failing hasher is no verdict on the evidence.
    let proofs = Cert::new(&json(SCHEMA))
        .unwrap()
        .disclose(&data, &[["b"].into()])
        .unwrap();
    let proofs = proofs_to_value(&proofs);
    assert_eq!(
        cert.calculate(&data, &proofs).unwrap_err().code(),
        ErrorCode::HasherFailed
    );

    let noncer = |_: Location<'_>| -> Result<String, Failure> { Err("no".into()) };
    let cert = Cert::with(&json(SCHEMA), Sha256Hasher, noncer).unwrap();
    assert_eq!(
        cert.imprint(&data).unwrap_err().code(),
        ErrorCode::NoncerFailed
    );
    assert_eq!(
        cert.notarize(&data).unwrap_err().code(),
        ErrorCode::NoncerFailed
    );
    assert!(
        cert.calculate(&data, &proofs).unwrap().is_some(),
        "nonces are in the evidence"
    );
}

/// A noncer that leaves `enter` as it is gets nothing in `text`, but every path.
#[test]
fn enter_is_optional() {
    struct Paths;
    impl Noncer for Paths {
        fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
            assert_eq!(place.prefix(), "");
            Ok(place.path().to_string().into())
        }
    }
    let cert = Cert::with(&json(SCHEMA), Sha256Hasher, Paths).unwrap();
    let data = json(r#"{"b":[1]}"#);
    let proofs = cert.notarize(&data).unwrap();
    assert_eq!(proofs[1].values[0].nonce, "b[0]");
}

/// Equal values look alike under one key at one place only.
#[test]
fn keyed_nonces_depend_on_key_asset_and_place() {
    let secret = b"0123456789abcdef0123456789abcdef";
    let data = json(r#"{"b":[1,1]}"#);
    let leaves = |noncer: KeyedNoncer| {
        let cert = Cert::with(&json(SCHEMA), Sha256Hasher, noncer).unwrap();
        let proofs = cert.notarize(&data).unwrap();
        [
            proofs[1].nodes[1].hash.to_string(),
            proofs[1].nodes[3].hash.to_string(),
        ]
    };
    let all = [
        leaves(KeyedNoncer::new(secret).unwrap()),
        leaves(KeyedNoncer::for_asset(secret, "1").unwrap()),
        leaves(KeyedNoncer::for_asset(secret, "2").unwrap()),
    ]
    .concat();
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), 6);
}

/// The text that a noncer gathers belongs to one group alone, wherever its nonces are made.
#[test]
fn enter_sees_its_own_text() {
    struct Slashes;
    impl Noncer for Slashes {
        fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
            Ok(format!("{}/{}", place.prefix(), place.position()).into())
        }

        fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
            if !text.is_empty() {
                text.push('/');
            }
            text.push_str(&step.to_string());
        }
    }
    let schema = json(
        r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{}}},"b":{"type":"array","items":{}}}}"#,
    );
    let cert = Cert::with(&schema, Sha256Hasher, Slashes).unwrap();
    let data = json(r#"{"a":[[1,2],[3]],"b":[2]}"#);
    let proofs = cert.notarize(&data).unwrap();
    let nonces: Vec<_> = proofs
        .iter()
        .map(|proof| proof.values[0].nonce.as_str())
        .collect();
    assert_eq!(nonces, ["/0", "a/0", "a/0/0", "a/1/0", "b/0"]);
    let report = cert
        .verify(&data, &proofs, &cert.imprint(&data).unwrap())
        .unwrap();
    assert_eq!(report.lists.len(), 4);
    assert!(report.lists.iter().all(|list| list.complete));
}

/// A stranger's evidence does not reach a noncer, which may be a key service.
#[test]
fn noncers_are_asked_for_lists_that_are_proven_alone() {
    let calls = RefCell::new(0);
    let noncer = |_: Location<'_>| -> Result<String, Failure> {
        *calls.borrow_mut() += 1;
        Err("no".into())
    };
    let plain = Cert::new(&json(SCHEMA)).unwrap();
    let data = json(r#"{"a":"x","b":[1]}"#);
    let (imprint, proofs) = (
        plain.imprint(&data).unwrap(),
        plain.notarize(&data).unwrap(),
    );
    let cert = Cert::with(&json(SCHEMA), Sha256Hasher, noncer).unwrap();
    assert!(!cert.verify(&data, &proofs, "00").unwrap().valid);
    assert!(
        cert.verify(&json(r#"{"a":"x"}"#), &proofs, &imprint)
            .unwrap()
            .valid
    );
    assert_eq!(*calls.borrow(), 0);
    let error = cert.verify(&data, &proofs, &imprint).unwrap_err();
    assert_eq!(error.path().to_string(), "b[1]");
}

/// A noncer whose nonces are made with the schema, and that fails at one place: no nonce behind it takes its place.
#[test]
fn a_noncer_that_fails_once_shifts_no_nonce() {
    struct Fixed {
        failing: Option<usize>,
    }
    impl Noncer for Fixed {
        fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
            if self.failing == Some(place.position()) {
                return Err("the key service is down".into());
            }
            Ok(format!("nonce {}", place.position()).into())
        }

        fn path_only(&self) -> bool {
            true
        }
    }
    let schema = json(r#"{"type":"object","properties":{"a":{},"b":{},"c":{}}}"#);
    let data = json(r#"{"a":1,"b":2,"c":3}"#);
    let cert = |failing| Cert::with(&schema, Sha256Hasher, Fixed { failing }).unwrap();
    let proofs = cert(None).notarize(&data).unwrap();
    let nonces: Vec<_> = proofs[0]
        .values
        .iter()
        .map(|value| value.nonce.as_str())
        .collect();
    assert_eq!(nonces, ["nonce 0", "nonce 1", "nonce 2"]);
    for failing in 0..=3 {
        let error = cert(Some(failing)).imprint(&data).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NoncerFailed);
        assert_eq!(error.path().to_string(), format!("[{failing}]"));
    }
}
