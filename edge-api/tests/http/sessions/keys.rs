//! API keys from their creation to their end.

use serde_json::{Value, json};

use super::{bearer, is_dead, key, opens, token};
use crate::support::people::{Person, World};
use crate::support::{self, Call, SETTINGS};

const MINUTE: u64 = 60_000;

#[test]
fn a_key_is_shown_once_and_works_until_it_is_revoked() {
    let host = support::service();
    let person = Person::new();
    let session = token(&*host, &person);
    let body = json!({ "name": " Shop server ", "scopes": ["webhooks", "read"] });
    let made = host
        .call(bearer("POST", "/account/keys", &session).json(&body))
        .data();
    let text = made["key"].as_str().expect("a key");
    assert!(text.starts_with("assay_key_"), "{text}");
    assert_eq!(made["name"], "Shop server");
    assert_eq!(made["scopes"], json!(["read", "webhooks"]));
    opens(&*host, text, &person);
    let listed = host.call(person.get("/account/keys")).data();
    assert_eq!(listed.as_array().expect("a list").len(), 1);
    assert_eq!(listed[0]["ref"], made["ref"]);
    assert!(!listed.to_string().contains("assay_key_"), "{listed}");

    let target = format!(
        "/account/keys/{}",
        made["ref"].as_str().expect("a reference")
    );
    // Neither another account nor the key itself can revoke the key.
    host.call(Person::new().delete(&target))
        .fails(404, &[404_003]);
    host.call(bearer("DELETE", &target, text))
        .fails(403, &[403_021]);
    host.call(bearer("DELETE", &target, &session)).data();
    is_dead(&*host, text);
    host.call(person.delete(&target)).fails(404, &[404_003]);
    // The session that created the key is not affected.
    opens(&*host, &session, &person);
}

#[test]
fn a_repeated_request_creates_one_key_and_shows_it_once() {
    let host = support::service();
    let person = Person::new();
    host.call(person.delete("/account/webhook")).data();
    let session = token(&*host, &person);
    // Answers are stored only for an account with a row. `PUT /account/access` creates the row.
    let access = json!({ "legacyAuth": true });
    host.call(bearer("PUT", "/account/access", &session).json(&access))
        .data();
    let call = || {
        bearer("POST", "/account/keys", &session)
            .json(&json!({ "name": "a", "scopes": ["read"] }))
            .header("idempotency-key", "k")
    };
    let (first, second) = (host.call(call()), host.call(call()));
    assert!(first.data()["key"].is_string());
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(second.data()["key"], Value::Null);
    assert_eq!(second.data()["ref"], first.data()["ref"]);
    assert_eq!(host.call(person.get("/account/keys")).meta()["total"], 1);
}

#[test]
fn a_key_ends_at_its_expiry() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let session = token(&*host, &person);
    let create = |expires_at: &Value| {
        let body = json!({ "name": "a", "scopes": ["read"], "expiresAt": expires_at });
        host.call(bearer("POST", "/account/keys", &session).json(&body))
    };
    let health = host.call(Call::get("/sessions/challenge")).data();
    // The key expires ten minutes after the challenge.
    let soon = create(&health["expirationTime"]).data();
    let text = soon["key"].as_str().expect("a key");
    assert_eq!(soon["expiresAt"], health["expirationTime"]);
    host.advance(9 * MINUTE);
    opens(&*host, text, &person);
    host.advance(MINUTE);
    is_dead(&*host, text);
    assert_eq!(host.call(person.get("/account/keys")).meta()["total"], 0);
    for past in [
        json!("2020-01-01"),
        json!("soon"),
        json!(5),
        health["expirationTime"].clone(),
    ] {
        assert_eq!(create(&past).errors(), ["422900 expiresAt"], "{past}");
    }
    create(&Value::Null).data();
}

#[test]
fn names_and_scopes_are_checked() {
    let host = support::service();
    let session = token(&*host, &Person::new());
    let good = json!({ "name": "a", "scopes": ["read"] });
    for (field, value) in [
        ("name", json!(null)),
        ("name", json!("")),
        ("name", json!("a\u{202e}b")),
        ("name", json!("a".repeat(101))),
        ("scopes", json!(null)),
        ("scopes", json!([])),
        ("scopes", json!("read")),
        ("scopes", json!(["admin"])),
        ("scopes", json!(["read", "admin"])),
        ("scopes", json!(["read", "read"])),
        ("scopes", json!(["Read"])),
        ("scopes", json!([["read"]])),
    ] {
        let mut body = good.clone();
        body[field] = value.clone();
        let answer = host.call(bearer("POST", "/account/keys", &session).json(&body));
        assert_eq!(answer.errors(), [format!("422900 {field}")], "{value}");
    }
}

#[test]
fn the_last_use_is_recorded_at_most_every_five_minutes() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let session = token(&*host, &person);
    let (_, text) = key(&*host, &session, &["read"]);
    let used = || host.call(person.get("/account/keys")).data()[0]["usedAt"].clone();
    assert_eq!(used(), Value::Null);
    opens(&*host, &text, &person);
    let first = used();
    assert!(first.is_string());
    host.advance(4 * MINUTE);
    opens(&*host, &text, &person);
    assert_eq!(used(), first);
    host.advance(2 * MINUTE);
    opens(&*host, &text, &person);
    assert!(used().as_str() > first.as_str());
}

#[test]
fn an_account_has_at_most_twenty_keys() {
    let host = support::service();
    let person = Person::new();
    let session = token(&*host, &person);
    let keys: Vec<_> = (0..20).map(|_| key(&*host, &session, &["read"])).collect();
    let body = json!({ "name": "a", "scopes": ["read"] });
    let another = || bearer("POST", "/account/keys", &session).json(&body);
    host.call(another()).fails(429, &[429_003]);
    host.call(person.delete(format!("/account/keys/{}", keys[0].0)))
        .data();
    // One key was revoked. Of four concurrent requests for a new key, only one succeeds.
    let answers = host.call_all((0..4).map(|_| another()).collect());
    let created = answers.iter().filter(|answer| answer.status == 201);
    assert_eq!(created.count(), 1);
    opens(&*host, &keys[19].1, &person);
}

#[test]
fn expired_keys_do_not_count_as_keys_of_an_account() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let session = token(&*host, &person);
    let challenge = host.call(Call::get("/sessions/challenge")).data();
    // The keys expire ten minutes after the challenge.
    let body = json!({ "name": "a", "scopes": ["read"], "expiresAt": challenge["expirationTime"] });
    let another = || host.call(bearer("POST", "/account/keys", &session).json(&body));
    for _ in 0..20 {
        another().data();
    }
    another().fails(429, &[429_003]);
    host.advance(10 * MINUTE);
    key(&*host, &session, &["read"]);
    let listed = host.call(bearer("GET", "/account/keys", &session));
    assert_eq!(listed.meta()["total"], 1);
}

#[test]
fn a_key_sends_orders_that_its_account_has_signed() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let session = token(&*world.host, &owner);
    let (_, orders) = key(&*world.host, &session, &["orders"]);
    let send = |body: &Value| world.call(bearer("POST", "/orders", &orders).json(body));
    let signed = world.creation(&owner, &ledger, "1", &owner);
    let made = send(&signed).data();
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(owner.id())));
    // A key does not replace a claim: without the claim, the order waits.
    let mut unsigned = world.creation(&owner, &ledger, "2", &owner);
    unsigned["order"]["signers"][0]["claim"] = json!("");
    let waiting = send(&unsigned).data();
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "2"), None);
    let path = format!(
        "/orders/{}/sign",
        waiting["ref"].as_str().expect("a reference")
    );
    let claim = json!({ "claim": format!("3:{}", owner.sign_text("no hash")) });
    world
        .call(bearer("PUT", path, &orders).json(&claim))
        .fails(400, &[400_001]);
    // The key has only the scope `orders`, so it cannot read an order, not even the order that it sent.
    let path = format!("/orders/{}", made["ref"].as_str().expect("a reference"));
    world
        .call(bearer("GET", path, &orders))
        .fails(403, &[403_020]);
}
