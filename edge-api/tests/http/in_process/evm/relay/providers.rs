//! Providers that lie, lag, or do not answer.

use serde_json::json;

use super::{Scene, lying, swallow};
use crate::support::anvil::quantity;

#[test]
fn one_lying_provider_cannot_decide_the_status_of_an_order() {
    let scene = Scene::new(&[]);
    let [first, second] = &scene.providers;
    let order = scene.order();
    // The first provider lies: every request was performed, five more nonces were used, and there are no logs and no receipts.
    first.behave(lying(|call, result| match call["method"].as_str() {
        Some("eth_call") if result.as_str().is_some_and(|text| text.len() == 66) => {
            *result = json!(format!("0x{:064x}", 1));
        }
        Some("eth_getTransactionCount") => {
            *result = json!(format!("{:#x}", quantity(result) + 5));
        }
        Some("eth_getLogs") => *result = json!([]),
        Some("eth_getTransactionReceipt") => *result = json!(null),
        _ => {}
    }));
    second.behave(|calls, ask| Some(swallow(calls, ask)));
    scene.work();
    for _ in 0..15 {
        scene.anvil.mine();
        scene.try_work();
    }
    assert!(
        [1, 2].contains(&scene.status(&order)),
        "{:?}",
        scene.path(&order)
    );
    first.recover();
    second.recover();
    scene.world.host.advance(31_000);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.relayer()["next_nonce"], scene.nonce());
}

#[test]
fn one_lying_provider_cannot_use_up_nonces() {
    let scene = Scene::new(&[]);
    let [first, second] = &scene.providers;
    let next = scene.nonce() + 1;
    let order = scene.order();
    scene.work();
    scene.drop_from_pool(&order);
    // The first provider lies: five more nonces were used, but no request was performed.
    first.behave(lying(|call, result| match call["method"].as_str() {
        Some("eth_call") if result.as_str().is_some_and(|text| text.len() == 66) => {
            *result = json!(format!("0x{:064x}", 0));
        }
        Some("eth_getTransactionCount") => {
            *result = json!(format!("{:#x}", quantity(result) + 5));
        }
        _ => {}
    }));
    second.behave(|calls, ask| Some(swallow(calls, ask)));
    for _ in 0..15 {
        scene.anvil.mine();
        scene.try_work();
    }
    assert_eq!(scene.path(&order), [2]);
    assert_eq!(scene.relayer()["next_nonce"], next);
    assert!(!scene.lines("relayer.providers-disagree").is_empty());
    first.recover();
    second.recover();
    scene.world.host.advance(31_000);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.nonce(), next);
}

#[test]
fn an_outage_of_all_providers_uses_no_attempt() {
    let scene = Scene::new(&[]);
    let [sent, waiting] = scene.orders();
    scene.rows(
        "UPDATE records SET due_at = due_at + 1000 WHERE ref = ?1",
        &waiting,
    );
    scene.work();
    assert_eq!((scene.status(&sent), scene.status(&waiting)), (2, 1));
    for provider in &scene.providers {
        provider.go_down();
    }
    for _ in 0..20 {
        scene.anvil.mine();
        scene.try_work();
    }
    for order in [&sent, &waiting] {
        let record = scene.record(order);
        assert_eq!(
            (&record["attempts"], &record["faults"]),
            (&json!(0), &json!(0))
        );
    }
    assert_eq!((scene.status(&sent), scene.status(&waiting)), (2, 1));
    for provider in &scene.providers {
        provider.recover();
    }
    scene.world.host.advance(31_000);
    scene.until(7, [&sent, &waiting]);
    scene.performed_once([&sent, &waiting]);
}

#[test]
fn one_provider_suffices_to_send_but_finality_needs_two() {
    let scene = Scene::new(&[]);
    let [first, _] = &scene.providers;
    first.go_down();
    let order = scene.order();
    scene.work();
    scene.blocks(10);
    assert_eq!((scene.status(&order), scene.performances(&order)), (3, 1));
    first.recover();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
}

#[test]
fn transactions_that_providers_withhold_for_long_are_performed_once() {
    let scene = Scene::new(&[("INFLIGHT", "3")]);
    let before = scene.nonce();
    for provider in &scene.providers {
        provider.behave(|calls, ask| Some(swallow(calls, ask)));
    }
    let orders: [String; 5] = scene.orders();
    scene.work();
    scene.blocks(40);
    let mut statuses = orders.each_ref().map(|order| scene.status(order));
    statuses.sort_unstable();
    assert_eq!(statuses, [1, 1, 2, 2, 2]);
    for provider in &scene.providers {
        provider.recover();
    }
    scene.until(7, &orders);
    scene.performed_once(&orders);
    assert_eq!(scene.nonce(), before + 5);
}
