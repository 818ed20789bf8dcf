//! Transactions that the service sends only to private addresses.

use std::rc::Rc;

use super::{Scene, swallow};
use crate::support::anvil::Provider;

const PRIVATE: &str = "https://3.rpc.example/key-of-a-provider";

/// Returns a scene that sends transactions only privately, and the private provider.
fn scene() -> (Scene, Rc<Provider>) {
    let vars = [("RPC_SEND_URLS", PRIVATE), ("SEND_PRIVATE", "only")];
    let mut private = None;
    let scene = Scene::prepared(
        &vars,
        |database| database,
        |service, anvil| private = Some(Provider::attach(3, &service.http, anvil)),
    );
    let private = private.expect("a provider");
    assert_eq!(private.url, PRIVATE);
    (scene, private)
}

/// Returns true if the public providers received a transaction since the last call.
fn is_public(scene: &Scene) -> bool {
    let calls = scene
        .providers
        .iter()
        .flat_map(|provider| provider.take_calls());
    calls
        .into_iter()
        .any(|call| call == "eth_sendRawTransaction")
}

#[test]
fn a_private_transaction_stays_private_when_its_price_is_raised() {
    let (scene, private) = scene();
    private.behave(|calls, ask| Some(swallow(calls, ask)));
    let order = scene.order();
    scene.work();
    scene.blocks(8);
    assert_eq!(scene.signed(&order).len(), 2);
    private.recover();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert!(!is_public(&scene));
}

#[test]
fn a_private_transaction_stays_private_after_the_setting_changes() {
    let (scene, private) = scene();
    private.behave(|calls, ask| Some(swallow(calls, ask)));
    let order = scene.order();
    scene.work();
    let first = scene.signed(&order);
    scene
        .service
        .borrow_mut()
        .change_setting("SEND_PRIVATE", "off");
    scene.blocks(3);
    assert!(!is_public(&scene));
    // When the private address is removed, an empty transaction frees the nonce, and the order is signed again.
    scene
        .service
        .borrow_mut()
        .change_setting("RPC_SEND_URLS", "");
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert!(is_public(&scene));
    let hash = first[0]["tx_hash"].as_str().unwrap();
    assert_ne!(scene.record(&order)["tx_hash"], hash);
}
