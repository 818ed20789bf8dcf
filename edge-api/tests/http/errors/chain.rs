//! Codes of a ledger on a chain.

use serde_json::{Value, json};

use super::Book;
use crate::in_process::evm::scene::Scene;
use crate::support::anvil::Arg;
use crate::support::in_workerd;
use crate::support::people::{CREATE_COST, Person};

pub fn provoke(book: &mut Book) {
    if in_workerd() {
        return;
    }
    let scene = Scene::new(&[]);
    let (world, owner) = (&scene.world, &scene.owner);
    world.asset(owner, &scene.ledger, "1", owner);
    let send = |actions: Value| {
        let mut body = world.order(&[owner], actions);
        world.sign(&mut body, &[owner]);
        world.call(owner.post("/orders", &body))
    };
    let payment = world.payment(owner, CREATE_COST);
    let mut shut = world.payment(owner, "1");
    shut["receiverId"] = json!(Person::new().id());
    book.add(
        &[422_910],
        "POST /orders on a chain: tokens for a receiver that the token contract does not allow",
        &send(json!([shut, payment])),
    );
    let transfer = |receiver: order_core::Address| {
        json!({
            "kind": 2,
            "ledgerId": scene.ledger["id"],
            "assetId": "1",
            "senderId": owner.id(),
            "receiverId": receiver,
        })
    };
    book.add(
        &[422_912],
        "POST /orders on a chain: an asset for a contract that cannot receive assets",
        &send(json!([transfer(scene.anvil.contract("token")), payment])),
    );
    let revoke = json!({ "kind": 7, "ledgerId": scene.ledger["id"], "assetId": "1", "senderId": owner.id() });
    book.add(
        &[422_916],
        "POST /orders on a chain: revokes an asset",
        &send(json!([revoke, payment])),
    );
    let pause = |is_paused| {
        let args = [Arg::Flag(is_paused)];
        scene
            .anvil
            .send(owner.id(), scene.contract(), "setPause(bool)", &args);
    };
    pause(true);
    book.add(
        &[422_911],
        "POST /orders on a chain: a transfer on a ledger whose transfers are stopped",
        &send(json!([transfer(Person::new().id()), payment])),
    );
    pause(false);
    let mut vars = scene.anvil.vars(&scene.providers);
    vars.push(("TX_GAS_CAP".to_owned(), "100000".to_owned()));
    let vars: Vec<(&str, String)> = vars
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    scene.service.borrow_mut().configure(&vars);
    scene.service.borrow_mut().restart();
    book.add(
        &[422_913],
        "POST /orders on a chain: more gas than `TX_GAS_CAP`",
        &send(json!([transfer(Person::new().id()), payment])),
    );
}
