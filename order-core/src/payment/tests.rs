//! Tests of the costs of requests and of the payments that are accepted.

use alloc::vec::Vec;

use serde_json::{Value, json};

use super::*;
use crate::testing::{NOW_MS, client_requests, gateways, list, text};
use crate::types::Address;
use crate::{ApprovalRequest, DeploymentRequest, OrderRequest};

const A: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const LEDGER: &str = "0x2b961E3959b79326A8e7F64Ef0d2d825707669b5";

fn order(actions: &[Value]) -> Order {
    serde_json::from_value(json!({
        "signers": [{"accountId": A}],
        "actions": actions,
        "seed": 1,
        "expiration": NOW_MS,
    }))
    .unwrap()
}

fn pay(token: Address, receiver: Option<Address>, value: &str) -> Value {
    json!({"kind": 3, "ledgerId": token, "receiverId": receiver, "senderId": A, "value": value})
}

fn destroy() -> Value {
    json!({"kind": 6, "ledgerId": LEDGER, "assetId": "1", "senderId": A})
}

fn checked(actions: &[Value]) -> Option<(u32, alloc::string::String)> {
    let result = order(actions).check_payment(&Costs::default(), &gateways());
    result.err().map(|error| (error.code.number(), error.path))
}

#[test]
fn the_original_clients_payments_are_accepted_at_the_same_prices() {
    // Except in two records, the recorded server has the default prices.
    let file = client_requests();
    let costs = Costs::default();
    let prices = &file["payment"];
    for (field, cost) in [
        ("assetCreateCost", costs.create_asset),
        ("assetTransferCost", costs.transfer_asset),
        ("valueTransferCost", costs.transfer_value),
        ("assetUpdateCost", costs.update_asset),
        ("setAbilitiesCost", costs.set_abilities),
        ("assetDestroyCost", costs.destroy_asset),
        ("assetRevokeCost", costs.revoke_asset),
        ("assetDeployCost", costs.deploy),
        ("assetApproveCost", costs.approve_operator),
        ("dappValueApproveCost", costs.approve_value),
    ] {
        assert_eq!(json!(cost), prices[field], "{field}");
    }

    let gateways = gateways();
    let mut checked = 0;
    for record in list(&file, "records") {
        let name = text(record, "name");
        for request in list(record, "requests") {
            if request["method"] != "POST" {
                continue;
            }
            let body = &request["body"];
            let result = match text(request, "path") {
                "/orders" => OrderRequest::parse(body, NOW_MS)
                    .unwrap()
                    .order
                    .check_payment(&costs, &gateways),
                "/deployments" => DeploymentRequest::parse(body, NOW_MS)
                    .unwrap()
                    .deploy
                    .check_payment(&costs, &gateways),
                "/approvals" => ApprovalRequest::parse(body, NOW_MS)
                    .unwrap()
                    .approval
                    .check_payment(&costs, &gateways),
                _ => continue,
            };
            // In these two records, the server has lower prices.
            let cheap = name.contains("assetCreateCost");
            assert_eq!(result.is_ok(), !cheap, "{name}: {result:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 26);
}

#[test]
fn the_last_action_pays_for_all_others() {
    let Gateways {
        token,
        payment_receiver: receiver,
        ..
    } = gateways();
    let due = "3000000000000000000";
    let one_less = "2999999999999999999";
    let paid = |value| pay(token, Some(receiver), value);
    for good in [
        [destroy(), destroy(), paid(due)].as_slice(),
        &[destroy(), destroy(), paid("3000000000000000001")],
        &[paid("0")],
        &[paid("7")],
        // A transfer to the receiver is the payment only if it is the last action. Earlier ones are priced like other actions.
        &[paid("1"), paid("1000000000000000000")],
    ] {
        assert_eq!(checked(good), None, "{}", json!(good));
    }
    let other = Some(LEDGER.parse().unwrap());
    let value = |last: usize| (422012, format!("order.actions[{last}].value"));
    let none = || (422012, String::from("order.actions"));
    for (bad, expected) in [
        ([destroy(), destroy(), paid(one_less)].as_slice(), value(2)),
        (&[destroy(), paid("0")], value(1)),
        (&[destroy()], none()),
        (&[destroy(), destroy()], none()),
        (&[paid(due), destroy()], none()),
        (&[destroy(), pay(token, other, due)], none()),
        (&[destroy(), pay(token, None, due)], none()),
        (
            &[destroy(), pay(LEDGER.parse().unwrap(), Some(receiver), due)],
            none(),
        ),
        (&[pay(token, other, "1")], none()),
        (&[paid("1"), paid("999999999999999999")], value(1)),
    ] {
        assert_eq!(checked(bad), Some(expected), "{}", json!(bad));
    }
}

#[test]
fn free_work_needs_no_payment() {
    let actions: Vec<Value> = [destroy(), destroy()].into();
    assert!(
        order(&actions)
            .check_payment(&Costs::FREE, &gateways())
            .is_ok()
    );
}

#[test]
fn a_sum_of_costs_above_the_maximum_becomes_the_maximum() {
    let costs = Costs {
        destroy_asset: Amount::MAX,
        ..Costs::FREE
    };
    // The maximum is 2^256 - 1. Twice the maximum would wrap to the second value.
    let most = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let one_less = "115792089237316195423570985008687907853269984665640564039457584007913129639934";
    let Gateways {
        token,
        payment_receiver: receiver,
        ..
    } = gateways();
    for (value, is_paid) in [(most, true), (one_less, false)] {
        let actions = [destroy(), destroy(), pay(token, Some(receiver), value)];
        let result = order(&actions).check_payment(&costs, &gateways());
        assert_eq!(result.is_ok(), is_paid, "{value}");
    }
}

/// Returns fees as (receiver, token, value, accepted at a price of 7, accepted at a price of 0).
fn fees() -> Vec<(Address, Address, &'static str, bool, bool)> {
    let Gateways {
        token,
        payment_receiver: receiver,
        ..
    } = gateways();
    let other: Address = LEDGER.parse().unwrap();
    [
        (receiver, token, "7", true, true),
        (receiver, token, "8", true, true),
        (receiver, token, "6", false, true),
        (other, token, "7", false, true),
        (receiver, other, "7", false, false),
    ]
    .into()
}

#[test]
fn deployments_and_approvals_pay_the_receiver_in_the_token() {
    let costs = Costs {
        deploy: 7.into(),
        approve_operator: 7.into(),
        approve_value: 7.into(),
        ..Costs::FREE
    };
    for (receiver, token, value, priced, free) in fees() {
        let transfer = json!({"ledgerId": token, "receiverId": receiver, "value": value});
        let deploy: Deploy = serde_json::from_value(json!({
            "makerId": A,
            "assetLedgerData": {
                "name": "N", "symbol": "N", "uriPrefix": "p", "uriPostfix": "",
                "schemaId": "0".repeat(64), "capabilities": [], "ownerId": A,
            },
            "tokenTransferData": transfer, "seed": 1, "expiration": NOW_MS,
        }))
        .unwrap();
        let operator: Approval = serde_json::from_value(json!({
            "kind": 7, "ledgerId": LEDGER, "owner": A, "operator": A, "isOperator": true,
            "tokenTransferData": transfer, "seed": 1, "expiration": NOW_MS,
        }))
        .unwrap();
        let spender: Approval = serde_json::from_value(json!({
            "kind": 8, "ledgerId": token, "approver": A, "spender": A, "value": "1",
            "feeRecipient": receiver, "feeValue": value, "seed": 1, "expiration": NOW_MS,
        }))
        .unwrap();
        for (costs, good) in [(&costs, priced), (&Costs::FREE, free)] {
            for (result, code, path) in [
                (
                    deploy.check_payment(costs, &gateways()),
                    422055,
                    "deploy.tokenTransferData",
                ),
                (
                    operator.check_payment(costs, &gateways()),
                    422134,
                    "approval.tokenTransferData",
                ),
                (
                    spender.check_payment(costs, &gateways()),
                    422154,
                    "approval.feeValue",
                ),
            ] {
                let found = result.err().map(|error| (error.code.number(), error.path));
                let expected = (!good).then(|| (code, path.into()));
                assert_eq!(found, expected, "{transfer}");
            }
        }
    }
}

#[test]
fn only_a_due_payment_is_removed_from_an_order() {
    let gateways = gateways();
    let paid = |actions: &[Value], costs: &Costs| {
        let rest = order(actions).without_payment(costs, &gateways);
        rest.map(|order| order.actions.len())
    };
    let pays = pay(gateways.token, Some(gateways.payment_receiver), "1");
    let gives = pay(gateways.token, Some(A.parse().unwrap()), "1");
    let costs = Costs::default();
    assert_eq!(paid(&[destroy(), pays.clone()], &costs), Some(1));
    assert_eq!(paid(&[destroy(), destroy(), pays.clone()], &costs), Some(2));
    // Nothing is removed if the last transfer has another receiver, or if no payment is due.
    assert_eq!(paid(&[destroy(), gives], &costs), None);
    assert_eq!(paid(&[destroy(), pays.clone()], &Costs::FREE), None);
    assert_eq!(paid(&[pays], &costs), None);
    assert_eq!(paid(&[destroy()], &costs), None);
    assert_eq!(paid(&[], &costs), None);
}
