//! The relayer's balance, and the price of gas.

use edge_api::ports::Level;
use serde_json::{Value, json};

use super::Scene;

const GWEI: u64 = 1_000_000_000;
const ETHER: u128 = 1_000_000_000_000_000_000;
/// The default of `RELAYER_RESERVE`.
const RESERVE: u128 = 10_000_000_000_000_000;

#[test]
fn orders_wait_while_the_relayer_has_too_little_ether() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    scene.anvil.fund(scene.anvil.relayer(), RESERVE + 1);
    scene.blocks(1);
    let orders: [String; 3] = scene.orders();
    scene.work();
    scene.blocks(12);
    for order in &orders {
        let record = scene.record(order);
        assert_eq!(
            (&record["status"], &record["attempts"]),
            (&json!(1), &json!(0))
        );
        assert_eq!(scene.signed(order).len(), 0);
    }
    let paused = scene.relayer()["paused"].as_str().unwrap().to_owned();
    assert!(paused.starts_with("funds "), "{paused}");
    let errors = scene.service.borrow().log.lines();
    let errors = errors
        .iter()
        .filter(|(_, line)| line["event"] == "relayer.funds");
    assert_eq!(
        errors.map(|(level, _)| *level).collect::<Vec<_>>(),
        [Level::Error]
    );
    scene.anvil.fund(scene.anvil.relayer(), ETHER);
    scene.until(7, &orders);
    scene.performed_once(&orders);
    assert_eq!(scene.nonce(), before + 3);
    assert_eq!(scene.relayer()["paused"], Value::Null);
}

#[test]
fn the_balance_must_cover_all_transactions_that_wait() {
    let scene = Scene::new(&[]);
    let [first, second] = scene.orders();
    scene.work();
    let cost = |order: &String| {
        let tx = scene.signed(order)[0].clone();
        let max_fee: u128 = tx["max_fee"].as_str().unwrap().parse().unwrap();
        max_fee * u128::from(tx["gas"].as_u64().unwrap())
    };
    let both = cost(&first) + cost(&second);
    scene.until(7, [&first, &second]);
    scene.anvil.set_base_fee(GWEI);
    scene.blocks(1);
    scene.anvil.set_base_fee(GWEI);
    scene.anvil.fund(scene.anvil.relayer(), RESERVE + both);
    scene.blocks(1);
    let orders: [String; 4] = scene.orders();
    scene.work();
    let signed: usize = orders.iter().map(|order| scene.signed(order).len()).sum();
    assert!((1..=2).contains(&signed), "{signed}");
    let cost: u128 = orders
        .iter()
        .filter(|order| !scene.signed(order).is_empty())
        .map(cost)
        .sum();
    assert!(cost <= both, "{cost} {both}");
    scene.anvil.fund(scene.anvil.relayer(), ETHER);
    scene.until(7, &orders);
    scene.performed_once(&orders);
}

#[test]
fn orders_wait_while_gas_costs_more_than_the_cap() {
    let scene = Scene::new(&[("FEE_CAP_GWEI", "5")]);
    scene.anvil.set_base_fee(20 * GWEI);
    scene.blocks(1);
    let order = scene.order();
    scene.work();
    scene.blocks(2);
    assert_eq!((scene.status(&order), scene.signed(&order).len()), (1, 0));
    assert_eq!(scene.relayer()["paused"], "price");
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.relayer()["paused"], Value::Null);
    assert_eq!(scene.lines("relayer.price").len(), 1);
}

#[test]
fn only_a_limited_number_of_transactions_waits_for_a_block() {
    let scene = Scene::new(&[("INFLIGHT", "2")]);
    let orders: [String; 5] = scene.orders();
    scene.work();
    let signed = || {
        orders
            .iter()
            .map(|order| scene.signed(order).len())
            .sum::<usize>()
    };
    assert_eq!(signed(), 2);
    scene.work();
    assert_eq!(signed(), 2);
    scene.blocks(1);
    assert_eq!(signed(), 4);
    scene.until(7, &orders);
    scene.performed_once(&orders);
    assert!(
        orders
            .iter()
            .all(|order| scene.record(order)["attempts"] == 0)
    );
}

#[test]
fn legacy_transactions_are_sent_to_a_chain_without_a_base_fee() {
    let scene = Scene::new(&[]);
    for provider in &scene.providers {
        provider.behave(|calls, ask| {
            let mut answers = ask(calls.clone());
            let pairs = calls.as_array()?.iter().zip(answers.as_array_mut()?);
            for (call, answer) in pairs {
                assert_eq!(call["id"], answer["id"]);
                match call["method"].as_str()? {
                    "eth_feeHistory" => {
                        answer.as_object_mut()?.remove("result");
                        answer["error"] = json!({ "code": -32601, "message": "no such method" });
                    }
                    "eth_getBlockByNumber" | "eth_getBlockByHash" => {
                        if let Some(block) = answer["result"].as_object_mut() {
                            block.remove("baseFeePerGas");
                        }
                    }
                    _ => {}
                }
            }
            Some(answers)
        });
    }
    scene.blocks(1);
    let order = scene.order();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    let hash = scene.record(&order)["tx_hash"].clone();
    let sent = scene.anvil.rpc("eth_getTransactionByHash", json!([hash]));
    assert_eq!(sent["type"], "0x0", "{sent}");
}

#[test]
fn the_layer_1_fee_counts_as_part_of_the_cost() {
    let scene = Scene::new(&[]);
    // The bytecode of a contract that answers every call with one ether.
    let code = format!("0x7f{ETHER:064x}60005260206000f3");
    let oracle = "0x420000000000000000000000000000000000000f";
    scene.anvil.rpc("anvil_setCode", json!([oracle, code]));
    // An isolate looks for the contract only once.
    scene.service.borrow_mut().restart();
    scene.anvil.fund(scene.anvil.relayer(), 2 * ETHER);
    scene.blocks(1);
    let order = scene.order();
    scene.work();
    scene.blocks(2);
    assert_eq!((scene.status(&order), scene.signed(&order).len()), (1, 0));
    scene.anvil.fund(scene.anvil.relayer(), 3 * ETHER);
    scene.until(7, [&order]);
    scene.performed_once([&order]);
}
