//! Orders that wait together are simulated in one request and signed in one database transaction.

use super::Scene;
use crate::in_process::evm::index::ranges::add_multicall;

/// Returns the nonce of each order, in the order of the list.
fn nonces(scene: &Scene, orders: &[String]) -> Vec<u64> {
    let nonce = |order: &String| scene.signed(order)[0]["nonce"].as_u64().unwrap();
    orders.iter().map(nonce).collect()
}

#[test]
fn waiting_orders_get_consecutive_nonces_and_share_requests() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let orders: [String; 8] = scene.orders();
    for provider in &scene.providers {
        provider.take_requests();
    }
    scene.work();
    let requests = scene.providers[0].take_requests();
    let signed = nonces(&scene, &orders);
    let count = u64::try_from(orders.len()).unwrap();
    let mut sorted = signed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (before..before + count).collect::<Vec<_>>());
    assert!(requests < orders.len(), "{requests} requests");
    scene.until(7, &orders);
    scene.performed_once(&orders);
    assert_eq!(scene.nonce(), before + count);
}

#[test]
fn a_refused_order_does_not_stop_the_orders_that_wait_with_it() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let [first, body] = [(); 2].map(|()| {
        scene
            .world
            .creation(&scene.owner, &scene.ledger, "77", &scene.owner)
    });
    scene.send_first(scene.anvil.owner(), &scene.call(&first));
    let refused = scene.post("/orders", &body);
    let orders: [String; 5] = scene.orders();
    scene.anvil.mine();
    scene.work();
    assert_eq!(scene.status(&refused), 4);
    let mut signed = nonces(&scene, &orders);
    signed.sort_unstable();
    assert_eq!(signed, (before..before + 5).collect::<Vec<_>>());
    scene.until(7, &orders);
    scene.performed_once(&orders);
}

#[test]
fn an_unreadable_record_does_not_stop_the_orders_that_wait_with_it() {
    let scene = Scene::new(&[]);
    let orders: [String; 5] = scene.orders();
    scene.execute(&format!(
        "UPDATE records SET body = '{{' WHERE ref = '{}'",
        orders[2]
    ));
    scene.try_work();
    let others = [&orders[0], &orders[1], &orders[3], &orders[4]];
    for _ in 0..30 {
        scene.anvil.mine();
        scene.try_work();
    }
    scene.performed_once(others);
    assert_eq!(scene.status(&orders[2]), 1);
    assert_eq!(scene.signed(&orders[2]).len(), 0);
}

#[test]
fn with_multicall_an_order_takes_at_most_six_calls() {
    const ORDERS: usize = 100;
    let scene = Scene::new(&[("INFLIGHT", "100")]);
    for provider in &scene.providers {
        add_multicall(provider);
    }
    // A new process asks whether the chain has Multicall3.
    scene.service.borrow_mut().restart();
    let take = || {
        let calls = scene.providers.iter().map(|provider| provider.take_calls());
        calls.flatten().collect::<Vec<_>>()
    };
    take();
    let first = scene.order();
    scene.until(7, [&first]);
    assert!(take().contains(&"eth_getCode".to_owned()));
    let orders: [String; ORDERS] = scene.orders();
    scene.until(7, &orders);
    scene.performed_once(&orders);
    let calls = take();
    assert!(calls.len() <= 6 * ORDERS, "{} calls", calls.len());
}

#[test]
fn with_multicall_one_lying_provider_cannot_make_requests_final() {
    let scene = Scene::new(&[]);
    for provider in &scene.providers {
        add_multicall(provider);
    }
    scene.service.borrow_mut().restart();
    let orders: [String; 3] = scene.orders();
    scene.work();
    scene.providers[1].behave(|calls, ask| {
        let mut answers = ask(calls.clone());
        for (call, answer) in calls.as_array()?.iter().zip(answers.as_array_mut()?) {
            if call["method"] == "eth_call" {
                answer["result"] = "0x".into();
            }
        }
        Some(answers)
    });
    scene.blocks(10);
    for order in &orders {
        assert_eq!(scene.status(order), 3, "{:?}", scene.path(order));
    }
    add_multicall(&scene.providers[1]);
    scene.until(7, &orders);
    scene.performed_once(&orders);
}
