//! Tests of the changes that deployments, approvals, credits and debits make, and of the reasons to refuse requests.

use alloc::vec::Vec;

use serde_json::{Value, json};

use super::world::{A, B, BARE, C, LEDGER, NOWHERE, address, gateways, read, total, world, write};
use crate::testing::{assert_refused, edited};
use crate::types::{Abilities, Amount};
use crate::{
    Approval, Change, Deploy, FieldError, Snapshot, apply_approval, apply_credit, apply_debit,
    apply_deployment,
};

fn deploy(edits: &Value) -> Deploy {
    let good = json!({
        "makerId": A,
        "assetLedgerData": {
            "name": "Name", "symbol": "N", "uriPrefix": "https://example.com/", "uriPostfix": "",
            "schemaId": "3f4a0870cd6039e6c987b067b0d28de54efea17449175d7a8cd6ec10ab23cc5d",
            "capabilities": [2], "ownerId": C,
        },
        "tokenTransferData": {"ledgerId": gateways().token, "receiverId": B, "value": "60"},
        "seed": 1,
        "expiration": 4_102_444_800_000_u64,
    });
    serde_json::from_value(edited(&good, edits)).unwrap()
}

fn deployed(world: &Snapshot, edits: &Value) -> Result<Vec<Change>, Vec<FieldError>> {
    let deploy = deploy(edits);
    let part = read(world, &deploy.read_set(&gateways()));
    apply_deployment(&deploy, Some(address(NOWHERE)), &gateways(), &part)
}

#[test]
fn a_new_ledger_starts_like_the_original_contracts() {
    let (before, proxies) = (world(), gateways().proxies);
    let changes = deployed(&before, &json!({})).unwrap();
    let ledger = address(NOWHERE);
    assert!(
        matches!(&changes[0], Change::LedgerCreated { ledger: made, data }
            if *made == ledger && *data == deploy(&json!({})).asset_ledger_data)
    );
    let after = write(&before, &changes);
    let bits = |account| after.abilities[&(ledger, account)].bits();
    assert_eq!(bits(address(C)), 2047);
    assert_eq!(bits(proxies.create_asset), 16);
    assert_eq!(bits(proxies.update_asset), 128);
    assert_eq!(bits(proxies.manage_abilities), 1);
    let on_new = |key: &&(_, _)| key.0 == ledger;
    assert_eq!(after.abilities.keys().filter(on_new).count(), 4);
    for proxy in [proxies.safe_transfer_asset, proxies.destroy_asset] {
        assert!(after.operators.contains(&(ledger, address(C), proxy)));
    }
    assert_eq!(after.operators.len(), before.operators.len() + 2);
    assert_eq!(after.balances[&address(A)], 40.into());
    assert_eq!(after.balances[&address(B)], 60.into());
    assert_eq!(
        after.allowances[&(address(A), proxies.transfer_value)],
        20.into()
    );
    assert_eq!(total(&after), total(&before));
}

#[test]
fn an_owner_that_is_a_proxy_has_the_abilities_of_both() {
    let proxy = gateways().proxies.create_asset;
    let changes = deployed(&world(), &json!({"/assetLedgerData/ownerId": proxy})).unwrap();
    let after = write(&world(), &changes);
    assert_eq!(after.abilities[&(address(NOWHERE), proxy)], Abilities::ALL);
}

#[test]
fn a_deployment_is_paid_from_balance_and_allowance() {
    let value = "deploy.tokenTransferData.value";
    for (edits, expected) in [
        (
            json!({"/tokenTransferData/value": "81"}),
            &[(422080, "deploy.makerId")][..],
        ),
        (
            json!({"/tokenTransferData/value": "101"}),
            &[(422079, value), (422080, "deploy.makerId")],
        ),
        (
            json!({"/makerId": B}),
            &[(422079, value), (422080, "deploy.makerId")],
        ),
        (
            json!({"/tokenTransferData/ledgerId": LEDGER}),
            &[(422055, "deploy.tokenTransferData.ledgerId")],
        ),
    ] {
        assert_refused(deployed(&world(), &edits), expected, &edits);
    }
    let mut poor = world();
    poor.balances.insert(address(A), 59.into());
    assert_refused(
        deployed(&poor, &json!({})),
        &[(422079, value)],
        &json!("poor"),
    );
    let mut full = world();
    full.balances.insert(address(B), Amount::MAX);
    assert_refused(
        deployed(&full, &json!({})),
        &[(422055, value)],
        &json!("full"),
    );
}

#[test]
fn payments_go_to_receivers_that_the_token_allows() {
    let mut world = world();
    world.recipients = Some([address(A)].into());
    let path = "deploy.tokenTransferData.receiverId";
    assert_refused(
        deployed(&world, &json!({})),
        &[(422910, path)],
        &json!("deploy"),
    );
    let path = "approval.tokenTransferData.receiverId";
    let result = approved(&world, &operator(&json!({})));
    assert_refused(result, &[(422910, path)], &json!("kind 7"));
    // The token itself moves the fee of kind 8, so any receiver is allowed.
    assert!(approved(&world, &value(&json!({}))).is_ok());

    world.recipients = Some([address(B), address(C)].into());
    assert!(deployed(&world, &json!({})).is_ok());
    assert!(approved(&world, &operator(&json!({}))).is_ok());
}

fn operator(edits: &Value) -> Approval {
    let good = json!({
        "kind": 7, "ledgerId": LEDGER, "owner": A, "operator": B, "isOperator": true,
        "tokenTransferData": {"ledgerId": gateways().token, "receiverId": C, "value": "50"},
        "seed": 1, "expiration": 4_102_444_800_000_u64,
    });
    serde_json::from_value(edited(&good, edits)).unwrap()
}

fn value(edits: &Value) -> Approval {
    let good = json!({
        "kind": 8, "ledgerId": gateways().token, "approver": A, "spender": B, "value": "70",
        "feeRecipient": C, "feeValue": "100", "seed": 1, "expiration": 4_102_444_800_000_u64,
    });
    serde_json::from_value(edited(&good, edits)).unwrap()
}

fn approved(world: &Snapshot, approval: &Approval) -> Result<Vec<Change>, Vec<FieldError>> {
    let part = read(world, &approval.read_set());
    apply_approval(approval, &gateways(), &part)
}

#[test]
fn the_owner_sets_and_removes_an_operator_and_pays() {
    let before = world();
    let after = write(&before, &approved(&before, &operator(&json!({}))).unwrap());
    let key = (address(LEDGER), address(A), address(B));
    assert!(after.operators.contains(&key));
    assert_eq!(after.balances[&address(A)], 50.into());
    assert_eq!(after.balances[&address(C)], 55.into());
    assert!(
        !after
            .allowances
            .contains_key(&(address(A), address(LEDGER)))
    );
    assert_eq!(total(&after), total(&before));

    let free = |on| json!({"/isOperator": on, "/tokenTransferData/value": "0"});
    // Approving an operator a second time changes nothing.
    assert_eq!(approved(&after, &operator(&free(true))), Ok(Vec::new()));
    let back = write(&after, &approved(&after, &operator(&free(false))).unwrap());
    assert_eq!(back.operators, before.operators);
}

#[test]
fn operator_approvals_need_a_ledger_and_a_payment() {
    let paid = "approval.tokenTransferData.value";
    for (edits, expected) in [
        (
            json!({"/ledgerId": NOWHERE}),
            &[(422127, "approval.ledgerId")][..],
        ),
        (
            json!({"/ledgerId": gateways().token}),
            &[(422127, "approval.ledgerId")],
        ),
        (
            json!({"/tokenTransferData/ledgerId": LEDGER}),
            &[(422134, "approval.tokenTransferData.ledgerId")],
        ),
        (
            json!({"/tokenTransferData/value": "51"}),
            &[(422142, "approval.owner")],
        ),
        (
            json!({"/tokenTransferData/value": "101"}),
            &[(422141, paid), (422142, "approval.owner")],
        ),
        // The owner has an allowance for a different ledger only.
        (json!({"/ledgerId": BARE}), &[(422142, "approval.owner")]),
        (
            json!({"/owner": C}),
            &[(422141, paid), (422142, "approval.owner")],
        ),
    ] {
        assert_refused(approved(&world(), &operator(&edits)), expected, &edits);
    }
    let mut full = world();
    full.balances.insert(address(C), Amount::MAX);
    assert_refused(
        approved(&full, &operator(&json!({}))),
        &[(422134, paid)],
        &json!("full"),
    );
}

#[test]
fn an_allowance_is_set_and_its_fee_needs_no_allowance() {
    let before = world();
    let after = write(&before, &approved(&before, &value(&json!({}))).unwrap());
    assert_eq!(after.allowances[&(address(A), address(B))], 70.into());
    assert!(!after.balances.contains_key(&address(A)));
    assert_eq!(after.balances[&address(C)], 105.into());
    assert_eq!(total(&after), total(&before));
    // An approval replaces the allowance. It can also set it to zero.
    let free = |amount: &str| value(&json!({"/value": amount, "/feeValue": "0"}));
    let lower = write(&after, &approved(&after, &free("3")).unwrap());
    assert_eq!(lower.allowances[&(address(A), address(B))], 3.into());
    let none = write(&lower, &approved(&lower, &free("0")).unwrap());
    assert_eq!(none.allowances, before.allowances);
}

#[test]
fn value_approvals_need_the_token_and_a_fee() {
    let fee = "approval.feeValue";
    for (edits, expected) in [
        (
            json!({"/ledgerId": LEDGER}),
            &[(422145, "approval.ledgerId")][..],
        ),
        (
            json!({"/ledgerId": NOWHERE}),
            &[(422145, "approval.ledgerId")],
        ),
        (json!({"/feeValue": "101"}), &[(422148, fee)]),
        (json!({"/approver": B}), &[(422148, fee)]),
    ] {
        assert_refused(approved(&world(), &value(&edits)), expected, &edits);
    }
    let mut full = world();
    full.balances.insert(address(C), Amount::MAX);
    assert_refused(
        approved(&full, &value(&json!({}))),
        &[(422154, fee)],
        &json!("full"),
    );
}

#[test]
fn credits_are_usable_at_once_and_debits_stop_at_zero() {
    let (before, gateways) = (world(), gateways());
    let key = (address(B), gateways.proxies.transfer_value);
    let credited = apply_credit(address(B), 9.into(), &gateways, &before).unwrap();
    let after = write(&before, &credited);
    assert_eq!(
        (after.balances[&key.0], after.allowances[&key]),
        (9.into(), 9.into())
    );
    let debited = write(
        &after,
        &apply_debit(address(B), 4.into(), &gateways, &after),
    );
    assert_eq!(
        (debited.balances[&key.0], debited.allowances[&key]),
        (5.into(), 5.into())
    );
    assert_eq!(
        write(
            &debited,
            &apply_debit(address(B), 6.into(), &gateways, &debited)
        ),
        before
    );

    let mut full = world();
    full.balances.insert(address(B), Amount::MAX);
    let error = apply_credit(address(B), 1.into(), &gateways, &full).unwrap_err();
    assert_eq!(error.code.number(), 500000);
    // An unlimited allowance stays unlimited.
    full.balances.clear();
    full.allowances.insert(key, Amount::MAX);
    let after = write(
        &full,
        &apply_credit(address(B), 1.into(), &gateways, &full).unwrap(),
    );
    assert_eq!(after.allowances[&key], Amount::MAX);
}
