//! A provider that omits, changes or invents logs of new blocks. It also empties the blocks' bloom filters, which would show missing logs.

use std::rc::Rc;

use alloy_primitives::{hex, keccak256};
use edge_api::ports::Job;
use order_core::Address;
use serde_json::{Value, json};

use super::{Scene, index_all, indexed, rows};
use crate::support::anvil::{Anvil, PROVIDER_KEY, Provider, quantity};
use crate::support::native::block_on;
use crate::support::people::Person;

/// A block is final after three confirmations.
pub(super) const QUICK: &[(&str, &str)] = &[("CONFIRMATIONS", "3")];

/// Changes the logs in all responses of a provider, and empties the bloom filters of all blocks. `logs` receives the query and the found logs.
fn lie(provider: &Provider, logs: impl Fn(&Value, &mut Vec<Value>) + 'static) {
    provider.behave(move |calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            let answers = answers.as_array_mut().unwrap();
            let answer = answers.iter_mut().find(|answer| answer["id"] == call["id"]);
            let result = &mut answer.unwrap()["result"];
            match (call["method"].as_str().unwrap(), &mut *result) {
                ("eth_getLogs", Value::Array(list)) => logs(&call["params"][0], list),
                ("eth_getBlockByNumber", Value::Object(_)) => {
                    result["logsBloom"] = json!(format!("0x{}", "0".repeat(512)));
                }
                _ => {}
            }
        }
        Some(answers)
    });
}

/// Makes the first provider omit all logs from now on. Returns the number of the next block.
fn leave_out_logs(scene: &Scene) -> u64 {
    let lied = scene.play.anvil.head() + 1;
    lie(&scene.providers[0], |_, logs| logs.clear());
    lied
}

fn topic(signature: &str) -> String {
    hex::encode_prefixed(keccak256(signature))
}

fn word(account: Address) -> String {
    format!("0x{:0>64}", hex::encode(account.as_bytes()))
}

const ZERO: &str = "0x0000000000000000000000000000000000000000000000000000000000000000";

/// An invented log of a ledger's contract about the transfer of an asset.
struct Transfer {
    ledger: Address,
    id: u64,
    from: String,
    to: Address,
}

impl Transfer {
    /// Adds the log to `logs` if the query includes the block and the ledger.
    fn add(&self, anvil: &Anvil, block: u64, query: &Value, logs: &mut Vec<Value>) {
        let header = anvil.rpc(
            "eth_getBlockByNumber",
            json!([format!("{block:#x}"), false]),
        );
        let is_asked = match query["blockHash"].as_str() {
            Some(hash) => header["hash"] == hash,
            None => (quantity(&query["fromBlock"])..=quantity(&query["toBlock"])).contains(&block),
        };
        let ledger = json!(self.ledger);
        if !is_asked || !query["address"].as_array().unwrap().contains(&ledger) {
            return;
        }
        logs.push(json!({
            "address": ledger, "data": "0x", "blockNumber": header["number"], "blockHash": header["hash"],
            "topics": [topic("Transfer(address,address,uint256)"), self.from, word(self.to), format!("0x{:064x}", self.id)],
            "transactionHash": format!("0x{}", "cd".repeat(32)), "transactionIndex": "0x63", "logIndex": "0x63", "removed": false,
        }));
    }
}

/// Returns a scene with three providers. The service asks the first provider first.
pub(super) fn among_three(settings: &[(&str, &str)]) -> Scene {
    let urls = [1, 2, 3].map(|number| format!("https://{number}.rpc.example/{PROVIDER_KEY}"));
    let urls = urls.join(",");
    let settings = [settings, &[("RPC_URLS", urls.as_str())]].concat();
    Scene::prepared(&settings, 1, |service, anvil| {
        Provider::attach(3, &service.http, anvil);
    })
}

/// An order that the relayer has sent and that no block contains yet.
pub(super) struct Sent {
    owner: Person,
    reference: String,
}

impl Sent {
    /// Sends an order that creates asset 77.
    pub(super) fn new(scene: &mut Scene) -> Self {
        let ledger = scene.play.new_ledger();
        scene.play.anvil.mine_many(4);
        scene.index_all();
        let owner = scene.play.people[0].clone();
        let world = &scene.play.world;
        let body = world.creation(&owner, &json!({ "id": ledger }), "77", &owner);
        let made = world.call(owner.post("/orders", &body)).data();
        let reference = made["ref"].as_str().unwrap().to_owned();
        scene.work();
        Self { owner, reference }
    }

    pub(super) fn status(&self, scene: &Scene) -> Value {
        let target = format!("/orders/{}", self.reference);
        scene.play.world.call(self.owner.get(target)).data()["status"].clone()
    }
}

/// Follows the chain for this number of blocks. Panics if the order becomes final before the block `lied`. Also panics if that block is final
/// and the index differs from the contracts.
pub(super) fn pass(scene: &Scene, sent: &Sent, lied: u64, blocks: usize) {
    for _ in 0..blocks {
        scene.look();
        if sent.status(scene) == 7 {
            assert!(scene.settled() >= lied);
        }
        if scene.settled() >= lied {
            scene.index_all();
            scene.check();
        }
        scene.play.anvil.mine();
    }
}

/// Follows the chain for eight blocks, within which an order must become final. The first of three providers lies all the time: `logs` changes its
/// logs.
fn outvoted(logs: impl Fn(&Anvil, u64, &Value, &mut Vec<Value>) + 'static) {
    let mut scene = among_three(QUICK);
    scene.stock();
    let sent = Sent::new(&mut scene);
    let lied = scene.play.anvil.head() + 1;
    let anvil = Rc::clone(&scene.play.anvil);
    lie(&scene.providers[0], move |query, list| {
        logs(&anvil, lied, query, list);
    });
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(scene.cursor(), lied);
    // The lie is in the index.
    let found = indexed(&scene.service.borrow().database);
    assert_ne!(found["assets"], scene.truth()["assets"]);
    pass(&scene, &sent, lied, 8);
    assert_eq!(sent.status(&scene), 7);
    scene.index_all();
    scene.check();
    assert!(scene.settled() > lied);
    assert_eq!(scene.lines("chain.logs-untrue"), 1);
    let service = scene.service.borrow();
    let lines = service.log.lines();
    let mut untrue = lines
        .iter()
        .filter(|(_, line)| line["event"] == "chain.logs-untrue");
    let (_, line) = untrue.next().unwrap();
    assert_eq!(
        (&line["block"], &line["providers"]),
        (&json!(lied), &json!([1]))
    );
}

fn is_of(log: &Value, contract: Address) -> bool {
    log["address"].as_str().unwrap().parse() == Ok(contract)
}

#[test]
fn logs_omitted_by_one_of_three_providers_are_indexed_before_finality() {
    outvoted(|_, lied, _, logs| logs.retain(|log| quantity(&log["blockNumber"]) != lied));
}

#[test]
fn one_log_omitted_by_one_of_three_providers_is_indexed_before_finality() {
    // The logs of the gateways and the token remain. The ledger's log of the asset is missing.
    outvoted(|anvil, lied, _, logs| {
        let known = ["actions", "deploy", "token"].map(|name| anvil.contract(name));
        let is_gateway = |log: &Value| known.iter().any(|contract| is_of(log, *contract));
        logs.retain(|log| quantity(&log["blockNumber"]) != lied || is_gateway(log));
    });
}

#[test]
fn a_log_changed_by_one_of_three_providers_is_corrected_before_finality() {
    // In the changed log, another account receives the asset.
    outvoted(|_, lied, _, logs| {
        let transfer = topic("Transfer(address,address,uint256)");
        for log in logs {
            let is_asset = log["topics"].as_array().unwrap().len() == 4;
            if is_asset && log["topics"][0] == transfer && quantity(&log["blockNumber"]) == lied {
                log["topics"][2] = json!(word(Address::from_bytes([7; 20]).unwrap()));
            }
        }
    });
}

#[test]
fn a_log_invented_by_one_of_three_providers_is_undone_before_finality() {
    let mut scene = among_three(QUICK);
    scene.stock();
    let sent = Sent::new(&mut scene);
    let (ledger, id) = scene.play.assets[0];
    let holder = scene.play.owner_of((ledger, id)).unwrap();
    let thief = Person::new().id();
    let transfer = Transfer {
        ledger,
        id,
        from: word(holder),
        to: thief,
    };
    let lied = scene.play.anvil.head() + 1;
    let anvil = Rc::clone(&scene.play.anvil);
    lie(&scene.providers[0], move |query, logs| {
        if anvil.head() >= lied {
            transfer.add(&anvil, lied, query, logs);
        }
    });
    scene.play.anvil.mine();
    assert!(scene.look());
    let owned = |scene: &Scene| {
        let sql = format!(
            "SELECT id FROM assets WHERE owner_id = '{}'",
            hex::encode_prefixed(thief.as_bytes())
        );
        rows(&scene.service.borrow().database, &sql).len()
    };
    // The lie is in the index.
    assert_eq!(owned(&scene), 1);
    pass(&scene, &sent, lied, 8);
    assert_eq!((sent.status(&scene), owned(&scene)), (json!(7), 0));
    assert!(scene.settled() > lied);
    assert_eq!(scene.lines("chain.logs-untrue"), 1);
}

#[test]
fn an_asset_that_one_provider_invents_does_not_stop_the_index() {
    let mut scene = Scene::new(QUICK, 1);
    scene.stock();
    scene.play.anvil.mine_many(4);
    scene.index_all();
    let transfer = Transfer {
        ledger: scene.play.ledgers[0],
        id: 99,
        from: ZERO.to_owned(),
        to: Person::new().id(),
    };
    let lied = scene.play.anvil.head() + 1;
    let anvil = Rc::clone(&scene.play.anvil);
    lie(&scene.providers[0], move |query, logs| {
        transfer.add(&anvil, lied, query, logs);
    });
    scene.play.anvil.mine();
    assert!(!scene.look());
    assert!(scene.look());
    assert_eq!(scene.cursor(), lied);
    scene.check();
}

#[test]
fn a_ledger_whose_transaction_one_provider_changes_is_indexed() {
    let mut scene = Scene::new(QUICK, 1);
    scene.play.anvil.mine_many(4);
    scene.index_all();
    scene.providers[0].behave(|calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            let mut list = answers.as_array_mut().unwrap().iter_mut();
            let answer = list.find(|answer| answer["id"] == call["id"]).unwrap();
            if call["method"] == "eth_getTransactionByHash" {
                answer["result"]["input"] = json!("0x12345678");
            }
        }
        Some(answers)
    });
    scene.stock();
    assert!(!scene.look());
    assert!(scene.look());
    scene.check();
    assert_eq!(scene.lines("chain.ledger-unreadable"), 0);
}

#[test]
fn a_ledger_that_one_provider_invents_does_not_stop_the_index() {
    let scene = Scene::new(QUICK, 1);
    scene.play.anvil.mine_many(4);
    scene.index_all();
    let lied = scene.play.anvil.head() + 1;
    let (anvil, deploy) = (
        Rc::clone(&scene.play.anvil),
        scene.play.world.gateways.deploy,
    );
    lie(&scene.providers[0], move |query, logs| {
        let header = anvil.rpc("eth_getBlockByNumber", json!(["latest", false]));
        if query["blockHash"] == header["hash"] && quantity(&header["number"]) == lied {
            let account = word(Address::from_bytes([7; 20]).unwrap());
            logs.push(json!({
                "address": deploy, "blockNumber": header["number"], "blockHash": header["hash"],
                "topics": [topic("Perform(address,address,address,bytes32)"), account, account],
                "data": format!("{account}{}", "ab".repeat(32)), "removed": false,
                "transactionHash": format!("0x{}", "cd".repeat(32)), "transactionIndex": "0x63", "logIndex": "0x63",
            }));
        }
    });
    scene.play.anvil.mine();
    assert!(!scene.look());
    assert!(scene.look());
    assert_eq!(scene.cursor(), lied);
    scene.check();
}

#[test]
fn no_block_is_final_while_one_of_two_providers_omits_logs() {
    let mut scene = Scene::new(QUICK, 1);
    let sent = Sent::new(&mut scene);
    let lied = leave_out_logs(&scene);
    // These blocks also create a ledger with assets.
    scene.stock();
    for _ in 0..8 {
        scene.look();
        assert_eq!(scene.cursor(), scene.play.anvil.head());
        assert!(scene.settled() < lied);
        assert_ne!(sent.status(&scene), 7);
        scene.play.anvil.mine();
    }
    assert_eq!((scene.undone(), scene.lines("chain.logs-untrue")), (0, 0));
    // The difference is logged once.
    assert_eq!(scene.lines("chain.not-final"), 1);
    scene.providers[0].recover();
    pass(&scene, &sent, lied, 4);
    assert_eq!(sent.status(&scene), 7);
    assert_eq!(scene.lines("chain.logs-untrue"), 1);
    scene.index_all();
    scene.check();
}

#[test]
fn a_lying_provider_that_is_not_preferred_does_not_undo_blocks() {
    let mut scene = Scene::new(QUICK, 1);
    let sent = Sent::new(&mut scene);
    let lied = scene.play.anvil.head() + 1;
    lie(&scene.providers[1], |_, logs| logs.clear());
    scene.play.anvil.mine();
    for _ in 0..8 {
        assert!(scene.look());
        assert!(scene.settled() < lied);
        assert_eq!(sent.status(&scene), 3);
        scene.play.anvil.mine();
    }
    scene.providers[1].recover();
    pass(&scene, &sent, lied, 2);
    assert_eq!(sent.status(&scene), 7);
    assert_eq!((scene.undone(), scene.lines("chain.logs-untrue")), (0, 0));
}

#[test]
fn a_lagging_provider_delays_final_blocks_but_does_not_undo_blocks() {
    let mut scene = Scene::new(QUICK, 1);
    let sent = Sent::new(&mut scene);
    let mined = scene.play.anvil.head() + 1;
    // The second provider has the headers of all blocks, but no logs of the new blocks.
    lie(&scene.providers[1], move |_, logs| {
        logs.retain(|log| quantity(&log["blockNumber"]) < mined);
    });
    for blocks in [1, 3] {
        scene.play.anvil.mine_many(blocks);
        assert!(scene.look());
    }
    assert_eq!(sent.status(&scene), 3);
    assert_eq!(scene.settled(), mined - 1);
    scene.providers[1].behave(|calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            let list = answers.as_array_mut().unwrap().iter_mut();
            let answer = list.into_iter().find(|answer| answer["id"] == call["id"]);
            if call["method"] == "eth_getLogs" {
                let error = json!({ "code": -32000, "message": "unknown block" });
                *answer.unwrap() = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
            }
        }
        Some(answers)
    });
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(
        (sent.status(&scene), scene.settled()),
        (json!(3), mined - 1)
    );
    scene.providers[1].recover();
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(sent.status(&scene), 7);
    assert_eq!((scene.undone(), scene.lines("chain.logs-untrue")), (0, 0));
    scene.check();
}

#[test]
fn blocks_finalized_during_a_pause_are_compared_before_later_ranges_are_read() {
    let mut scene = Scene::new(QUICK, 1);
    let sent = Sent::new(&mut scene);
    let lied = leave_out_logs(&scene);
    scene.stock();
    assert!(scene.look());
    let cursor = scene.cursor();
    assert!(scene.settled() < lied && lied < cursor);
    scene.play.anvil.mine_many(30);
    // The providers differ, so the service reads the next blocks like new blocks, not by range.
    scene.index_all();
    assert!(scene.settled() < lied);
    scene.play.anvil.mine_many(30);
    scene.providers[0].recover();
    scene.index_all();
    scene.check();
    assert_eq!(scene.settled(), scene.play.anvil.head() - 3);
    assert_eq!(scene.lines("chain.logs-untrue"), 1);
    scene.play.anvil.mine();
    assert!(scene.look());
    assert_eq!(sent.status(&scene), 7);
}

#[test]
fn a_process_forgets_ledgers_of_blocks_that_another_process_undid() {
    let mut scene = Scene::new(QUICK, 1);
    scene.play.anvil.mine_many(4);
    scene.index_all();
    lie(&scene.providers[0], |_, logs| logs.clear());
    scene.play.new_ledger();
    scene.index_all();
    scene.play.anvil.mine_many(3);
    scene.index_all();
    // Another process finds the difference, and reads the same blocks again.
    scene.providers[0].recover();
    let another = scene.service.borrow().another_app();
    block_on(another.on_message(&Job::Follow)).unwrap();
    assert_eq!(scene.lines("chain.logs-untrue"), 1);
    assert_eq!(scene.cursor(), scene.play.anvil.head());
    scene.check();
    let ledger = scene.play.ledgers[0];
    let creation = scene.play.creation(ledger);
    let request = scene.play.order(json!([creation]));
    scene.play.perform(&request);
    scene.play.anvil.mine();
    scene.index_all();
    scene.check();
}

#[test]
fn the_logs_of_final_blocks_take_one_query_and_no_extra_request() {
    let mut scene = Scene::new(QUICK, 1);
    scene.stock();
    scene.play.anvil.mine_many(4);
    scene.index_all();
    let [_, second] = &scene.providers;
    let asked = |scene: &Scene| {
        second.take_requests();
        second.take_calls();
        assert!(scene.look());
        let calls = second.take_calls();
        let queries = calls.iter().filter(|method| *method == "eth_getLogs");
        (second.take_requests(), queries.count())
    };
    assert_eq!(asked(&scene), (0, 0));
    scene.play.anvil.mine_many(3);
    let before = scene.settled();
    // One request reads the last block. Another request reads the final blocks and their logs.
    assert_eq!(asked(&scene), (2, 1));
    assert_eq!(scene.settled(), before + 3);
    assert_eq!(asked(&scene), (0, 0));
}

#[test]
fn final_blocks_are_compared_in_ranges_that_providers_accept() {
    let mut scene = Scene::new(&[("CONFIRMATIONS", "20")], 1);
    scene.stock();
    scene.play.anvil.mine_many(21);
    scene.index_all();
    for provider in &scene.providers {
        super::ranges::limit(provider, 3, 1_000);
    }
    scene.stock();
    scene.play.anvil.mine_many(17);
    scene.index_all();
    assert_eq!(scene.settled(), scene.play.anvil.head() - 20);
    scene.stock();
    scene.play.anvil.mine_many(17);
    index_all(&scene.service.borrow(), &scene.play.anvil);
    assert_eq!(scene.settled(), scene.play.anvil.head() - 20);
    assert_eq!(scene.lines("chain.not-final"), 0);
    scene.check();
}

#[test]
fn a_quorum_of_one_provider_compares_no_logs() {
    let settings = [QUICK, &[("QUORUM", "1"), ("ALLOW_ONE_PROVIDER", "true")]].concat();
    let mut scene = Scene::new(&settings, 1);
    scene.stock();
    scene.play.anvil.mine_many(4);
    scene.index_all();
    let lied = leave_out_logs(&scene);
    scene.stock();
    scene.play.anvil.mine_many(5);
    scene.providers[1].take_calls();
    scene.index_all();
    let calls = scene.providers[1].take_calls();
    assert!(!calls.iter().any(|method| method == "eth_getLogs"));
    assert!(scene.settled() > lied);
}
