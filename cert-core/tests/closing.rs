//! Tests forgeries that present the closing node of a list as one more item. The node's text, a nonce, is split into two strings that look
//! like hashes. Ten items would then be read in the order of eleven.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{
    Cert, ErrorCode, Failure, Hash, Hasher, Input, KeyedNoncer, Location, Noncer, Path, PathNoncer,
    PathStep, Proof, ProofNode, Role, Sha256Hasher, Value, proofs_to_value,
};
use sha2::{Digest as _, Sha512};
use support::json;
use support::model::hex;
use support::schemes::{Certifies, SCHEMES, Scheme};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}"#;
const TEN: &str = r#"{"l":["a","b","c","d","e","f","g","h","i","j"]}"#;
/// The same items at the same positions in the text order of eleven items: 0, 1, 10, 2, …
const ELEVEN: &str = r#"{"l":["a","b","d","e","f","g","h","i","j",null,"c"]}"#;

fn place(index: usize) -> Path {
    [PathStep::from("l"), index.into()].into_iter().collect()
}

/// Returns the proofs of a list of `length` items, extended by one item. The nonce after the last item is split into a leaf and a node.
fn opened(proofs: &[Proof], length: usize, nonce: &str, split: usize) -> Value {
    let mut proofs = proofs.to_vec();
    let chars: Vec<char> = nonce.chars().collect();
    let (leaf, closing) = chars.split_at(split);
    let list = proofs.iter_mut().find(|proof| !proof.path.is_empty());
    let nodes = &mut list.unwrap().nodes;
    nodes.retain(|node| node.index != 2 * length);
    for (index, part) in [(2 * length + 1, leaf), (2 * length + 2, closing)] {
        let hash = part.iter().collect::<String>().as_str().into();
        nodes.push(ProofNode { index, hash });
    }
    proofs_to_value(&proofs)
}

/// Returns a verifier that has the hasher but not the noncer.
fn without_noncer(scheme: Scheme) -> Cert<impl Hasher + Send + Sync> {
    let hashed = move |input: Input<'_>, _: Location<'_>| -> Result<String, Failure> {
        Ok((scheme.hash)(&input.text()))
    };
    Cert::with(&json(SCHEMA), hashed, PathNoncer).unwrap()
}

fn is_refused(cert: &dyn Certifies, evidence: &Value, imprint: &str, name: &str) {
    let claim = json(ELEVEN);
    assert_eq!(cert.calculate(&claim, evidence).unwrap(), None, "{name}");
    let report = cert.verify(&claim, evidence, imprint).unwrap();
    assert!(!report.valid, "{name}");
    assert_eq!(report.reasons.len(), 1, "{name}");
    let code = report.reasons[0].code.as_str();
    assert!(
        ["hash-malformed", "closing-ambiguous"].contains(&code),
        "{name}: {code}"
    );
    assert_eq!(report.reasons[0].path, Path::from(["l"]), "{name}");
    assert_eq!(report.proven, json("{}"), "{name}");
}

/// Under every hasher and noncer, and wherever the nonce is split, no certified list can be read in another order.
#[test]
fn a_list_of_ten_is_not_read_as_one_of_eleven() {
    let mut certified = 0;
    for scheme in SCHEMES {
        let cert = scheme.cert(&json(SCHEMA)).unwrap();
        let data = json(TEN);
        let imprint = match cert.imprint(&data) {
            Ok(imprint) => imprint,
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::NonceAmbiguous, "{}", scheme.name);
                assert_eq!(error.path().to_string(), "l[10]", "{}", scheme.name);
                assert!(cert.notarize(&data).is_err() && cert.disclose(&data, &[]).is_err());
                // Documents without a list, or with an empty list, are not affected.
                assert!(cert.imprint(&json(r#"{"l":[]}"#)).is_ok());
                continue;
            }
        };
        certified += 1;
        let proofs = cert.disclose(&data, &[["l"].into()]).unwrap();
        let genuine = proofs_to_value(&proofs);
        assert_eq!(
            cert.calculate(&data, &genuine).unwrap().as_ref(),
            Some(&imprint)
        );
        let nonce = (scheme.nonce)(&place(10));
        for split in 0..=nonce.chars().count() {
            let forged = opened(&proofs, 10, &nonce, split);
            is_refused(cert.as_ref(), &forged, &imprint, scheme.name);
            is_refused(&without_noncer(*scheme), &forged, &imprint, scheme.name);
        }
    }
    assert_eq!(certified, SCHEMES.len() - 4);
}

/// Older certificates may have nonces as long as two hashes. Verifiers with and without the noncer accept such certificates only in the
/// certified order.
#[test]
fn older_certificates_are_read_in_their_own_order() {
    for name in [
        "nonces as long as two hashes",
        "half as long, a secret",
        "SHA-512, long nonces, deferred",
        "growing nonces",
    ] {
        let scheme = Scheme::named(name);
        let (imprint, proofs) = made_elsewhere(&|_, text| (scheme.hash)(text), &scheme.nonce);
        let nonce = (scheme.nonce)(&place(10));
        let half = nonce.len() / 2;
        let data = json(TEN);
        let without = without_noncer(scheme);
        let with = scheme.cert(&json(SCHEMA)).unwrap();
        let genuine = proofs_to_value(&proofs);
        for cert in [&without as &dyn Certifies, with.as_ref()] {
            let calculated = cert.calculate(&data, &genuine).unwrap();
            assert_eq!(calculated.as_ref(), Some(&imprint), "{name}");
            for split in [0, 1, half - 1, half, nonce.len()] {
                let forged = opened(&proofs, 10, &nonce, split);
                let claim = json(ELEVEN);
                assert_eq!(cert.calculate(&claim, &forged).unwrap(), None, "{name}");
            }
            let forged = opened(&proofs, 10, &nonce, half);
            is_refused(cert, &forged, &imprint, name);
        }
    }
}

/// A hasher that distinguishes the roles of a text.
type HashText<'a> = &'a dyn Fn(Role, &str) -> String;

/// Returns the imprint and proofs of the ten items, computed from the formulas alone.
fn made_elsewhere(hash: HashText<'_>, nonce_of: &dyn Fn(&Path) -> String) -> (String, Vec<Proof>) {
    let mut proofs = Scheme::named("the defaults")
        .cert(&json(SCHEMA))
        .unwrap()
        .notarize(&json(TEN))
        .unwrap();
    let mut imprint = String::new();
    for proof in proofs.iter_mut().rev() {
        let count = proof.values.len();
        let nonce = |index: usize| {
            let mut path = proof.path.clone();
            path.push(index);
            nonce_of(&path)
        };
        let mut hashes = vec![Hash::default(); 2 * count + 1];
        let mut next = hash(Role::Node, &nonce(count));
        hashes[2 * count] = next.as_str().into();
        for index in (0..count).rev() {
            if proof.path.is_empty() {
                proof.values[index].value = Some(imprint.as_str().into());
            }
            let value = proof.values[index].value.as_ref().unwrap();
            let value = hash(Role::Value, value.as_str().unwrap());
            let leaf = hash(Role::Leaf, &(value + &nonce(index)));
            next = hash(Role::Node, &(leaf.clone() + &next));
            hashes[2 * index] = next.as_str().into();
            hashes[2 * index + 1] = leaf.as_str().into();
        }
        for index in 0..count {
            let nonce = nonce(index);
            proof.values[index].nonce = nonce.as_str().into();
        }
        for node in &mut proof.nodes {
            node.hash = hashes[node.index].clone();
        }
        imprint = next;
    }
    (imprint, proofs)
}

/// Returns a hash of `length` characters.
fn hash_of(length: usize, text: &str) -> String {
    let mut hash = hex(&Sha512::digest(text));
    hash.truncate(length);
    hash
}

/// If hashes had several lengths, the nonce after the last item could be split anywhere into a leaf and a node. Such a hasher cannot
/// certify. Certificates that other software made with such a hasher are refused.
#[test]
fn hashers_whose_hashes_differ_in_length_are_refused() {
    let by_role = |role: Role, text: &str| match role {
        Role::Value => hash_of(128, text),
        Role::Leaf | Role::Node => hash_of(40, text),
    };
    let without_leading_zeros =
        |_: Role, text: &str| hash_of(64, text).trim_start_matches('0').to_owned();
    // Each nonce is 8 characters longer than the one before.
    let nonce = |path: &Path| {
        let Some(PathStep::Index(position)) = path.steps().last() else {
            unreachable!("a path ends with a position");
        };
        hash_of(20 + 8 * position, &path.to_string())
    };
    let hashers: [(&str, HashText<'_>); 2] = [
        ("by role", &by_role),
        ("without leading zeros", &without_leading_zeros),
    ];
    for (name, hash) in hashers {
        let hashed = |input: Input<'_>, _: Location<'_>| -> Result<String, Failure> {
            Ok(hash(input.role(), &input.text()))
        };
        let noncer = |place: Location<'_>| -> Result<String, Failure> { Ok(nonce(&place.path())) };
        let issuer = Cert::with(&json(SCHEMA), hashed, noncer).unwrap();
        let error = issuer.imprint(&json(TEN)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::HashLength, "{name}");

        let (imprint, proofs) = made_elsewhere(hash, &nonce);
        let closing = nonce(&place(10));
        assert_eq!(closing.len(), 100);
        let is_refused = |claim: &str, evidence: &Value| {
            // The verifier does not have the noncer.
            let verifier = || Cert::with(&json(SCHEMA), hashed, PathNoncer).unwrap();
            let calculated = verifier().calculate(&json(claim), evidence);
            assert_eq!(
                calculated.unwrap_err().code(),
                ErrorCode::HashLength,
                "{name}"
            );
            let report = verifier().verify(&json(claim), evidence, &imprint);
            assert_eq!(report.unwrap_err().code(), ErrorCode::HashLength, "{name}");
        };
        is_refused(TEN, &proofs_to_value(&proofs));
        for cut in 1..closing.len() {
            is_refused(ELEVEN, &opened(&proofs, 10, &closing, cut));
        }
        for with_empty_hash in [0, closing.len()] {
            let evidence = opened(&proofs, 10, &closing, with_empty_hash);
            let verifier = Cert::with(&json(SCHEMA), hashed, PathNoncer).unwrap();
            assert_eq!(
                verifier.calculate(&json(ELEVEN), &evidence).unwrap(),
                None,
                "{name}"
            );
        }
    }
}

/// The evidence discloses a part of a long list, and hidden items follow. Every verifier accepts such evidence if the nonces are public, or
/// too short or too long to be two hashes. Otherwise only a verifier that has the noncer accepts such evidence.
#[test]
fn genuine_parts_of_long_lists_are_accepted() {
    let items: Vec<_> = (0..14).map(|item| format!(r#""{item}""#)).collect();
    let data = json(&format!(r#"{{"l":[{}]}}"#, items.join(",")));
    let paths = [place(3)];
    for scheme in SCHEMES {
        let cert = scheme.cert(&json(SCHEMA)).unwrap();
        let Ok(imprint) = cert.imprint(&data) else {
            continue;
        };
        let claim = cert.expose(&data, &paths);
        let evidence = proofs_to_value(&cert.disclose(&data, &paths).unwrap());
        let report = cert.verify(&claim, &evidence, &imprint).unwrap();
        assert!(report.valid, "{}: {:?}", scheme.name, report.reasons);
        assert_eq!(report.lists[0].length, 14);
        let calculated = cert.calculate(&claim, &evidence).unwrap();
        assert_eq!(calculated, Some(imprint), "{}", scheme.name);
    }
}

/// If a hasher declares the length of its hashes, evidence with a hash of another length is refused before anything is hashed.
#[test]
fn a_hasher_can_declare_the_length_of_its_hashes() {
    struct Short;
    impl Hasher for Short {
        fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<Hash, Failure> {
            let hash = Sha256Hasher.hash(input, place)?;
            Ok(hash.get(..40).unwrap_or_default().into())
        }

        fn hash_length(&self) -> Option<usize> {
            Some(40)
        }
    }
    let cert = Cert::with(&json(SCHEMA), Short, PathNoncer).unwrap();
    let data = json(TEN);
    let (imprint, mut proofs) = (cert.imprint(&data).unwrap(), cert.notarize(&data).unwrap());
    assert_eq!(
        cert.calculate(&data, &proofs).unwrap(),
        Some(imprint.clone())
    );
    proofs[1].nodes.last_mut().unwrap().hash = "00".into();
    let report = cert.verify(&data, &proofs, &imprint).unwrap();
    assert_eq!(report.reasons[0].code.as_str(), "hash-malformed");
}

/// A noncer may fail or be a slow key service, so it is called only if its answer matters.
#[test]
fn noncers_are_called_only_for_lists_that_may_be_extended() {
    let failing = |_: Location<'_>| -> Result<String, Failure> { Err("no".into()) };
    let plain = Cert::new(&json(SCHEMA)).unwrap();
    let data = json(TEN);
    let proofs = plain.notarize(&data).unwrap();
    let cert = Cert::with(&json(SCHEMA), Sha256Hasher, failing).unwrap();
    assert!(cert.calculate(&data, &proofs).unwrap().is_some());
    let nonce = "0".repeat(128);
    let mut hidden = proofs.clone();
    hidden[1].values.pop();
    let shown = json(r#"{"l":["a","b","c","d","e","f","g","h","i"]}"#);
    let error = cert.calculate(&shown, &hidden).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoncerFailed);
    assert_eq!(error.path().to_string(), "l[9]");
    // Evidence for another imprint causes no call of the noncer.
    assert!(!cert.verify(&data, &hidden, &nonce).unwrap().valid);
    // Keyed nonces are too short to be two hashes.
    let keyed = KeyedNoncer::new(b"0123456789abcdef").unwrap();
    assert_eq!(keyed.nonce_length(), Some(64));
    let cert = Cert::with(&json(SCHEMA), Sha256Hasher, keyed).unwrap();
    assert!(cert.verify(&data, &hidden, &nonce).is_ok());
}
