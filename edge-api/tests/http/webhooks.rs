//! The routes of webhooks: valid and invalid registrations, secrets, and required permissions.

use serde_json::{Value, json};

use crate::support::Call;
use crate::support::people::{Person, World};

/// The URL of a receiver that does not exist.
const URL: &str = "https://hooks.assay.example/assay?key=1";

fn registered(world: &World, person: &Person, url: &str) -> Value {
    let body = json!({ "url": url, "events": [0] });
    world.call(person.put("/account/webhook", &body)).data()
}

/// Returns the registration without the reason of its state, because a challenge in flight may change the reason at any moment.
fn settings(mut webhook: Value) -> Value {
    webhook["stateReason"] = Value::Null;
    webhook
}

fn registration(world: &World, person: &Person) -> Value {
    settings(world.call(person.get("/account/webhook")).data())
}

fn none() -> Value {
    json!({ "url": null, "events": [], "secret": null, "state": null, "stateReason": null })
}

#[test]
fn a_webhook_is_registered_read_changed_and_removed() {
    let world = World::new();
    let person = Person::new();
    let read = || world.call(person.get("/account/webhook")).data();
    assert_eq!(read(), none());
    let made = registered(&world, &person, URL);
    assert_eq!((&made["url"], &made["events"]), (&json!(URL), &json!([0])));
    let secret = made["secret"].as_str().unwrap();
    // 32 bytes are 44 characters of base64.
    assert!(
        secret
            .strip_prefix("whsec_")
            .is_some_and(|key| key.len() == 44),
        "{secret}"
    );
    assert_eq!(registration(&world, &person), settings(made.clone()));
    // The registration has created the account's row.
    let account = world.call(person.get("/account")).data();
    assert!(account["createdAt"].is_string());
    let removed = world.call(person.delete("/account/webhook"));
    assert_eq!((removed.status, removed.data()), (200, none()));
    assert_eq!(read(), none());
    assert_eq!(world.call(person.delete("/account/webhook")).data(), none());
    // A new registration has a new secret.
    assert_ne!(registered(&world, &person, URL)["secret"], made["secret"]);
}

#[test]
fn events_are_a_set_and_an_empty_set_means_all() {
    let world = World::new();
    let person = Person::new();
    for (given, stored) in [
        (json!([]), json!([0, 1, 2, 3, 4, 5])),
        (json!([3, 1, 1]), json!([1, 3])),
        (json!([2]), json!([2])),
        (json!([0, 1, 2, 3, 4]), json!([0, 1, 2, 3, 4])),
    ] {
        let body = json!({ "url": URL, "events": given });
        let made = world.call(person.put("/account/webhook", &body)).data();
        assert_eq!(made["events"], stored, "{given}");
    }
}

#[test]
fn an_invalid_webhook_is_refused_with_its_code() {
    let world = World::new();
    let person = Person::new();
    let kept = registered(&world, &person, URL);
    let put = |body: &Value| world.call(person.put("/account/webhook", body));
    put(&json!({})).fails(422, &[422_066, 422_067]);
    assert_eq!(put(&json!({})).errors(), ["422066 events", "422067 url"]);
    assert_eq!(
        put(&json!({ "url": "x", "events": [9] })).errors(),
        ["422066 events[0]", "422114 url"]
    );
    for url in [
        json!(null),
        json!(""),
        json!(7),
        json!([URL]),
        json!({}),
        json!(true),
    ] {
        let answer = put(&json!({ "url": url, "events": [] }));
        assert_eq!(answer.errors(), ["422067 url"], "{url}");
    }
    let long = format!("https://example.com/{}", "a".repeat(2048));
    for url in [
        "hooks.assay.example/assay",
        "/hook",
        "//example.com/hook",
        "https://",
        "https:///hook",
        "ftp://example.com/hook",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://user:password@example.com/hook",
        "https://10.0.0.1/hook",
        "https://0xa000001/hook",
        "https://012.1/hook",
        "https://%31%30.0.0.1/hook",
        "https://１０.0.0.1/hook",
        "https://10。0。0。1/hook",
        "https://10.0.0.1./hook",
        "https://ｉntranet/hook",
        "https://%69ntranet/hook",
        "https:\\\\intranet\\hook",
        "https://xn--a/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00::1]/hook",
        "https://[::ffff:10.0.0.1]/hook",
        "https://intranet/hook",
        "https://hooks.internal/hook",
        "https://printer.local./hook",
        "https://exa mple.com/hook",
        &long,
    ] {
        let answer = put(&json!({ "url": url, "events": [] }));
        assert_eq!(answer.errors(), ["422114 url"], "{url}");
        assert_eq!(answer.status, 422);
    }
    for (events, path) in [
        (json!(null), "events"),
        (json!(0), "events"),
        (json!("0"), "events"),
        (json!({ "0": 0 }), "events"),
        (json!([6]), "events[0]"),
        (json!([0, -1]), "events[1]"),
        (json!([0, 1, 0.5]), "events[2]"),
        (json!(["0"]), "events[0]"),
        (json!([null]), "events[0]"),
        (json!([[0]]), "events[0]"),
        (json!([256]), "events[0]"),
        (json!([true]), "events[0]"),
    ] {
        let answer = put(&json!({ "url": URL, "events": events }));
        assert_eq!(answer.errors(), [format!("422066 {path}")], "{events}");
    }
    assert_eq!(registration(&world, &person), settings(kept));
}

#[test]
fn an_invalid_secret_is_refused_without_repeating_it() {
    let world = World::new();
    let person = Person::new();
    let base64_of_23_bytes = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
    for secret in [
        json!(""),
        json!("whsec_"),
        json!(format!("whsec_{base64_of_23_bytes}")),
        json!(format!("whsec_{}", "QUFB".repeat(22))),
        json!("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        json!("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS_"),
        json!(123_456),
        json!(true),
        json!(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]),
        json!({}),
    ] {
        let body = json!({ "url": URL, "events": [], "secret": secret });
        let answer = world.call(person.put("/account/webhook", &body));
        assert_eq!(answer.errors(), ["422900 secret"], "{secret}");
        let text = String::from_utf8_lossy(&answer.body);
        assert!(!text.contains("MfKQ9r8") && !text.contains("QUFB") && !text.contains("123456"));
    }
    let body = json!({ "url": "x", "events": 0, "secret": "x" });
    let answer = world.call(person.put("/account/webhook", &body));
    assert_eq!(
        answer.errors(),
        ["422066 events", "422114 url", "422900 secret"]
    );
    let body = json!({ "url": URL, "events": [], "secret": null });
    let made = world.call(person.put("/account/webhook", &body)).data();
    assert_eq!(made["state"], "pending");
    assert_eq!(registration(&world, &person)["secret"], made["secret"]);
}

#[test]
fn each_origin_has_its_own_secret() {
    let world = World::new();
    let person = Person::new();
    let secret = registered(&world, &person, URL)["secret"].clone();
    for same in [
        "https://hooks.assay.example/elsewhere",
        "https://hooks.assay.example:443/",
        "https://HOOKS.assay.example",
    ] {
        assert_eq!(
            registered(&world, &person, same)["secret"],
            secret,
            "{same}"
        );
    }
    let mut secrets = vec![secret];
    for other in [
        "https://other.assay.example/assay",
        "https://hooks.assay.example:8443/assay",
        "http://hooks.assay.example/assay",
        URL,
    ] {
        let secret = registered(&world, &person, other)["secret"].clone();
        assert!(!secrets.contains(&secret), "{other}");
        secrets.push(secret);
    }
}

#[test]
fn a_rotation_replaces_the_secret() {
    let world = World::new();
    let person = Person::new();
    let before = registered(&world, &person, URL);
    let answer = world.call(person.post("/account/webhook/rotate", &json!({})));
    let after = answer.data();
    assert_eq!((answer.status, &after["url"]), (200, &json!(URL)));
    assert_ne!(after["secret"], before["secret"]);
    assert!(answer.meta()["previousSecretValidUntil"].is_string());
    assert_eq!(registration(&world, &person), settings(after));
}

#[test]
fn rotating_testing_and_resending_need_a_webhook() {
    let world = World::new();
    let person = Person::new();
    for path in ["rotate", "test"] {
        let call = person.post(format!("/account/webhook/{path}"), &json!({}));
        world.call(call).fails(422, &[422_067]);
    }
    let path = "/account/webhook/deliveries/00000000-0000-7000-8000-000000000000/redeliver";
    world
        .call(person.post(path, &json!({})))
        .fails(404, &[400_000]);
    let deliveries = world.call(person.get("/account/webhook/deliveries"));
    assert_eq!(
        (deliveries.data(), &deliveries.meta()["total"]),
        (json!([]), &json!(0))
    );
}

#[test]
fn sending_a_test_event_needs_a_confirmed_receiver() {
    let world = World::new();
    let person = Person::new();
    let made = registered(&world, &person, URL);
    assert_eq!(
        (&made["state"], &made["stateReason"]),
        (&json!("pending"), &json!(null))
    );
    let test = world.call(person.post("/account/webhook/test", &json!({})));
    test.fails(422, &[422_920]);
}

#[test]
fn webhook_routes_require_an_account() {
    let world = World::new();
    for (method, path) in [
        ("GET", "/account/webhook"),
        ("PUT", "/account/webhook"),
        ("DELETE", "/account/webhook"),
        ("POST", "/account/webhook/rotate"),
        ("POST", "/account/webhook/test"),
        ("GET", "/account/webhook/deliveries"),
        ("POST", "/account/webhook/deliveries/x/redeliver"),
    ] {
        world.call(Call::new(method, path)).fails(401, &[400_001]);
    }
}

#[test]
fn webhooks_need_an_identified_account_if_the_setting_requires_it() {
    let mut settings = crate::support::SETTINGS.to_vec();
    settings.push(("REQUIRE_IDENTIFICATION", "true"));
    let host = crate::support::shared(&settings);
    let person = Person::new();
    let body = json!({ "url": URL, "events": [] });
    host.call(person.put("/account/webhook", &body))
        .fails(403, &[400_014]);
    host.call(person.get("/account/webhook"))
        .fails(403, &[400_014]);
}
