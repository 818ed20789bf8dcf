//! The price from a configured source, and deposits at that price.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::outside::{self, Reply};
use crate::support::people::{Person, World};
use crate::support::{Call, SETTINGS};

/// Returns a service, and the answer of its price source, which a test can change.
fn world() -> (World, Arc<Mutex<Reply>>) {
    let reply = Arc::new(Mutex::new(None));
    let held = Arc::clone(&reply);
    let mut vars = SETTINGS.to_vec();
    vars.extend([
        ("TICKER_URL", "{outside}/price?of=token"),
        ("TICKER_POINTER", "/data/0/eur"),
    ]);
    let host = outside::own(
        &vars,
        Arc::new(move |received| {
            assert_eq!(
                (received.method.as_str(), received.target.as_str()),
                ("GET", "/price?of=token")
            );
            held.lock().expect("an unpoisoned lock").clone()
        }),
    );
    (World::on(host), reply)
}

fn prices(world: &World) -> Vec<Value> {
    let list = world.call(Call::get("/stats/tickers?sort=1")).data();
    list.as_array()
        .expect("a list")
        .iter()
        .map(|ticker| ticker["price"].clone())
        .collect()
}

#[test]
fn deposits_use_the_price_of_the_source() {
    let (world, reply) = world();
    let person = Person::new();
    let deposit = || {
        world
            .call(person.post("/deposits", &json!({ "amount": 1000 })))
            .data()["tokens"]
            .clone()
    };
    // The source has not answered yet, so the fixed price is used.
    assert_eq!(deposit(), "238095238095238095238");
    *reply.lock().unwrap() = Some((200, json!({ "data": [{ "eur": 0.5 }] }).to_string()));
    world.host.settle();
    assert_eq!(
        (deposit(), prices(&world)),
        (json!("20000000000000000000"), vec![json!("0.5")])
    );
    // The source is not queried again immediately.
    *reply.lock().unwrap() = Some((200, json!({ "data": [{ "eur": "0.25" }] }).to_string()));
    world.host.settle();
    assert_eq!(deposit(), "20000000000000000000");
    world.host.advance(300_000);
    world.host.settle();
    assert_eq!(
        (deposit(), prices(&world)),
        (
            json!("40000000000000000000"),
            vec![json!("0.5"), json!("0.25")]
        )
    );
}

#[test]
fn a_source_that_fails_leaves_the_last_price() {
    let (world, reply) = world();
    let person = Person::new();
    *reply.lock().unwrap() = Some((200, json!({ "data": [{ "eur": 0.5 }] }).to_string()));
    world.host.settle();
    let price = |value: Value| json!({ "data": [{ "eur": value }] }).to_string();
    for wrong in [
        None,
        Some((500, price(json!(1)))),
        Some((404, price(json!(1)))),
        Some((302, price(json!(1)))),
        Some((200, String::new())),
        Some((200, "{".to_owned())),
        Some((200, json!({ "data": { "eur": 1 } }).to_string())),
        Some((200, price(json!(0)))),
        Some((200, price(json!(-1)))),
        Some((200, price(json!("free")))),
        Some((200, price(json!(null)))),
        Some((200, format!("{}{}", price(json!(1)), " ".repeat(70_000)))),
    ] {
        let deposit = world.call(person.post("/deposits", &json!({ "amount": 1000 })));
        assert_eq!(deposit.data()["tokens"], "20000000000000000000");
        *reply.lock().unwrap() = wrong.clone();
        world.host.advance(300_000);
        world.host.settle();
        assert_eq!(prices(&world), [json!("0.5")], "{wrong:?}");
    }
    *reply.lock().unwrap() = Some((200, price(json!(1))));
    world.host.settle();
    assert_eq!(prices(&world), [json!("0.5"), json!("1")]);
}

#[test]
fn deposits_are_refused_while_the_price_is_outdated() {
    let (world, reply) = world();
    let person = Person::new();
    let deposit = || world.call(person.post("/deposits", &json!({ "amount": 1000 })));
    let price = |value: Value| Some((200, json!({ "data": [{ "eur": value }] }).to_string()));
    *reply.lock().unwrap() = price(json!(0.5));
    world.host.settle();
    *reply.lock().unwrap() = None;
    // In workerd, the clock also advances between calls, so the test leaves a minute for that.
    world.host.advance(59 * 60_000);
    world.host.settle();
    assert_eq!(deposit().status, 201);
    world.host.advance(120_000);
    deposit().fails(400, &[400_105]);
    *reply.lock().unwrap() = price(json!(0.4));
    world.host.settle();
    assert_eq!(deposit().data()["tokens"], "25000000000000000000");
}

#[test]
fn an_absurd_price_is_ignored() {
    let (world, reply) = world();
    for absurd in [4.2, 0.000_42, 1e-12] {
        *reply.lock().unwrap() = Some((200, json!({ "data": [{ "eur": absurd }] }).to_string()));
        world.host.advance(300_000);
        world.host.settle();
        assert_eq!(prices(&world), Vec::<Value>::new(), "{absurd}");
    }
}
