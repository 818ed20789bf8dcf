//! Concurrent requests never spend the same tokens, create the same asset or use the same hash twice.

use serde_json::json;

use crate::support::people::{Person, World};

#[test]
fn concurrent_orders_never_spend_more_than_the_balance() {
    let world = World::new();
    let (payer, receiver) = (Person::new(), world.receiver());
    // 1000 tokens are enough for eleven of thirty orders of 90 tokens, including the fee.
    world.host.credit(&payer, 4_200);
    let balance = world.balance(&payer);
    let fee = 10_u128.pow(18);
    let share = balance / 100 * 9 - fee;
    let bodies: Vec<_> = (0..30)
        .map(|_| {
            let mut body = world.order(&[&payer], json!([{
                "kind": 3, "ledgerId": world.gateways.token, "senderId": payer.id(), "receiverId": receiver.id(),
                "value": share.to_string(),
            }, world.payment(&payer, &fee.to_string())]));
            world.sign(&mut body, &[&payer]);
            body
        })
        .collect();
    let answers = world.host.call_all(
        bodies
            .iter()
            .map(|body| payer.post("/orders", body))
            .collect(),
    );
    assert!(
        answers
            .iter()
            .all(|answer| [201, 422].contains(&answer.status)),
        "{answers:?}"
    );
    world.host.settle();
    assert_eq!(world.balance(&payer), balance - 11 * (share + fee));
    assert_eq!(world.balance(&receiver), 11 * share);
    let list = |status: u8| {
        world
            .call(payer.get(format!("/orders?statuses={status}")))
            .meta()["total"]
            .as_u64()
            .unwrap()
    };
    let refused = answers.iter().filter(|answer| answer.status == 422).count() as u64;
    assert_eq!((list(7), list(7) + list(4) + refused), (11, 30));
}

#[test]
fn concurrent_orders_create_an_asset_once() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let receivers: Vec<Person> = (0..10).map(|_| Person::new()).collect();
    let calls = receivers
        .iter()
        .map(|receiver| owner.post("/orders", &world.creation(&owner, &ledger, "1", receiver)));
    let before = world.balance(&owner);
    world.host.call_all(calls.collect());
    world.host.settle();
    assert_eq!(
        world.call(owner.get("/orders?statuses=7")).meta()["total"],
        1
    );
    assert_eq!(before - world.balance(&owner), 3_000_000_000_000_000_000);
    assert_eq!(
        world
            .call(owner.get(format!(
                "/ledgers/{}/assets",
                ledger["ref"].as_str().unwrap()
            )))
            .meta()["total"],
        1
    );
}

#[test]
fn the_same_order_in_concurrent_requests_is_one_record() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let body = world.creation(&owner, &ledger, "1", &receiver);
    let before = world.balance(&owner);
    let answers = world
        .host
        .call_all((0..24).map(|_| owner.post("/orders", &body)).collect());
    world.host.settle();
    assert_eq!(
        answers.iter().filter(|answer| answer.status == 201).count(),
        1,
        "{answers:?}"
    );
    assert!(
        answers
            .iter()
            .all(|answer| [200, 201].contains(&answer.status)),
        "{answers:?}"
    );
    let reference = answers[0].data()["ref"].clone();
    assert!(
        answers
            .iter()
            .all(|answer| answer.data()["ref"] == reference)
    );
    assert_eq!(before - world.balance(&owner), 3_000_000_000_000_000_000);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));
}
