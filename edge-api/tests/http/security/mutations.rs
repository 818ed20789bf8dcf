//! Replaces every field of several routes' bodies with unusual, mostly invalid values. The service must give an
//! answer that the API description allows. The service must never have an internal error, and never accept a change of a
//! signed field.

use serde_json::{Map, Value, json};

use crate::support::people::{Person, World};
use crate::support::{Answer, in_workerd};

/// Returns the values with which the tests replace fields.
fn strange() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
        json!(1e300),
        json!(""),
        json!(" "),
        json!("0"),
        json!("-1"),
        json!("\u{0}\u{202e}\u{1f600}"),
        json!("'; DROP TABLE records; --"),
        json!("0x0000000000000000000000000000000000000000"),
        json!("9".repeat(100)),
        json!("x".repeat(5000)),
        json!([]),
        json!([null]),
        json!([[[[]]]]),
        json!({}),
        json!({ "__proto__": 1, "constructor": null, "toString": "x" }),
    ]
}

/// Collects the pointers to all values in a body, except the body itself.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, v)| (key.clone(), v)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, v)| (index.to_string(), v))
            .collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let pointer = format!("{at}/{key}");
        pointers(child, &pointer, found);
        found.push(pointer);
    }
}

/// Returns true if the path of an error is empty or starts with a top-level field of the body.
fn is_within(body: &Value, path: &str) -> bool {
    let first = path.split(['.', '[']).next().unwrap_or_default();
    let known = body.as_object().map(Map::keys).into_iter().flatten();
    path.is_empty() || known.into_iter().any(|key| key == first)
}

/// Checks the answer to a changed body. An error's path is in the complete body or in the changed one.
fn examine(what: &str, bodies: [&Value; 2], answer: &Answer) {
    let said = String::from_utf8_lossy(&answer.body);
    assert!(
        [200, 201, 400, 403, 409, 422].contains(&answer.status),
        "{what}: {} {said}",
        answer.status
    );
    assert!(
        answer.body.len() < 20_000,
        "{what}: {} bytes",
        answer.body.len()
    );
    if answer.status < 300 {
        return;
    }
    for error in answer.json()["errors"].as_array().expect("errors") {
        let path = error["path"].as_str().expect("a path");
        assert!(
            bodies.iter().any(|body| is_within(body, path)),
            "{what}: `{path}` is not a field of the body"
        );
        assert!(error["message"].as_str().is_some_and(|text| text.len() > 8));
    }
}

/// Returns the methods, routes and complete bodies of the requests that these tests change. The owner may send all of them.
fn bodies(world: &World, owner: &Person) -> Vec<(&'static str, &'static str, Value)> {
    let ledger = world.ledger(owner, &[1, 2]);
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia", "isCompany": true,
        "companyInformation": {
            "name": "Engines Ltd", "streetAddress": "2 Main Street", "postalCode": "1000", "city": "Ljubljana",
            "country": "Slovenia", "taxNumber": "SI123", "phoneNumber": 38_640_123_456_u64,
        },
    });
    let hook = json!({ "url": "https://hooks.assay.example/x", "events": [0, 1] });
    let mut order = world.creation(owner, &ledger, "1", owner);
    order["order"]["wildcardClaim"] = json!({ "accountId": "", "claim": "" });
    let operator = world.gateways.proxies.destroy_asset;
    vec![
        ("POST", "/orders", order),
        ("POST", "/deployments", world.deployment(owner, &[1, 2])),
        (
            "POST",
            "/approvals",
            world.operator_approval(owner, &ledger, operator, true),
        ),
        (
            "POST",
            "/approvals",
            world.value_approval(owner, operator, "7"),
        ),
        ("POST", "/deposits", json!({ "amount": 1000 })),
        ("PUT", "/account", information),
        ("PUT", "/account/webhook", hook),
    ]
}

#[test]
fn no_changed_field_causes_an_internal_error() {
    let world = World::new();
    let owner = world.funded();
    let mut tried = 0;
    let step = if in_workerd() { 29 } else { 1 };
    for (method, route, body) in bodies(&world, &owner) {
        let mut places = Vec::new();
        pointers(&body, "", &mut places);
        let changes = places
            .iter()
            .flat_map(|place| strange().into_iter().map(move |value| (place, value)));
        for (place, value) in changes.step_by(step) {
            let mut changed = body.clone();
            *changed.pointer_mut(place).expect("a place") = value.clone();
            let call = match method {
                "POST" => owner.post(route, &changed),
                _ => owner.put(route, &changed),
            };
            let answer = world.call(call);
            let shown: String = value.to_string().chars().take(40).collect();
            examine(
                &format!("{method} {route} {place} = {shown}"),
                [&body, &changed],
                &answer,
            );
            tried += 1;
        }
        // The body itself is replaced too.
        for value in strange() {
            let call = match method {
                "POST" => owner.post(route, &value),
                _ => owner.put(route, &value),
            };
            examine(
                &format!("{method} {route} {value}"),
                [&body, &value],
                &world.call(call),
            );
        }
    }
    assert!(tried > 1900 / step, "{tried}");
}

/// An intermediary can change only the unsigned parts of a signed request, which `free` lists.
#[test]
fn signed_fields_cannot_be_changed_in_transit() {
    let world = World::new();
    let owner = world.funded();
    let free = [
        "/priority",
        "/automatedPerform",
        "/claim",
        "/order/signers/0/claim",
    ];
    for (method, route, body) in bodies(&world, &owner).drain(..4) {
        let mut places = Vec::new();
        pointers(&body, "", &mut places);
        for place in &places {
            let old = body.pointer(place).expect("a place");
            let new = match old {
                Value::String(text) if text.len() == 42 => json!(Person::new().id()),
                Value::String(text) if text.parse::<u128>().is_ok() => {
                    json!((text.parse::<u128>().unwrap() + 1).to_string())
                }
                Value::String(text) if text.len() >= 64 && !place.ends_with("claim") => {
                    json!(text.replace('3', "4"))
                }
                Value::String(text) if !text.is_empty() => json!(format!("{text}x")),
                Value::Number(number) => {
                    // The expiration changes by a whole second, because milliseconds are not signed.
                    let by = if place.ends_with("expiration") {
                        1000
                    } else {
                        1
                    };
                    json!(number.as_u64().expect("a whole number") + by)
                }
                Value::Bool(flag) => json!(!flag),
                _ => continue,
            };
            if free.contains(&place.as_str()) {
                continue;
            }
            let mut changed = body.clone();
            *changed.pointer_mut(place).expect("a place") = new;
            let answer = world.call(owner.post(route, &changed));
            assert!(
                answer.status >= 400,
                "{method} {route} {place}: {}",
                String::from_utf8_lossy(&answer.body)
            );
        }
        // The original claim is valid. Only the owner's allowance for the fee may be missing (422142).
        let answer = world.call(owner.post(route, &body));
        let allowed = answer.status == 201 || answer.codes() == [422_142];
        assert!(
            allowed,
            "{route}: {}",
            String::from_utf8_lossy(&answer.body)
        );
    }
}
