//! Misuse of an account's claims: other accounts send them again, send them to another instance, or use them as their own.

use serde_json::{Value, json};

use crate::support::people::{CREATE_COST, DEPLOY_COST, IMPRINT, Person, World};
use crate::support::{self, SETTINGS};

fn path(order: &Value, what: &str) -> String {
    format!("/orders/{}{what}", order["ref"].as_str().expect("a ref"))
}

/// Creates an order with a wildcard: `owner` creates an asset for the account that signs. Returns the request's body and the
/// created record.
fn open_order(world: &World, owner: &Person) -> (Value, Value) {
    let ledger = world.ledger(owner, &[]);
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT, "senderId": owner.id(),
    });
    let mut body = world.order(&[owner], json!([create, world.payment(owner, CREATE_COST)]));
    body["wildcardSigner"] = json!(true);
    world.sign(&mut body, &[owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    assert_eq!(order["status"], 0);
    (body, order)
}

#[test]
fn only_the_takers_own_claim_fills_the_wildcard() {
    let world = World::new();
    let (owner, taker, thief) = (world.funded(), Person::new(), Person::new());
    let (body, order) = open_order(&world, &owner);
    let hash = world.order_hash(&body);
    let other = world.order_hash(&world.order(&[&owner], json!([world.payment(&owner, "1")])));
    let sign = |person: &Person, claim: &str| {
        world.call(person.put(path(&order, "/sign"), &json!({ "claim": claim })))
    };
    for claim in [
        owner.claim(&hash),
        taker.claim(&hash),
        thief.claim(&other),
        "3:0x".to_owned(),
        format!("3:0x{}", "0".repeat(130)),
    ] {
        sign(&thief, &claim).fails(400, &[400_001]);
    }
    // The ledger's owner cannot sign with the taker's claim either.
    sign(&owner, &taker.claim(&hash)).fails(400, &[400_012]);
    // An account that is not a party of the order may neither cancel the order nor have it performed.
    world
        .call(thief.delete(path(&order, "")))
        .fails(403, &[400_009]);
    world
        .call(thief.put(path(&order, "/perform"), &json!({})))
        .fails(400, &[400_011]);
    // The wildcard's place is still free. An account that is not a party of the order sees no claims.
    let seen = world.call(thief.get(path(&order, ""))).data();
    assert_eq!(seen["order"]["wildcardClaim"], json!(null));
    assert_eq!(seen["order"]["signers"][0]["claim"], "");
    assert_eq!(sign(&taker, &taker.claim(&hash)).status, 200);
    world.host.settle();
    // After the taker has signed, only the parties can read the order.
    world
        .call(thief.get(path(&order, "")))
        .fails(400, &[400_011]);
    let mine = world.call(taker.get(path(&order, ""))).data();
    assert_eq!(mine["status"], 7);
    assert_eq!(
        mine["order"]["signers"][0]["claim"],
        json!(owner.claim(&hash))
    );
}

#[test]
fn resending_another_accounts_order_reveals_and_repeats_nothing() {
    let world = World::new();
    let (owner, receiver, outsider) = (world.funded(), Person::new(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let body = world.creation(&owner, &ledger, "1", &receiver);
    assert_eq!(world.performed(&owner, &body)["status"], 7);
    let spent = world.balance(&owner);
    let mut unsigned = body.clone();
    unsigned["order"]["signers"][0]["claim"] = json!("");
    for again in [&body, &unsigned] {
        let answer = world.call(outsider.post("/orders", again));
        answer.fails(409, &[409_001]);
        assert_eq!(answer.errors(), ["409001 order.seed"]);
    }
    // A party that sends the order again gets the record, with or without claims in the body.
    for again in [&body, &unsigned] {
        let answer = world.call(owner.post("/orders", again));
        assert_eq!((answer.status, &answer.data()["status"]), (200, &json!(7)));
    }
    // A party that sends other content with the same hash gets the error for a used hash.
    let mut urgent = body.clone();
    urgent["priority"] = json!(4);
    world
        .call(owner.post("/orders", &urgent))
        .fails(409, &[409_001]);
    world.host.settle();
    assert_eq!(world.balance(&owner), spent);
}

#[test]
fn a_canceled_order_stays_canceled_when_it_is_sent_again() {
    let world = World::new();
    let (owner, partner, outsider) = (world.funded(), world.funded(), world.funded());
    let mut body = world.order(
        &[&owner, &partner],
        json!([world.payment(&owner, "1000000000000000000")]),
    );
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    world.call(owner.delete(path(&order, ""))).data();
    let before = world.balance(&owner);
    // A canceled order stays canceled, even if it is sent again with all of its claims.
    world.sign(&mut body, &[&owner, &partner]);
    for person in [&owner, &partner] {
        let answer = world.call(person.post("/orders", &body));
        assert_eq!((answer.status, &answer.data()["status"]), (200, &json!(6)));
    }
    world
        .call(outsider.post("/orders", &body))
        .fails(409, &[409_001]);
    let claim = json!({ "claim": body["order"]["signers"][1]["claim"] });
    world
        .call(partner.put(path(&order, "/sign"), &claim))
        .fails(400, &[400_013]);
    world
        .call(owner.put(path(&order, "/perform"), &json!({})))
        .fails(400, &[400_013]);
    world.host.settle();
    assert_eq!(world.balance(&owner), before);
    assert_eq!(world.call(owner.get(path(&order, ""))).data()["status"], 6);
}

#[test]
fn a_claim_for_one_instance_is_invalid_on_another() {
    // Both instances have the same token and payment receiver, so only the gateways distinguish their claims.
    let token = "0x00000000000000000000000000000000000000a1";
    let receiver = "0x00000000000000000000000000000000000000b2";
    let mut vars = SETTINGS.to_vec();
    vars.extend([("TOKEN_ADDRESS", token), ("PAYMENT_RECEIVER", receiver)]);
    let (one, two) = (
        World::on(support::own(&vars)),
        World::on(support::own(&vars)),
    );
    assert_eq!(one.gateways.token, two.gateways.token);
    assert_ne!(one.gateways.actions, two.gateways.actions);
    let person = one.funded();
    two.call(person.post("/deposits", &json!({ "amount": 100_000 })))
        .data();
    let balance = two.balance(&person);

    let mut order = one.order(&[&person], json!([one.payment(&person, "5")]));
    one.sign(&mut order, &[&person]);
    let deployment = one.deployment(&person, &[1]);
    two.call(person.post("/orders", &order))
        .fails(400, &[400_001]);
    two.call(person.post("/deployments", &deployment))
        .fails(400, &[400_001]);
    two.host.settle();
    assert_eq!(two.balance(&person), balance);
    // The claims are valid on the instance for which they were made.
    assert_eq!(one.performed(&person, &order)["status"], 7);
    assert_eq!(
        one.call(person.post("/deployments", &deployment)).status,
        201
    );
}

#[test]
fn resending_another_accounts_deployment_or_approval_reveals_nothing() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), world.funded());
    let before = world.balance(&owner);
    let deployment = world.deployment(&owner, &[1]);
    let approval = world.value_approval(&owner, outsider.id(), "7");
    for (route, body, code) in [
        ("/deployments", &deployment, 400_007),
        ("/approvals", &approval, 400_018),
    ] {
        let made = world.call(owner.post(route, body));
        assert_eq!(made.status, 201, "{route}");
        let again = world.call(outsider.post(route, body));
        again.fails(400, &[code]);
        let said = String::from_utf8_lossy(&again.body).into_owned();
        assert!(
            !said.contains(made.data()["ref"].as_str().unwrap()),
            "{said}"
        );
    }
    world.host.settle();
    let cost: u128 = DEPLOY_COST.parse::<u128>().unwrap() + 1_700_000_000_000_000_000;
    assert_eq!(before - world.balance(&owner), cost);
}

/// If another account sends the signers' order first, the signers can still find and cancel the order.
#[test]
fn sending_an_order_first_gives_no_right_to_sign_or_cancel_it() {
    let world = World::new();
    let (owner, partner, outsider) = (world.funded(), world.funded(), Person::new());
    let mut body = world.order(&[&owner, &partner], json!([world.payment(&owner, "1")]));
    world.sign(&mut body, &[&owner]);
    let order = world.call(outsider.post("/orders", &body)).data();
    assert_eq!(order["creatorId"], json!(outsider.id()));
    world
        .call(outsider.delete(path(&order, "")))
        .fails(403, &[400_009]);
    let claim = json!({ "claim": outsider.claim(&world.order_hash(&body)) });
    world
        .call(outsider.put(path(&order, "/sign"), &claim))
        .fails(403, &[400_009]);
    world
        .call(outsider.put(path(&order, "/perform"), &json!({})))
        .fails(400, &[400_008]);
    // The signers find the order and can cancel it.
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!((answer.status, &answer.data()["ref"]), (200, &order["ref"]));
    assert_eq!(
        world.call(partner.delete(path(&order, ""))).data()["status"],
        6
    );
}
