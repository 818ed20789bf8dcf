//! An order that several of its parties send. The first sender cannot prevent the others from signing.

use serde_json::{Value, json};

use super::{payment, target};
use crate::support::people::{IMPRINT, Person, World};
use crate::support::ready;

/// Returns an order of two signers three times: unsigned, with the claim of `one`, and with the claim of `two`.
fn both(world: &World, one: &Person, two: &Person) -> (Value, Value, Value) {
    let body = payment(world, &[one, two], one, "1");
    let (mut ones, mut twos) = (body.clone(), body.clone());
    world.sign(&mut ones, &[one]);
    world.sign(&mut twos, &[two]);
    (body, ones, twos)
}

#[test]
fn a_claim_is_stored_if_the_counterparty_sent_the_order_first() {
    let world = World::new();
    let (one, two) = (world.funded(), world.funded());
    let (bare, ones, twos) = both(&world, &one, &two);
    let first = world.call(two.post("/orders", &bare)).data();
    assert_eq!(first["status"], 0);
    let answer = world.call(one.post("/orders", &ones));
    assert_eq!(answer.status, 200);
    let order = answer.data();
    assert_eq!(order["ref"], first["ref"]);
    assert_eq!(order["order"]["signers"], ones["order"]["signers"]);
    // Sending the same request again changes nothing.
    assert_eq!(world.call(one.post("/orders", &ones)).data(), order);
    assert_eq!(world.call(one.post("/orders", &bare)).data(), order);
    // With the last claim, the order is performed.
    assert_eq!(
        world.call(two.post("/orders", &twos)).data()["status"],
        ready()
    );
    world.host.settle();
    assert_eq!(world.call(one.get(target(&order))).data()["status"], 7);
}

#[test]
fn different_unsigned_fields_do_not_prevent_a_later_claim() {
    let world = World::new();
    let (one, two) = (world.funded(), world.funded());
    let (bare, ones, _) = both(&world, &one, &two);
    // These fields are not part of the hash. The first sender's values stay.
    let mut first = bare;
    first["priority"] = json!(1);
    first["automatedPerform"] = json!(false);
    let first = world.call(two.post("/orders", &first)).data();
    let answer = world.call(one.post("/orders", &ones));
    assert_eq!((answer.status, &answer.data()["ref"]), (200, &first["ref"]));
    assert_eq!(answer.data()["order"]["signers"], ones["order"]["signers"]);
    // Without a new claim, the request with other values is refused.
    let mut other = ones;
    other["order"]["signers"][0]["claim"] = json!("");
    world
        .call(one.post("/orders", &other))
        .fails(409, &[409_001]);
}

#[test]
fn a_resent_order_may_add_the_wildcards_claim() {
    let world = World::new();
    let (owner, taker) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT, "senderId": owner.id(),
    });
    let mut body = world.order(
        &[&owner],
        json!([create, world.payment(&owner, "3000000000000000000")]),
    );
    body["wildcardSigner"] = json!(true);
    world.sign(&mut body, &[&owner]);
    world.call(owner.post("/orders", &body)).data();
    // An account that is not a party gets no data unless it sends a claim.
    world
        .call(taker.post("/orders", &body))
        .fails(409, &[409_001]);
    let claim = taker.claim(&world.order_hash(&body));
    body["order"]["wildcardClaim"] = json!({ "accountId": taker.id(), "claim": claim });
    let answer = world.call(taker.post("/orders", &body));
    assert_eq!(
        (answer.status, &answer.data()["status"]),
        (200, &json!(ready()))
    );
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(taker.id())));
    // The wildcard's place is taken, so another account cannot sign.
    let late = Person::new();
    let claim = late.claim(&world.order_hash(&body));
    body["order"]["wildcardClaim"] = json!({ "accountId": late.id(), "claim": claim });
    world
        .call(late.post("/orders", &body))
        .fails(409, &[409_001]);
}

#[test]
fn no_claim_is_added_if_one_claim_is_wrong() {
    let world = World::new();
    let (one, two) = (world.funded(), world.funded());
    let (bare, mut ones, _) = both(&world, &one, &two);
    let first = world.call(two.post("/orders", &bare)).data();
    let hash = world.order_hash(&bare);
    ones["order"]["signers"][1]["claim"] = json!(one.claim(&hash));
    world
        .call(one.post("/orders", &ones))
        .fails(400, &[400_001]);
    assert_eq!(world.call(one.get(target(&first))).data(), first);
}

#[test]
fn a_final_order_cannot_be_signed() {
    let world = World::new();
    let (one, two) = (world.funded(), world.funded());
    let (bare, ones, _) = both(&world, &one, &two);
    let first = world.call(two.post("/orders", &bare)).data();
    world.call(two.delete(target(&first))).data();
    let answer = world.call(one.post("/orders", &ones));
    assert_eq!((answer.status, &answer.data()["status"]), (200, &json!(6)));
}
