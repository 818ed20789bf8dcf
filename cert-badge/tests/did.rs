//! The rules for the issuer's `did.json`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_badge::{PublicKey, Rule, entry, problems};
use serde_json::{Value, json};

const KEY: PublicKey = PublicKey([7; 32]);

fn document() -> Value {
    json!({
        "@context": ["https://www.w3.org/ns/did/v1"],
        "id": "did:web:uni.example",
        "verificationMethod": [entry("uni.example", "vc-2026", &KEY), {
            "id": "did:web:uni.example#assay", "type": "EcdsaSecp256k1RecoveryMethod2020", "controller": "did:web:uni.example",
            "blockchainAccountId": "eip155:1:0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" }],
        "assertionMethod": ["did:web:uni.example#vc-2026", "did:web:uni.example#assay"],
    })
}

fn broken(act: impl FnOnce(&mut Value)) -> Vec<Rule> {
    let mut document = document();
    act(&mut document);
    problems(&document, "uni.example", &KEY).0
}

#[test]
fn a_file_that_obeys_all_rules_has_no_problem() {
    assert_eq!(
        problems(&document(), "uni.example", &KEY),
        (vec![], Some("did:web:uni.example#vc-2026".to_owned()))
    );
    assert_eq!(
        broken(|document| document["@context"] = json!("https://www.w3.org/ns/did/v1")),
        []
    );
    assert_eq!(
        broken(|document| document["extra"] = json!({ "a": [1] })),
        []
    );
}

#[test]
fn each_broken_rule_is_found() {
    use Rule::{Context, Controller, Form, Identity, NotListed, Order, Purpose, Relative};
    let method = |name: &'static str, value: Value| {
        move |document: &mut Value| document["verificationMethod"][0][name] = value
    };
    assert_eq!(broken(|document| *document = json!([])), [Identity]);
    assert_eq!(
        broken(|document| document["id"] = json!("did:web:other.example")),
        [Identity]
    );
    assert_eq!(
        broken(|document| drop(document.as_object_mut().unwrap().remove("@context"))),
        [Context]
    );
    assert_eq!(
        broken(|document| document["@context"] =
            json!(["https://w3id.org/x", "https://www.w3.org/ns/did/v1"])),
        [Context]
    );
    assert_eq!(
        broken(|document| document["assertionMethod"] = json!(["#vc-2026"])),
        [Relative, Purpose]
    );
    assert_eq!(broken(method("id", json!("#vc-2026"))), [Relative, Purpose]);
    assert_eq!(
        broken(method("id", json!("did:web:other.example#vc-2026"))),
        [Purpose, Relative]
    );
    assert_eq!(
        broken(|document| document["verificationMethod"]
            .as_array_mut()
            .unwrap()
            .reverse()),
        [Order]
    );
    assert_eq!(
        broken(|document| document["verificationMethod"] = json!([])),
        [NotListed]
    );
    assert_eq!(
        broken(method(
            "publicKeyMultibase",
            json!(PublicKey([8; 32]).to_string())
        )),
        [NotListed]
    );
    assert_eq!(
        broken(|document| document["assertionMethod"] = json!(["did:web:uni.example#assay"])),
        [Purpose]
    );
    assert_eq!(
        broken(|document| drop(document.as_object_mut().unwrap().remove("assertionMethod"))),
        [Purpose]
    );
    assert_eq!(
        broken(method("controller", json!("did:web:other.example"))),
        [Controller]
    );
    assert_eq!(
        broken(method("type", json!("Ed25519VerificationKey2020"))),
        [Form]
    );
}

#[test]
fn a_port_of_a_development_host_is_escaped() {
    assert_eq!(
        entry("localhost:8080", "vc", &KEY)["id"],
        "did:web:localhost%3A8080#vc"
    );
}
