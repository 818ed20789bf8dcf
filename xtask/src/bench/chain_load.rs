//! Runs tests/chain/load.mjs: orders under load on a chain.

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::options::ChainLoadOptions;
use super::script::{Table, script_on_chain};
use crate::workspace::Workspace;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    orders: u32,
    seconds: Seconds,
    blocks: Blocks,
    gas: Gas,
    requests_per_order: f64,
    calls_per_order: f64,
}

/// Times, counted from the first order.
#[derive(Deserialize)]
struct Seconds {
    /// Seconds until all orders were accepted.
    accepted: f64,
    /// Seconds until all orders were final.
    all: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blocks {
    /// The blocks from the first order until all orders were final.
    all: u32,
    /// The blocks from the acceptance of the last order until all orders were final.
    after_acceptance: u32,
    /// The blocks that performed orders.
    with_orders: u32,
    /// The minimum number of blocks for the gas of all orders.
    needed: u32,
    /// The maximum of `after_acceptance`.
    bound: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gas {
    per_order: u64,
    per_block: u64,
}

/// Runs the orders, and prints the figures. Fails if the figures exceed a limit of the script.
pub(super) fn run(workspace: &Workspace, options: &ChainLoadOptions) -> Result<Value> {
    let orders = options.orders.to_string();
    let measured = script_on_chain(workspace, "tests/chain/load.mjs", &["--orders", &orders])?;
    let figures: Figures = serde_json::from_value(measured.clone())?;
    let Figures {
        seconds,
        blocks,
        gas,
        ..
    } = figures;
    let mut table = Table::new(["measured", "value"]);
    let seconds_text = |seconds: f64| format!("{seconds:.1} s");
    for (name, value) in [
        ("orders", figures.orders.to_string()),
        ("until all were accepted", seconds_text(seconds.accepted)),
        ("until all were final", seconds_text(seconds.all)),
        ("blocks until all were final", blocks.all.to_string()),
        (
            "blocks after the last was accepted",
            blocks.after_acceptance.to_string(),
        ),
        ("  bound", blocks.bound.to_string()),
        (
            "blocks that performed orders",
            blocks.with_orders.to_string(),
        ),
        ("  needed for the gas", blocks.needed.to_string()),
        ("gas of an order", gas.per_order.to_string()),
        ("gas of a block", gas.per_block.to_string()),
        (
            "HTTP requests to providers, per order",
            format!("{:.2}", figures.requests_per_order),
        ),
        (
            "JSON-RPC calls, per order",
            format!("{:.1}", figures.calls_per_order),
        ),
    ] {
        table.row([name.to_owned(), value]);
    }
    table.print();
    Ok(measured)
}
