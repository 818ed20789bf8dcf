//! Edge cases of signatures, in the style of Wycheproof, for the Authorization header and all fields that accept a claim.
//! The service accepts only the few encodings in `edges::accepted`.

use alloy_primitives::{B256, keccak256};
use k256::ecdsa::SigningKey;
use order_core::{ClaimKind, PrivateKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::edges::{accepted, refused, refused_in_a_body};
use crate::support::people::{Person, World};
use crate::support::{Answer, Call};

/// An account whose key signs any bytes.
struct Signer {
    person: Person,
    key: SigningKey,
    account: PrivateKey,
}

impl Signer {
    fn new() -> Self {
        let person = Person::new();
        let mut bytes = keccak256(person.authorization()).0;
        bytes[0] = 1;
        Self {
            person,
            key: SigningKey::from_slice(&bytes).expect("a key"),
            account: PrivateKey::from_bytes(&bytes).expect("a key"),
        }
    }

    /// Signs any digest.
    fn digest(&self, digest: &[u8]) -> String {
        let (signature, id) = self.key.sign_prehash_recoverable(digest);
        let bytes: String = signature
            .to_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("3:0x{bytes}{:02x}", 27 + u8::from(id.is_y_odd()))
    }

    /// Signs a message by EIP-191.
    fn message(&self, message: &[u8]) -> String {
        let mut bytes = format!("\x19Ethereum Signed Message:\n{}", message.len()).into_bytes();
        bytes.extend_from_slice(message);
        self.digest(keccak256(bytes).as_slice())
    }

    /// Returns signatures that are not valid claims for the hash, each after its name. The wallet has signed the hash in another
    /// form, or something else.
    fn other_readings(&self, hash: &B256) -> Vec<(&'static str, String)> {
        let written = format!("{hash:x}");
        let typed = [b"\x19\x01".as_slice(), &[7; 32], hash.as_slice()].concat();
        vec![
            ("the hash without a prefix", self.digest(hash.as_slice())),
            (
                "the hash as text",
                self.message(format!("0x{written}").as_bytes()),
            ),
            (
                "the hash as text without 0x",
                self.message(written.as_bytes()),
            ),
            (
                "typed data (EIP-712)",
                self.digest(keccak256(typed).as_slice()),
            ),
            ("the hash's SHA-256", self.message(&Sha256::digest(hash))),
            ("the hash's hash", self.message(keccak256(hash).as_slice())),
            (
                "the hash signed twice",
                self.message(keccak256(self.digest(hash.as_slice())).as_slice()),
            ),
            ("another hash", self.message(&[7; 32])),
            ("nothing", self.message(b"")),
            (
                "the text of the Authorization header",
                self.message(b"assay api"),
            ),
        ]
    }
}

#[test]
fn the_authorization_header_accepts_only_the_known_encodings() {
    let world = World::new();
    // The key is fixed: with random keys, `v first` is sometimes valid for another account.
    let person = Person::known(21);
    let ask = |value: &str| world.call(Call::get("/account").header("authorization", value));
    let good = person.authorization();
    for (name, value) in accepted(&good) {
        assert_eq!(ask(&value).data()["id"], json!(person.id()), "{name}");
    }
    for (name, value) in refused(&good) {
        // With r and s swapped (`s first`), the signature may recover to another account. All other encodings are refused.
        let answer = ask(&value);
        if answer.status == 200 {
            assert_eq!(name, "s first");
            assert_ne!(answer.data()["id"], json!(person.id()));
            continue;
        }
        assert_eq!(
            (answer.status, answer.codes()),
            (401, vec![400_001]),
            "{name}: {value}"
        );
    }
}

/// The Authorization header contains no address. A signature of another message recovers to another account, never to the
/// signer.
#[test]
fn a_signature_of_another_message_never_recovers_to_the_signer() {
    let world = World::new();
    let signer = Signer::new();
    let ask = |value: &str| {
        let answer = world.call(Call::get("/account").header("authorization", value));
        answer.data()["id"].clone()
    };
    let id = json!(signer.account.address());
    assert_eq!(ask(&signer.message(b"assay api")), id);
    let text = keccak256("assay api");
    let typed = [b"\x19\x01".as_slice(), &[7; 32], text.as_slice()].concat();
    for (name, value) in [
        ("another service", signer.message(b"other api")),
        ("another case", signer.message(b"Assay api")),
        ("a newline at the end", signer.message(b"assay api\n")),
        ("nothing", signer.message(b"")),
        ("no prefix", signer.digest(text.as_slice())),
        ("the text's hash", signer.message(text.as_slice())),
        (
            "the text's SHA-256",
            signer.message(&Sha256::digest("assay api")),
        ),
        (
            "typed data (EIP-712)",
            signer.digest(keccak256(typed).as_slice()),
        ),
    ] {
        assert_ne!(ask(&value), id, "{name}");
        // The other kind of signature does not recover to the signer either.
        assert_ne!(ask(&value.replacen("3:", "0:", 1)), id, "{name}");
    }
}

/// A field that accepts a claim: how to send a claim in it, and the expected refusal of a wrong claim.
struct Place<'a> {
    name: &'static str,
    good: String,
    send: Box<dyn Fn(&Value) -> Answer + 'a>,
    status: u16,
    error: &'static str,
}

fn set(body: &Value, pointer: &str, claim: &Value) -> Value {
    let mut body = body.clone();
    *body.pointer_mut(pointer).expect("a claim") = claim.clone();
    body
}

/// Returns the fields that accept a claim, each with the hash that `signer` has to sign.
fn places<'a>(world: &'a World, signer: &'a Signer) -> Vec<(Place<'a>, B256)> {
    let (person, id) = (&signer.person, signer.account.address());
    let claim = |hash: &B256| {
        signer
            .account
            .claim(ClaimKind::PersonalSign, hash)
            .to_string()
    };
    // The payment is zero, so a missing balance cannot be the reason for a refusal.
    let mut order = world.order(&[person], json!([world.payment(person, "0")]));
    order["order"]["signers"][0]["accountId"] = json!(id);
    order["order"]["actions"][0]["senderId"] = json!(id);
    let waiting = world.call(person.post("/orders", &order)).data();
    let sign = format!("/orders/{}/sign", waiting["ref"].as_str().expect("a ref"));
    let mut open = order.clone();
    open["wildcardSigner"] = json!(true);
    open["order"]["signers"] = json!([]);
    open["order"]["actions"][0]["senderId"] = json!("");
    let mut deployment = world.deployment(person, &[1]);
    deployment["deploy"]["makerId"] = json!(id);
    let deploy_hash = order_core::DeploymentRequest::parse(&deployment, world.host.now())
        .expect("a deployment")
        .deploy
        .hash(&world.gateways);
    let mut approval = world.value_approval(person, person.id(), "7");
    approval["approval"]["approver"] = json!(id);
    let approval_hash = order_core::ApprovalRequest::parse(&approval, world.host.now())
        .expect("an approval")
        .approval
        .hash();
    let (order_hash, open_hash) = (world.order_hash(&order), world.order_hash(&open));
    let own = Call::new("PUT", sign).header("authorization", &signer.message(b"assay api"));
    let fresh = {
        let mut fresh = order.clone();
        fresh["order"]["seed"] = json!(crate::support::people::seed());
        fresh
    };
    let fresh_hash = world.order_hash(&fresh);
    open["order"]["wildcardClaim"] = json!({ "accountId": id, "claim": "" });
    let place = |name, hash: B256, status, error, send: Box<dyn Fn(&Value) -> Answer + 'a>| {
        let good = claim(&hash);
        let place = Place {
            name,
            good,
            send,
            status,
            error,
        };
        (place, hash)
    };
    vec![
        place(
            "a signer's, with the order",
            fresh_hash,
            400,
            "400001 order.signers[0].claim",
            Box::new(move |claim| {
                let body = set(&fresh, "/order/signers/0/claim", claim);
                world.call(person.post("/orders", &body))
            }),
        ),
        place(
            "the wildcard's, with the order",
            open_hash,
            400,
            "400001 order.wildcardClaim.claim",
            Box::new(move |claim| {
                let body = set(&open, "/order/wildcardClaim/claim", claim);
                world.call(person.post("/orders", &body))
            }),
        ),
        place(
            "a signer's, later",
            order_hash,
            400,
            "400001 claim",
            Box::new(move |claim| world.call(own.clone().json(&json!({ "claim": claim })))),
        ),
        place(
            "a deployment's",
            deploy_hash,
            400,
            "400001 claim",
            Box::new(move |claim| {
                let body = set(&deployment, "/claim", claim);
                world.call(person.post("/deployments", &body))
            }),
        ),
        place(
            "an approval's",
            approval_hash,
            422,
            "422123 claim",
            Box::new(move |claim| {
                let body = set(&approval, "/claim", claim);
                world.call(person.post("/approvals", &body))
            }),
        ),
    ]
}

#[test]
fn every_route_accepts_only_the_known_encodings_of_a_claim() {
    let world = World::new();
    let signer = Signer::new();
    for (place, hash) in places(&world, &signer) {
        let is_refused = |name: &str, text: &str| {
            let answer = (place.send)(&json!(text));
            assert_eq!(
                (answer.status, answer.errors()),
                (place.status, vec![place.error.to_owned()]),
                "{}: {name}: {text}",
                place.name
            );
        };
        for (name, text) in refused_in_a_body(&place.good) {
            is_refused(&name, &text);
        }
        for (name, text) in signer.other_readings(&hash) {
            is_refused(name, &text);
        }
        let outsider = Person::new();
        is_refused("an outsider's", &outsider.claim(&hash));
        // The service accepts a valid claim, even if the ledger's rules then refuse the request.
        for (name, text) in accepted(&place.good) {
            let answer = (place.send)(&json!(text));
            let claims = [400_001, 422_123];
            assert!(
                answer.status < 300 || !answer.codes().iter().any(|code| claims.contains(code)),
                "{}: {name}: {answer:?}",
                place.name
            );
            assert_ne!(answer.status, 500, "{}: {name}", place.name);
        }
    }
}

/// An order with a claim in another encoding is the same order, because its hash is the same.
#[test]
fn other_spellings_of_a_claim_give_the_same_order() {
    let world = World::new();
    let owner = world.funded();
    let mut body = world.order(&[&owner], json!([world.payment(&owner, "5")]));
    world.sign(&mut body, &[&owner]);
    let before = world.balance(&owner);
    let first = world.performed(&owner, &body);
    let good = body["order"]["signers"][0]["claim"]
        .as_str()
        .unwrap()
        .to_owned();
    for (name, text) in accepted(&good) {
        let again = set(&body, "/order/signers/0/claim", &json!(text));
        let answer = world.call(owner.post("/orders", &again));
        assert_eq!(
            (answer.status, &answer.data()["ref"]),
            (200, &first["ref"]),
            "{name}"
        );
    }
    world.host.settle();
    assert_eq!(before - world.balance(&owner), 5);
}
