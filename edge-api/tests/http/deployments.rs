//! Deployments of ledgers.

use serde_json::{Value, json};

use crate::support::people::{DEPLOY_COST, IMPRINT, Person, World};
use crate::support::{on_chain, ready, with};

#[test]
fn a_deployment_becomes_a_ledger_and_is_paid() {
    let world = World::new();
    let owner = world.funded();
    let before = world.balance(&owner);
    let body = world.deployment(&owner, &[3, 1]);
    let answer = world.call(owner.post("/deployments", &body));
    assert_eq!(answer.status, 201);
    let made = answer.data();
    assert_eq!(
        (&made["status"], &made["priority"]),
        (&json!(ready()), &json!(2))
    );
    assert_eq!(made["ledgerId"].is_null(), on_chain());
    assert_eq!(
        (&made["claim"], &made["deploy"]["seed"]),
        (&body["claim"], &body["deploy"]["seed"])
    );
    world.host.settle();
    let made = world
        .call(owner.get(format!("/deployments/{}", made["ref"].as_str().unwrap())))
        .data();
    assert_eq!((&made["status"], &made["error"]), (&json!(7), &json!(null)));
    assert_eq!(
        world.balance(&owner),
        before - DEPLOY_COST.parse::<u128>().unwrap()
    );

    let ledger = world
        .call(owner.get(format!("/ledgers/{}", made["ledgerRef"].as_str().unwrap())))
        .data();
    assert_eq!(ledger["id"], made["ledgerId"]);
    assert_eq!(
        (&ledger["capabilities"], &ledger["ownerId"]),
        (&json!([3, 1]), &json!(owner.id()))
    );
    assert_eq!(
        ledger["schemaId"],
        body["deploy"]["assetLedgerData"]["schemaId"]
    );
    let by_address = world
        .call(owner.get(format!("/ledgers/{}", ledger["id"].as_str().unwrap())))
        .data();
    assert_eq!(by_address, ledger);
    let lower = ledger["id"].as_str().unwrap().to_lowercase();
    assert_eq!(
        world.call(owner.get(format!("/ledgers/{lower}"))).data(),
        ledger
    );
}

#[test]
fn only_its_creator_sees_a_deployment() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), Person::new());
    let made = world
        .call(owner.post("/deployments", &world.deployment(&owner, &[])))
        .data();
    let target = format!("/deployments/{}", made["ref"].as_str().unwrap());
    world
        .call(outsider.get(target.as_str()))
        .fails(400, &[400_003]);
    assert_eq!(world.call(owner.get(target.as_str())).status, 200);
    assert_eq!(
        world.call(owner.get("/deployments")).data()[0]["ref"],
        made["ref"]
    );
    assert_eq!(world.call(outsider.get("/deployments")).data(), json!([]));
    world
        .call(owner.get("/deployments/none"))
        .fails(400, &[400_003]);
}

#[test]
fn a_deployment_that_is_sent_again_is_the_same_record() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), Person::new());
    let body = world.deployment(&owner, &[1]);
    let first = world.call(owner.post("/deployments", &body));
    let again = world.call(owner.post("/deployments", &body));
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(first.data()["ref"], again.data()["ref"]);
    // Other accounts learn only that the hash is used.
    let answer = world.call(outsider.post("/deployments", &body));
    assert_eq!(answer.errors(), ["400007 deploy.seed"]);
    // The hash covers the concatenation of name, symbol, prefix and postfix. A request that splits the same letters
    // differently has the same hash, but is still a different request.
    let mut other = body.clone();
    other["deploy"]["assetLedgerData"]["name"] = json!("Certificate");
    other["deploy"]["assetLedgerData"]["symbol"] = json!("sCRT");
    world.sign_deployment(&mut other, &owner);
    assert_eq!(other["claim"], body["claim"]);
    world
        .call(owner.post("/deployments", &other))
        .fails(400, &[400_007]);
}

#[test]
fn a_deployment_without_a_claim_is_answered_with_the_hash_to_sign() {
    let world = World::new();
    let owner = world.funded();
    let signed = world.deployment(&owner, &[1]);
    for absent in [None, Some(json!(null)), Some(json!(""))] {
        let unsigned = with(&signed, "/claim", absent);
        let answer = world.call(owner.post("/deployments", &unsigned));
        answer.fails(422, &[422_008]);
        let hash = answer.json()["hash"].as_str().unwrap().parse().unwrap();
        assert_eq!(json!(owner.claim(&hash)), signed["claim"]);
    }
    // The refused requests were not stored, so the hash is still free.
    let answer = world.call(owner.get("/deployments"));
    assert_eq!(answer.meta()["total"], 0);
    let answer = world.call(owner.post("/deployments", &signed));
    assert_eq!(answer.status, 201);
}

#[test]
fn a_deployment_with_another_error_is_answered_without_a_hash() {
    let world = World::new();
    let owner = world.funded();
    let unsigned = with(&world.deployment(&owner, &[1]), "/claim", None);
    for (pointer, value, errors) in [
        (
            "/deploy/assetLedgerData/ownerId",
            None,
            vec!["422008 claim", "422047 deploy.assetLedgerData.ownerId"],
        ),
        (
            "/deploy/tokenTransferData/value",
            Some(json!("1")),
            vec!["422008 claim", "422055 deploy.tokenTransferData"],
        ),
    ] {
        let body = with(&unsigned, pointer, value);
        let answer = world.call(owner.post("/deployments", &body));
        assert_eq!(answer.errors(), errors);
        assert_eq!(answer.json().get("hash"), None);
    }
    let wrong = with(&unsigned, "/claim", Some(json!("0:0x12")));
    let answer = world.call(owner.post("/deployments", &wrong));
    answer.fails(400, &[400_001]);
    assert_eq!(answer.json().get("hash"), None);
}

#[test]
fn every_invalid_field_has_its_error_code() {
    let world = World::new();
    let owner = world.funded();
    let body = world.deployment(&owner, &[1]);
    let zero = json!("0x0000000000000000000000000000000000000000");
    let cases: Vec<(&str, Option<Value>, &[&str])> = vec![
        ("/claim", None, &["422008 claim"]),
        ("/claim", Some(json!(7)), &["422008 claim"]),
        ("/deploy", None, &["422038 deploy"]),
        ("/priority", None, &["422900 priority"]),
        ("/priority", Some(json!(5)), &["422900 priority"]),
        ("/deploy/makerId", None, &["422052 deploy.makerId"]),
        (
            "/deploy/makerId",
            Some(zero.clone()),
            &["422052 deploy.makerId"],
        ),
        (
            "/deploy/takerId",
            Some(json!("me")),
            &["422037 deploy.takerId"],
        ),
        ("/deploy/seed", None, &["400007 deploy.seed"]),
        ("/deploy/expiration", None, &["422064 deploy.expiration"]),
        (
            "/deploy/assetLedgerData",
            None,
            &["422039 deploy.assetLedgerData"],
        ),
        (
            "/deploy/assetLedgerData/name",
            Some(json!("")),
            &["422040 deploy.assetLedgerData.name"],
        ),
        (
            "/deploy/assetLedgerData/symbol",
            None,
            &["422041 deploy.assetLedgerData.symbol"],
        ),
        (
            "/deploy/assetLedgerData/uriPrefix",
            None,
            &["422043 deploy.assetLedgerData.uriPrefix"],
        ),
        (
            "/deploy/assetLedgerData/schemaId",
            Some(json!("0x12")),
            &["422044 deploy.assetLedgerData.schemaId"],
        ),
        (
            "/deploy/assetLedgerData/capabilities",
            None,
            &["422045 deploy.assetLedgerData.capabilities"],
        ),
        (
            "/deploy/assetLedgerData/capabilities",
            Some(json!([1, 1])),
            &["422046 deploy.assetLedgerData.capabilities"],
        ),
        (
            "/deploy/assetLedgerData/capabilities",
            Some(json!([5])),
            &["422046 deploy.assetLedgerData.capabilities"],
        ),
        (
            "/deploy/assetLedgerData/ownerId",
            None,
            &["422047 deploy.assetLedgerData.ownerId"],
        ),
        (
            "/deploy/assetLedgerData/ownerId",
            Some(zero),
            &["422048 deploy.assetLedgerData.ownerId"],
        ),
        (
            "/deploy/tokenTransferData",
            None,
            &["422049 deploy.tokenTransferData"],
        ),
        (
            "/deploy/tokenTransferData/ledgerId",
            None,
            &["422050 deploy.tokenTransferData.ledgerId"],
        ),
        (
            "/deploy/tokenTransferData/ledgerId",
            Some(json!("x")),
            &["422051 deploy.tokenTransferData.ledgerId"],
        ),
        (
            "/deploy/tokenTransferData/receiverId",
            None,
            &["422053 deploy.tokenTransferData.receiverId"],
        ),
        (
            "/deploy/tokenTransferData/value",
            Some(json!("1.5")),
            &["422054 deploy.tokenTransferData.value"],
        ),
    ];
    for (pointer, value, errors) in cases {
        let answer = world.call(owner.post("/deployments", &with(&body, pointer, value.clone())));
        assert_eq!(answer.errors(), errors, "{pointer} {value:?}");
    }
    // All errors are in one answer.
    let mut many = with(&body, "/deploy/assetLedgerData/name", None);
    many = with(&many, "/priority", None);
    many = with(&many, "/deploy/tokenTransferData/value", None);
    let answer = world.call(owner.post("/deployments", &many));
    assert_eq!(answer.codes(), [422_040, 422_054, 422_900]);
    assert_eq!(world.call(owner.get("/deployments")).data(), json!([]));
}

#[test]
fn the_payment_of_a_deployment_is_checked() {
    let world = World::new();
    let owner = world.funded();
    let body = world.deployment(&owner, &[]);
    for (pointer, value) in [
        (
            "/deploy/tokenTransferData/value",
            json!("4999999999999999999"),
        ),
        ("/deploy/tokenTransferData/receiverId", json!(owner.id())),
        ("/deploy/tokenTransferData/ledgerId", json!(owner.id())),
    ] {
        world
            .call(owner.post("/deployments", &with(&body, pointer, Some(value))))
            .fails(422, &[422_055]);
    }
    let poor = Person::new();
    let answer = world.call(poor.post("/deployments", &world.deployment(&poor, &[])));
    assert_eq!(answer.codes(), [422_079, 422_080]);
}

#[test]
fn a_deployment_needs_the_makers_claim_for_its_exact_content() {
    let world = World::new();
    let (owner, other) = (world.funded(), Person::new());
    let body = world.deployment(&owner, &[]);
    let mut forged = body.clone();
    world.sign_deployment(&mut forged, &other);
    world
        .call(owner.post("/deployments", &forged))
        .fails(400, &[400_001]);
    let changed = with(&body, "/deploy/assetLedgerData/name", Some(json!("Other")));
    world
        .call(owner.post("/deployments", &changed))
        .fails(400, &[400_001]);
    world
        .call(owner.post(
            "/deployments",
            &with(&body, "/claim", Some(json!("0:0x12"))),
        ))
        .fails(400, &[400_001]);
    let expired = with(
        &body,
        "/deploy/expiration",
        Some(json!(1_600_000_000_000_u64)),
    );
    assert_eq!(
        world.call(owner.post("/deployments", &expired)).codes(),
        [400_007]
    );
}

/// In the interface specification, the only code for a wrong seed is 400007, which has status 400. If an answer also has
/// errors with status 422, the answer's status is 422.
#[test]
fn an_answer_with_errors_of_status_400_and_422_has_status_422() {
    let world = World::new();
    let owner = world.funded();
    let body = world.deployment(&owner, &[]);
    let without = |pointers: &[&str]| {
        let less = |body: Value, pointer: &&str| with(&body, pointer, None);
        let body = pointers.iter().fold(body.clone(), less);
        world.call(owner.post("/deployments", &body))
    };
    without(&["/deploy/seed"]).fails(400, &[400_007]);
    without(&["/deploy/seed", "/deploy/expiration"]).fails(422, &[400_007, 422_064]);
    let named = without(&["/deploy/seed", "/deploy/assetLedgerData/name"]);
    named.fails(422, &[400_007, 422_040]);
    // The code for a missing asset behaves in the same way.
    let ledger = world.ledger(&owner, &[2]);
    let update = |sender: &Person| {
        let action = json!({
            "kind": 4, "ledgerId": ledger["id"], "assetId": "9", "assetImprint": IMPRINT, "senderId": sender.id(),
        });
        let payment = world.payment(&owner, "1400000000000000000");
        let mut body = world.order(&[&owner, sender], json!([action, payment]));
        if sender.id() == owner.id() {
            body["order"]["signers"].as_array_mut().unwrap().pop();
        }
        world.sign(&mut body, &[&owner]);
        world.call(owner.post("/orders", &body))
    };
    update(&owner).fails(400, &[400_005]);
    update(&Person::new()).fails(422, &[400_005, 422_077]);
}
