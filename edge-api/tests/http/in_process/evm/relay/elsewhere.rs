//! Other accounts that perform the same orders, and other programs that use the relayer's key.

use serde_json::{Value, json};

use super::Scene;
use crate::support::people::{CREATE_COST, Person, World};

#[test]
fn an_order_performed_by_another_account_has_that_accounts_transaction_hash() {
    let scene = Scene::new(&[]);
    let body = scene.creation();
    let order = scene.post("/orders", &body);
    scene.work();
    let theirs = scene.send_first(Person::new().id(), &scene.call(&body));
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.record(&order)["tx_hash"], theirs);
    let ours = scene.signed(&order)[0]["tx_hash"].clone();
    let receipt = scene.anvil.rpc("eth_getTransactionReceipt", json!([ours]));
    assert_eq!(receipt["status"], "0x0");
    scene.blocks(3);
    let open = scene.rows("SELECT 1 FROM relay_slots WHERE closed = 0 AND ?1 = ''", "");
    assert_eq!(open.len(), 0);
}

#[test]
fn an_order_performed_before_it_was_stored_becomes_final() {
    let scene = Scene::new(&[]);
    let payment = scene.world.payment(&scene.owner, "1");
    let mut body = scene.world.order(&[&scene.owner], json!([payment]));
    scene.world.sign(&mut body, &[&scene.owner]);
    let theirs = scene.send_first(Person::new().id(), &scene.call(&body));
    scene.blocks(5);
    let before = scene.nonce();
    let order = scene.post("/orders", &body);
    scene.until(7, [&order]);
    assert_eq!(scene.record(&order)["tx_hash"], theirs);
    assert_eq!(scene.nonce(), before);
}

#[test]
fn of_two_orders_that_create_one_asset_the_second_fails() {
    let scene = Scene::new(&[]);
    let bodies = [(); 2].map(|()| {
        scene
            .world
            .creation(&scene.owner, &scene.ledger, "77", &scene.owner)
    });
    let before = scene.cost();
    let orders = bodies.map(|body| scene.post("/orders", &body));
    scene.work();
    // The revert is in a block, but a reorganisation could still remove the block.
    for _ in 0..3 {
        scene.anvil.mine();
        scene.execute("UPDATE records SET due_at = 0 WHERE status = 2");
        scene.work();
    }
    let mut statuses = orders.each_ref().map(|order| scene.status(order));
    statuses.sort_unstable();
    assert_eq!(statuses, [2, 3]);
    scene.blocks(9);
    let mut ends = orders.each_ref().map(|order| {
        (
            scene.status(order),
            scene.record(order)["error_code"].clone(),
        )
    });
    ends.sort_by_key(|(status, _)| *status);
    assert_eq!(ends, [(4, json!(422_013)), (7, Value::Null)]);
    assert_eq!(scene.cost() - before, CREATE_COST.parse::<u128>().unwrap());
    assert_eq!(scene.lines("relayer.reverted").len(), 1);
    let failed = orders
        .iter()
        .find(|order| scene.status(order) == 4)
        .unwrap();
    assert_eq!(scene.path(failed), [2, 4]);
}

#[test]
fn an_order_whose_nonce_was_used_elsewhere_gets_another_nonce() {
    let scene = Scene::new(&[]);
    let order = scene.order();
    scene.work();
    scene.drop_from_pool(&order);
    scene.use_key_elsewhere();
    for _ in 0..3 {
        scene.anvil.mine();
        scene.execute("UPDATE records SET due_at = 0 WHERE status = 2");
        scene.work();
    }
    // A reorganisation could still free the nonce.
    assert_eq!(scene.status(&order), 2);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.path(&order), [2, 1, 2, 3, 7]);
    let nonces: Vec<u64> = scene
        .signed(&order)
        .iter()
        .map(|tx| tx["nonce"].as_u64().unwrap())
        .collect();
    assert_eq!(nonces, [nonces[0], nonces[0] + 1]);
    assert_eq!(scene.lines("relayer.key-used-elsewhere").len(), 1);
    assert_eq!(scene.record(&order)["attempts"], 0);
}

#[test]
fn the_nonce_counter_follows_a_key_that_is_used_elsewhere() {
    let scene = Scene::new(&[]);
    for _ in 0..3 {
        scene.use_key_elsewhere();
        scene.anvil.mine();
    }
    scene.work();
    assert_eq!(scene.relayer()["next_nonce"], scene.nonce());
    assert_eq!(scene.lines("relayer.key-used-elsewhere").len(), 1);
    let order = scene.order();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.signed(&order).len(), 1);
}

#[test]
fn bytes_of_old_transactions_are_deleted_but_not_their_slots() {
    let scene = Scene::new(&[]);
    let order = scene.order();
    scene.until(7, [&order]);
    let hash = scene.signed(&order)[0]["tx_hash"].clone();
    // Moves the relayer's nonce 2,000 ahead on the chain. The service's counter follows.
    let relayer = scene.anvil.relayer();
    let nonce = scene.nonce() + 2_000;
    scene
        .anvil
        .rpc("anvil_setNonce", json!([relayer, format!("{nonce:#x}")]));
    let next = scene.order();
    scene.until(7, [&next]);
    scene.blocks(6);
    assert_eq!(
        scene
            .rows(
                "SELECT 1 FROM relay_txs WHERE tx_hash = ?1",
                hash.as_str().unwrap()
            )
            .len(),
        0
    );
    assert_eq!(
        scene
            .rows("SELECT 1 FROM relay_slots WHERE ref = ?1", &order)
            .len(),
        1
    );
    assert_eq!(scene.signed(&next).len(), 1);
}

#[test]
fn nonces_that_a_restored_database_lacks_are_filled() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let [lost, kept] = scene.orders();
    scene.work();
    scene.drop_from_pool(&lost);
    let nonce = scene.signed(&lost)[0]["nonce"].clone();
    scene.execute(&format!(
        "DELETE FROM relay_slots WHERE nonce = {nonce}; DELETE FROM relay_txs WHERE nonce = {nonce}"
    ));
    scene.until(7, [&lost, &kept]);
    scene.performed_once([&lost, &kept]);
    assert_eq!(scene.lines("relayer.filled").len(), 1);
    assert_eq!(scene.nonce(), before + 3);
}

#[test]
fn transactions_of_the_old_key_are_still_sent_after_a_key_change() {
    let scene = Scene::new(&[]);
    let order = scene.order();
    scene.work();
    scene.drop_from_pool(&order);
    scene.change_key();
    scene.blocks(8);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.signed(&order).len(), 1);
    let next = scene.order();
    scene.until(7, [&next]);
    let hash = scene.record(&next)["tx_hash"].clone();
    let sent = scene.anvil.rpc("eth_getTransactionByHash", json!([hash]));
    let sender: order_core::Address = sent["from"].as_str().unwrap().parse().unwrap();
    assert_eq!(sender, Person::known(0x17).id());
}

#[test]
fn a_new_key_signs_an_order_whose_old_nonce_was_used_elsewhere() {
    let scene = Scene::new(&[]);
    let order = scene.order();
    scene.work();
    scene.drop_from_pool(&order);
    scene.use_key_elsewhere();
    scene.anvil.mine();
    scene.change_key();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.path(&order), [2, 1, 2, 3, 7]);
}

#[test]
fn an_order_with_a_missing_claim_gets_no_transaction() {
    let scene = Scene::new(&[]);
    let other = World::credited(&scene.anvil);
    let create = scene.creation()["order"]["actions"][0].clone();
    let payment = scene.world.payment(&other, CREATE_COST);
    let mut body = scene
        .world
        .order(&[&scene.owner, &other], json!([create, payment]));
    scene.world.sign(&mut body, &[&scene.owner]);
    let order = scene.post("/orders", &body);
    scene.execute(&format!(
        "UPDATE records SET status = 1, due_at = 0 WHERE ref = '{order}'"
    ));
    let before = scene.nonce();
    scene.blocks(8);
    assert_eq!((scene.status(&order), scene.signed(&order).len()), (1, 0));
    assert_eq!(scene.nonce(), before);
}

#[test]
fn after_a_reorganisation_an_order_waits_again_for_its_missing_claim() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let other = World::credited(&scene.anvil);
    let create = scene.creation()["order"]["actions"][0].clone();
    let payment = scene.world.payment(&other, CREATE_COST);
    let mut body = scene
        .world
        .order(&[&scene.owner, &other], json!([create, payment]));
    body["order"]["expiration"] = json!(scene.world.host.now() + 60_000);
    scene.world.sign(&mut body, &[&scene.owner]);
    let order = scene.post("/orders", &body);
    scene.world.sign(&mut body, &[&scene.owner, &other]);
    scene.send_first(other.id(), &scene.call(&body));
    scene.blocks(1);
    assert_eq!(scene.status(&order), 3);
    scene.anvil.rpc("anvil_reorg", json!([1, []]));
    let before = scene.nonce();
    scene.blocks(8);
    assert_eq!((scene.status(&order), scene.signed(&order).len()), (2, 0));
    scene.world.host.advance(60_000);
    scene.until(4, [&order]);
    assert_eq!(scene.nonce(), before);
}

impl Scene {
    /// Stores an order that is performed only by a separate call. Returns its reference and its body.
    pub(super) fn waiting(&self) -> (String, Value) {
        let mut body = self.creation();
        body["automatedPerform"] = json!(false);
        (self.post("/orders", &body), body)
    }

    /// Asks the service to perform an order.
    fn ask_to_perform(&self, order: &str) {
        let target = format!("/orders/{order}/perform");
        self.world.call(self.owner.put(target, &json!({}))).data();
    }

    /// Performs an order with a stranger's transaction. Then removes the block and the transaction from the chain.
    fn perform_and_undo(&self, order: &str, body: &Value) {
        self.send_first(Person::new().id(), &self.call(body));
        self.blocks(1);
        assert_eq!(self.status(order), 3);
        self.anvil.rpc("anvil_reorg", json!([1, []]));
        self.anvil.rpc("anvil_dropAllTransactions", json!([]));
    }
}

#[test]
fn a_waiting_order_waits_again_after_a_reorganisation_undoes_its_performance() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let (order, body) = scene.waiting();
    scene.perform_and_undo(&order, &body);
    let before = scene.nonce();
    scene.blocks(8);
    assert_eq!(scene.path(&order), [3, 2, 0]);
    assert_eq!((scene.performances(&order), scene.nonce()), (0, before));
    assert_eq!(scene.record(&order)["tx_hash"], Value::Null);
    scene.ask_to_perform(&order);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
}

#[test]
fn an_order_that_waits_again_can_be_canceled() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let (order, body) = scene.waiting();
    scene.perform_and_undo(&order, &body);
    scene.blocks(8);
    let target = format!("/orders/{order}");
    scene.world.call(scene.owner.delete(target)).data();
    scene.blocks(2);
    assert_eq!(scene.status(&order), 6);
}

#[test]
fn a_call_to_perform_an_order_still_counts_after_a_reorganisation() {
    let scene = Scene::new(&[("CONFIRMATIONS", "5")]);
    let (order, body) = scene.waiting();
    scene.ask_to_perform(&order);
    scene.perform_and_undo(&order, &body);
    assert_eq!(scene.signed(&order).len(), 0);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.signed(&order).len(), 1);
}
