//! The largest and smallest accepted values can be stored and read back. Larger values are refused.

use serde_json::{Value, json};

use super::payment;
use crate::support::people::{Person, World};

/// 9999-12-31T23:59:59.999Z.
const LAST: u64 = 253_402_300_799_999;
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// Returns a request for a route with this expiration and seed. The request is signed unless its expiration is too large.
fn request(world: &World, person: &Person, route: &str, expiration: u64, seed: u64) -> Value {
    let set = |mut body: Value, field: &str| {
        body[field]["expiration"] = json!(expiration);
        body[field]["seed"] = json!(seed);
        body
    };
    match route {
        "/orders" => {
            let mut body = set(payment(world, &[person], person, "1"), "order");
            if expiration <= LAST {
                world.sign(&mut body, &[person]);
            }
            body
        }
        "/deployments" => {
            let mut body = set(world.deployment(person, &[1]), "deploy");
            if expiration <= LAST {
                world.sign_deployment(&mut body, person);
            }
            body
        }
        _ => {
            let approval = world.value_approval(person, Person::new().id(), "7");
            let mut body = set(approval, "approval");
            if expiration <= LAST {
                world.sign_approval(&mut body, person);
            }
            body
        }
    }
}

const ROUTES: [(&str, &str, u64); 3] = [
    ("/orders", "order", 422_003),
    ("/deployments", "deploy", 422_064),
    ("/approvals", "approval", 422_157),
];

#[test]
fn values_at_the_bounds_are_read_back() {
    let world = World::new();
    let person = world.funded();
    // Each pair of expiration and seed is used once per route, because a hash can be used only once.
    let seconds = 99_999_999_999;
    for (expiration, answered) in [
        (LAST, LAST),
        (LAST - 999, LAST - 999),
        (seconds, seconds * 1000),
        (
            world.host.now() / 1000 + 3600,
            (world.host.now() / 1000 + 3600) * 1000,
        ),
    ] {
        for seed in [0, 1, MAX_SAFE_INTEGER] {
            for (route, field, _) in ROUTES {
                // The hash contains only whole seconds, so requests that expire at `LAST - 999` and at `LAST` would have the same
                // hashes. Another account therefore sends the request that expires at `LAST - 999`.
                let person = if expiration == LAST - 999 {
                    &world.funded()
                } else {
                    &person
                };
                let body = request(&world, person, route, expiration, seed);
                let made = world.call(person.post(route, &body));
                assert_eq!(
                    made.status,
                    201,
                    "{route} {expiration} {seed}: {:?}",
                    made.errors()
                );
                let made = made.data();
                assert_eq!(made[field]["expiration"], answered, "{route} {seed}");
                assert_eq!(made[field]["seed"], seed, "{route}");
                world.host.settle();
                let reference = made["ref"].as_str().unwrap();
                let read = world
                    .call(person.get(format!("{route}/{reference}")))
                    .data();
                assert_eq!(read[field], made[field], "{route}");
                let list = world.call(person.get(format!("{route}?limit=100"))).data();
                let list = list.as_array().unwrap();
                assert!(list.contains(&read), "{route} {expiration} {seed}");
            }
        }
    }
}

#[test]
fn expirations_after_the_year_9999_are_refused() {
    let world = World::new();
    let person = world.funded();
    for (route, field, code) in ROUTES {
        for expiration in [LAST + 1, MAX_SAFE_INTEGER, MAX_SAFE_INTEGER + 1] {
            let body = request(&world, &person, route, expiration, 1);
            let answer = world.call(person.post(route, &body));
            answer.fails(422, &[code]);
            assert_eq!(answer.errors(), [format!("{code} {field}.expiration")]);
        }
        assert_eq!(world.call(person.get(route)).data(), json!([]), "{route}");
    }
    // Operator approvals have another code for a wrong expiration.
    let ledger = world.ledger(&person, &[]);
    let mut body = world.operator_approval(&person, &ledger, Person::new().id(), true);
    body["approval"]["expiration"] = json!(MAX_SAFE_INTEGER);
    let answer = world.call(person.post("/approvals", &body));
    assert_eq!(answer.errors(), ["422136 approval.expiration"]);
}

#[test]
fn an_expiration_in_seconds_is_returned_in_milliseconds() {
    let world = World::new();
    let person = world.funded();
    let second = world.host.now() / 1000 + 3600;
    let mut body = payment(&world, &[&person], &person, "1");
    body["order"]["expiration"] = json!(second);
    world.sign(&mut body, &[&person]);
    let made = world.call(person.post("/orders", &body)).data();
    // The original client divides this number by 1,000 to sign it.
    assert_eq!(made["order"]["expiration"], second * 1000);
    // The same time in milliseconds gives the same order.
    let mut other = body.clone();
    other["order"]["expiration"] = json!(second * 1000);
    let again = world.call(person.post("/orders", &other));
    assert_eq!((again.status, &again.data()["ref"]), (200, &made["ref"]));
    assert_eq!(again.data()["hash"], made["hash"]);
}

#[test]
fn skip_is_limited_to_ten_thousand() {
    let world = World::new();
    let person = Person::new();
    for route in [
        "/orders",
        "/deployments",
        "/approvals",
        "/deposits",
        "/ledgers",
        "/account/abilities",
        "/account/webhook/deliveries",
        "/requests",
        "/requests?status=500",
        "/stats/costs",
        "/stats/traffic",
        "/stats/tickers",
    ] {
        let joint = if route.contains('?') { '&' } else { '?' };
        let skip = |skip: u64| world.call(person.get(format!("{route}{joint}skip={skip}")));
        assert_eq!(skip(10_000).status, 200, "{route}");
        for far in [10_001, 4_000_000_000] {
            let answer = skip(far);
            answer.fails(400, &[400_101]);
            let message = answer.json()["errors"][0]["message"].to_string();
            assert!(message.contains("`after`"), "{message}");
        }
    }
}
