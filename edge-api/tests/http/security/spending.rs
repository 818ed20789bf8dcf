//! Two requests never spend the same tokens, move the same asset or use the same claim. The tests send many requests at the
//! same time.

use serde_json::{Value, json};

use crate::support::people::{CREATE_COST, Person, World};
use crate::support::{Answer, Call, in_workerd, on_chain};

/// Returns the number of concurrent requests. The number is smaller in workerd, where each request takes a connection.
fn many() -> usize {
    if in_workerd() { 16 } else { 50 }
}

/// Sends requests concurrently. The service must create a record for each of them or refuse it. Then settles the host, so that
/// the records are performed.
#[track_caller]
fn all_at_once(world: &World, calls: Vec<Call>) {
    let answers = world.host.call_all(calls);
    let expected = |answer: &Answer| [201, 422].contains(&answer.status);
    assert!(answers.iter().all(expected), "{answers:?}");
    for _ in 0..4 {
        world.host.settle();
    }
}

#[test]
fn concurrent_orders_move_an_asset_once() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let before = world.balance(&owner);
    let receivers: Vec<Person> = (0..many()).map(|_| Person::new()).collect();
    let fee = 1_100_000_000_000_000_000_u128;
    let calls = receivers.iter().map(|receiver| {
        let transfer = json!({
            "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id(), "receiverId": receiver.id(),
        });
        let payment = world.payment(&owner, &fee.to_string());
        let mut body = world.order(&[&owner], json!([transfer, payment]));
        world.sign(&mut body, &[&owner]);
        owner.post("/orders", &body)
    });
    all_at_once(&world, calls.collect());
    let done = world.call(owner.get("/orders?statuses=7")).data();
    // Two orders succeeded: the first created the asset, and the second transferred it.
    assert_eq!(done.as_array().unwrap().len(), 2, "{done}");
    assert_eq!(before - world.balance(&owner), fee);
    let holder = world.owner_of(&ledger, "1").unwrap();
    let received = |order: &Value| order["order"]["actions"][0]["receiverId"] == holder;
    assert!(done.as_array().unwrap().iter().any(received), "{done}");
    let open = world.call(owner.get("/orders?statuses=0,1,2,5")).meta();
    assert_eq!(open["total"], 0, "{open}");
}

#[test]
fn concurrent_claims_of_one_signer_count_once() {
    let world = World::new();
    let (owner, partner, receiver) = (world.funded(), world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &receiver);
    let signer = json!({ "accountId": partner.id(), "claim": "" });
    body["order"]["signers"]
        .as_array_mut()
        .unwrap()
        .push(signer);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    let path = format!("/orders/{}/sign", order["ref"].as_str().unwrap());
    let claim = json!({ "claim": partner.claim(&world.order_hash(&body)) });
    let before = world.balance(&owner);
    let calls = (0..many()).map(|_| partner.put(path.as_str(), &claim));
    let answers = world.host.call_all(calls.collect());
    world.host.settle();
    let signed = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(signed, 1, "{answers:?}");
    assert!(
        answers
            .iter()
            .filter(|answer| answer.status != 200)
            .all(|answer| answer.codes() == [400_012] || answer.codes() == [400_013]),
        "{answers:?}"
    );
    let cost: u128 = CREATE_COST.parse().unwrap();
    assert_eq!(before - world.balance(&owner), cost);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));
}

#[test]
fn concurrent_orders_and_deployments_share_one_balance() {
    let world = World::new();
    let (payer, receiver) = (Person::new(), world.receiver());
    // 42 EUR buy 1000 tokens: enough for six requests of 150 tokens and their costs, but not for seven.
    world.host.credit(&payer, 4_200);
    let share = "150000000000000000000";
    let mut bodies = Vec::new();
    for _ in 0..many() / 2 {
        let mut transfer = world.payment(&payer, share);
        transfer["receiverId"] = json!(receiver.id());
        let mut order = world.order(
            &[&payer],
            json!([transfer, world.payment(&payer, CREATE_COST)]),
        );
        world.sign(&mut order, &[&payer]);
        bodies.push(("/orders", order));
        let mut deployment = world.deployment(&payer, &[]);
        deployment["deploy"]["tokenTransferData"]["value"] = json!(share);
        world.sign_deployment(&mut deployment, &payer);
        bodies.push(("/deployments", deployment));
    }
    let before = world.balance(&payer);
    let calls = bodies.iter().map(|(route, body)| payer.post(*route, body));
    all_at_once(&world, calls.collect());
    let done = |route: &str| {
        let target = format!("{route}?statuses=7&limit=100");
        u128::from(
            world.call(payer.get(target)).meta()["total"]
                .as_u64()
                .unwrap(),
        )
    };
    let (orders, deployments) = (done("/orders"), done("/deployments"));
    let token = 10_u128.pow(18);
    assert_eq!(
        before - world.balance(&payer),
        orders * 153 * token + deployments * 150 * token
    );
    assert_eq!(world.balance(&receiver), orders * 150 * token);
    assert_eq!(orders + deployments, 6);
}

/// The parties sign, cancel and perform an order at the same time. The order ends canceled or performed, never both.
#[test]
fn concurrent_sign_cancel_and_perform_leave_one_outcome() {
    let world = World::new();
    let (payer, partner) = (world.funded(), world.funded());
    let mut ends = Vec::new();
    for round in 0..many() / 4 {
        let mut body = world.order(&[&payer, &partner], json!([world.payment(&payer, "7")]));
        world.sign(&mut body, &[&payer]);
        let made = world.call(payer.post("/orders", &body)).data();
        let path = format!("/orders/{}", made["ref"].as_str().unwrap());
        let claim = json!({ "claim": partner.claim(&world.order_hash(&body)) });
        let mut calls = vec![
            partner.put(format!("{path}/sign"), &claim),
            payer.delete(path.as_str()),
            payer.put(format!("{path}/perform"), &json!({})),
            partner.delete(path.as_str()),
            partner.put(format!("{path}/sign"), &claim),
        ];
        // A cancellation needs fewer round trips than a signature, so in this process it always wins.
        if round % 2 == 1 {
            calls.retain(|call| call.method != "DELETE");
        }
        let first = round % calls.len();
        calls.rotate_left(first);
        let before = world.balance(&payer);
        let answers = world.host.call_all(calls);
        world.host.settle();
        let order = world.call(payer.get(path.as_str())).data();
        let paid = before - world.balance(&payer);
        let end = order["status"].as_u64().unwrap();
        assert!(
            matches!((end, paid), (7, 7) | (6, 0)),
            "{order} {answers:?}"
        );
        assert!(
            answers
                .iter()
                .all(|answer| [200, 400].contains(&answer.status)),
            "{answers:?}"
        );
        ends.push(end);
    }
    // In workerd, the requests arrive in any order, so possibly only one of the outcomes occurs. On a chain, a cancellation waits for the
    // chain's answer, so the other requests take effect first.
    assert!(
        in_workerd() || on_chain() || ends.contains(&6) && ends.contains(&7),
        "{ends:?}"
    );
}
