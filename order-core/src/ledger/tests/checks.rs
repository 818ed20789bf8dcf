//! Tests of the refusals of each check of an order, and of the changes that the actions make.

use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::world::{
    A, B, BARE, C, LEDGER, NOWHERE, W, action, address, applied, changed, gateways, imprint, order,
    world, write,
};
use crate::testing::assert_refused;
use crate::types::{Abilities, Address, Capabilities};
use crate::{Change, Snapshot, apply_order};

/// Changes the world, then asserts that the action is refused with these codes at these fields.
fn refused(change: impl Fn(&mut Snapshot), action: &Value, expected: &[(u32, &str)]) {
    let mut world = world();
    change(&mut world);
    let expected: Vec<(u32, alloc::string::String)> = expected
        .iter()
        .map(|(code, field)| (*code, alloc::format!("order.actions[0].{field}")))
        .collect();
    let expected: Vec<(u32, &str)> = expected.iter().map(|(c, p)| (*c, p.as_str())).collect();
    let result = applied(&world, None, &gateways(), core::slice::from_ref(action));
    assert_refused(result, &expected, action);
}

fn same(_: &mut Snapshot) {}

/// Returns a change that removes abilities from an account on the ledger.
fn without(account: &str, ability: Abilities) -> impl Fn(&mut Snapshot) {
    let key = (address(LEDGER), address(account));
    move |world| {
        let bits = world.abilities[&key].bits() & !ability.bits();
        world
            .abilities
            .insert(key, Abilities::from_bits(bits).unwrap());
    }
}

fn without_capability(list: &'static [u64]) -> impl Fn(&mut Snapshot) {
    move |world| {
        let facts = world.ledgers.get_mut(&address(LEDGER)).unwrap();
        facts.capabilities = Capabilities::from_list(list).unwrap();
    }
}

#[test]
fn creating_needs_a_new_id_and_both_sender_and_proxy_abilities() {
    let proxy = gateways().proxies.create_asset.to_string();
    let create = action(1, json!({}));
    refused(
        without(A, Abilities::ALLOW_CREATE),
        &create,
        &[(422071, "senderId")],
    );
    refused(
        same,
        &action(1, json!({"/senderId": B})),
        &[(422071, "senderId")],
    );
    refused(
        without(&proxy, Abilities::CREATE),
        &create,
        &[(422072, "ledgerId")],
    );
    refused(
        same,
        &action(1, json!({"/assetId": "1"})),
        &[(422013, "assetId")],
    );
    refused(
        same,
        &action(1, json!({"/assetId": "0x2"})),
        &[(422013, "assetId")],
    );
    refused(
        same,
        &action(1, json!({"/ledgerId": BARE, "/assetId": "1"})),
        &[
            (422071, "senderId"),
            (422072, "ledgerId"),
            (422013, "assetId"),
        ],
    );

    let after = changed(&[create]);
    let asset = &after.assets[&(address(LEDGER), 9.into())];
    assert_eq!(asset.owner, address(B));
    assert_eq!(json!(asset.imprint), imprint("9"));
    // Another ledger may use the same id.
    assert!(!world().assets.contains_key(&(address(BARE), 9.into())));
}

#[test]
fn transferring_needs_the_owner_and_its_approval() {
    let transfer = action(2, json!({}));
    let safe = gateways().proxies.safe_transfer_asset;
    let disapproved = |world: &mut Snapshot| {
        world.operators.remove(&(address(LEDGER), address(A), safe));
    };
    refused(disapproved, &transfer, &[(422073, "senderId")]);
    refused(
        same,
        &action(2, json!({"/senderId": C, "/assetId": "2"})),
        &[(422073, "senderId")],
    );
    for edits in [
        json!({"/senderId": B}),
        json!({"/assetId": "2"}),
        json!({"/assetId": "3"}),
    ] {
        refused(same, &action(2, edits), &[(422074, "senderId")]);
    }
    let after = changed(&[transfer]);
    let asset = &after.assets[&(address(LEDGER), 1.into())];
    assert_eq!(asset.owner, address(B));
    assert_eq!(json!(asset.imprint), imprint("1"));
}

#[test]
fn assets_of_ledgers_with_unsafe_recipients_move_by_proxy_2() {
    let mut gateways = gateways();
    gateways.unsafe_recipients.push(address(LEDGER));
    let transfer = [action(2, json!({}))];
    let result = applied(&world(), None, &gateways, &transfer);
    assert_refused(
        result,
        &[(422073, "order.actions[0].senderId")],
        &transfer[0],
    );
    let mut world = world();
    let proxy = gateways.proxies.transfer_asset;
    world.operators.insert((address(LEDGER), address(A), proxy));
    assert!(applied(&world, None, &gateways, &transfer).is_ok());
}

#[test]
fn approval_of_one_asset_is_enough_to_move_it_once() {
    let proxies = gateways().proxies;
    let key = (address(LEDGER), 1.into());
    let approved = |proxy: Option<Address>| {
        move |world: &mut Snapshot| {
            world.operators.clear();
            world.assets.get_mut(&key).unwrap().approved = proxy;
        }
    };
    let transfer = action(2, json!({}));
    for wrong in [None, Some(proxies.destroy_asset), Some(address(B))] {
        refused(approved(wrong), &transfer, &[(422073, "senderId")]);
    }
    // The approval of one asset does not let the proxy destroy it.
    let destroy = action(6, json!({}));
    let destroyer = approved(Some(proxies.destroy_asset));
    refused(destroyer, &destroy, &[(422081, "senderId")]);
    let mut allowed = world();
    approved(Some(proxies.safe_transfer_asset))(&mut allowed);
    let actions = core::slice::from_ref(&transfer);
    assert!(applied(&allowed, None, &gateways(), actions).is_ok());
    // The previous owner's approval does not hold for the new owner.
    let mut world = world();
    approved(Some(proxies.safe_transfer_asset))(&mut world);
    let back = action(2, json!({"/senderId": B, "/receiverId": A}));
    let result = applied(&world, None, &gateways(), &[transfer.clone(), back]);
    assert_refused(result, &[(422073, "order.actions[1].senderId")], &transfer);
    // Updating the imprint does not change the approval.
    let actions = [action(4, json!({})), transfer];
    let changes = applied(&world, None, &gateways(), &actions).unwrap();
    assert_eq!(write(&world, &changes).assets[&key].approved, None);
}

#[test]
fn a_token_may_restrict_its_receivers() {
    let only = |allowed: &[&str]| {
        let allowed = allowed.iter().map(|account| address(account)).collect();
        move |world: &mut Snapshot| world.recipients = Some(BTreeSet::clone(&allowed))
    };
    let transfer = action(3, json!({}));
    refused(only(&[]), &transfer, &[(422910, "receiverId")]);
    refused(only(&[A, C]), &transfer, &[(422910, "receiverId")]);
    refused(
        only(&[A]),
        &action(3, json!({"/value": "101"})),
        &[
            (422075, "value"),
            (422076, "senderId"),
            (422910, "receiverId"),
        ],
    );
    let mut world = world();
    only(&[B])(&mut world);
    assert!(applied(&world, None, &gateways(), core::slice::from_ref(&transfer)).is_ok());
    // The check of a wildcard receiver waits until an account takes its place.
    let anybody = [action(3, json!({"/receiverId": null}))];
    assert!(applied(&world, None, &gateways(), &anybody).is_ok());
    assert!(applied(&world, Some(B), &gateways(), &anybody).is_ok());
    let result = applied(&world, Some(W), &gateways(), &anybody);
    assert_refused(
        result,
        &[(422910, "order.actions[0].receiverId")],
        &transfer,
    );
    // The token's list of receivers applies only to tokens, not to assets.
    only(&[])(&mut world);
    assert!(applied(&world, None, &gateways(), &[action(2, json!({}))]).is_ok());
}

#[test]
fn transferring_value_needs_a_balance_and_an_allowance() {
    refused(
        same,
        &action(3, json!({"/value": "81"})),
        &[(422076, "senderId")],
    );
    refused(
        same,
        &action(3, json!({"/value": "101"})),
        &[(422075, "value"), (422076, "senderId")],
    );
    let poor = |world: &mut Snapshot| {
        world.balances.insert(address(A), 29.into());
    };
    refused(poor, &action(3, json!({})), &[(422075, "value")]);
    refused(
        same,
        &action(3, json!({"/senderId": C, "/value": "5"})),
        &[(422076, "senderId")],
    );
    let rich = |world: &mut Snapshot| {
        world.balances.insert(address(B), crate::Amount::MAX);
    };
    refused(
        rich,
        &action(3, json!({"/value": "1"})),
        &[(422070, "value")],
    );

    let proxy = gateways().proxies.transfer_value;
    let after = changed(&[action(3, json!({"/value": "80"}))]);
    assert_eq!(after.balances[&address(A)], 20.into());
    assert_eq!(after.balances[&address(B)], 80.into());
    assert!(
        !after.allowances.contains_key(&(address(A), proxy)),
        "transfers reduce the allowance"
    );

    // A transfer to oneself changes only the allowance.
    let changes = applied(
        &world(),
        None,
        &gateways(),
        &[action(3, json!({"/receiverId": A}))],
    );
    let change = Change::Allowance {
        owner: address(A),
        spender: proxy,
        old: 80.into(),
        new: 50.into(),
    };
    assert_eq!(changes.unwrap(), [change]);
    // A transfer of zero needs neither balance nor allowance.
    let nothing = action(3, json!({"/senderId": B, "/value": "0"}));
    assert_eq!(
        applied(&world(), None, &gateways(), &[nothing]),
        Ok(Vec::new())
    );
}

#[test]
fn updating_needs_two_abilities_a_capability_and_an_asset() {
    let proxy = gateways().proxies.update_asset.to_string();
    let update = action(4, json!({}));
    refused(
        without(A, Abilities::ALLOW_UPDATE),
        &update,
        &[(422077, "senderId")],
    );
    refused(
        without(&proxy, Abilities::UPDATE),
        &update,
        &[(422078, "ledgerId")],
    );
    refused(
        without_capability(&[1, 3, 4]),
        &update,
        &[(422083, "ledgerId")],
    );
    refused(
        same,
        &action(4, json!({"/assetId": "3"})),
        &[(400005, "assetId")],
    );
    refused(
        same,
        &action(4, json!({"/ledgerId": BARE})),
        &[
            (422077, "senderId"),
            (422078, "ledgerId"),
            (422083, "ledgerId"),
        ],
    );
    // The sender does not have to be the owner.
    let after = changed(&[action(4, json!({"/assetId": "2"}))]);
    let asset = &after.assets[&(address(LEDGER), 2.into())];
    assert_eq!(
        (asset.owner, json!(asset.imprint)),
        (address(C), imprint("4"))
    );
}

#[test]
fn setting_abilities_needs_two_abilities_and_replaces_all() {
    let proxy = gateways().proxies.manage_abilities.to_string();
    let set = action(5, json!({}));
    refused(
        without(A, Abilities::ALLOW_MANAGE),
        &set,
        &[(422062, "senderId")],
    );
    refused(
        without(&proxy, Abilities::MANAGE),
        &set,
        &[(422061, "ledgerId")],
    );
    let key = |account| (address(LEDGER), address(account));
    let after = changed(&[set, action(5, json!({"/abilities": [2]}))]);
    assert_eq!(after.abilities[&key(B)], Abilities::ALLOW_MANAGE);
    let after = changed(&[action(5, json!({"/receiverId": A, "/abilities": []}))]);
    assert!(!after.abilities.contains_key(&key(A)));
}

#[test]
fn proxies_lose_their_abilities_like_any_account() {
    let proxies = gateways().proxies;
    for (proxy, then, code) in [
        (proxies.create_asset, 1, 422072),
        (proxies.update_asset, 4, 422078),
        (proxies.manage_abilities, 5, 422061),
    ] {
        let actions = [
            action(5, json!({"/receiverId": proxy, "/abilities": []})),
            action(then, json!({})),
        ];
        let result = applied(&world(), None, &gateways(), &actions);
        assert_refused(result, &[(code, "order.actions[1].ledgerId")], &actions[0]);
    }
}

#[test]
fn destroying_needs_the_owner_its_approval_and_a_capability() {
    let destroy = action(6, json!({}));
    let proxy = gateways().proxies.destroy_asset;
    let disapproved = |world: &mut Snapshot| {
        world
            .operators
            .remove(&(address(LEDGER), address(A), proxy));
    };
    refused(disapproved, &destroy, &[(422081, "senderId")]);
    refused(
        same,
        &action(6, json!({"/senderId": B})),
        &[(422082, "senderId")],
    );
    refused(
        same,
        &action(6, json!({"/assetId": "3"})),
        &[(422082, "senderId")],
    );
    refused(
        without_capability(&[2, 3, 4]),
        &destroy,
        &[(422084, "ledgerId")],
    );
    refused(
        same,
        &action(6, json!({"/ledgerId": BARE})),
        &[(422081, "senderId"), (422084, "ledgerId")],
    );
    assert!(
        !changed(&[destroy])
            .assets
            .contains_key(&(address(LEDGER), 1.into()))
    );
}

#[test]
fn revoking_needs_the_ability_and_a_capability_whoever_owns_the_asset() {
    let revoke = action(7, json!({}));
    let key = (address(LEDGER), 2.into());
    // The owner, a stranger, and accounts with every other ability.
    for sender in [B, C] {
        let by = action(7, json!({"/senderId": sender}));
        refused(same, &by, &[(422914, "senderId")]);
    }
    refused(
        without(A, Abilities::REVOKE),
        &revoke,
        &[(422914, "senderId")],
    );
    // No approval of the owner stands in for the ability.
    let proxies = gateways().proxies;
    let approved = |world: &mut Snapshot| {
        world.assets.get_mut(&key).unwrap().approved = Some(address(B));
        for operator in [
            address(B),
            proxies.destroy_asset,
            proxies.safe_transfer_asset,
        ] {
            world
                .operators
                .insert((address(LEDGER), address(C), operator));
        }
    };
    let by = action(7, json!({"/senderId": B}));
    refused(approved, &by, &[(422914, "senderId")]);
    // The capability to destroy is another one.
    refused(
        without_capability(&[1, 2, 3]),
        &revoke,
        &[(422915, "ledgerId")],
    );
    refused(
        same,
        &action(7, json!({"/assetId": "3"})),
        &[(400005, "assetId")],
    );
    // A is able on its own ledger only.
    refused(
        same,
        &action(7, json!({"/ledgerId": BARE, "/assetId": "1"})),
        &[(422914, "senderId"), (422915, "ledgerId")],
    );

    // Neither the approvals of the gateway nor the capability to destroy are needed.
    let mut world = world();
    world.operators.clear();
    world
        .ledgers
        .get_mut(&address(LEDGER))
        .unwrap()
        .capabilities = Capabilities::from_list(&[4]).unwrap();
    for asset in ["1", "2"] {
        let revoke = action(7, json!({"/assetId": asset}));
        let changes = applied(&world, None, &gateways(), &[revoke]).unwrap();
        assert_eq!(changes.len(), 1);
        let after = write(&world, &changes);
        assert_eq!(after.assets.len(), world.assets.len() - 1);
    }
}

#[test]
fn an_order_cannot_revoke_with_an_ability_that_it_takes_away_or_revoke_twice() {
    let revoke = action(7, json!({}));
    let take = action(5, json!({"/receiverId": A, "/abilities": [2, 512]}));
    for (actions, error) in [
        (
            [take, revoke.clone()],
            (422914, "order.actions[1].senderId"),
        ),
        (
            [revoke.clone(), revoke.clone()],
            (400005, "order.actions[1].assetId"),
        ),
        (
            [revoke.clone(), action(6, json!({"/assetId": "2"}))],
            (422082, "order.actions[1].senderId"),
        ),
    ] {
        let result = applied(&world(), None, &gateways(), &actions);
        assert_refused(result, &[error], &actions[1]);
    }
    // As after destroying, the id is free again.
    let again = action(1, json!({"/assetId": "2"}));
    let after = changed(&[revoke, again]);
    assert_eq!(after.assets[&(address(LEDGER), 2.into())].owner, address(B));
}

#[test]
fn a_ledger_must_fit_the_kind_of_action() {
    let token = gateways().token;
    let actions: Vec<Value> = (1..=7)
        .flat_map(|kind| {
            let other = if kind == 3 {
                json!(LEDGER)
            } else {
                json!(token)
            };
            [json!(NOWHERE), other].map(|ledger| action(kind, json!({"/ledgerId": ledger})))
        })
        .collect();
    let order = order(&actions);
    let mut world = world();
    // The token is not an asset ledger, even if it is stored among them.
    world.ledgers.insert(token, crate::LedgerFacts::default());
    let errors = order.unknown_ledgers(&gateways(), &world);
    assert_eq!(errors.len(), 14);
    for (index, error) in errors.iter().enumerate() {
        assert_eq!(error.code.number(), 400004);
        assert_eq!(
            error.path,
            alloc::format!("order.actions[{index}].ledgerId")
        );
    }
    assert_eq!(apply_order(&order, None, &gateways(), &world), Err(errors));
}
