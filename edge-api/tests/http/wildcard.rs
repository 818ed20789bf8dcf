//! Orders with a wildcard: an account that the order does not name completes the order with its claim.

use serde_json::{Value, json};

use crate::support::people::{IMPRINT, Person, World};
use crate::support::ready;

/// Returns an offer: any account may buy asset 1 from `owner` for 10 tokens. `owner` pays the service's fee.
fn offer(world: &World, owner: &Person, ledger: &Value) -> Value {
    let mut body = world.order(
        &[owner],
        json!([
            { "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id() },
            {
                "kind": 3, "ledgerId": world.gateways.token, "receiverId": owner.id(),
                "value": "10000000000000000000",
            },
            world.payment(owner, "2100000000000000000"),
        ]),
    );
    body["wildcardSigner"] = json!(true);
    world.sign(&mut body, &[owner]);
    body
}

fn target(order: &Value, what: &str) -> String {
    format!(
        "/orders/{}{what}",
        order["ref"].as_str().expect("a reference")
    )
}

#[test]
fn the_first_accepted_signer_takes_the_wildcards_place() {
    let world = World::new();
    let (owner, buyer, late, poor) = (
        world.funded(),
        world.funded(),
        world.funded(),
        Person::new(),
    );
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let body = offer(&world, &owner, &ledger);
    let order = world.call(owner.post("/orders", &body)).data();
    assert_eq!(order["status"], 0);

    // Any account with the reference may read the order, but without its claims.
    let seen = world.call(buyer.get(target(&order, ""))).data();
    assert_eq!(
        seen["order"]["signers"][0],
        json!({ "accountId": owner.id(), "claim": "" })
    );
    assert_eq!(world.call(buyer.get("/orders")).data(), json!([]));
    world
        .call(buyer.delete(target(&order, "")))
        .fails(403, &[400_009]);
    world
        .call(buyer.put(target(&order, "/perform"), &json!({})))
        .fails(400, &[400_011]);

    let hash = world.order_hash(&body);
    let sign = |person: &Person| {
        person.put(
            target(&order, "/sign"),
            &json!({ "claim": person.claim(&hash) }),
        )
    };
    // This account fails the ledger's checks, so the wildcard's place stays free.
    world.call(sign(&poor)).fails(422, &[422_075, 422_076]);
    let signed = world.call(sign(&buyer));
    assert_eq!(
        (signed.status, &signed.data()["status"]),
        (200, &json!(ready()))
    );
    world.call(sign(&late)).fails(400, &[400_013]);
    world.call(sign(&buyer)).fails(400, &[400_013]);
    world.host.settle();
    let order = world.call(buyer.get(target(&order, ""))).data();
    assert_eq!(
        (
            &order["status"],
            &order["order"]["wildcardClaim"]["accountId"]
        ),
        (&json!(7), &json!(buyer.id()))
    );
    assert_eq!(
        world.call(buyer.get("/orders")).data()[0]["ref"],
        order["ref"]
    );
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(buyer.id())));
    world
        .call(late.get(target(&order, "")))
        .fails(400, &[400_011]);
}

#[test]
fn only_one_of_many_concurrent_buyers_wins() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let body = offer(&world, &owner, &ledger);
    let order = world.call(owner.post("/orders", &body)).data();
    let hash = world.order_hash(&body);
    let buyers: Vec<Person> = (0..8).map(|_| world.funded()).collect();
    let before: Vec<u128> = buyers.iter().map(|buyer| world.balance(buyer)).collect();
    let calls = buyers.iter().map(|buyer| {
        buyer.put(
            target(&order, "/sign"),
            &json!({ "claim": buyer.claim(&hash) }),
        )
    });
    let answers = world.host.call_all(calls.collect());
    world.host.settle();
    let won: Vec<usize> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.status == 200)
        .map(|(index, _)| index)
        .collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    assert_eq!(
        world.owner_of(&ledger, "1"),
        Some(json!(buyers[won[0]].id()))
    );
    for (index, buyer) in buyers.iter().enumerate() {
        let paid = before[index] - world.balance(buyer);
        assert_eq!(
            paid,
            if index == won[0] {
                10_000_000_000_000_000_000
            } else {
                0
            }
        );
    }
}

#[test]
fn a_wildcard_claim_may_come_with_the_order() {
    let world = World::new();
    let (owner, buyer) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let mut body = offer(&world, &owner, &ledger);
    let hash = world.order_hash(&body);
    body["order"]["wildcardClaim"] =
        json!({ "accountId": buyer.id(), "claim": owner.claim(&hash) });
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!(
        (answer.status, answer.errors()),
        (400, vec!["400001 order.wildcardClaim.claim".to_owned()])
    );
    body["order"]["wildcardClaim"]["claim"] = json!(buyer.claim(&hash));
    assert_eq!(world.performed(&owner, &body)["status"], 7);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(buyer.id())));
}

#[test]
fn a_wildcard_account_that_cannot_pay_loses_its_place() {
    let world = World::new();
    let (owner, buyer, other) = (world.funded(), world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let mut body = offer(&world, &owner, &ledger);
    body["automatedPerform"] = json!(false);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    let hash = world.order_hash(&body);
    let sign = |person: &Person| {
        world.call(person.put(
            target(&order, "/sign"),
            &json!({ "claim": person.claim(&hash) }),
        ))
    };
    assert_eq!(sign(&buyer).status, 200);
    // The buyer spends all tokens before the order is performed.
    let all = world.balance(&buyer).to_string();
    let mut spend = world.order(&[&buyer], json!([world.payment(&buyer, &all)]));
    world.sign(&mut spend, &[&buyer]);
    assert_eq!(world.performed(&buyer, &spend)["status"], 7);

    assert_eq!(
        world
            .call(owner.put(target(&order, "/perform"), &json!({})))
            .data()["status"],
        1
    );
    world.host.settle();
    let waiting = world.call(owner.get(target(&order, ""))).data();
    assert_eq!(
        (&waiting["status"], &waiting["order"]["wildcardClaim"]),
        (&json!(0), &json!(null))
    );
    assert_eq!(
        world
            .call(buyer.get("/orders?filterIds=".to_owned() + order["ref"].as_str().unwrap()))
            .data(),
        json!([])
    );
    assert_eq!(sign(&other).status, 200);
    world
        .call(owner.put(target(&order, "/perform"), &json!({})))
        .data();
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(other.id())));
}

#[test]
fn an_action_may_lack_only_one_party_and_only_with_a_wildcard() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let action = json!({ "kind": 1, "ledgerId": ledger["id"], "assetId": "9", "assetImprint": IMPRINT, "senderId": owner.id() });
    let body = world.order(
        &[&owner],
        json!([action, world.payment(&owner, "3000000000000000000")]),
    );
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!(answer.errors(), ["422057 order.actions[0].receiverId"]);
    let mut wildcard = body;
    wildcard["wildcardSigner"] = json!(true);
    wildcard["order"]["actions"][0]["senderId"] = json!("");
    assert_eq!(
        world.call(owner.post("/orders", &wildcard)).codes(),
        [422_057]
    );
}
