//! Providers that omit logs, lag behind, or lie.

use std::cell::Cell;
use std::rc::Rc;

use order_core::Gateways;
use serde_json::{Value, json};

use super::{SETTINGS, Scene};
use crate::support::anvil::{Arg, Provider, quantity};

/// Changes a provider's responses to one JSON-RPC method. `with` receives the parameters and the response.
fn change(provider: &Provider, method: &'static str, with: impl Fn(&Value, &mut Value) + 'static) {
    provider.behave(move |calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            if call["method"] != method {
                continue;
            }
            let answers = answers.as_array_mut().unwrap();
            let answer = answers.iter_mut().find(|answer| answer["id"] == call["id"]);
            with(&call["params"], answer.unwrap());
        }
        Some(answers)
    });
}

fn leave_out_logs(provider: &Provider) {
    change(provider, "eth_getLogs", |_, answer| {
        answer["result"] = json!([])
    });
}

#[test]
fn logs_that_one_provider_omits_are_read_from_another() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    leave_out_logs(&scene.providers[0]);
    scene.stock();
    assert!(scene.look());
    scene.check();
    assert!(scene.lines("chain.logs-differ") > 0);
}

#[test]
fn a_block_whose_logs_are_missing_waits_for_another_provider() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    let before = scene.cursor();
    leave_out_logs(&scene.providers[0]);
    scene.providers[1].go_down();
    scene.stock();
    assert!(scene.look());
    assert_eq!(scene.cursor(), before);
    assert!(scene.lines("chain.logs-unconfirmed") > 0);
    scene.providers[1].recover();
    scene.index_all();
    scene.check();
}

#[test]
fn a_lagging_provider_does_not_undo_indexed_blocks() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let head = scene.play.anvil.head();
    let old = head - 2;
    // The first provider has no block after `old`.
    change(&scene.providers[0], "eth_getBlockByNumber", {
        let anvil = Rc::clone(&scene.play.anvil);
        move |params, answer| {
            let asked = params[0].as_str().unwrap();
            let is_later = asked.starts_with("0x") && quantity(&params[0]) > old;
            if asked == "latest" {
                let block = json!([format!("{old:#x}"), false]);
                answer["result"] = anvil.rpc("eth_getBlockByNumber", block);
            } else if is_later {
                answer["result"] = Value::Null;
            }
        }
    });
    assert!(scene.look());
    assert_eq!(scene.cursor(), head);
    // The service asks the other provider instead.
    scene.stock();
    assert!(scene.look());
    assert_eq!(scene.cursor(), scene.play.anvil.head());
    assert_eq!(scene.lines("chain.reorganised"), 0);
    assert!(scene.lines("rpc.not-preferred") > 0);
    scene.check();
}

#[test]
fn a_provider_that_lacks_a_block_is_skipped() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    change(&scene.providers[0], "eth_getLogs", |_, answer| {
        let error = json!({ "code": -32000, "message": "unknown block" });
        *answer = json!({ "jsonrpc": "2.0", "id": answer["id"], "error": error });
    });
    scene.stock();
    assert!(scene.look());
    scene.check();
}

#[test]
fn a_fork_below_the_final_block_stops_the_index() {
    let mut scene = Scene::new(&[("CONFIRMATIONS", "3")], 1);
    scene.stock();
    scene.play.anvil.mine_many(8);
    scene.index_all();
    let before = scene.cursor();
    scene.play.anvil.rpc("anvil_reorg", json!([7, []]));
    scene.play.anvil.mine();
    assert!(!scene.look());
    assert_eq!(scene.cursor(), before);
    assert_eq!(scene.lines("chain.reorganised-below-final"), 1);
}

#[test]
fn no_block_is_final_while_a_provider_reports_another_hash() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let before = scene.settled();
    let lies = Rc::new(Cell::new(true));
    change(&scene.providers[1], "eth_getBlockByNumber", {
        let lies = Rc::clone(&lies);
        move |_, answer| {
            if lies.get() && !answer["result"].is_null() {
                answer["result"]["hash"] = json!(format!("0x{}", "ab".repeat(32)));
            }
        }
    });
    scene.play.anvil.mine_many(3);
    assert!(scene.look());
    assert_eq!(scene.cursor(), scene.play.anvil.head());
    assert_eq!(scene.settled(), before);
    assert_eq!(scene.lines("chain.not-final"), 1);
    lies.set(false);
    scene.index_all();
    assert_eq!(scene.settled(), scene.play.anvil.head() - 12);
}

#[test]
fn one_provider_alone_cannot_make_a_block_final() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let confirmed = scene.play.anvil.head() - 12;
    assert_eq!(scene.settled(), confirmed);
    // The second provider is five blocks behind.
    change(&scene.providers[1], "eth_getBlockByNumber", {
        let anvil = Rc::clone(&scene.play.anvil);
        move |params, answer| {
            if params[0] == "latest" {
                let block = json!([format!("{:#x}", anvil.head() - 5), false]);
                answer["result"] = anvil.rpc("eth_getBlockByNumber", block);
            }
        }
    });
    scene.play.anvil.mine_many(8);
    scene.index_all();
    assert_eq!(scene.settled(), confirmed + 3);
}

/// Returns the log of a performed order. `claim` is the order's hash.
fn performed(gateways: &Gateways, claim: &str, block: &Value) -> Value {
    let topic = alloy_primitives::keccak256("Perform(bytes32)").to_string();
    json!({
        "address": gateways.actions, "topics": [topic, claim], "data": "0x", "blockNumber": block["number"],
        "blockHash": block["hash"], "transactionHash": format!("0x{}", "cd".repeat(32)),
        "transactionIndex": "0x0", "logIndex": "0x0", "removed": false,
    })
}

#[test]
fn an_invented_log_does_not_make_a_record_final() {
    invent_a_performed_order(&[], "chain.logs-untrue");
}

#[test]
fn with_a_quorum_of_one_the_contract_disproves_an_invented_log() {
    let settings = [("QUORUM", "1"), ("ALLOW_ONE_PROVIDER", "true")];
    invent_a_performed_order(&settings, "chain.claim-untrue");
}

/// Makes a provider invent the log of a performed order. The service must report it with the log event `event`.
fn invent_a_performed_order(settings: &[(&str, &str)], event: &str) {
    let settings = [settings, &[("CONFIRMATIONS", "3")]].concat();
    let mut scene = Scene::new(&settings, 1);
    scene.stock();
    scene.index_all();
    // The order is performed only by a separate call, so the relayer does not send it.
    let owner = scene.play.people[0].clone();
    let ledger = json!({ "id": scene.play.ledgers[0] });
    let other = scene.play.people[1].clone();
    let mut body = scene.play.world.creation(&owner, &ledger, "77", &other);
    body["automatedPerform"] = json!(false);
    let order = scene.play.world.call(owner.post("/orders", &body)).data();
    let sql = "SELECT hash FROM records";
    let hash = super::rows(&scene.service.borrow().database, sql)[0]["hash"].clone();
    let hash = hash.as_str().unwrap().to_owned();

    let lie = Rc::new(Cell::new(None));
    scene.play.anvil.mine();
    lie.set(Some(scene.play.anvil.head()));
    change(&scene.providers[0], "eth_getLogs", {
        let (lie, anvil) = (Rc::clone(&lie), Rc::clone(&scene.play.anvil));
        let gateways = scene.play.world.gateways.clone();
        move |params, answer| {
            let Some(number) = lie.get() else {
                return;
            };
            let block = anvil.rpc(
                "eth_getBlockByNumber",
                json!([format!("{number:#x}"), false]),
            );
            if params[0]["blockHash"] == block["hash"] {
                answer["result"] = json!([performed(&gateways, &hash, &block)]);
            }
        }
    });
    assert!(scene.look());
    let status = |scene: &Scene| {
        let target = format!("/orders/{}", order["ref"].as_str().unwrap());
        scene.play.world.call(owner.get(target)).data()["status"].clone()
    };
    assert_eq!(status(&scene), 3);
    scene.play.anvil.mine_many(3);
    assert!(scene.look());
    assert_eq!(scene.lines(event), 1);
    assert_ne!(status(&scene), 3);
    assert_ne!(status(&scene), 7);
    scene.index_all();
    scene.check();
}

#[test]
fn a_changed_gateway_is_logged_as_an_error() {
    let scene = Scene::new(SETTINGS, 1);
    scene.index_all();
    // The changes before the check of the settings are no news.
    assert_eq!(scene.lines("chain.gateway-changed"), 0);
    let anvil = &scene.play.anvil;
    let friend = scene.play.people[0].id();
    let args = [Arg::Account(friend), Arg::Number(16)];
    anvil.send(
        anvil.owner(),
        anvil.contract("actions"),
        "grantAbilities(address,uint256)",
        &args,
    );
    scene.index_all();
    let service = scene.service.borrow();
    let lines = service.log.lines();
    let alarms = lines.iter().filter(|(level, line)| {
        *level == edge_api::ports::Level::Error && line["event"] == "chain.gateway-changed"
    });
    assert_eq!(
        (alarms.count(), scene.lines("chain.gateway-changed")),
        (1, 1)
    );
}

#[test]
fn an_asset_count_that_differs_from_the_contract_is_reported_daily() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let day = |scene: &Scene| {
        scene.service.borrow().clock.advance(86_400_000);
        scene.play.anvil.mine();
        scene.index_all();
        scene.lines("chain.supply-differs")
    };
    assert_eq!(day(&scene), 0);
    let sql = "UPDATE ledgers SET asset_count = asset_count + 1";
    scene.service.borrow().database.execute(sql).unwrap();
    assert_eq!(day(&scene), 1);
    assert_eq!(day(&scene), 2);
}
