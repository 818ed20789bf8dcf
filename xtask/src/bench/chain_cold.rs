//! Runs tests/chain/cold.mjs: a service with an empty database indexes a ledger from the chain.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::options::ChainColdOptions;
use super::script::{Table, script_on_chain};
use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Figures {
    assets: u32,
    blocks: u32,
    /// Seconds until the new service listed all assets.
    seconds: f64,
    /// The number of HTTP requests to all providers.
    requests: u32,
    /// The number of JSON-RPC calls by method.
    calls: BTreeMap<String, u32>,
}

/// Indexes the assets, and prints the figures.
pub(super) fn run(workspace: &Workspace, options: &ChainColdOptions) -> Result<Value> {
    let assets = options.assets.to_string();
    let measured = script_on_chain(workspace, "tests/chain/cold.mjs", &["--assets", &assets])?;
    let figures: Figures = serde_json::from_value(measured.clone())?;
    let mut table = Table::new(["measured", "value"]);
    let rate = f64::from(figures.assets) / figures.seconds;
    for (name, value) in [
        ("assets", figures.assets.to_string()),
        ("blocks", figures.blocks.to_string()),
        (
            "until all were indexed",
            format!("{:.1} s", figures.seconds),
        ),
        ("assets per second", format!("{rate:.0}")),
        ("HTTP requests to providers", figures.requests.to_string()),
    ] {
        table.row([name.to_owned(), value]);
    }
    for (method, times) in &figures.calls {
        table.row([format!("calls of {method}"), times.to_string()]);
    }
    table.print();
    Ok(measured)
}
