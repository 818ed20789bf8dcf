//! Orders that the rules or the contracts refuse before a transaction is sent.

use serde_json::{Value, json};

use super::Scene;
use crate::support::anvil::Arg;
use crate::support::people::{Person, World};

impl Scene {
    /// Sends all tokens of an account to the payment receiver.
    fn impoverish(&self, person: &Person) {
        let tokens: u128 = self.world.balance(person);
        let receiver = Arg::Account(self.anvil.payment_receiver());
        let args = [receiver, Arg::Number(tokens)];
        let token = self.anvil.contract("token");
        self.anvil
            .send(person.id(), token, "transfer(address,uint256)", &args);
    }

    /// Stores an order that any account may complete by paying one token to the payment receiver. Returns the body and the reference.
    fn offer(&self) -> (Value, String) {
        let pay = json!({
            "kind": 3, "ledgerId": self.world.gateways.token, "receiverId": self.anvil.payment_receiver(),
            "value": "1000000000000000000",
        });
        let mut body = self.creation();
        let actions = body["order"]["actions"].as_array_mut().unwrap();
        actions.insert(0, pay);
        actions[2]["value"] = json!("4000000000000000000");
        body["wildcardSigner"] = json!(true);
        self.world.sign(&mut body, &[&self.owner]);
        let order = self.post("/orders", &body);
        (body, order)
    }

    fn complete(&self, body: &Value, order: &str, person: &Person) {
        let claim = person.claim(&self.world.order_hash(body));
        let call = person.put(format!("/orders/{order}/sign"), &json!({ "claim": claim }));
        self.world.call(call).data();
    }
}

#[test]
fn a_payment_that_exceeds_the_balance_suspends_the_order() {
    let scene = Scene::new(&[]);
    let order = scene.order();
    scene.service.borrow().queue.lose();
    scene.impoverish(&scene.owner);
    scene.work();
    assert_eq!(scene.status(&order), 5);
    assert_eq!(scene.signed(&order).len(), 0);
    scene.anvil.credit(scene.owner.id(), 10_u128.pow(20));
    scene.world.host.advance(60_000);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.path(&order), [5, 2, 3, 7]);
}

#[test]
fn an_order_that_becomes_forbidden_fails_before_it_is_sent() {
    let scene = Scene::new(&[]);
    let [order, first] = [(); 2].map(|()| {
        let body = scene
            .world
            .creation(&scene.owner, &scene.ledger, "77", &scene.owner);
        (scene.post("/orders", &body), body)
    });
    scene.service.borrow().queue.lose();
    scene.send_first(Person::new().id(), &scene.call(&first.1));
    let before = scene.nonce();
    scene.blocks(1);
    scene.until(4, [&order.0]);
    assert_eq!(scene.record(&order.0)["error_code"], 422_013);
    assert_eq!(scene.nonce(), before);
    scene.until(7, [&first.0]);
}

#[test]
fn a_wildcard_claim_is_dropped_only_if_it_was_never_sent() {
    let scene = Scene::new(&[]);
    let (body, order) = scene.offer();
    let poor = World::credited(&scene.anvil);
    scene.complete(&body, &order, &poor);
    scene.service.borrow().queue.lose();
    scene.impoverish(&poor);
    scene.work();
    assert_eq!((scene.status(&order), scene.path(&order)), (0, vec![0]));
    let buyer = World::credited(&scene.anvil);
    scene.complete(&body, &order, &buyer);
    scene.until(7, [&order]);
    scene.performed_once([&order]);

    let (body, order) = scene.offer();
    let buyer = World::credited(&scene.anvil);
    scene.complete(&body, &order, &buyer);
    scene.work();
    scene.drop_from_pool(&order);
    scene.use_key_elsewhere();
    scene.impoverish(&buyer);
    scene.until(4, [&order]);
    assert_eq!(scene.record(&order)["error_code"], 422_075);
    assert_eq!(scene.path(&order), [2, 1, 4]);
}
