//! Orders that wait together are simulated in one request and signed in one transaction of the database.

use super::Scene;

/// Returns the nonces of orders, in their order.
fn nonces(scene: &Scene, orders: &[String]) -> Vec<u64> {
    let nonce = |order: &String| scene.signed(order)[0]["nonce"].as_u64().unwrap();
    orders.iter().map(nonce).collect()
}

#[test]
fn waiting_orders_take_consecutive_nonces_in_one_transaction() {
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
fn a_refused_order_does_not_stop_those_that_wait_with_it() {
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
fn a_record_that_cannot_be_read_does_not_stop_those_that_wait_with_it() {
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
