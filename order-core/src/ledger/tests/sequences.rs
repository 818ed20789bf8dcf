//! Tests of orders with several actions, and of orders with a wildcard.

use alloc::vec::Vec;

use serde_json::json;

use super::world::{
    A, B, BARE, C, LEDGER, W, action, address, applied, changed, gateways, imprint, world, write,
};
use crate::Asset;
use crate::testing::assert_refused;

#[test]
fn actions_are_checked_against_the_results_of_earlier_actions() {
    // A creates the asset for itself, because another owner could not transfer it without approving the proxy.
    let after = changed(&[
        action(1, json!({"/receiverId": A})),
        action(2, json!({"/assetId": "9", "/receiverId": A})),
        action(4, json!({"/assetId": "9"})),
        action(2, json!({"/assetId": "9", "/receiverId": C})),
        action(6, json!({})),
        action(1, json!({"/assetId": "1", "/receiverId": C})),
    ]);
    let asset = |id: u128| after.assets[&(address(LEDGER), id.into())].clone();
    let with = |owner, digit: &str| Asset {
        owner: address(owner),
        imprint: imprint(digit).as_str().unwrap().parse().unwrap(),
        approved: None,
    };
    assert_eq!(asset(9), with(C, "4"));
    assert_eq!(asset(1), with(C, "9"));

    for (actions, code, path) in [
        (
            [action(2, json!({})), action(2, json!({}))],
            422074,
            "order.actions[1].senderId",
        ),
        (
            [action(6, json!({})), action(6, json!({}))],
            422082,
            "order.actions[1].senderId",
        ),
        (
            [action(1, json!({})), action(1, json!({}))],
            422013,
            "order.actions[1].assetId",
        ),
        (
            [action(6, json!({})), action(4, json!({}))],
            400005,
            "order.actions[1].assetId",
        ),
        (
            [
                action(3, json!({"/value": "50"})),
                action(3, json!({"/value": "31"})),
            ],
            422076,
            "order.actions[1].senderId",
        ),
        (
            [
                action(5, json!({"/receiverId": A, "/abilities": []})),
                action(4, json!({})),
            ],
            422077,
            "order.actions[1].senderId",
        ),
    ] {
        assert_refused(
            applied(&world(), None, &gateways(), &actions),
            &[(code, path)],
            &actions[1],
        );
    }
}

#[test]
fn a_refused_action_has_no_effect() {
    let actions = [
        // B has no ability, so this action fails, and the next action finds no asset.
        action(1, json!({"/senderId": B, "/receiverId": A})),
        action(2, json!({"/assetId": "9"})),
        // The balance is too small, so this action fails, and the next action finds the full balance.
        action(3, json!({"/value": "90"})),
        action(3, json!({"/value": "80"})),
    ];
    let expected = [
        (422071, "order.actions[0].senderId"),
        (422074, "order.actions[1].senderId"),
        (422076, "order.actions[2].senderId"),
    ];
    assert_refused(
        applied(&world(), None, &gateways(), &actions),
        &expected,
        &json!(actions),
    );
}

#[test]
fn actions_that_cancel_out_write_nothing() {
    let actions = [
        action(2, json!({"/receiverId": A})),
        action(4, json!({"/assetImprint": imprint("1")})),
        action(1, json!({"/receiverId": A})),
        action(6, json!({"/assetId": "9"})),
        action(5, json!({"/abilities": [16]})),
        action(5, json!({"/abilities": []})),
    ];
    assert_eq!(
        applied(&world(), None, &gateways(), &actions),
        Ok(Vec::new())
    );
}

#[test]
fn checks_of_the_wildcard_wait_for_its_account() {
    let empty = json!(null);
    let actions = [
        action(1, json!({"/senderId": empty})),
        action(2, json!({"/senderId": empty})),
        action(
            3,
            json!({"/senderId": empty, "/receiverId": C, "/value": "1000"}),
        ),
        action(4, json!({"/senderId": empty, "/assetId": "2"})),
        action(5, json!({"/senderId": empty})),
        action(6, json!({"/senderId": empty, "/assetId": "2"})),
    ];
    assert!(applied(&world(), None, &gateways(), &actions).is_ok());
    let expected = [
        (422071, "order.actions[0].senderId"),
        (422074, "order.actions[1].senderId"),
        (422075, "order.actions[2].value"),
        (422076, "order.actions[2].senderId"),
        (422077, "order.actions[3].senderId"),
        (422062, "order.actions[4].senderId"),
        (422082, "order.actions[5].senderId"),
    ];
    assert_refused(
        applied(&world(), Some(W), &gateways(), &actions),
        &expected,
        &json!(actions),
    );

    // Checks of other accounts do not wait.
    let actions = [
        action(1, json!({"/senderId": empty, "/assetId": "1"})),
        action(4, json!({"/senderId": empty, "/ledgerId": BARE})),
        action(5, json!({"/senderId": empty, "/ledgerId": BARE})),
        action(6, json!({"/senderId": empty, "/ledgerId": BARE})),
        action(2, json!({"/receiverId": empty, "/senderId": B})),
    ];
    let expected = [
        (422013, "order.actions[0].assetId"),
        (422078, "order.actions[1].ledgerId"),
        (422083, "order.actions[1].ledgerId"),
        (422061, "order.actions[2].ledgerId"),
        (422084, "order.actions[3].ledgerId"),
        (422074, "order.actions[4].senderId"),
    ];
    assert_refused(
        applied(&world(), None, &gateways(), &actions),
        &expected,
        &json!(actions),
    );
}

#[test]
fn later_actions_see_the_wildcards_transfers() {
    let empty = json!(null);
    // C spends tokens that the wildcard will pay.
    let mut world = world();
    let proxy = gateways().proxies.transfer_value;
    world.allowances.insert((address(C), proxy), 1000.into());
    let actions = [
        action(
            3,
            json!({"/senderId": empty, "/receiverId": C, "/value": "500"}),
        ),
        action(3, json!({"/senderId": C, "/value": "505"})),
    ];
    assert!(applied(&world, None, &gateways(), &actions).is_ok());
    // After the wildcard gets the asset, A is no longer its owner.
    let actions = [
        action(2, json!({"/receiverId": empty})),
        action(2, json!({})),
    ];
    let result = applied(&world, None, &gateways(), &actions);
    assert_refused(
        result,
        &[(422074, "order.actions[1].senderId")],
        &json!(actions),
    );
    // With a known account, the change names the account.
    let changes = applied(&world, Some(W), &gateways(), &actions[..1]).unwrap();
    assert_eq!(
        write(&world, &changes).assets[&(address(LEDGER), 1.into())].owner,
        address(W)
    );
}
