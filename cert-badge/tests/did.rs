//! The rules for the issuer's `did.json`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_badge::{PublicKey, Rule, entry, findings, lists, problems, with_account, with_key};
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

#[test]
fn a_file_with_an_added_key_obeys_all_rules_and_keeps_its_content() {
    let did = "did:web:uni.example";
    let account = json!({ "id": "#assay", "type": "EcdsaSecp256k1RecoveryMethod2020", "controller": did,
        "blockchainAccountId": "eip155:1:0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" });
    let other = entry("uni.example", "vc-1", &PublicKey([8; 32]));
    let wrong = json!({ "id": "did:web:uni.example#key", "type": "Ed25519VerificationKey2020", "publicKeyMultibase": KEY.to_string() });
    for (given, name) in [
        (json!({ "id": did }), "vc-1"),
        (
            json!({ "id": did, "verificationMethod": [account], "assertionMethod": ["#assay"], "service": [{ "type": "AssayIssuer" }] }),
            "vc-1",
        ),
        (
            json!({ "id": did, "@context": "https://other.example", "verificationMethod": [account, other], "assertionMethod": ["#assay"] }),
            "vc-2",
        ),
        (
            json!({ "id": did, "verificationMethod": [account, wrong] }),
            "key",
        ),
        (document(), "vc-2026"),
    ] {
        let added = with_key(given.clone(), "uni.example", &KEY).unwrap();
        let expected = (vec![], Some(format!("{did}#{name}")));
        assert_eq!(
            problems(&added, "uni.example", &KEY),
            expected,
            "{given} gave {added}"
        );
        assert_eq!(added["service"], given["service"]);
        let count = |document: &Value, list: &str| document[list].as_array().map_or(0, Vec::len);
        assert!(count(&added, "verificationMethod") <= count(&given, "verificationMethod") + 1);
        // Another time, nothing changes.
        assert_eq!(with_key(added.clone(), "uni.example", &KEY).unwrap(), added);
    }
    assert_eq!(
        with_key(document(), "other.example", &KEY),
        Err(Rule::Identity)
    );
    let no_list = json!({ "id": did, "verificationMethod": {} });
    assert_eq!(with_key(no_list, "uni.example", &KEY), Err(Rule::Relative));
}

#[test]
fn a_file_with_an_added_account_keeps_its_content() {
    const ACCOUNT: &str = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    let did = "did:web:uni.example";
    let add = |document: &Value| with_account(document.clone(), "uni.example", ACCOUNT);
    let first = json!({ "id": "#assay", "blockchainAccountId": "eip155:1:0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" });
    let key = entry("uni.example", "vc-1", &KEY);
    let service = json!([{ "type": ["Other", "AssayIssuer"], "serviceEndpoint": { "name": "Uni", "revoked": [] } }]);
    let given = json!({
        "id": did, "@context": "https://other.example", "more": { "kept": [1] }, "service": service,
        "verificationMethod": [key, first], "assertionMethod": ["#assay", "#vc-1"],
    });
    let added = add(&given).unwrap();
    let expected = json!({
        "@context": ["https://www.w3.org/ns/did/v1", "https://other.example", "https://w3id.org/security/suites/secp256k1recovery-2020/v2"],
        "id": did, "more": { "kept": [1] }, "service": service,
        "verificationMethod": [
            key,
            { "id": format!("{did}#assay"), "blockchainAccountId": first["blockchainAccountId"] },
            {
                "id": format!("{did}#assay-2"), "type": "EcdsaSecp256k1RecoveryMethod2020", "controller": did,
                "blockchainAccountId": format!("eip155:1:{ACCOUNT}"),
            },
        ],
        "assertionMethod": [format!("{did}#assay"), format!("{did}#vc-1"), format!("{did}#assay-2")],
    });
    assert_eq!(added, expected);
    // Another time, nothing changes, whatever the case of the address.
    assert_eq!(add(&added).unwrap(), added);
    let lower = with_account(added.clone(), "uni.example", &ACCOUNT.to_lowercase());
    assert_eq!(lower.unwrap(), added);
    // A listed method that is not for assertions gets the purpose only.
    let unused = json!({ "id": did, "verificationMethod": [{ "id": "#a", "blockchainAccountId": format!("eip155:5:{ACCOUNT}") }] });
    let added = add(&unused).unwrap();
    assert_eq!(added["assertionMethod"], json!([format!("{did}#a")]));
    assert_eq!(added["verificationMethod"].as_array().unwrap().len(), 1);
    assert_eq!(added["service"][0]["serviceEndpoint"], json!({}));
    for (wrong, rule) in [
        (json!([]), Rule::Identity),
        (json!({ "id": "did:web:other.example" }), Rule::Identity),
        (
            json!({ "id": did, "assertionMethod": "#assay" }),
            Rule::Relative,
        ),
        (json!({ "id": did, "service": {} }), Rule::Relative),
    ] {
        assert_eq!(add(&wrong), Err(rule), "{wrong}");
    }
}

#[test]
fn a_file_without_a_badge_key_has_no_findings() {
    let mut other = document();
    other["verificationMethod"]
        .as_array_mut()
        .unwrap()
        .remove(0);
    other["assertionMethod"].as_array_mut().unwrap().remove(0);
    drop(other.as_object_mut().unwrap().remove("@context"));
    for file in [
        other,
        json!({}),
        json!([]),
        json!(null),
        json!({ "verificationMethod": 1 }),
    ] {
        assert_eq!(findings(&file, "uni.example", None), [], "{file}");
        assert!(!lists(&file, &KEY));
    }
}

#[test]
fn the_findings_are_the_broken_rules_of_all_keys() {
    use Rule::{Context, Controller, Form, Purpose};
    assert_eq!(findings(&document(), "uni.example", None), []);
    assert!(lists(&document(), &KEY));
    let mut file = document();
    drop(file.as_object_mut().unwrap().remove("@context"));
    let mut second = entry("uni.example", "vc-2027", &PublicKey([8; 32]));
    second["controller"] = json!("did:web:other.example");
    file["verificationMethod"]
        .as_array_mut()
        .unwrap()
        .insert(0, second);
    assert_eq!(
        findings(&file, "uni.example", None),
        [Context, Purpose, Controller]
    );
    // The service's key is not the issuer's.
    assert_eq!(
        findings(&file, "uni.example", Some(&PublicKey([8; 32]))),
        [Context]
    );
    for method in [
        json!({ "id": "did:web:uni.example#a", "type": "Ed25519VerificationKey2018", "publicKeyBase58": "x" }),
        json!({ "id": "did:web:uni.example#a", "type": "JsonWebKey", "publicKeyJwk": { "kty": "OKP", "crv": "Ed25519" } }),
    ] {
        let mut file = document();
        file["verificationMethod"]
            .as_array_mut()
            .unwrap()
            .insert(0, method);
        assert_eq!(findings(&file, "uni.example", None), [Form]);
    }
}

#[test]
fn only_the_first_keys_of_a_file_are_checked() {
    let mut file = document();
    let keys = (0..300_u16).map(|number| {
        let mut key = [9; 32];
        key[..2].copy_from_slice(&number.to_be_bytes());
        entry("uni.example", "vc", &PublicKey(key))
    });
    file["verificationMethod"] = keys.collect();
    file["assertionMethod"] = json!((0..8).map(|_| "did:web:uni.example#vc").collect::<Vec<_>>());
    assert_eq!(findings(&file, "uni.example", None), []);
    file["verificationMethod"][7]["controller"] = json!("did:web:other.example");
    assert_eq!(findings(&file, "uni.example", None), [Rule::Controller]);
    file["verificationMethod"][7]["controller"] = json!("did:web:uni.example");
    file["verificationMethod"][8]["controller"] = json!("did:web:other.example");
    assert_eq!(findings(&file, "uni.example", None), []);
}
