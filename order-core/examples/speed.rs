//! Measures the time of the work for a request on this machine: `cargo run --release -p order-core --features sign --example speed`.
#![allow(
    clippy::unwrap_used,
    reason = "the example stops if its own input is wrong"
)]

use std::hint::black_box;
use std::time::Instant;

use order_core::{
    Claim, ClaimKind, Gateways, Order, OrderRequest, PrivateKey, Snapshot, apply_order,
};
use serde_json::{Value, json};

/// The maximum number of actions of an order.
const ACTIONS: usize = 100;

fn main() {
    let key: PrivateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
        .parse()
        .unwrap();
    let gateways = Gateways::derive(&[1; 32]);
    let body = body(&key, &gateways);
    let request = OrderRequest::parse(&body, 0).unwrap();
    let order = &request.order;
    let hash = request.hash(&gateways).unwrap();
    let text = key.claim(ClaimKind::EthSign, &hash).to_string();
    let claim: Claim = text.parse().unwrap();
    let world = world(order, &gateways);

    measure("parse a claim", 100_000, || text.parse::<Claim>().is_ok());
    measure("recover a claim", 2_000, || claim.recover(&hash).is_ok());
    measure("sign a hash", 2_000, || {
        key.claim(ClaimKind::EthSign, &hash)
    });
    measure("parse 100 actions", 1_000, || {
        OrderRequest::parse(&body, 0).is_ok()
    });
    measure("hash 100 actions", 1_000, || {
        request.hash(&gateways).is_ok()
    });
    measure("apply 100 actions", 1_000, || {
        apply_order(order, None, &gateways, &world).is_ok()
    });
}

/// Prints the mean time of a piece of work.
fn measure<T>(name: &str, rounds: u32, mut work: impl FnMut() -> T) {
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(work());
    }
    let each = start.elapsed().as_secs_f64() / f64::from(rounds);
    println!("{name:<18} {:>10.1} µs", each * 1e6);
}

/// Returns an order with the maximum number of value transfers.
fn body(key: &PrivateKey, gateways: &Gateways) -> Value {
    let transfer = json!({
        "kind": 3,
        "ledgerId": gateways.token,
        "value": "1",
        "senderId": key.address(),
        "receiverId": gateways.payment_receiver,
    });
    json!({
        "priority": 1,
        "wildcardSigner": false,
        "order": {
            "signers": [{"accountId": key.address()}],
            "actions": vec![transfer; ACTIONS],
            "seed": 1,
            "expiration": 1,
        },
    })
}

/// Returns a snapshot with enough tokens for the order.
fn world(order: &Order, gateways: &Gateways) -> Snapshot {
    let keys = order.read_set(gateways, None);
    Snapshot {
        balances: keys
            .balances
            .into_iter()
            .map(|account| (account, 100.into()))
            .collect(),
        allowances: keys
            .allowances
            .into_iter()
            .map(|pair| (pair, 100.into()))
            .collect(),
        ..Snapshot::default()
    }
}
