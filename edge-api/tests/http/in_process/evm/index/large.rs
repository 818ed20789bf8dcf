//! Blocks with more logs than a provider answers in one query, or than one step indexes.

use std::cell::Cell;
use std::rc::Rc;

use alloy_primitives::{hex, keccak256};
use serde_json::{Value, json};

use super::lies::QUICK;
use super::{SETTINGS, Scene, indexed, rows, same};
use crate::support::anvil::{Arg, Provider};
use crate::support::native::Service;

/// The most logs that a provider of these tests answers in one query.
const MOST: usize = 3;

/// Returns the answers, but refuses queries with more than [`MOST`] logs.
fn refusing(calls: &Value, ask: &dyn Fn(Value) -> Value) -> Value {
    let mut answers = ask(calls.clone());
    for answer in answers.as_array_mut().unwrap() {
        let is_large = answer["result"]
            .as_array()
            .is_some_and(|list| list.len() > MOST);
        if is_large {
            *answer = json!({ "jsonrpc": "2.0", "id": answer["id"],
                "error": { "code": -32005, "message": "query returned more than 3 results" } });
        }
    }
    answers
}

fn refuse(provider: &Provider) {
    provider.behave(|calls, ask| Some(refusing(&calls, ask)));
}

/// Sends an order that creates 30 assets, then mines its block. The transaction has more logs than two parts may have.
fn large_block(scene: &mut Scene) -> u64 {
    let ledger = scene.play.ledgers[0];
    let actions = (0..30).map(|_| scene.play.creation(ledger)).collect();
    let request = scene.play.order(actions);
    scene.play.perform(&request);
    scene.play.anvil.mine();
    scene.play.anvil.head()
}

fn part(scene: &Scene) -> Value {
    rows(&scene.service.borrow().database, "SELECT part FROM chain")[0]["part"].clone()
}

#[test]
fn a_block_whose_logs_no_query_answers_is_indexed_and_becomes_final() {
    let mut scene = Scene::new(QUICK, 3);
    scene.stock();
    scene.providers.iter().for_each(|provider| refuse(provider));
    let large = large_block(&mut scene);
    scene.play.anvil.mine();
    scene.index_all();
    scene.check();
    assert!(scene.lines("chain.block-in-parts") > 0);
    let lines = scene.service.borrow().log.lines();
    let named = lines
        .iter()
        .any(|(_, line)| line["event"] == "chain.block-in-parts" && line["block"] == large);
    assert!(named);
    scene.play.anvil.mine_many(5);
    scene.index_all();
    assert!(scene.settled() >= large);
    for event in [
        "chain.logs-untrue",
        "chain.data-untrue",
        "chain.index-gap",
        "chain.not-final",
    ] {
        assert_eq!(scene.lines(event), 0, "{event}");
    }

    // An empty database reads the same block, which is final now, with the same providers.
    let (cold, providers) = Service::on_anvil(QUICK, &scene.play.anvil);
    providers.iter().for_each(|provider| refuse(provider));
    super::index_all(&cold, &scene.play.anvil);
    same(
        &indexed(&cold.database),
        &indexed(&scene.service.borrow().database),
    );
}

#[test]
fn the_index_equals_the_contracts_if_queries_have_few_logs() {
    let mut scene = Scene::new(SETTINGS, 21);
    scene.providers.iter().for_each(|provider| refuse(provider));
    for round in 0..60 {
        for _ in 0..=scene.play.random.below(6) {
            scene.play.step();
        }
        if round % 9 == 8 {
            large_block(&mut scene);
        }
        scene.play.anvil.mine();
        if scene.play.random.below(8) == 0 {
            scene.play.reorganise(8);
        }
        if scene.play.random.below(3) == 0 {
            scene.look();
        }
        if round % 20 == 19 {
            scene.play.anvil.mine();
            scene.index_all();
            scene.check();
        }
    }
    scene.play.anvil.mine_many(14);
    scene.index_all();
    assert!(scene.lines("chain.block-in-parts") > 4);
    assert!(scene.lines("chain.reorganised") > 0);
    for event in ["chain.index-gap", "chain.logs-untrue", "chain.data-untrue"] {
        assert_eq!(scene.lines(event), 0, "{event}");
    }
    assert!(scene.settled() + 12 >= scene.cursor());
}

#[test]
fn a_large_block_that_is_replaced_between_two_parts_leaves_nothing() {
    let mut scene = Scene::new(SETTINGS, 4);
    scene.stock();
    scene.index_all();
    scene.providers.iter().for_each(|provider| refuse(provider));
    large_block(&mut scene);
    // A provider that stops in the middle of the block.
    let receipts = Rc::new(Cell::new(0));
    for provider in &scene.providers {
        let receipts = Rc::clone(&receipts);
        provider.behave(move |calls, ask| {
            let is_receipt = |call: &Value| call["method"] == "eth_getTransactionReceipt";
            let count = calls
                .as_array()
                .unwrap()
                .iter()
                .filter(|call| is_receipt(call))
                .count();
            receipts.set(receipts.get() + count);
            (receipts.get() < 2).then(|| refusing(&calls, ask))
        });
    }
    scene.look();
    let position = part(&scene);
    assert!(position.is_string(), "{position}");
    assert!(scene.cursor() < scene.play.anvil.head());
    scene.providers.iter().for_each(|provider| refuse(provider));
    scene.play.anvil.rpc("anvil_reorg", json!([1, []]));
    scene.play.anvil.rpc("anvil_dropAllTransactions", json!([]));
    scene.play.anvil.mine_many(2);
    scene.index_all();
    assert!(part(&scene).is_null());
    assert!(scene.lines("chain.reorganised") > 0);
    scene.check();
}

#[test]
fn a_quorum_contradicts_a_receipt_that_lacks_logs() {
    let mut scene = super::lies::among_three(QUICK);
    scene.stock();
    scene.index_all();
    refuse(&scene.providers[1]);
    scene.providers[0].behave(|calls, ask| {
        let mut answers = refusing(&calls, ask);
        for answer in answers.as_array_mut().unwrap() {
            if let Some(Value::Array(logs)) = answer.pointer_mut("/result/logs") {
                logs.truncate(5);
            }
        }
        Some(answers)
    });
    let large = large_block(&mut scene);
    scene.play.anvil.mine_many(4);
    for _ in 0..12 {
        scene.look();
        scene.play.anvil.mine();
    }
    scene.index_all();
    assert!(scene.lines("chain.logs-untrue") > 0);
    assert!(scene.settled() >= large);
    scene.check();
}

#[test]
fn approvals_for_all_assets_are_not_queried() {
    let mut scene = Scene::new(QUICK, 5);
    scene.stock();
    let topic = hex::encode_prefixed(keccak256("ApprovalForAll(address,address,bool)"));
    for provider in &scene.providers {
        let topic = topic.clone();
        provider.behave(move |calls, ask| {
            assert!(!calls.to_string().contains(&topic));
            Some(ask(calls))
        });
    }
    let ledger = scene.play.ledgers[0];
    let stranger = scene.play.stranger;
    for _ in 0..3 {
        let args = [Arg::Account(scene.play.people[1].id()), Arg::Flag(true)];
        scene
            .play
            .direct(stranger, ledger, "setApprovalForAll(address,bool)", &args);
    }
    scene.play.anvil.mine_many(6);
    scene.index_all();
    scene.check();
    let kept = rows(
        &scene.service.borrow().database,
        "SELECT count(*) AS n FROM operators",
    );
    assert_eq!(kept[0]["n"], 0);
}

#[test]
fn many_changes_of_one_row_in_a_block_need_few_statements() {
    let mut scene = Scene::new(QUICK, 6);
    let ledger = scene.play.new_ledger();
    let actions = json!([scene.play.creation(ledger)]);
    let request = scene.play.order(actions);
    scene.play.perform(&request);
    scene.play.anvil.mine();
    scene.index_all();
    let owner = scene.play.people[0].id();
    for imprint in 1..=60 {
        let args = [Arg::Number(1), Arg::Number(imprint)];
        scene.play.direct(
            owner,
            ledger,
            "updateTokenURIIntegrityDigest(uint256,bytes32)",
            &args,
        );
    }
    scene.play.anvil.mine();
    scene.index_all();
    let found = rows(
        &scene.service.borrow().database,
        "SELECT (SELECT imprint FROM assets) AS imprint, (SELECT count(*) FROM past_imprints) AS n",
    );
    assert_eq!(found[0]["imprint"], format!("{:064x}", 60));
    // The block's last imprints are kept, and the imprint before the block.
    assert_eq!(found[0]["n"], 16);
}

#[test]
fn an_answer_with_more_values_than_its_calls_need_is_not_parsed() {
    let mut scene = Scene::new(QUICK, 7);
    scene.stock();
    scene.index_all();
    // Each value of these lists takes many times its text in memory. Even the smallest answer of a provider has a limit.
    for value in [json!(0), json!([]), json!({ "a": 0 })] {
        scene.providers[0].behave(move |calls, ask| {
            let mut answers = ask(calls);
            for answer in answers.as_array_mut().unwrap() {
                answer["other"] = json!({ "list": vec![value.clone(); 200_000] });
            }
            Some(answers)
        });
        scene.play.anvil.mine();
        scene.index_all();
    }
    scene.check();
    let lines = scene.service.borrow().log.lines();
    let is_large = |line: &Value| {
        line["event"] == "rpc.failed" && line["why"] == "provider 1: the answer is too large"
    };
    assert!(lines.iter().filter(|(_, line)| is_large(line)).count() >= 3);
}
