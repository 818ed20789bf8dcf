//! A provider that lies about data that no log contains: the imprints of new assets, and the URI prefixes of ledgers.

use alloy_primitives::hex;
use order_core::AssetId;
use order_core::chain::views;
use serde_json::{Value, json};

use super::lies::{QUICK, Sent, among_three, pass};
use super::truth::{indexed, same};
use super::{SETTINGS, Scene, index_all, lines, rows};
use crate::support::anvil::{Arg, Provider};
use crate::support::native::{Service, block_on};

/// Makes a provider answer each call of a contract function with `answer`.
fn lie_about(provider: &Provider, function: [u8; 4], answer: &str) {
    let (function, answer) = (hex::encode_prefixed(function), answer.to_owned());
    provider.behave(move |calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            let data = call["params"][0]["data"].as_str().unwrap_or_default();
            if call["method"] != "eth_call" || !data.starts_with(&function) {
                continue;
            }
            let list = answers.as_array_mut().unwrap().iter_mut();
            let found = list.into_iter().find(|answer| answer["id"] == call["id"]);
            found.unwrap()["result"] = json!(answer);
        }
        Some(answers)
    });
}

fn selector(call: &order_core::chain::Call) -> [u8; 4] {
    call.data[..4].try_into().unwrap()
}

fn of_imprints() -> [u8; 4] {
    let ledger = order_core::Address::from_bytes([7; 20]).unwrap();
    selector(&views::imprint(ledger, &"1".parse::<AssetId>().unwrap()).call)
}

fn of_prefixes() -> [u8; 4] {
    let ledger = order_core::Address::from_bytes([7; 20]).unwrap();
    selector(&views::uri_prefix(ledger).call)
}

/// Returns the data that `tokenURIIntegrity` would return for an imprint that no asset of these tests has.
fn other_imprint() -> String {
    let function = "sha256";
    let digest = "ab".repeat(32);
    let text = hex::encode(function);
    format!(
        "0x{:064x}{:064x}{:064x}{digest}{:064x}{text:0<64}",
        64,
        128,
        32,
        function.len()
    )
}

const OTHER_PREFIX: &str = "https://liar.example/";

/// Returns the data that a contract function returns for [`OTHER_PREFIX`].
fn other_prefix() -> String {
    let text = hex::encode(OTHER_PREFIX);
    format!("0x{:064x}{:064x}{text:0<64}", 32, OTHER_PREFIX.len())
}

fn prefixes(scene: &Scene) -> Vec<Value> {
    let found = rows(
        &scene.service.borrow().database,
        "SELECT DISTINCT uri_prefix FROM ledgers",
    );
    found.iter().map(|row| row["uri_prefix"].clone()).collect()
}

#[test]
fn a_false_imprint_from_one_of_three_providers_is_corrected_before_finality() {
    let mut scene = among_three(QUICK);
    let sent = Sent::new(&mut scene);
    let lied = scene.play.anvil.head() + 1;
    lie_about(&scene.providers[0], of_imprints(), &other_imprint());
    scene.play.anvil.mine();
    assert!(scene.look());
    // The lie is in the index.
    let found = indexed(&scene.service.borrow().database);
    assert_ne!(found["assets"], scene.truth()["assets"]);
    pass(&scene, &sent, lied, 8);
    assert_eq!(sent.status(&scene), 7);
    assert!(scene.settled() > lied);
    scene.index_all();
    scene.check();
    assert_eq!(scene.lines("chain.data-untrue"), 1);
}

#[test]
fn a_false_prefix_from_one_of_three_providers_is_corrected_before_finality() {
    let mut scene = among_three(QUICK);
    scene.play.anvil.mine_many(4);
    scene.index_all();
    let lied = scene.play.anvil.head() + 1;
    lie_about(&scene.providers[0], of_prefixes(), &other_prefix());
    scene.stock();
    assert!(scene.look());
    assert_eq!(prefixes(&scene), [OTHER_PREFIX]);
    for _ in 0..8 {
        scene.play.anvil.mine();
        scene.look();
        if scene.settled() >= lied {
            assert_ne!(prefixes(&scene), [OTHER_PREFIX]);
        }
    }
    assert!(scene.settled() > lied);
    assert_eq!(prefixes(&scene).len(), 1);
    assert_eq!(scene.lines("chain.data-untrue"), 1);
}

#[test]
fn no_block_is_final_while_one_of_two_providers_forges_an_imprint() {
    for liar in [0, 1] {
        let mut scene = Scene::new(QUICK, 1);
        let sent = Sent::new(&mut scene);
        let lied = scene.play.anvil.head() + 1;
        lie_about(&scene.providers[liar], of_imprints(), &other_imprint());
        for _ in 0..8 {
            scene.play.anvil.mine();
            scene.look();
            assert!(scene.settled() < lied);
            assert_ne!(sent.status(&scene), 7);
        }
        assert_eq!((scene.undone(), scene.lines("chain.data-untrue")), (0, 0));
        assert_eq!(scene.lines("chain.not-final"), 1);
        scene.providers[liar].recover();
        pass(&scene, &sent, lied, 6);
        assert_eq!(sent.status(&scene), 7);
        // Only the first provider's lie reached the index.
        let corrected = if liar == 0 { 1 } else { 0 };
        assert_eq!(scene.lines("chain.data-untrue"), corrected);
        scene.index_all();
        scene.check();
    }
}

#[test]
fn an_asset_that_changes_later_is_compared_with_its_first_imprint() {
    let mut scene = Scene::new(QUICK, 1);
    scene.stock();
    let created = scene.play.anvil.head();
    let [(ledger, changed), (_, destroyed)] = scene.play.assets[..] else {
        panic!("there are two assets");
    };
    let (owner, holder) = (
        scene.play.people[0].id(),
        scene.play.owner_of((ledger, destroyed)).unwrap(),
    );
    scene.look();
    let args = [Arg::Number(changed.into()), Arg::Number(9)];
    let function = "updateTokenURIIntegrityDigest(uint256,bytes32)";
    scene.play.direct(owner, ledger, function, &args);
    let args = [Arg::Number(destroyed.into())];
    scene.play.direct(holder, ledger, "destroy(uint256)", &args);
    scene.play.anvil.mine();
    scene.look();
    // The block of the creation becomes final first, and then the block of the changes.
    for _ in 0..4 {
        scene.play.anvil.mine();
        assert!(scene.look());
    }
    assert!(scene.settled() > created);
    scene.check();
    assert_eq!((scene.undone(), scene.lines("chain.data-untrue")), (0, 0));
}

#[test]
fn a_first_start_waits_until_a_quorum_agrees_on_the_imprints() {
    let mut scene = Scene::new(SETTINGS, 3);
    scene.stock();
    scene.play.anvil.mine_many(20);
    let (cold, providers) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    lie_about(&providers[0], of_imprints(), &other_imprint());
    for _ in 0..6 {
        cold.clock.advance(1_000);
        let app = cold.app();
        let message = app.on_message(&edge_api::ports::Job::Follow);
        assert!(block_on(message).is_err());
    }
    assert!(indexed(&cold.database)["assets"].is_empty());
    providers[0].recover();
    index_all(&cold, &scene.play.anvil);
    same(&indexed(&cold.database), &scene.truth());
    assert_eq!(lines(&cold, "chain.data-untrue"), 0);
}

#[test]
fn a_provider_alone_cannot_change_the_prefix_of_a_ledger() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let before = prefixes(&scene);
    lie_about(&scene.providers[0], of_prefixes(), &other_prefix());
    scene.service.borrow().clock.advance(3_600_000);
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(prefixes(&scene), before);
    assert_eq!(scene.lines("chain.uri-unconfirmed"), 1);
    assert_eq!(scene.lines("chain.uri-changed"), 0);
}
