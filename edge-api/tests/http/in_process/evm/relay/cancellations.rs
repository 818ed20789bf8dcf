//! Orders that a party cancels, on the chain or only in this service.

use order_core::chain::cancel;
use order_core::{OrderRequest, Request};
use serde_json::{Value, json};

use super::Scene;
use crate::support::people::Person;

impl Scene {
    /// Stores an order that is performed only by a separate call. Returns its body and its reference.
    fn open_order(&self) -> (Value, String) {
        let mut body = self.creation();
        body["automatedPerform"] = json!(false);
        let order = self.post("/orders", &body);
        (body, order)
    }

    /// Cancels an order on the chain.
    fn cancel_on_chain(&self, body: &Value) {
        let order = OrderRequest::parse(body, self.world.host.now()).expect("an order");
        let request = Request::Order(Box::new(order));
        let call = cancel(&request, &self.world.gateways).expect("a call");
        self.send_first(self.owner.id(), &call);
    }

    fn delete(&self, order: &str) -> crate::support::Answer {
        self.world
            .call(self.owner.delete(format!("/orders/{order}")))
    }
}

#[test]
fn a_deletion_reports_whether_the_chain_has_the_cancellation_too() {
    let scene = Scene::new(&[]);
    let (claimed, open) = scene.open_order();
    let deleted = scene.delete(&open);
    assert_eq!(deleted.meta(), json!({ "onChain": false }));
    // The response has the expiration, because the order's claims stay usable on the chain until then.
    assert!(deleted.data()["order"]["expiration"].is_u64());
    let (body, canceled) = scene.open_order();
    scene.cancel_on_chain(&body);
    scene.anvil.mine();
    assert_eq!(scene.delete(&canceled).meta()["onChain"], true);
    let (body, performed) = scene.open_order();
    scene.send_first(Person::new().id(), &scene.call(&body));
    scene.anvil.mine();
    assert_eq!(scene.delete(&performed).status, 400);
    scene.until(7, [&performed]);
    // The chain performs the first order, although its record was canceled.
    scene.send_first(Person::new().id(), &scene.call(&claimed));
    scene.until(7, [&open]);
}

#[test]
fn an_order_canceled_on_the_chain_is_not_sent_and_becomes_canceled() {
    let scene = Scene::new(&[]);
    let body = scene.creation();
    let order = scene.post("/orders", &body);
    scene.service.borrow().queue.lose();
    scene.cancel_on_chain(&body);
    let before = scene.nonce();
    scene.blocks(2);
    assert_eq!(scene.status(&order), 1);
    scene.until(6, [&order]);
    assert_eq!((scene.nonce(), scene.signed(&order).len()), (before, 0));
}

#[test]
fn an_order_canceled_while_its_transaction_waits_frees_its_nonce() {
    let scene = Scene::new(&[]);
    let body = scene.creation();
    let order = scene.post("/orders", &body);
    scene.work();
    scene.cancel_on_chain(&body);
    scene.until(6, [&order]);
    assert_eq!(scene.performances(&order), 0);
    let next = scene.order();
    scene.until(7, [&next]);
    scene.performed_once([&next]);
    scene.blocks(6);
    let open = scene.rows("SELECT 1 FROM relay_slots WHERE closed = 0 AND ?1 = ''", "");
    assert_eq!(open.len(), 0);
}

#[test]
fn a_canceled_record_is_canceled_again_when_a_reorganisation_undoes_its_performance() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let (body, order) = scene.open_order();
    scene.delete(&order).data();
    scene.send_first(Person::new().id(), &scene.call(&body));
    scene.blocks(1);
    assert_eq!(scene.status(&order), 3);
    scene.anvil.rpc("anvil_reorg", json!([1, []]));
    let before = scene.nonce();
    scene.blocks(1);
    scene.until(6, [&order]);
    scene.blocks(8);
    assert_eq!((scene.status(&order), scene.nonce()), (6, before));
}
