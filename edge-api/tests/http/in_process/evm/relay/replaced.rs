//! Transactions that no block includes, and blocks that the chain loses.

use serde_json::json;

use super::{Scene, swallow};

const GWEI: u64 = 1_000_000_000;

#[test]
fn a_transaction_that_is_too_cheap_is_replaced_at_a_higher_price() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let order = scene.order();
    scene.work();
    scene.anvil.set_base_fee(50 * GWEI);
    scene.blocks(5);
    assert_eq!((scene.nonce(), scene.signed(&order).len()), (before, 1));
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.nonce(), before + 1);
    let signed = scene.signed(&order);
    assert_eq!(signed.len(), 2);
    let [first, second] = [0, 1].map(|place: usize| {
        ["max_fee", "tip"].map(|part| {
            signed[place][part]
                .as_str()
                .unwrap()
                .parse::<u128>()
                .unwrap()
        })
    });
    assert!(second[0] * 8 >= first[0] * 9 && second[1] * 8 >= first[1] * 9);
    assert_eq!(scene.record(&order)["tx_hash"], signed[1]["tx_hash"]);
    assert_eq!(scene.path(&order), [2, 3, 7]);
}

#[test]
fn a_higher_priority_raises_the_price_after_fewer_blocks() {
    let scene = Scene::new(&[]);
    let blocks = [1, 2, 3, 4].map(|priority| {
        let mut body = scene.creation();
        body["priority"] = json!(priority);
        let order = scene.post("/orders", &body);
        for provider in &scene.providers {
            provider.behave(|calls, ask| Some(swallow(calls, ask)));
        }
        scene.work();
        let waited = (1..20).find(|_| {
            scene.blocks(1);
            scene.signed(&order).len() == 2
        });
        for provider in &scene.providers {
            provider.recover();
        }
        scene.until(7, [&order]);
        waited
    });
    assert_eq!(blocks, [12, 6, 3, 2].map(Some));
}

#[test]
fn a_price_never_exceeds_the_cap() {
    let scene = Scene::new(&[("FEE_CAP_GWEI", "3")]);
    let order = scene.order();
    for provider in &scene.providers {
        provider.behave(|calls, ask| Some(swallow(calls, ask)));
    }
    scene.work();
    scene.blocks(60);
    let signed = scene.signed(&order);
    let prices = signed
        .iter()
        .map(|tx| tx["max_fee"].as_str().unwrap().parse::<u64>().unwrap());
    let highest = prices.max().unwrap();
    assert!(highest <= 3 * GWEI, "{highest}");
    for provider in &scene.providers {
        provider.recover();
    }
    scene.until(7, [&order]);
    scene.performed_once([&order]);
}

#[test]
fn a_transaction_that_nodes_forget_is_sent_again() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let order = scene.order();
    scene.work();
    scene.drop_from_pool(&order);
    scene.anvil.mine();
    assert_eq!(scene.nonce(), before);
    scene.work();
    scene.anvil.mine();
    assert_eq!(scene.nonce(), before + 1);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!((scene.nonce(), scene.signed(&order).len()), (before + 1, 1));
}

#[test]
fn a_reorganisation_returns_an_order_to_processing_with_the_same_transaction() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let order = scene.order();
    scene.work();
    scene.blocks(2);
    assert_eq!(scene.status(&order), 3);
    scene.anvil.rpc("anvil_reorg", json!([2, []]));
    assert_eq!(scene.performances(&order), 0);
    scene.blocks(1);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.path(&order), [2, 3, 2, 3, 7]);
    assert_eq!(scene.signed(&order).len(), 1);
}

#[test]
fn orders_in_blocks_that_the_chain_loses_are_performed_again() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let snapshot = scene.anvil.rpc("evm_snapshot", json!([]));
    let orders: [String; 3] = scene.orders();
    scene.work();
    scene.blocks(2);
    assert!(orders.iter().all(|order| scene.status(order) == 3));
    scene.anvil.rpc("evm_revert", json!([snapshot]));
    scene.anvil.rpc("evm_setAutomine", json!([false]));
    scene.blocks(1);
    scene.until(7, &orders);
    scene.performed_once(&orders);
    for order in &orders {
        assert_eq!(scene.signed(order).len(), 1);
    }
}

#[test]
fn an_order_that_expires_in_the_pool_frees_its_nonce() {
    let scene = Scene::new(&[("FEE_CAP_GWEI", "900")]);
    let before = scene.nonce();
    let mut body = scene.creation();
    body["order"]["expiration"] = json!(scene.world.host.now() + 20_000);
    scene.world.sign(&mut body, &[&scene.owner]);
    let expiring = scene.post("/orders", &body);
    scene.work();
    let other = scene.order();
    scene.work();
    scene.anvil.set_base_fee(400 * GWEI);
    scene.world.host.advance(60_000);
    scene.until(4, [&expiring]);
    scene.until(7, [&other]);
    scene.performed_once([&other]);
    let error = scene.record(&expiring);
    assert_eq!(error["error_code"], 422_900);
    assert!(error["error_message"].as_str().unwrap().contains("expired"));
    assert_eq!(scene.path(&expiring), [2, 4]);
    assert_eq!(scene.nonce(), before + 2);
    assert_eq!(scene.performances(&expiring), 0);
    let signed = scene.signed(&expiring);
    assert_eq!(signed.last().unwrap()["is_empty"], 1, "{signed:#?}");
}

#[test]
fn an_order_that_expires_within_three_blocks_is_not_signed() {
    let scene = Scene::new(&[]);
    let mut body = scene.creation();
    body["order"]["expiration"] = json!(scene.world.host.now() + 5_000);
    scene.world.sign(&mut body, &[&scene.owner]);
    let order = scene.post("/orders", &body);
    scene.service.borrow().queue.lose();
    scene.anvil.mine_many(2);
    scene.work();
    assert_eq!((scene.status(&order), scene.signed(&order).len()), (1, 0));
    scene.until(4, [&order]);
    assert_eq!(scene.signed(&order).len(), 0);
}
