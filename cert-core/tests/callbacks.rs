//! Tests custom hashers and noncers.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use std::cell::RefCell;

use cert_core::{
    Cert, Deferred, ErrorCode, Failure, Hash, Hasher, Input, KeyedNoncer, Location, Noncer,
    PathNoncer, Proof, Sha256Hasher, Step, Value, proofs_to_value,
};
use support::json;

const SCHEMA: &str = r#"{"type":"object","properties":{
    "b":{"type":"array","items":{"type":"number"}}, "a":{"type":"string"}, "c":{"type":"boolean"}
}}"#;

/// A hasher that records every input. A hash is `#` and the number of the record, in three digits.
#[derive(Default)]
struct Spelling(RefCell<Vec<String>>);

impl Spelling {
    fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<String, Failure> {
        let asked = format!("<{}|{}|{}>", input.text(), place.path(), input.role() as u8);
        let mut all = self.0.borrow_mut();
        let known = all.iter().position(|known| *known == asked);
        let number = known.unwrap_or_else(|| {
            all.push(asked);
            all.len() - 1
        });
        Ok(format!("#{number:03}"))
    }

    /// Returns a hash in which each number is replaced by the recorded input.
    fn spell(&self, hash: &str) -> String {
        let Some((before, number)) = hash.split_once('#') else {
            return hash.into();
        };
        let (number, after) = number.split_at(3);
        let asked = self.0.borrow()[number.parse::<usize>().unwrap()].clone();
        before.to_owned() + &self.spell(&asked) + &self.spell(after)
    }
}

fn spell_path(place: Location<'_>) -> Result<String, Failure> {
    Ok(format!("~{}~", place.path()))
}

#[test]
fn hashers_receive_value_path_and_position() {
    let spelling = Spelling::default();
    let hasher = |input: Input<'_>, place: Location<'_>| spelling.hash(input, place);
    let cert = Cert::with(&json(SCHEMA), hasher, spell_path).unwrap();
    let data = json(r#"{"a":"x","b":[7]}"#);
    let imprint = cert.imprint(&data).unwrap();
    // The only item of `b` is at position 0 of the group at path `b`. `b` itself is at position 1 of the root.
    let b = "<<<7|b[0]|0>~b[0]~|b[0]|1><~b[1]~|b[1]|2>|b[0]|2>";
    let leaf = |value: &str, at: u8| format!("<<{value}|[{at}]|0>~[{at}]~|[{at}]|1>");
    let end = "<~[3]~|[3]|2>";
    let expected = format!(
        "<{}<{}<{}{end}|[2]|2>|[1]|2>|[0]|2>",
        leaf("x", 0),
        leaf(b, 1),
        leaf("", 2)
    );
    assert_eq!(spelling.spell(&imprint), expected);

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
fn hashers_receive_values_in_their_type() {
    let seen = RefCell::new(Vec::new());
    let hasher = |input: Input<'_>, place: Location<'_>| -> Result<String, Failure> {
        if let Input::Value(value) = input {
            seen.borrow_mut().push((
                place.group().len(),
                place.position(),
                value.map(|v| v.to_value()),
            ));
        }
        Sha256Hasher.hash(input, place).map(String::from)
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
fn every_node_is_hashed_once_in_wide_data() {
    let calls = RefCell::new((0, 0));
    let hasher = |_: Input<'_>, _: Location<'_>| -> Result<String, Failure> {
        calls.borrow_mut().0 += 1;
        Ok("same".into())
    };
    let noncer = |_: Location<'_>| -> Result<String, Failure> {
        calls.borrow_mut().1 += 1;
        Ok(String::new())
    };
    let cert = Cert::with(&json(SCHEMA), hasher, noncer).unwrap();
    let data = json(&format!(r#"{{"b":[{}]}}"#, ["1"; 1000].join(",")));
    cert.disclose(&data, &[["b"].into()]).unwrap();
    // Each member has a value, a leaf and a node, and each group has a closing node. Each member and each closing node has a nonce.
    assert_eq!(*calls.borrow(), (3 * 1003 + 2, 1003 + 2));
}

#[test]
fn failures_are_errors_with_path_and_source() {
    let hasher = |_: Input<'_>, place: Location<'_>| -> Result<String, Failure> {
        match place.group().is_empty() {
            true => Ok("0".repeat(64)),
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

    // A hasher that fails during verification causes an error, not a verdict on the evidence.
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

/// A noncer without `extend_prefix` receives an empty prefix and the full path.
#[test]
fn extend_prefix_is_optional() {
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

/// Equal values have equal leaves only if the key, the asset and the location are the same.
#[test]
fn keyed_nonces_depend_on_key_asset_and_location() {
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

/// The prefix that a noncer builds for a group is used only for this group.
#[test]
fn a_prefix_belongs_to_one_group() {
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

/// A noncer may be a key service, so `verify` does not call it for evidence of another imprint.
#[test]
fn noncers_are_called_for_proven_lists_only() {
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

/// The noncer fails at one position while nonces are computed in advance. Later nonces must not move to an earlier position.
#[test]
fn a_failure_of_a_noncer_does_not_shift_later_nonces() {
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

const AT_ONCE: Deferred = Deferred {
    hasher: true,
    noncer: false,
};

/// Returns a hasher whose hashes have these lengths in order, and then the last length.
fn of_lengths(lengths: Vec<usize>) -> impl Fn(Input<'_>, Location<'_>) -> Result<String, Failure> {
    let calls = RefCell::new(0);
    move |_, _| {
        let mut calls = calls.borrow_mut();
        let length = lengths.get(*calls).or(lengths.last()).copied();
        *calls += 1;
        Ok("é".repeat(length.unwrap_or_default()))
    }
}

#[test]
fn the_first_hash_fixes_the_length_of_all_hashes() {
    let data = json(r#"{"a":"x"}"#);
    // The paths of the hashes in order: the closing node, three values, three leaves and three nodes. `call` is the number of the first
    // hash that has a different length.
    for (call, path) in [
        "[3]", "[0]", "[1]", "[2]", "[0]", "[1]", "[2]", "[2]", "[1]", "[0]",
    ]
    .into_iter()
    .enumerate()
    .skip(1)
    {
        let mut lengths = vec![40; call];
        lengths.push(39);
        let cert = Cert::with(&json(SCHEMA), of_lengths(lengths), PathNoncer).unwrap();
        let error = cert.imprint(&data).unwrap_err();
        let found = (error.code(), error.path().to_string());
        assert_eq!(found, (ErrorCode::HashLength, path.into()), "{call}");
    }
    // The length stays fixed from one operation to the next.
    let cert = Cert::with(
        &json(SCHEMA),
        of_lengths([[40; 10], [41; 10]].concat()),
        PathNoncer,
    );
    let cert = cert.unwrap();
    assert!(cert.imprint(&data).is_ok());
    assert_eq!(
        cert.notarize(&data).unwrap_err().code(),
        ErrorCode::HashLength
    );
    let empty = Cert::with(&json(SCHEMA), of_lengths(vec![0]), PathNoncer).unwrap();
    let error = empty.imprint(&data).unwrap_err();
    assert_eq!(error.code(), ErrorCode::HashLength);
}

#[test]
fn an_empty_hash_in_evidence_is_refused() {
    // This evidence needs no hashing, so the length of hashes is not fixed.
    let evidence = |hash: &str| {
        json(&format!(
            r#"[{{"path":[],"nodes":[{{"index":0,"hash":"{hash}"}}],"values":[]}}]"#
        ))
    };
    for (hash, imprint) in [("", None), ("é", Some("é"))] {
        let cert = Cert::with(&json(SCHEMA), of_lengths(vec![1]), PathNoncer).unwrap();
        let found = cert.calculate(&json("{}"), &evidence(hash)).unwrap();
        assert_eq!(found.as_deref(), imprint);
    }
}

#[test]
fn a_hasher_must_keep_its_declared_length() {
    struct Declared;
    impl Hasher for Declared {
        fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<Hash, Failure> {
            Sha256Hasher.hash(input, place)
        }

        fn hash_length(&self) -> Option<usize> {
            Some(40)
        }
    }
    let cert = Cert::with(&json(SCHEMA), Declared, PathNoncer).unwrap();
    let error = cert.imprint(&json("{}")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::HashLength);
}

#[test]
fn deferred_answers_must_have_one_length() {
    let cert = Cert::new(&json(SCHEMA)).unwrap();
    let data = json(r#"{"a":"x"}"#);
    let answered = |answers: &dyn Fn(usize) -> String| {
        let questions = cert.questions(AT_ONCE, |cert| cert.imprint(&data)).unwrap();
        let answers: Vec<_> = (0..questions.len()).map(answers).collect();
        cert.answered(AT_ONCE, &answers, |cert| cert.imprint(&data))
    };
    assert_eq!(answered(&|_| "short".into()).unwrap(), "short");
    let error = answered(&|_| "longer".into()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::HashLength);
    // The answers did not fix the length for the `Cert`'s own hasher.
    assert_eq!(cert.imprint(&data).unwrap().len(), 64);
}

#[test]
fn evidence_with_a_hash_of_another_length_is_refused() {
    let half = |input: Input<'_>, place: Location<'_>| -> Result<String, Failure> {
        let hash = Sha256Hasher.hash(input, place)?;
        Ok(hash.get(..32).unwrap_or_default().into())
    };
    let data = json(r#"{"a":"x","b":[7,8]}"#);
    let issuer = Cert::with(&json(SCHEMA), half, PathNoncer).unwrap();
    let imprint = issuer.imprint(&data).unwrap();
    let proofs = issuer.disclose(&data, &[["a"].into()]).unwrap();
    let malformed = |proofs: &Vec<Proof>, cert: &dyn Fn() -> Cert<_, PathNoncer>| {
        let report = cert()
            .verify(&json(r#"{"a":"x"}"#), proofs, &imprint)
            .unwrap();
        report
            .reasons
            .iter()
            .any(|reason| reason.code.as_str() == "hash-malformed")
    };
    for node in 0..proofs[0].nodes.len() {
        for cut in [0, 1, 31, 33, 64] {
            let mut forged = proofs.clone();
            forged[0].nodes[node].hash = "0".repeat(cut).into();
            // Verifies with a new `Cert`, and with a `Cert` whose first hash has fixed the length.
            let fresh = || Cert::with(&json(SCHEMA), half, PathNoncer).unwrap();
            let used = || {
                let cert = fresh();
                cert.imprint(&data).unwrap();
                cert
            };
            assert!(malformed(&forged, &fresh), "{node} {cut}");
            assert!(malformed(&forged, &used), "{node} {cut}");
        }
    }
}
