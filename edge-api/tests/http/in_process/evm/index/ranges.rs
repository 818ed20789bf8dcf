//! The first start reads blocks by range. Providers limit the size of a range.

use alloy_primitives::hex;
use serde_json::{Value, json};

use super::truth::{indexed, same};
use super::{SETTINGS, Scene, index_all, lines};
use crate::support::anvil::{Provider, quantity};
use crate::support::native::Service;

/// Makes a provider refuse log queries for more than `blocks` blocks or with more than `logs` logs.
pub fn limit(provider: &Provider, blocks: u64, logs: usize) {
    provider.behave(move |calls, ask| {
        let mut answers = ask(calls.clone());
        for call in calls.as_array().unwrap() {
            let query = &call["params"][0];
            if call["method"] != "eth_getLogs" || query["fromBlock"].is_null() {
                continue;
            }
            let size = quantity(&query["toBlock"]) + 1 - quantity(&query["fromBlock"]);
            let answers = answers.as_array_mut().unwrap();
            let answer = answers.iter_mut().find(|answer| answer["id"] == call["id"]);
            let answer = answer.unwrap();
            let count = answer["result"].as_array().map_or(0, Vec::len);
            if size > blocks || count > logs {
                let error = json!({ "code": -32005, "message": "query returned too many results" });
                *answer = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
            }
        }
        Some(answers)
    });
}

#[test]
fn a_first_start_finds_range_sizes_that_the_providers_accept() {
    let mut scene = Scene::new(SETTINGS, 3);
    for _ in 0..40 {
        scene.play.step();
        scene.play.anvil.mine();
    }
    scene.play.anvil.mine_many(30);
    scene.index_all();
    let (cold, providers) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    limit(&providers[0], 7, 1_000);
    limit(&providers[1], 1_000, 9);
    index_all(&cold, &scene.play.anvil);
    same(
        &indexed(&cold.database),
        &indexed(&scene.service.borrow().database),
    );
    scene.check();
}

#[test]
fn a_first_start_waits_until_the_providers_agree_on_the_logs() {
    let mut scene = Scene::new(SETTINGS, 3);
    scene.stock();
    scene.play.anvil.mine_many(20);
    let (cold, providers) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    let forgetful = |calls: Value, ask: &dyn Fn(Value) -> Value| {
        let mut answers = ask(calls);
        for answer in answers.as_array_mut().unwrap() {
            if answer["result"].is_array() {
                answer["result"].as_array_mut().unwrap().pop();
            }
        }
        Some(answers)
    };
    providers[0].behave(forgetful);
    for _ in 0..12 {
        cold.clock.advance(1_000);
        let app = cold.app();
        let message = app.on_message(&edge_api::ports::Job::Follow);
        assert!(crate::support::native::block_on(message).is_err());
    }
    assert!(lines(&cold, "chain.logs-differ") > 0);
    assert!(indexed(&cold.database)["ledgers"].is_empty());
    providers[0].recover();
    index_all(&cold, &scene.play.anvil);
    same(&indexed(&cold.database), &scene.truth());
}

/// The address of Multicall3, a contract that makes many calls at once.
const MULTICALL: &str = "0xca11bde05977b3631167028862be2a173976ca11";

/// Answers a call of Multicall3 from the results of single calls, because the node does not have this contract. Results of the real contract
/// are in `tests/vectors/chain/views.json`.
fn aggregate(call: &Value, ask: &dyn Fn(Value) -> Value) -> String {
    let data = hex::decode(call["params"][0]["data"].as_str().unwrap()).unwrap();
    let words = &data[4..];
    let number = |at: usize| {
        let word: [u8; 8] = words[at + 24..at + 32].try_into().unwrap();
        usize::try_from(u64::from_be_bytes(word)).unwrap()
    };
    let count = number(32);
    let calls = (0..count).map(|place| {
        let start = 64 + number(64 + 32 * place);
        let to = hex::encode_prefixed(&words[start + 12..start + 32]);
        let length = number(start + 96);
        let data = hex::encode_prefixed(&words[start + 128..start + 128 + length]);
        let params = json!([{ "to": to, "data": data }, call["params"][1]]);
        json!({ "jsonrpc": "2.0", "id": place, "method": "eth_call", "params": params })
    });
    let answers = ask(Value::from_iter(calls));
    let word = |number: usize| format!("{number:064x}");
    let (mut offsets, mut tails) = (String::new(), String::new());
    for place in 0..count {
        let answers = answers.as_array().unwrap();
        let answer = answers.iter().find(|answer| answer["id"] == place).unwrap();
        let bytes = answer["result"].as_str().unwrap_or("0x")[2..].to_owned();
        offsets += &word(32 * count + tails.len() / 2);
        tails += &word(usize::from(!answer["result"].is_null()));
        tails += &(word(64) + &word(bytes.len() / 2) + &bytes);
        assert_eq!(bytes.len() % 64, 0);
    }
    format!("0x{}{}{offsets}{tails}", word(32), word(count))
}

/// Makes a provider answer as if the chain had Multicall3.
pub fn add_multicall(provider: &Provider) {
    provider.behave(move |calls, ask| {
        let answers = calls.as_array().unwrap().iter().map(|call| {
            let params = &call["params"][0];
            let address = params
                .as_str()
                .or(params["to"].as_str())
                .unwrap_or_default();
            let result = match call["method"].as_str().unwrap() {
                _ if address.to_lowercase() != MULTICALL => return ask(json!([call]))[0].clone(),
                "eth_getCode" => "0x60".to_owned(),
                _ => aggregate(call, ask),
            };
            json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
        });
        Some(Value::from_iter(answers))
    });
}

#[test]
fn the_imprints_of_many_assets_are_read_with_few_calls() {
    let mut scene = Scene::new(SETTINGS, 3);
    let ledger = scene.play.new_ledger();
    scene.index_all();
    scene
        .providers
        .iter()
        .for_each(|provider| add_multicall(provider));
    // A new process asks whether the chain has Multicall3.
    scene.service.borrow_mut().restart();
    let calls = |scene: &mut Scene| {
        let actions = (0..35).map(|_| scene.play.creation(ledger)).collect();
        let request = scene.play.order(actions);
        scene.play.perform(&request);
        scene.play.anvil.mine();
        let last = *scene.play.assets.last().unwrap();
        assert!(scene.play.owner_of(last).is_some());
        scene
            .providers
            .iter()
            .for_each(|provider| drop(provider.take_calls()));
        scene.index_all();
        scene.check();
        let calls = scene
            .providers
            .iter()
            .flat_map(|provider| provider.take_calls());
        calls.filter(|method| method == "eth_call").count()
    };
    assert!(calls(&mut scene) < 5);
}
