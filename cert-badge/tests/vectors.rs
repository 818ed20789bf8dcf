//! Badges that other software canonicalized and signed: `tests/vectors/badge`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_badge::{Proof, PublicKey, Refusal, read, to_sign};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../tests/vectors/badge/badges.json")).unwrap()
}

fn signed() -> Vec<Value> {
    let vectors = vectors();
    let badges = vectors["badges"].as_array().unwrap();
    assert_eq!(badges.len(), 8);
    badges.iter().map(|one| one["signed"].clone()).collect()
}

fn key_pair() -> Ed25519KeyPair {
    let vectors = vectors();
    let digits = vectors["seed"].as_str().unwrap();
    let seed: Vec<u8> = (0..32)
        .map(|index| u8::from_str_radix(&digits[index * 2..index * 2 + 2], 16).unwrap())
        .collect();
    Ed25519KeyPair::from_seed_unchecked(&seed).unwrap()
}

#[test]
fn the_public_key_has_the_form_of_other_software() {
    let vectors = vectors();
    let text = vectors["publicKeyMultibase"].as_str().unwrap();
    let key = PublicKey::parse(text).unwrap();
    assert_eq!(key_pair().public_key().as_ref(), key.0);
    assert_eq!(key.to_string(), text);
    for wrong in [
        "",
        "z",
        "x6Mk",
        &text[1..],
        &text[..40],
        &format!("{text}1"),
        &"z".repeat(100_000),
        "z0OIl",
    ] {
        assert_eq!(PublicKey::parse(wrong), Err(Refusal::Key), "{wrong}");
    }
}

#[test]
fn signatures_of_other_software_verify_and_are_made_again() {
    let key = PublicKey::parse(vectors()["publicKeyMultibase"].as_str().unwrap()).unwrap();
    for value in signed() {
        let badge = read(&value.to_string()).unwrap();
        let proof = badge.proof().unwrap().clone();
        let bytes = to_sign(&badge, &proof);
        let verified =
            UnparsedPublicKey::new(&ED25519, key.0).verify(&bytes, &proof.signature().unwrap().0);
        assert!(verified.is_ok(), "{value}");

        let made = Proof::new("did:web:uni.example#vc-2026", 1_782_907_200_000).unwrap();
        let signature = key_pair().sign(&to_sign(&badge, &made));
        let again = badge.clone().unsigned().signed(
            made,
            cert_badge::Signature(signature.as_ref().try_into().unwrap()),
        );
        assert_eq!(again, badge);
        assert_eq!(
            serde_json::from_str::<Value>(&again.to_json()).unwrap(),
            value
        );
        assert!(again.to_json().is_ascii());
    }
}

/// Calls `act` with each place of a JSON value that has a text, and with each member of an object.
fn change(value: &Value, act: &mut impl FnMut(Value)) {
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, below) in object {
                    let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                    found.push(at.clone());
                    places(below, &at, found);
                }
            }
            Value::Array(list) => {
                for (index, below) in list.iter().enumerate() {
                    found.push(format!("{at}/{index}"));
                    places(below, &format!("{at}/{index}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(value, "", &mut found);
    for place in &found {
        for replacement in [
            Value::from("https://other.example/"),
            Value::from("Other"),
            Value::Bool(false),
            Value::from(1),
            Value::Null,
        ] {
            let mut changed = value.clone();
            *changed.pointer_mut(place).unwrap() = replacement;
            act(changed);
        }
        let (parent, key) = place.rsplit_once('/').unwrap();
        let mut changed = value.clone();
        match changed.pointer_mut(parent).unwrap() {
            Value::Object(object) => {
                drop(object.remove(&key.replace("~1", "/").replace("~0", "~")))
            }
            Value::Array(list) => drop(list.remove(key.parse().unwrap())),
            _ => panic!("{place}"),
        }
        act(changed);
        let mut changed = value.clone();
        if let Some(object) = changed.pointer_mut(place).unwrap().as_object_mut() {
            object.insert("extra".to_owned(), Value::from("more"));
            act(changed);
        }
    }
}

#[test]
fn every_changed_removed_or_added_member_is_refused_or_breaks_the_signature() {
    let key = UnparsedPublicKey::new(&ED25519, key_pair().public_key().as_ref().to_vec());
    let mut tried = 0_u32;
    for value in signed() {
        change(&value, &mut |changed| {
            tried += 1;
            let Ok(badge) = read(&changed.to_string()) else {
                return;
            };
            // A null for an optional member reads like a missing member, and breaks the signature too.
            let Some((proof, signature)) = badge
                .proof()
                .and_then(|proof| Some((proof, proof.signature()?)))
            else {
                return;
            };
            let is_same = changed == value;
            assert_eq!(
                key.verify(&to_sign(&badge, proof), &signature.0).is_ok(),
                is_same,
                "{changed}"
            );
        });
    }
    assert!(tried > 3_000, "{tried}");
}

#[test]
fn other_credentials_are_refused() {
    let value = signed().swap_remove(0);
    let text = value.to_string();
    let doubled = text.replacen("\"name\":", "\"name\":\"Other\",\"name\":", 1);
    let shuffled = text.replacen(
        "https://www.w3.org/ns/credentials/v2",
        "https://www.w3.org/2018/credentials/v1",
        1,
    );
    for foreign in [
        "",
        "{}",
        "[]",
        "null",
        "1",
        &doubled,
        &shuffled,
        &text[1..],
        &format!("[{text}]"),
        &"[".repeat(100_000),
    ] {
        assert_eq!(
            read(foreign),
            Err(Refusal::Foreign),
            "{}",
            &foreign[..foreign.len().min(80)]
        );
    }
    assert_eq!(
        read(&" ".repeat(cert_badge::MAX_BYTES + 1)),
        Err(Refusal::TooLarge)
    );
}
