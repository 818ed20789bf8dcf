//! The number of requests that the service sends to providers.

use super::Scene;

#[test]
fn an_order_takes_at_most_six_requests_under_load() {
    const ORDERS: usize = 60;
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let take = || {
        scene
            .providers
            .iter()
            .map(|provider| provider.take_requests())
            .sum::<usize>()
    };
    take();
    let orders: [String; ORDERS] = scene.orders();
    let posted = take();
    scene.until(7, &orders);
    let performed = take();
    scene.performed_once(&orders);
    assert_eq!(scene.nonce(), before + 60);
    println!("requests: {posted} to store, {performed} to perform {ORDERS} orders");
    assert!(posted + performed <= 6 * ORDERS, "{posted} {performed}");
}
