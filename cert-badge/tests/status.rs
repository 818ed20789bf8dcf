//! Status lists: their bits, and the lists that other software canonicalized and signed (`tests/vectors/badge/lists.json`).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use std::collections::BTreeSet;

use cert_badge::{
    LIST_PLACES, ListFacts, Proof, PublicKey, Refusal, Signature, StatusList, decode, encode,
    read_status_list, to_sign,
};
use proptest::collection::btree_set;
use proptest::prelude::*;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde_json::{Value, json};

const ADDRESS: &str = "https://certs.example/status/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/0";
/// 2026-07-01T12:00:00Z.
const NOON: u64 = 1_782_907_200_000;
const DAY: u64 = 86_400_000;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../tests/vectors/badge/lists.json")).unwrap()
}

fn key_pair() -> Ed25519KeyPair {
    let seed: Vec<u8> = (0..32).collect();
    Ed25519KeyPair::from_seed_unchecked(&seed).unwrap()
}

fn list(encoded: &str) -> StatusList {
    StatusList::new(&ListFacts {
        address: ADDRESS,
        host: "certs.example",
        from: NOON,
        until: NOON + DAY,
        encoded,
    })
    .unwrap()
}

fn signed(list: StatusList) -> StatusList {
    let proof = Proof::new("did:web:certs.example#status-1", NOON).unwrap();
    let signature = key_pair().sign(&to_sign(&list, &proof));
    list.signed(proof, Signature(signature.as_ref().try_into().unwrap()))
}

fn is_signed(list: &StatusList) -> bool {
    let key = key_pair();
    let key = UnparsedPublicKey::new(&ED25519, key.public_key().as_ref());
    let Some((proof, signature)) = list
        .proof()
        .and_then(|proof| Some((proof, proof.signature()?)))
    else {
        return false;
    };
    key.verify(&to_sign(list, proof), &signature.0).is_ok()
}

#[test]
fn lists_of_other_software_verify_and_are_made_again() {
    let vectors = vectors();
    let lists = vectors["lists"].as_array().unwrap();
    assert_eq!(lists.len(), 5);
    for vector in lists {
        let read = read_status_list(&vector["signed"].to_string()).unwrap();
        assert!(is_signed(&read), "{vector}");
        let encoded = vector["signed"]["credentialSubject"]["encodedList"]
            .as_str()
            .unwrap();
        let again = signed(list(encoded));
        assert_eq!(again, read);
        assert_eq!(
            serde_json::from_str::<Value>(&again.to_json()).unwrap(),
            vector["signed"]
        );

        // Both programs have the same bits, but may compress them differently.
        let revoked: BTreeSet<u32> = serde_json::from_value(vector["revoked"].clone()).unwrap();
        assert_eq!(decode(encoded), decode(&encode(revoked.iter().copied())));
        for place in (0..LIST_PLACES)
            .step_by(1_009)
            .chain(revoked.iter().copied())
        {
            assert_eq!(
                list(encoded).is_revoked(place),
                Some(revoked.contains(&place))
            );
        }
    }
}

#[test]
fn every_changed_or_removed_member_is_refused_or_breaks_the_signature() {
    let value: Value = serde_json::from_str(&signed(list(&encode([4711]))).to_json()).unwrap();
    let places = [
        "/@context",
        "/@context/0",
        "/id",
        "/type",
        "/type/0",
        "/type/1",
        "/issuer",
        "/validFrom",
        "/validUntil",
        "/credentialSubject",
        "/credentialSubject/id",
        "/credentialSubject/type",
        "/credentialSubject/statusPurpose",
        "/credentialSubject/encodedList",
        "/proof/type",
        "/proof/cryptosuite",
        "/proof/created",
        "/proof/verificationMethod",
        "/proof/proofPurpose",
        "/proof/proofValue",
    ];
    let replacements = [
        json!("https://other.example/"),
        json!("Badge"),
        json!("2027-07-01T12:00:00Z"),
        json!(encode([])),
        json!([]),
        Value::Null,
    ];
    let is_accepted =
        |changed: &Value| read_status_list(&changed.to_string()).is_ok_and(|list| is_signed(&list));
    assert!(is_accepted(&value));
    for place in places {
        for replacement in &replacements {
            let mut changed = value.clone();
            *changed.pointer_mut(place).unwrap() = replacement.clone();
            assert!(!is_accepted(&changed), "{place}: {replacement}");
        }
        let (parent, key) = place.rsplit_once('/').unwrap();
        let mut changed = value.clone();
        if let Some(object) = changed.pointer_mut(parent).unwrap().as_object_mut() {
            object.remove(key).unwrap();
            object.insert("more".to_owned(), json!(1));
            assert!(!is_accepted(&changed), "{place}");
        }
    }
    assert_eq!(
        read_status_list(&" ".repeat(70_000)),
        Err(Refusal::TooLarge)
    );
}

#[test]
fn a_list_holds_only_between_its_times() {
    let list = list(&encode([]));
    for (at, holds) in [
        (0, false),
        (NOON - 1, false),
        (NOON, true),
        (NOON + DAY, true),
        (NOON + DAY + 1, false),
        (u64::MAX, false),
    ] {
        assert_eq!(list.is_valid_at(at), holds, "{at}");
    }
    assert_eq!(
        (list.host(), list.address()),
        ("certs.example".to_owned(), ADDRESS)
    );
}

#[test]
fn malformed_bits_have_no_status() {
    let whole = encode([1, 2]);
    for wrong in [
        "",
        "u",
        "uAAAA",
        &whole[1..],
        &whole[..whole.len() - 1],
        &whole.replacen('u', "z", 1),
        &format!("{whole}A"),
        // A file of gzip with other bits than its checksum.
        &format!("{}AAAAAAAAAA", &whole[..whole.len() - 10]),
    ] {
        assert_eq!(decode(wrong), None, "{wrong}");
        assert_eq!(list(wrong).is_revoked(1), None, "{wrong}");
    }
    assert_eq!(list(&whole).is_revoked(LIST_PLACES), None);
    assert_eq!(list(&whole).is_revoked(u32::MAX), None);
    assert_eq!(encode([1, 2, LIST_PLACES, u32::MAX]), whole);
}

#[test]
fn facts_that_no_credential_allows_are_refused() {
    let facts = |address, host, from| {
        StatusList::new(&ListFacts {
            address,
            host,
            from,
            until: NOON,
            encoded: "u",
        })
    };
    assert_eq!(
        facts("/status/0", "certs.example", 0),
        Err(Refusal::Malformed("id"))
    );
    assert_eq!(
        facts(ADDRESS, "certs example", 0),
        Err(Refusal::Malformed("issuer"))
    );
    assert_eq!(
        facts(ADDRESS, "certs.example", u64::MAX),
        Err(Refusal::Malformed("validFrom"))
    );
}

#[test]
fn the_services_document_obeys_the_rules_of_issuers() {
    let key = PublicKey(key_pair().public_key().as_ref().try_into().unwrap());
    for host in ["certs.example", "localhost:8080"] {
        let document = cert_badge::document(host, "status-1", &key);
        let (broken, id) = cert_badge::problems(&document, host, &key);
        let did = host.replace(':', "%3A");
        assert_eq!(broken, []);
        assert_eq!(id, Some(format!("did:web:{did}#status-1")));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_bits_are_those_of_a_simple_model(revoked in btree_set(0..LIST_PLACES, 0..2_000)) {
        let mut model = vec!['0'; 131_072];
        for place in &revoked {
            model[*place as usize] = '1';
        }
        let bits = decode(&encode(revoked.iter().copied())).unwrap();
        let text: String = bits.iter().map(|byte| format!("{byte:08b}")).collect();
        prop_assert_eq!(text, model.into_iter().collect::<String>());
    }
}
