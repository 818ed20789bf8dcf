//! The statuses that records get from indexed blocks.

use order_core::Request;
use order_core::chain::Call;
use serde_json::{Value, json};

use super::{SETTINGS, Scene, rows};
use crate::support::anvil::Arg;
use crate::support::people::{CREATE_COST, Person};

/// A block is final after three confirmations.
const QUICK: &[(&str, &str)] = &[("CONFIRMATIONS", "3")];

fn record(scene: &Scene, owner: &Person, path: &str, made: &Value) -> Value {
    let target = format!("/{path}/{}", made["ref"].as_str().unwrap());
    scene.play.world.call(owner.get(target)).data()
}

/// Follows the chain while `blocks` blocks are mined, one at a time.
fn pass(scene: &Scene, blocks: usize) {
    for _ in 0..blocks {
        assert!(scene.look());
        scene.play.anvil.mine();
    }
    assert!(scene.look());
}

#[test]
fn a_ledger_keeps_its_reference_when_another_block_creates_it() {
    let scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    let owner = scene.play.people[0].clone();
    let body = scene.play.world.deployment(&owner, &[1, 2]);
    let made = scene
        .play
        .world
        .call(owner.post("/deployments", &body))
        .data();
    scene.work();
    pass(&scene, 2);
    let first = record(&scene, &owner, "deployments", &made);
    assert_eq!(first["status"], 3, "{first}");
    let anvil = &scene.play.anvil;
    // The transaction is in no block for a while.
    let transaction = anvil.rpc("eth_getRawTransactionByHash", json!([first["txHash"]]));
    anvil.rpc("anvil_reorg", json!([3, []]));
    anvil.rpc("anvil_dropAllTransactions", json!([]));
    anvil.mine();
    assert!(scene.look());
    let undone = record(&scene, &owner, "deployments", &made);
    assert_eq!(
        (&undone["status"], &undone["ledgerRef"]),
        (&json!(2), &Value::Null)
    );
    assert!(rows(&scene.service.borrow().database, "SELECT id FROM ledgers").is_empty());
    let sent = anvil.try_rpc("eth_sendRawTransaction", json!([transaction]));
    drop(sent);
    pass(&scene, 2);
    let again = record(&scene, &owner, "deployments", &made);
    assert_eq!(again["status"], 3, "{again}");
    assert_eq!(again["ledgerRef"], first["ledgerRef"]);
    pass(&scene, 14);
    let last = record(&scene, &owner, "deployments", &made);
    assert_eq!(
        (&last["status"], &last["ledgerRef"]),
        (&json!(7), &first["ledgerRef"])
    );
    scene.check_ledger_of(&last);
}

impl Scene {
    /// Asserts that the ledger's row has the reference and the id from a deployment's record.
    fn check_ledger_of(&self, record: &Value) {
        let sql = "SELECT id, ref FROM ledgers";
        let row = &rows(&self.service.borrow().database, sql)[0];
        let id: order_core::Address = record["ledgerId"].as_str().unwrap().parse().unwrap();
        assert_eq!(row["ref"], record["ledgerRef"]);
        assert_eq!(row["id"].as_str().unwrap().parse(), Ok(id));
    }
}

#[test]
fn a_withdrawal_names_the_record_that_destroyed_the_asset() {
    let mut scene = Scene::new(QUICK, 1);
    let ledger = scene.play.new_ledger();
    let owner = scene.play.people[0].clone();
    let creations = (1..=2).map(|id: u8| {
        json!({ "kind": 1, "ledgerId": ledger, "assetId": id.to_string(), "assetImprint": "07".repeat(32),
            "senderId": owner.id(), "receiverId": owner.id() })
    });
    let request = scene.play.order(creations.collect());
    scene.play.perform(&request);
    // The owner of a new ledger has approved the proxy, so the proxy may destroy the owner's assets.
    scene.play.anvil.mine();
    scene.index_all();
    let destroy = json!({ "kind": 6, "ledgerId": ledger, "assetId": "1", "senderId": owner.id() });
    let world = &scene.play.world;
    let payment = world.payment(&owner, "1500000000000000000");
    let mut body = world.order(&[&owner], json!([destroy, payment]));
    world.sign(&mut body, &[&owner]);
    let made = world.call(owner.post("/orders", &body)).data();
    scene.work();
    // The owner destroys the other asset directly, without an order.
    scene
        .play
        .direct(owner.id(), ledger, "destroy(uint256)", &[Arg::Number(2)]);
    pass(&scene, 5);
    assert_eq!(record(&scene, &owner, "orders", &made)["status"], 7);
    let sql = "SELECT asset_id, record_ref FROM withdrawals ORDER BY asset_id";
    let found = rows(&scene.service.borrow().database, sql);
    let refs: Vec<&str> = found
        .iter()
        .map(|row| row["record_ref"].as_str().unwrap())
        .collect();
    assert_eq!(refs, [made["ref"].as_str().unwrap(), ""]);
    scene.check();
}

#[test]
fn an_order_performed_before_it_was_stored_becomes_final() {
    let mut scene = Scene::new(QUICK, 1);
    let ledger = scene.play.new_ledger();
    let [owner, other] = [0, 1].map(|place: usize| scene.play.people[place].clone());
    let set = json!({ "kind": 5, "ledgerId": ledger, "senderId": owner.id(), "receiverId": other.id(), "abilities": [2] });
    let payment = scene.play.world.payment(&owner, CREATE_COST);
    let mut body = scene.play.world.order(&[&owner], json!([set, payment]));
    scene.play.world.sign(&mut body, &[&owner]);
    let now = scene.play.world.host.now();
    let request = order_core::OrderRequest::parse(&body, now).unwrap();
    let hash = scene.play.perform(&Request::Order(Box::new(request)));
    scene.play.anvil.mine_many(6);
    scene.index_all();
    let made = scene.play.world.call(owner.post("/orders", &body)).data();
    scene.work();
    pass(&scene, 2);
    let order = record(&scene, &owner, "orders", &made);
    assert_eq!((&order["status"], &order["txHash"]), (&json!(7), &hash));
}

#[test]
fn a_final_cancellation_on_the_chain_cancels_the_record() {
    let mut scene = Scene::new(QUICK, 1);
    let ledger = scene.play.new_ledger();
    scene.index_all();
    let owner = scene.play.people[0].clone();
    let ledger = json!({ "id": ledger });
    let mut body = scene.play.world.creation(&owner, &ledger, "9", &owner);
    body["automatedPerform"] = json!(false);
    let made = scene.play.world.call(owner.post("/orders", &body)).data();
    let now = scene.play.world.host.now();
    let request = order_core::OrderRequest::parse(&body, now).unwrap();
    scene.play.cancel(&Request::Order(Box::new(request)));
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(record(&scene, &owner, "orders", &made)["status"], 0);
    pass(&scene, 4);
    assert_eq!(record(&scene, &owner, "orders", &made)["status"], 6);
}

#[test]
fn a_ledger_that_a_contract_deployed_is_indexed() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    let owner = scene.play.people[0].clone();
    let request = scene.play.deployment(&owner, &[1, 2, 3, 4]);
    let call = order_core::chain::perform(&request, &scene.play.world.gateways).unwrap();
    // This bytecode forwards its input to the gateway, without the first four bytes.
    let code = format!(
        "0x60043603600460003760006000600436036000600073{}5af160345760006000fd5b00",
        alloy_primitives::hex::encode(call.to.as_bytes())
    );
    let wrapper = Person::new().id();
    scene
        .play
        .anvil
        .rpc("anvil_setCode", json!([wrapper, code]));
    let wrapped = Call {
        to: wrapper,
        data: [&[1, 2, 3, 4], call.data.as_slice()].concat(),
    };
    let hash = scene.play.send_call(owner.id(), &wrapped);
    scene.play.anvil.mine();
    let receipt = scene
        .play
        .anvil
        .rpc("eth_getTransactionReceipt", json!([hash]));
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    scene.index_all();
    assert_eq!(
        rows(&scene.service.borrow().database, "SELECT id FROM ledgers").len(),
        1
    );
    scene.check();
}
