//! Approvals of both kinds: their effects, their costs, and the error codes of their fields.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Job;
use serde_json::{Value, json};

use crate::support::approvals::{OPERATOR_COST, VALUE_COST};
use crate::support::faults::{Mortal, at_every_step};
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{SETTINGS, ready, with};

const TRANSFER_COST: &str = "1100000000000000000";

fn tokens(text: &str) -> u128 {
    text.parse().expect("a number")
}

/// Returns the maker of a new ledger, the owner of its asset 1, and the ledger. The owner has approved nothing.
fn asset_of_another(world: &World) -> (Person, Person, Value) {
    let (maker, owner) = (world.funded(), world.funded());
    let ledger = world.ledger(&maker, &[]);
    world.asset(&maker, &ledger, "1", &owner);
    (maker, owner, ledger)
}

/// Returns an order by which `owner` gives asset 1 to `receiver`.
fn transfer(world: &World, owner: &Person, ledger: &Value, receiver: &Person) -> Value {
    let action = json!({
        "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id(), "receiverId": receiver.id(),
    });
    let mut body = world.order(
        &[owner],
        json!([action, world.payment(owner, TRANSFER_COST)]),
    );
    world.sign(&mut body, &[owner]);
    body
}

#[test]
fn an_owner_approves_the_proxy_and_then_transfers_by_order() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    let receiver = Person::new();
    let order = transfer(&world, &owner, &ledger, &receiver);
    // The asset's owner has not approved the gateway's proxy.
    world
        .call(owner.post("/orders", &order))
        .fails(422, &[422_073]);
    world.lets_ledger_collect(&owner, &ledger);

    let before = world.balance(&owner);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    let body = world.operator_approval(&owner, &ledger, proxy, true);
    let answer = world.call(owner.post("/approvals", &body));
    let made = answer.data();
    assert_eq!((answer.status, &made["status"]), (201, &json!(ready())));
    assert_eq!(
        (&made["approval"], &made["claim"], &made["priority"]),
        (&body["approval"], &body["claim"], &json!(2))
    );
    assert_eq!(
        made.as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>(),
        [
            "approval",
            "claim",
            "createdAt",
            "error",
            "hash",
            "priority",
            "ref",
            "status",
            "txHash",
            "updatedAt"
        ]
    );
    world.host.settle();
    let path = format!("/approvals/{}", made["ref"].as_str().unwrap());
    let performed = world.call(owner.get(path.as_str())).data();
    assert_eq!(
        (&performed["status"], &performed["error"]),
        (&json!(7), &json!(null))
    );
    assert_eq!(world.balance(&owner), before - tokens(OPERATOR_COST));

    assert_eq!(world.performed(&owner, &order)["status"], 7);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));
}

#[test]
fn a_revoked_operator_cannot_move_assets() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    world.lets_ledger_collect(&owner, &ledger);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    // Repeated approvals change only the balance.
    for is_operator in [true, true, false, false] {
        let before = world.balance(&owner);
        let body = world.operator_approval(&owner, &ledger, proxy, is_operator);
        assert_eq!(world.approved(&owner, &body)["status"], 7);
        assert_eq!(world.balance(&owner), before - tokens(OPERATOR_COST));
        let order = transfer(&world, &owner, &ledger, &owner);
        let answer = world.call(owner.post("/orders", &order));
        if is_operator {
            assert_eq!(answer.status, 201);
            world.host.settle();
        } else {
            answer.fails(422, &[422_073]);
        }
    }
}

#[test]
fn an_order_that_waited_while_its_approval_was_revoked_fails() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    world.lets_ledger_collect(&owner, &ledger);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    let approve = |is_operator| {
        let body = world.operator_approval(&owner, &ledger, proxy, is_operator);
        assert_eq!(world.approved(&owner, &body)["status"], 7);
    };
    approve(true);
    let mut order = transfer(&world, &owner, &ledger, &Person::new());
    order["automatedPerform"] = json!(false);
    let made = world.call(owner.post("/orders", &order)).data();
    approve(false);
    let path = format!("/orders/{}", made["ref"].as_str().unwrap());
    world
        .call(owner.put(format!("{path}/perform"), &json!({})))
        .data();
    world.host.settle();
    let failed = world.call(owner.get(path.as_str())).data();
    assert_eq!(
        (&failed["status"], &failed["error"]["code"]),
        (&json!(4), &json!(422_073))
    );
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(owner.id())));
}

#[test]
fn a_value_approval_sets_the_spenders_allowance() {
    let world = World::new();
    let (payer, receiver) = (world.funded(), world.receiver());
    let proxy = world.gateways.proxies.transfer_value;
    let pay = |value: &str| {
        let action = json!({
            "kind": 3, "ledgerId": world.gateways.token, "senderId": payer.id(), "receiverId": receiver.id(),
            "value": value,
        });
        let mut body = world.order(
            &[&payer],
            json!([action, world.payment(&payer, "1000000000000000000")]),
        );
        world.sign(&mut body, &[&payer]);
        world.call(payer.post("/orders", &body))
    };
    // Only the token of a chain knows the amount there.
    let allowance = |expected: &str| {
        let shown = world.call(payer.get("/account")).data()["feeAllowance"].clone();
        let expected = if crate::support::on_chain() {
            json!(null)
        } else {
            json!(expected)
        };
        assert_eq!(shown, expected);
    };
    let before = world.balance(&payer);
    let body = world.value_approval(&payer, proxy, "1000000000000000005");
    let approval = world.approved(&payer, &body);
    assert_eq!(
        (&approval["status"], &approval["approval"]),
        (&json!(7), &body["approval"])
    );
    assert_eq!(world.balance(&payer), before - tokens(VALUE_COST));
    allowance("1000000000000000005");
    // The allowance must cover the transferred value and the order's own payment.
    pay("6").fails(422, &[422_076]);
    assert_eq!(pay("4").status, 201);
    world.host.settle();
    assert_eq!(world.balance(&receiver), 4);
    allowance("1");
    // The remaining allowance covers neither the value nor the payment.
    pay("4").fails(422, &[422_076, 422_076]);
    // A new approval replaces the allowance. An approval of zero ends it.
    for (value, status) in [("2000000000000000000", 201), ("0", 422)] {
        let body = world.value_approval(&payer, proxy, value);
        assert_eq!(world.approved(&payer, &body)["status"], 7);
        assert_eq!(pay("1").status, status, "{value}");
        world.host.settle();
    }
}

#[test]
fn requests_forbidden_by_the_ledger_are_refused_at_creation() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    let post = |person: &Person, body: &Value| world.call(person.post("/approvals", body));
    let body = world.operator_approval(&owner, &ledger, proxy, true);
    let answer = post(&owner, &body);
    assert_eq!(
        (answer.status, answer.errors()),
        (422, vec!["422142 approval.owner".to_owned()])
    );
    let poor = Person::new();
    let body = world.operator_approval(&poor, &ledger, proxy, true);
    assert_eq!(post(&poor, &body).codes(), [422_141, 422_142]);
    let body = world.value_approval(&poor, owner.id(), "1");
    let answer = post(&poor, &body);
    assert_eq!(answer.errors(), ["422148 approval.feeValue"]);

    // An approval of kind 7 must name an asset ledger. An approval of kind 8 must name the platform token.
    let with_ledger = |mut body: Value, ledger: Value| {
        body["approval"]["ledgerId"] = ledger;
        world.sign_approval(&mut body, &owner);
        post(&owner, &body)
    };
    for unknown in [json!(owner.id()), json!(world.gateways.token)] {
        let body = world.operator_approval(&owner, &ledger, proxy, true);
        let answer = with_ledger(body, unknown);
        assert_eq!(answer.errors(), ["422127 approval.ledgerId"]);
    }
    for unknown in [json!(owner.id()), ledger["id"].clone()] {
        let body = world.value_approval(&owner, owner.id(), "1");
        let answer = with_ledger(body, unknown);
        assert!(
            answer.codes() == [422_145] || answer.codes() == [422_154],
            "{:?}",
            answer.errors()
        );
    }
}

#[test]
fn an_approval_must_pay_its_price_to_the_receiver() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    for (pointer, value) in [
        (
            "/approval/tokenTransferData/value",
            json!("1599999999999999999"),
        ),
        ("/approval/tokenTransferData/receiverId", json!(owner.id())),
        ("/approval/tokenTransferData/ledgerId", json!(owner.id())),
    ] {
        let mut body = world.operator_approval(&owner, &ledger, proxy, true);
        *body.pointer_mut(pointer).unwrap() = value;
        world.sign_approval(&mut body, &owner);
        world
            .call(owner.post("/approvals", &body))
            .fails(422, &[422_134]);
    }
    for (pointer, value) in [
        ("/approval/feeValue", json!("1699999999999999999")),
        ("/approval/feeRecipient", json!(owner.id())),
    ] {
        let mut body = world.value_approval(&owner, proxy, "1");
        *body.pointer_mut(pointer).unwrap() = value;
        world.sign_approval(&mut body, &owner);
        world
            .call(owner.post("/approvals", &body))
            .fails(422, &[422_154]);
    }
}

#[test]
fn an_approval_needs_the_owners_claim_for_its_exact_content() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    world.lets_ledger_collect(&owner, &ledger);
    let thief = world.funded();
    let body = world.operator_approval(&owner, &ledger, thief.id(), true);
    let claim = body["claim"].as_str().unwrap();
    let forged = {
        let mut body = body.clone();
        world.sign_approval(&mut body, &thief);
        body["claim"].clone()
    };
    let wrong = [
        forged,
        json!(format!("1:{}", &claim[2..])),
        json!(format!("{claim}00")),
        json!("0:0x12"),
    ];
    for claim in wrong {
        let mut body = body.clone();
        body["claim"] = claim;
        let answer = world.call(thief.post("/approvals", &body));
        assert_eq!(
            (answer.status, answer.errors()),
            (422, vec!["422123 claim".to_owned()])
        );
    }
    for (pointer, value) in [
        ("/approval/operator", json!(Person::new().id())),
        ("/approval/isOperator", json!(false)),
        ("/approval/owner", json!(thief.id())),
        ("/approval/seed", json!(9_999_999)),
        (
            "/approval/tokenTransferData/value",
            json!("9600000000000000000"),
        ),
    ] {
        let mut changed = body.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let answer = world.call(thief.post("/approvals", &changed));
        assert_eq!(answer.codes(), [422_123], "{pointer}");
    }
    assert_eq!(world.call(thief.get("/approvals")).data(), json!([]));
}

#[test]
fn an_approval_without_a_claim_is_answered_with_the_hash_to_sign() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    world.lets_ledger_collect(&owner, &ledger);
    let other = Person::new().id();
    for signed in [
        world.operator_approval(&owner, &ledger, other, true),
        world.value_approval(&owner, other, "1"),
    ] {
        for absent in [None, Some(json!(null)), Some(json!(""))] {
            let unsigned = with(&signed, "/claim", absent);
            let answer = world.call(owner.post("/approvals", &unsigned));
            answer.fails(422, &[422_122]);
            let hash = answer.json()["hash"].as_str().unwrap().parse().unwrap();
            assert_eq!(json!(owner.claim(&hash)), signed["claim"]);
        }
        let answer = world.call(owner.post("/approvals", &signed));
        assert_eq!(answer.status, 201);
    }
}

#[test]
fn only_its_creator_sees_an_approval() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    world.lets_ledger_collect(&owner, &ledger);
    let sender = Person::new();
    // Any account may submit the signed request. The owner's tokens pay for it.
    let body = world.operator_approval(&owner, &ledger, sender.id(), true);
    let made = world.call(sender.post("/approvals", &body)).data();
    let path = format!("/approvals/{}", made["ref"].as_str().unwrap());
    assert_eq!(world.call(sender.get(path.as_str())).status, 200);
    assert_eq!(
        world.call(sender.get("/approvals")).data()[0]["ref"],
        made["ref"]
    );
    for outsider in [&owner, &Person::new()] {
        world
            .call(outsider.get(path.as_str()))
            .fails(400, &[400_020]);
        assert!(
            !world
                .call(outsider.get("/approvals"))
                .data()
                .as_array()
                .unwrap()
                .iter()
                .any(|approval| approval["ref"] == made["ref"])
        );
    }
    // A reference is not valid under another resource's path.
    let reference = made["ref"].as_str().unwrap();
    world
        .call(sender.get(format!("/orders/{reference}")))
        .fails(400, &[400_011]);
    world
        .call(sender.get(format!("/deployments/{reference}")))
        .fails(400, &[400_003]);
    for unknown in ["none", "%F0%9F%90%B6", "..%2Forders"] {
        world
            .call(sender.get(format!("/approvals/{unknown}")))
            .fails(400, &[400_020]);
    }
}

#[test]
fn an_approval_with_a_used_hash_takes_effect_only_once() {
    let world = World::new();
    let (_, owner, ledger) = asset_of_another(&world);
    world.lets_ledger_collect(&owner, &ledger);
    let proxy = world.gateways.proxies.destroy_asset;
    let body = world.operator_approval(&owner, &ledger, proxy, true);
    let first = world.approved(&owner, &body);
    let before = world.balance(&owner);
    let again = world.call(owner.post("/approvals", &body));
    assert_eq!((again.status, again.data()), (200, first.clone()));
    // The field `approval` may also be named `approve`. This is still the same approval.
    let mut renamed = body.clone();
    renamed["approve"] = renamed.as_object_mut().unwrap().remove("approval").unwrap();
    let again = world.call(owner.post("/approvals", &renamed));
    assert_eq!((again.status, again.data()), (200, first));
    world.host.settle();
    assert_eq!(world.balance(&owner), before);
    let mut urgent = body.clone();
    urgent["priority"] = json!(4);
    for (person, body) in [(&owner, &urgent), (&Person::new(), &body)] {
        let answer = world.call(person.post("/approvals", body));
        assert_eq!(
            (answer.status, answer.errors()),
            (400, vec!["400018 approval.seed".to_owned()])
        );
    }
}

#[test]
fn a_page_of_approvals_is_filtered_and_sorted() {
    let world = World::new();
    let (approver, other) = (world.funded(), world.funded());
    let mut refs: Vec<String> = (0..3)
        .map(|_| {
            let body = world.value_approval(&approver, other.id(), "1");
            let made = world.call(approver.post("/approvals", &body)).data();
            made["ref"].as_str().unwrap().to_owned()
        })
        .collect();
    refs.sort();
    let list = |query: &str| {
        let answer = world.call(approver.get(format!("/approvals?{query}")));
        let refs: Vec<String> = answer
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|approval| approval["ref"].as_str().unwrap().to_owned())
            .collect();
        (refs, answer.meta()["total"].clone())
    };
    assert_eq!(list("sort=1"), (refs.clone(), json!(3)));
    world.host.settle();
    assert_eq!(list("statuses=1").1, 0);
    assert_eq!(
        list("statuses=7&limit=1&sort=2"),
        (vec![refs[2].clone()], json!(3))
    );
    assert_eq!(
        list(&format!("filterIds={}", refs[1])),
        (vec![refs[1].clone()], json!(1))
    );
    for query in ["limit=0", "skip=x", "sort=3", "statuses=8", "statuses=x"] {
        world
            .call(approver.get(format!("/approvals?{query}")))
            .fails(400, &[400_101]);
    }
}

#[test]
fn an_approval_is_performed_once_after_a_stop_at_any_step() {
    let stops = at_every_step(64, |stop| {
        let mut mortal = None;
        let service = Rc::new(RefCell::new(
            Service::with_database(SETTINGS, |inner| {
                let wrapped = Rc::new(Mortal::new(inner));
                mortal = Some(Rc::clone(&wrapped));
                wrapped
            })
            .queueing(),
        ));
        let mortal = mortal.expect("wrapped");
        let world = World::on(Box::new(Rc::clone(&service)));
        let (_, owner, ledger) = asset_of_another(&world);
        world.lets_ledger_collect(&owner, &ledger);
        let proxy = world.gateways.proxies.safe_transfer_asset;
        let body = world.operator_approval(&owner, &ledger, proxy, true);
        let before = world.balance(&owner);
        let made = world.call(owner.post("/approvals", &body)).data();
        let reference = made["ref"].as_str().expect("a reference");
        let job = Job::Perform {
            reference: reference.to_owned(),
        };
        let died = mortal.stops(stop, service.borrow().app().on_message(&job));
        // The queue delivers the message again, and the sweep finds the work that is left.
        world.host.settle();
        world.host.settle();
        let done = world
            .call(owner.get(format!("/approvals/{reference}")))
            .data();
        assert_eq!(done["status"], 7, "{stop:?} {done}");
        assert_eq!(
            world.balance(&owner),
            before - tokens(OPERATOR_COST),
            "{stop:?}"
        );
        let order = transfer(&world, &owner, &ledger, &Person::new());
        assert_eq!(world.performed(&owner, &order)["status"], 7, "{stop:?}");
        died
    });
    // Each of the three database round trips (record, ledger and transaction) causes two stops: before and after it.
    assert!(stops >= 6, "{stops}");
}

/// A field of a valid approval, its replacement, and the expected error.
type Case = (&'static str, Option<Value>, &'static str);

fn check_fields(world: &World, signer: &Person, body: &Value, cases: Vec<Case>) {
    for (pointer, value, error) in cases {
        let changed = with(body, pointer, value.clone());
        let answer = world.call(signer.post("/approvals", &changed));
        let status = if error.starts_with("400") { 400 } else { 422 };
        assert_eq!(
            (answer.status, answer.errors()),
            (status, vec![error.to_owned()]),
            "{pointer} {value:?}"
        );
    }
    assert_eq!(world.call(signer.get("/approvals")).data(), json!([]));
}

/// Returns cases with missing and wrong values for fields that are addresses, numbers or amounts. `required` has the
/// pointer of each field, and the errors for a missing and for a wrong value.
fn wrong_fields(required: &[(&'static str, &'static str, &'static str)]) -> Vec<Case> {
    let zero = json!("0x0000000000000000000000000000000000000000");
    let checksum = json!("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267");
    required
        .iter()
        .flat_map(|(pointer, missing, not_valid)| {
            let missing_values = [None, Some(json!(null)), Some(json!("")), Some(json!({}))];
            let wrong_values = if missing == not_valid {
                vec![json!("1.5"), json!("-1"), json!("x")]
            } else {
                vec![json!("0x12"), zero.clone(), checksum.clone()]
            };
            missing_values
                .into_iter()
                .map(|value| (*pointer, value, *missing))
                .chain(
                    wrong_values
                        .into_iter()
                        .map(|value| (*pointer, Some(value), *not_valid)),
                )
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_invalid_field_of_an_operator_approval_has_its_error_code() {
    let world = World::new();
    let owner = world.funded();
    let ledger = json!({ "id": Person::new().id() });
    let body = world.operator_approval(&owner, &ledger, Person::new().id(), true);
    let mut cases = wrong_fields(&[
        (
            "/approval/ledgerId",
            "422126 approval.ledgerId",
            "422127 approval.ledgerId",
        ),
        (
            "/approval/owner",
            "422128 approval.owner",
            "422129 approval.owner",
        ),
        (
            "/approval/operator",
            "422130 approval.operator",
            "422131 approval.operator",
        ),
        (
            "/approval/seed",
            "422135 approval.seed",
            "422135 approval.seed",
        ),
        (
            "/approval/expiration",
            "422136 approval.expiration",
            "422136 approval.expiration",
        ),
        (
            "/approval/tokenTransferData/ledgerId",
            "422137 approval.tokenTransferData.ledgerId",
            "422138 approval.tokenTransferData.ledgerId",
        ),
        (
            "/approval/tokenTransferData/value",
            "422140 approval.tokenTransferData.value",
            "422140 approval.tokenTransferData.value",
        ),
    ]);
    let receiver = "422139 approval.tokenTransferData.receiverId";
    cases.extend([
        ("/claim", None, "422122 claim"),
        ("/claim", Some(json!("")), "422122 claim"),
        ("/claim", Some(json!(7)), "422122 claim"),
        ("/priority", None, "422125 priority"),
        ("/priority", Some(json!(0)), "422125 priority"),
        ("/priority", Some(json!(5)), "422125 priority"),
        ("/priority", Some(json!("2")), "422125 priority"),
        ("/approval", None, "422121 approval"),
        ("/approval", Some(json!("x")), "422121 approval"),
        ("/approval", Some(json!([])), "422121 approval"),
        ("/approval", Some(json!({})), "422121 approval.kind"),
        ("/approval/kind", None, "422121 approval.kind"),
        ("/approval/kind", Some(json!(6)), "422121 approval.kind"),
        ("/approval/kind", Some(json!(9)), "422121 approval.kind"),
        ("/approval/kind", Some(json!("7")), "422121 approval.kind"),
        ("/approval/isOperator", None, "422132 approval.isOperator"),
        (
            "/approval/isOperator",
            Some(json!("true")),
            "422132 approval.isOperator",
        ),
        (
            "/approval/isOperator",
            Some(json!(1)),
            "422132 approval.isOperator",
        ),
        (
            "/approval/tokenTransferData",
            None,
            "422133 approval.tokenTransferData",
        ),
        (
            "/approval/tokenTransferData",
            Some(json!("x")),
            "422133 approval.tokenTransferData",
        ),
        ("/approval/tokenTransferData/receiverId", None, receiver),
        (
            "/approval/tokenTransferData/receiverId",
            Some(json!("0x12")),
            receiver,
        ),
        (
            "/approval/seed",
            Some(json!(9_007_199_254_740_992_u64)),
            "422135 approval.seed",
        ),
        (
            "/approval/expiration",
            Some(json!(1_600_000_000)),
            "400018 approval.expiration",
        ),
        (
            "/approval/expiration",
            Some(json!(1_600_000_000_000_u64)),
            "400018 approval.expiration",
        ),
    ]);
    check_fields(&world, &owner, &body, cases);
}

#[test]
fn every_invalid_field_of_a_value_approval_has_its_error_code() {
    let world = World::new();
    let approver = world.funded();
    let body = world.value_approval(&approver, Person::new().id(), "1");
    let mut cases = wrong_fields(&[
        (
            "/approval/ledgerId",
            "422144 approval.ledgerId",
            "422145 approval.ledgerId",
        ),
        (
            "/approval/approver",
            "422146 approval.approver",
            "422147 approval.approver",
        ),
        (
            "/approval/spender",
            "422149 approval.spender",
            "422150 approval.spender",
        ),
        (
            "/approval/value",
            "422151 approval.value",
            "422151 approval.value",
        ),
        (
            "/approval/feeRecipient",
            "422152 approval.feeRecipient",
            "422153 approval.feeRecipient",
        ),
        (
            "/approval/feeValue",
            "422155 approval.feeValue",
            "422155 approval.feeValue",
        ),
        (
            "/approval/seed",
            "422156 approval.seed",
            "422156 approval.seed",
        ),
        (
            "/approval/expiration",
            "422157 approval.expiration",
            "422157 approval.expiration",
        ),
    ]);
    cases.push((
        "/approval/expiration",
        Some(json!(1_600_000_000)),
        "400018 approval.expiration",
    ));
    check_fields(&world, &approver, &body, cases);
    // All errors are in one answer.
    let answer = world.call(approver.post(
        "/approvals",
        &json!({ "approval": { "kind": 8, "ledgerId": "x", "value": "-1" } }),
    ));
    assert_eq!(
        answer.codes(),
        [
            422_122, 422_125, 422_145, 422_146, 422_149, 422_151, 422_152, 422_155, 422_156,
            422_157
        ]
    );
    world
        .call(approver.post("/approvals", &json!({})))
        .fails(422, &[422_121, 422_122, 422_125]);
}
