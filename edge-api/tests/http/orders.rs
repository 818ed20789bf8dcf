//! Orders: creating, signing, performing, canceling, and the rules of every kind of action.

use serde_json::{Value, json};

use crate::support::people::{CREATE_COST, IMPRINT, Person, World};
use crate::support::ready;

fn target(order: &Value) -> String {
    format!("/orders/{}", order["ref"].as_str().expect("a reference"))
}

#[test]
fn a_signed_order_creates_an_asset_and_is_paid() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let before = world.balance(&owner);
    let body = world.creation(&owner, &ledger, "0x64", &receiver);
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!(answer.status, 201);
    let order = answer.data();
    assert_eq!(
        (&order["status"], &order["creatorId"]),
        (&json!(ready()), &json!(owner.id()))
    );
    assert_eq!(
        (&order["order"]["seed"], &order["order"]["expiration"]),
        (&body["order"]["seed"], &body["order"]["expiration"])
    );
    assert_eq!(order["order"]["signers"], body["order"]["signers"]);
    assert_eq!(order["order"]["actions"][0]["assetId"], "100");
    world.host.settle();
    let order = world.call(owner.get(target(&order))).data();
    assert_eq!(
        (&order["status"], &order["error"]),
        (&json!(7), &json!(null))
    );
    assert_eq!(
        world.balance(&owner),
        before - CREATE_COST.parse::<u128>().unwrap()
    );

    let path = format!("/ledgers/{}/assets", ledger["ref"].as_str().unwrap());
    let asset = world.call(receiver.get(format!("{path}/100"))).data();
    assert_eq!(
        (&asset["ownerId"], &asset["imprint"]),
        (&json!(receiver.id()), &json!(IMPRINT))
    );
    assert_eq!(asset["uri"], "https://example.com/assets/100.json");
    assert_eq!(
        (&asset["ledgerRef"], &asset["ledgerId"]),
        (&ledger["ref"], &ledger["id"])
    );
    for id in ["100", "0x64", "00100"] {
        let answer = world.call(receiver.get(format!("{path}/{id}")));
        assert_eq!(answer.data(), asset, "{id}");
    }
    world
        .call(receiver.get(format!("{path}/0X64")))
        .fails(400, &[400_005]);
    assert_eq!(
        world.call(receiver.get(path.as_str())).data(),
        json!([asset])
    );
}

#[test]
fn an_order_that_is_sent_again_is_performed_once() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let body = world.creation(&owner, &ledger, "1", &receiver);
    let first = world.call(owner.post("/orders", &body)).data();
    world.host.settle();
    let before = world.balance(&owner);
    let again = world.call(owner.post("/orders", &body));
    assert_eq!(
        (again.status, &again.data()["ref"], &again.data()["status"]),
        (200, &first["ref"], &json!(7))
    );
    world.host.settle();
    assert_eq!(world.balance(&owner), before);
    // A repeated order must equal the stored order, except for its claims. Fields that are not hashed must be equal too.
    let mut other = body.clone();
    other["priority"] = json!(4);
    world
        .call(owner.post("/orders", &other))
        .fails(409, &[409_001]);
    // Another account with a copy of the order gets no data and changes nothing.
    world
        .call(Person::new().post("/orders", &body))
        .fails(409, &[409_001]);
}

#[test]
fn signers_sign_one_after_the_other() {
    let world = World::new();
    let (owner, buyer, third) = (world.funded(), world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let people = [&owner, &buyer, &third];
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "7", "assetImprint": IMPRINT,
        "senderId": owner.id(), "receiverId": buyer.id(),
    });
    let value = json!({
        "kind": 3, "ledgerId": world.gateways.token, "senderId": buyer.id(), "receiverId": third.id(), "value": "5",
    });
    let mut body = world.order(
        &people,
        json!([create, value, world.payment(&third, "4000000000000000000")]),
    );
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    assert_eq!(order["status"], 0);
    let hash = world.order_hash(&body);
    let path = format!("{}/sign", target(&order));
    let sign = |person: &Person| {
        world.call(person.put(path.as_str(), &json!({ "claim": person.claim(&hash) })))
    };

    world
        .call(owner.put(format!("{}/perform", target(&order)), &json!({})))
        .fails(400, &[400_008]);
    world
        .call(buyer.put(path.as_str(), &json!({})))
        .fails(400, &[400_010]);
    world
        .call(buyer.put(path.as_str(), &json!({ "claim": "" })))
        .fails(400, &[400_010]);
    world
        .call(buyer.put(path.as_str(), &json!({ "claim": third.claim(&hash) })))
        .fails(400, &[400_001]);
    world
        .call(buyer.put(path.as_str(), &json!({ "claim": "3:0x00" })))
        .fails(400, &[400_001]);
    sign(&owner).fails(400, &[400_012]);
    let signed = sign(&buyer);
    assert_eq!((signed.status, &signed.data()["status"]), (200, &json!(0)));
    sign(&buyer).fails(400, &[400_012]);
    sign(&Person::new()).fails(403, &[400_009]);
    assert_eq!(sign(&third).data()["status"], ready());
    sign(&third).fails(400, &[400_013]);
    world.host.settle();
    assert_eq!(world.call(third.get(target(&order))).data()["status"], 7);
    assert_eq!(world.owner_of(&ledger, "7"), Some(json!(buyer.id())));
}

#[test]
fn an_order_without_automated_perform_waits_for_a_perform_request() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &receiver);
    body["automatedPerform"] = json!(false);
    let order = world.call(owner.post("/orders", &body)).data();
    assert_eq!(order["status"], 0);
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), None);
    let path = format!("{}/perform", target(&order));
    world
        .call(receiver.put(path.as_str(), &json!({})))
        .fails(400, &[400_011]);
    assert_eq!(
        world.call(owner.put(path.as_str(), &json!({}))).data()["status"],
        ready()
    );
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));
    world
        .call(owner.put(path.as_str(), &json!({})))
        .fails(400, &[400_013]);
}

#[test]
fn a_signer_cancels_an_order_that_waits() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &receiver);
    body["automatedPerform"] = json!(false);
    // The creator is not a signer.
    let order = world.call(receiver.post("/orders", &body)).data();
    world
        .call(Person::new().delete(target(&order)))
        .fails(403, &[400_009]);
    world
        .call(receiver.delete(target(&order)))
        .fails(403, &[400_009]);
    assert_eq!(world.call(owner.delete(target(&order))).data()["status"], 6);
    world
        .call(owner.delete(target(&order)))
        .fails(400, &[400_013]);
    world
        .call(owner.put(format!("{}/perform", target(&order)), &json!({})))
        .fails(400, &[400_013]);
    // The hash of a canceled order stays reserved. Sending the order again does not reopen it.
    let again = world.call(receiver.post("/orders", &body));
    assert_eq!((again.status, &again.data()["status"]), (200, &json!(6)));
    world.host.settle();
    assert_eq!(world.owner_of(&ledger, "1"), None);
}

/// Returns an order with one action, paid by `payer`.
fn one(world: &World, payer: &Person, action: Value, cost: &str) -> Value {
    let mut body = world.order(&[payer], json!([action, world.payment(payer, cost)]));
    world.sign(&mut body, &[payer]);
    body
}

#[test]
fn every_kind_of_action_has_its_effect() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[1, 2]);
    world.asset(&owner, &ledger, "5", &owner);
    let asset = |id: &str| {
        world.call(owner.get(format!(
            "/ledgers/{}/assets/{id}",
            ledger["ref"].as_str().unwrap()
        )))
    };
    let base = |kind: u8| json!({ "kind": kind, "ledgerId": ledger["id"], "assetId": "5", "senderId": owner.id() });

    let mut update = base(4);
    let imprint = "0x".to_owned() + &"ab".repeat(32);
    update["assetImprint"] = json!(imprint);
    let order = world.performed(&owner, &one(&world, &owner, update, "1400000000000000000"));
    assert_eq!(order["status"], 7, "{order}");
    assert_eq!(asset("5").data()["imprint"], "ab".repeat(32));

    let abilities = json!({
        "kind": 5, "ledgerId": ledger["id"], "senderId": owner.id(), "receiverId": receiver.id(), "abilities": [512, 16],
    });
    let order = world.performed(
        &owner,
        &one(&world, &owner, abilities, "1200000000000000000"),
    );
    assert_eq!(order["status"], 7, "{order}");
    assert_eq!(
        world.call(receiver.get("/ledgers")).data()[0]["ref"],
        ledger["ref"]
    );
    // An account with the ability to create assets may create one itself.
    world.asset(&receiver, &ledger, "6", &receiver);

    let mut transfer = base(2);
    transfer["receiverId"] = json!(receiver.id());
    let order = world.performed(
        &owner,
        &one(&world, &owner, transfer, "1100000000000000000"),
    );
    assert_eq!(order["status"], 7, "{order}");
    assert_eq!(asset("5").data()["ownerId"], json!(receiver.id()));

    let before = world.balance(&receiver);
    let value = json!({
        "kind": 3, "ledgerId": world.gateways.token, "senderId": owner.id(), "receiverId": receiver.id(), "value": "123",
    });
    let order = world.performed(&owner, &one(&world, &owner, value, "1000000000000000000"));
    assert_eq!(order["status"], 7, "{order}");
    assert_eq!(world.balance(&receiver), before + 123);

    world.asset(&owner, &ledger, "8", &owner);
    let mut destroy = base(6);
    destroy["assetId"] = json!("8");
    let order = world.performed(&owner, &one(&world, &owner, destroy, "1500000000000000000"));
    assert_eq!(order["status"], 7, "{order}");
    asset("8").fails(400, &[400_005]);
    let listed = world.call(owner.get(format!(
        "/ledgers/{}/assets",
        ledger["ref"].as_str().unwrap()
    )));
    assert_eq!(listed.meta()["total"], 2);
}

#[test]
fn requests_forbidden_by_the_ledger_are_refused_at_creation() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let action = |kind: u8, sender: &Person| {
        json!({
            "kind": kind, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT, "abilities": [16],
            "senderId": sender.id(), "receiverId": outsider.id(),
        })
    };
    let cases = [
        (1, &owner, vec![422_013]),
        (1, &outsider, vec![422_013, 422_071]),
        (2, &outsider, vec![422_074]),
        (4, &outsider, vec![422_077, 422_083]),
        (4, &owner, vec![422_083]),
        (5, &outsider, vec![422_062]),
        (6, &outsider, vec![422_082, 422_084]),
        (6, &owner, vec![422_084]),
    ];
    for (kind, sender, codes) in cases {
        let body = one(&world, sender, action(kind, sender), "9000000000000000000");
        let answer = world.call(sender.post("/orders", &body));
        assert_eq!((answer.status, answer.codes()), (422, codes), "kind {kind}");
        assert!(
            answer
                .errors()
                .iter()
                .all(|error| error.contains("order.actions[0]")),
            "{:?}",
            answer.errors()
        );
    }
    let poor = Person::new();
    let mut body = world.order(&[&poor], json!([world.payment(&poor, "1")]));
    world.sign(&mut body, &[&poor]);
    world
        .call(poor.post("/orders", &body))
        .fails(422, &[422_075, 422_076]);
    let mut unknown = action(1, &owner);
    unknown["ledgerId"] = json!(outsider.id());
    let body = one(&world, &owner, unknown, CREATE_COST);
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!(
        (answer.status, answer.errors()),
        (400, vec!["400004 order.actions[0].ledgerId".to_owned()])
    );
}

#[test]
fn actions_see_the_effects_of_earlier_actions() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT,
        "senderId": owner.id(), "receiverId": owner.id(),
    });
    let transfer = json!({
        "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id(), "receiverId": receiver.id(),
    });
    let mut body = world.order(
        &[&owner],
        json!([
            create.clone(),
            transfer,
            world.payment(&owner, "5000000000000000000")
        ]),
    );
    world.sign(&mut body, &[&owner]);
    assert_eq!(world.performed(&owner, &body)["status"], 7);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));

    let mut twice = create;
    twice["assetId"] = json!("2");
    let mut body = world.order(
        &[&owner],
        json!([
            twice.clone(),
            twice,
            world.payment(&owner, "6000000000000000000")
        ]),
    );
    world.sign(&mut body, &[&owner]);
    let answer = world.call(owner.post("/orders", &body));
    assert_eq!(answer.errors(), ["422013 order.actions[1].assetId"]);
}

#[test]
fn an_order_must_pay_for_its_actions() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT,
        "senderId": owner.id(), "receiverId": owner.id(),
    });
    let elsewhere = json!({
        "kind": 3, "ledgerId": world.gateways.token, "senderId": owner.id(), "receiverId": Person::new().id(), "value": CREATE_COST,
    });
    for actions in [
        json!([create, world.payment(&owner, "2999999999999999999")]),
        json!([create, elsewhere]),
        json!([world.payment(&owner, CREATE_COST), create]),
    ] {
        let mut body = world.order(&[&owner], actions);
        world.sign(&mut body, &[&owner]);
        world
            .call(owner.post("/orders", &body))
            .fails(422, &[422_012]);
    }
    // An order with only a payment costs nothing.
    let mut body = world.order(&[&owner], json!([world.payment(&owner, "1")]));
    world.sign(&mut body, &[&owner]);
    assert_eq!(world.performed(&owner, &body)["status"], 7);
}

#[test]
fn an_order_needs_each_signers_claim_for_its_exact_content() {
    let world = World::new();
    let (owner, other) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let body = world.creation(&owner, &ledger, "1", &other);
    let claim = body["order"]["signers"][0]["claim"]
        .as_str()
        .unwrap()
        .to_owned();
    let forged = other.claim(&world.order_hash(&body));
    for wrong in [
        forged,
        format!("1:{}", &claim[2..]),
        claim.to_uppercase(),
        format!(" {claim}"),
        format!("{claim}00"),
    ] {
        let mut body = body.clone();
        body["order"]["signers"][0]["claim"] = json!(wrong);
        let answer = world.call(owner.post("/orders", &body));
        assert_eq!(
            (answer.status, answer.errors()),
            (400, vec!["400001 order.signers[0].claim".to_owned()]),
            "{wrong}"
        );
    }
    let mut changed = body.clone();
    changed["order"]["actions"][0]["receiverId"] = json!(owner.id());
    world
        .call(owner.post("/orders", &changed))
        .fails(400, &[400_001]);
    assert_eq!(world.call(owner.get("/orders")).data(), json!([]));
}

#[test]
fn only_an_orders_parties_can_read_it() {
    let world = World::new();
    let (owner, creator, outsider) = (world.funded(), Person::new(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let order = world
        .call(creator.post("/orders", &world.creation(&owner, &ledger, "1", &outsider)))
        .data();
    for person in [&owner, &creator] {
        assert_eq!(
            world.call(person.get(target(&order))).data()["ref"],
            order["ref"]
        );
        assert_eq!(
            world.call(person.get("/orders")).data()[0]["ref"],
            order["ref"]
        );
    }
    world
        .call(outsider.get(target(&order)))
        .fails(400, &[400_011]);
    assert_eq!(world.call(outsider.get("/orders")).data(), json!([]));
    world
        .call(owner.get("/orders/%F0%9F%90%B6"))
        .fails(400, &[400_011]);
    // A reference is not valid under the path of another kind.
    world
        .call(owner.get(format!("/deployments/{}", order["ref"].as_str().unwrap())))
        .fails(400, &[400_003]);
}

#[test]
fn lists_can_be_paged_filtered_and_sorted() {
    let world = World::new();
    let owner = world.funded();
    let mut refs = Vec::new();
    for value in 1..=5 {
        let mut body = world.order(
            &[&owner],
            json!([world.payment(&owner, &value.to_string())]),
        );
        body["automatedPerform"] = json!(value % 2 == 0);
        world.sign(&mut body, &[&owner]);
        refs.push(
            world.call(owner.post("/orders", &body)).data()["ref"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    // References made in one millisecond have no guaranteed order.
    refs.sort();
    world.host.settle();
    let list = |query: &str| {
        let answer = world.call(owner.get(format!("/orders?{query}")));
        let refs: Vec<String> = answer
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|order| order["ref"].as_str().unwrap().to_owned())
            .collect();
        (refs, answer.meta())
    };
    let newest: Vec<String> = refs.iter().rev().cloned().collect();
    assert_eq!(
        list(""),
        (
            newest.clone(),
            json!({ "skip": 0, "limit": 25, "total": 5 })
        )
    );
    assert_eq!(list("sort=1").0, refs);
    let performed = list("statuses=7").0;
    assert_eq!((performed.len(), list("statuses=0").0.len()), (2, 3));
    assert!(
        performed[0] > performed[1] && performed.iter().all(|reference| refs.contains(reference))
    );
    assert_eq!(list("statuses=0,7").1["total"], 5);
    assert_eq!(
        list(&format!("filterIds={},{},x", refs[0], refs[4])).0,
        [refs[4].clone(), refs[0].clone()]
    );
    let mut query = "limit=2".to_owned();
    for expected in [&newest[..2], &newest[2..4]] {
        let (page, meta) = list(&query);
        assert_eq!(page, expected);
        query = format!("limit=2&after={}", meta["next"].as_str().expect("a cursor"));
    }
    let (page, meta) = list(&query);
    assert_eq!((page.as_slice(), meta.get("next")), (&newest[4..], None));
    assert_eq!(list("skip=3&limit=1").0, newest[3..4]);
    assert_eq!(list("skip=5").0, Vec::<String>::new());
}
