//! Approvals. No log of the contracts names the claim of a performed approval.

use order_core::chain::perform;
use order_core::{ApprovalRequest, Request};
use serde_json::{Value, json};

use super::Scene;
use crate::support::people::Person;

impl Scene {
    /// Returns a token approval for a new account.
    fn approval(&self) -> Value {
        self.world
            .value_approval(&self.owner, Person::new().id(), "5")
    }

    /// Returns a transaction's receipt.
    fn receipt(&self, hash: &Value) -> Value {
        self.anvil.rpc("eth_getTransactionReceipt", json!([hash]))
    }
}

#[test]
fn approvals_of_both_kinds_become_final_with_their_transaction() {
    let scene = Scene::new(&[]);
    scene.world.lets_ledger_collect(&scene.owner, &scene.ledger);
    let operator = Person::new().id();
    let bodies = [
        scene.approval(),
        scene
            .world
            .operator_approval(&scene.owner, &scene.ledger, operator, true),
    ];
    let approvals = bodies.map(|body| scene.post("/approvals", &body));
    scene.work();
    scene.blocks(2);
    for approval in &approvals {
        assert_eq!(scene.status(approval), 3);
    }
    scene.until(7, &approvals);
    for approval in &approvals {
        assert_eq!(scene.path(approval), [2, 3, 7]);
        let hash = scene.record(approval)["tx_hash"].clone();
        assert_eq!(scene.receipt(&hash)["status"], "0x1");
    }
}

#[test]
fn an_approval_performed_by_another_account_has_no_transaction_hash() {
    let scene = Scene::new(&[]);
    let body = scene.approval();
    let request = ApprovalRequest::parse(&body, scene.world.host.now()).unwrap();
    let call = perform(&Request::Approval(Box::new(request)), &scene.world.gateways).unwrap();
    let first = scene.post("/approvals", &body);
    scene.work();
    scene.send_first(Person::new().id(), &call);
    scene.until(7, [&first]);
    assert_eq!(scene.record(&first)["tx_hash"], Value::Null);

    // Another account performs the second approval before the relayer signs a transaction for it.
    let body = scene.approval();
    let request = ApprovalRequest::parse(&body, scene.world.host.now()).unwrap();
    let call = perform(&Request::Approval(Box::new(request)), &scene.world.gateways).unwrap();
    let second = scene.post("/approvals", &body);
    scene.service.borrow().queue.lose();
    scene.send_first(Person::new().id(), &call);
    scene.anvil.mine();
    scene.until(7, [&second]);
    assert_eq!(scene.signed(&second).len(), 0);
}

#[test]
fn a_reorganisation_returns_an_approval_to_processing() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let approval = scene.post("/approvals", &scene.approval());
    scene.work();
    scene.blocks(2);
    assert_eq!(scene.status(&approval), 3);
    scene.anvil.rpc("anvil_reorg", json!([2, []]));
    scene.blocks(1);
    scene.until(7, [&approval]);
    assert_eq!(scene.path(&approval), [2, 3, 2, 3, 7]);
    assert_eq!(scene.signed(&approval).len(), 1);
}

#[test]
fn one_provider_cannot_make_an_approval_final() {
    let scene = Scene::new(&[]);
    let [first, second] = &scene.providers;
    let approval = scene.post("/approvals", &scene.approval());
    // Both providers swallow the transaction. The first one also reports that the approval was performed.
    first.behave(super::lying(|call, result| {
        if call["method"] == "eth_call" && result.as_str().is_some_and(|text| text.len() == 66) {
            *result = json!(format!("0x{:064x}", 1));
        }
    }));
    second.behave(|calls, ask| Some(super::swallow(calls, ask)));
    scene.work();
    scene.blocks(12);
    assert!([2, 3].contains(&scene.status(&approval)));
    first.recover();
    second.recover();
    scene.until(7, [&approval]);
    let hash = scene.record(&approval)["tx_hash"].clone();
    assert_eq!(scene.receipt(&hash)["status"], "0x1");
}
