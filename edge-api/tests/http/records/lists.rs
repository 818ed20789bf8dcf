//! Lists of orders by account and role.

use serde_json::{Value, json};

use super::{listed, payment, target};
use crate::support::Call;
use crate::support::people::{Person, World};

#[test]
fn invitations_are_listed_only_on_request() {
    let world = World::new();
    let (unfunded, victim) = (Person::new(), world.funded());
    // Any account may invite any other to sign.
    let asked: Vec<String> = (1..=3)
        .map(|value| {
            let body = payment(&world, &[&victim], &victim, &value.to_string());
            let made = world.call(unfunded.post("/orders", &body)).data();
            made["ref"].as_str().unwrap().to_owned()
        })
        .collect();
    let own = payment(&world, &[&victim, &unfunded], &victim, "9");
    let own = world.call(victim.post("/orders", &own)).data()["ref"].clone();
    for query in [
        "",
        "statuses=0",
        "roles=creator",
        "statuses=0&roles=creator",
        "sort=1",
    ] {
        assert_eq!(
            listed(&world, &victim, query),
            [own.as_str().unwrap()],
            "{query}"
        );
    }
    assert_eq!(world.call(victim.get("/orders")).meta()["total"], 1);
    assert_eq!(listed(&world, &victim, "roles=signer"), [""; 0]);
    // An invited account can find and read the order. After the account has signed, its list contains the order.
    let mut invited = listed(&world, &victim, "roles=invited&sort=1");
    invited.sort();
    let mut expected = asked.clone();
    expected.sort();
    assert_eq!(invited, expected);
    assert_eq!(
        listed(&world, &victim, "roles=invited&statuses=0,1").len(),
        3
    );
    assert_eq!(
        listed(&world, &victim, "roles=invited,creator,signer").len(),
        4
    );
    let by_name = format!("filterIds={}", asked[0]);
    assert_eq!(listed(&world, &victim, &by_name), [asked[0].as_str()]);
    assert_eq!(
        listed(&world, &victim, &format!("{by_name}&roles=creator")),
        [""; 0]
    );

    let path = format!("/orders/{}", asked[0]);
    let order = world.call(victim.get(path.as_str())).data();
    let hash = order["hash"].as_str().unwrap().parse().unwrap();
    world
        .call(victim.put(
            format!("{path}/sign"),
            &json!({ "claim": victim.claim(&hash) }),
        ))
        .data();
    world.host.settle();
    assert_eq!(listed(&world, &victim, "roles=signer"), [asked[0].as_str()]);
    assert_eq!(listed(&world, &victim, "").len(), 2);
    assert_eq!(listed(&world, &victim, "roles=invited").len(), 2);
}

#[test]
fn the_account_that_signed_as_the_wildcard_lists_the_order() {
    let world = World::new();
    let (owner, taker) = (world.funded(), world.funded());
    let mut body = payment(&world, &[&owner], &owner, "1");
    body["wildcardSigner"] = json!(true);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    assert_eq!(
        listed(&world, &taker, "roles=invited,signer,creator"),
        [""; 0]
    );
    let claim = json!({ "claim": taker.claim(&world.order_hash(&body)) });
    world
        .call(taker.put(format!("{}/sign", target(&order)), &claim))
        .data();
    assert_eq!(listed(&world, &taker, ""), [order["ref"].as_str().unwrap()]);
}

#[test]
fn only_the_list_of_orders_uses_the_roles_filter() {
    let world = World::new();
    let person = Person::new();
    for roles in ["owner", "creator,x", "0", "Creator"] {
        let answer = world.call(person.get(format!("/orders?roles={roles}")));
        answer.fails(400, &[400_101]);
        assert_eq!(answer.errors(), ["400101 roles"]);
    }
    assert_eq!(world.call(person.get("/orders?roles=")).status, 200);
    let answer = world.call(person.get("/deployments?roles=creator"));
    answer.fails(400, &[400_101]);
    assert_eq!(answer.errors(), ["400101 roles"]);
}

#[test]
fn unknown_names_are_refused_together_with_the_nearest_known_name() {
    let world = World::new();
    let person = Person::new();
    let answer = world.call(person.get("/orders?statusses=7&limits=5&filter_ids=a&utm_source=x"));
    answer.fails(400, &[400_101; 4]);
    let messages: Vec<String> = answer.json()["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["message"].as_str().expect("a message").to_owned())
        .collect();
    assert!(
        messages[0].contains("did you mean `filterIds`?"),
        "{messages:?}"
    );
    assert!(
        messages[1].contains("did you mean `limit`?"),
        "{messages:?}"
    );
    assert!(
        messages[2].contains("did you mean `statuses`?"),
        "{messages:?}"
    );
    assert!(
        messages[3].contains("known are `filterIds`"),
        "{messages:?}"
    );
    // A route without parameters refuses every name. Empty values and public pages are not affected.
    world
        .call(person.get("/account?x=1"))
        .fails(400, &[400_101]);
    assert_eq!(world.call(person.get("/orders?statusses=")).status, 200);
    let badge =
        "/badge.json?ledgerId=0x1111111111111111111111111111111111111111&assetId=1&utm_source=x";
    assert_eq!(world.call(Call::get(badge)).status, 200);
    let list = world.call(Call::get("/stats/tickers?filterId=1"));
    list.fails(400, &[400_101]);
}

#[test]
fn unknown_fields_are_refused_at_every_depth() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &owner);
    body["automatedPerfrom"] = json!(false);
    body["order"]["sede"] = json!(1);
    body["order"]["signers"][0]["account"] = json!("");
    body["order"]["actions"][0]["asset_id"] = json!("1");
    let answer = world.call(owner.post("/orders", &body));
    answer.fails(422, &[422_900; 4]);
    assert_eq!(
        answer.errors(),
        [
            "422900 automatedPerfrom",
            "422900 order.actions[0].asset_id",
            "422900 order.sede",
            "422900 order.signers[0].account",
        ]
    );
    let body = json!({ "amount": 1000, "amuont": 3 });
    world
        .call(owner.post("/deposits", &body))
        .fails(422, &[422_900]);
    // The refusal comes before the idempotency key, so the corrected request may use the same key.
    let keyed = |body: &Value| owner.post("/orders", body).header("idempotency-key", "k");
    let correct = world.creation(&owner, &ledger, "1", &owner);
    let mut wrong = correct.clone();
    wrong["automatedPerfrom"] = json!(false);
    world.call(keyed(&wrong)).fails(422, &[422_900]);
    assert_eq!(world.call(keyed(&correct)).status, 201);
}

#[test]
fn a_canceled_order_is_not_listed_as_an_invitation() {
    let world = World::new();
    let (owner, second) = (world.funded(), world.funded());
    let mut body = payment(&world, &[&owner, &second], &owner, "1");
    world.sign(&mut body, &[&owner]);
    let sender = Person::new();
    let order = world.call(sender.post("/orders", &body)).data();
    world.call(owner.delete(target(&order))).data();
    // A signer still lists the canceled order. An invited account does not list the order, but may read it.
    let reference = order["ref"].as_str().unwrap();
    for person in [&sender, &owner] {
        assert_eq!(listed(&world, person, "statuses=6"), [reference]);
    }
    assert_eq!(listed(&world, &second, "roles=invited"), [""; 0]);
    assert_eq!(world.call(second.get(target(&order))).data()["status"], 6);
    // An account that cancels an order without having signed it lists the order too.
    let body = payment(&world, &[&owner, &second], &owner, "2");
    let order = world.call(sender.post("/orders", &body)).data();
    world.call(second.delete(target(&order))).data();
    let reference = order["ref"].as_str().unwrap();
    assert_eq!(listed(&world, &second, ""), [reference]);
}
