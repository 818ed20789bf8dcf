//! Compares the rules of orders with the original contracts: `tests/chain/bench.mjs`.

use anyhow::Result;
use serde_json::Value;

use super::options::ChainOptions;
use super::script::figures;
use crate::build;
use crate::node::Node;
use crate::workspace::Workspace;

/// Compares the treatment of random requests. Prints how often each code was the reason for a refusal.
pub(super) fn run(workspace: &Workspace, options: &ChainOptions) -> Result<Value> {
    build::rules(workspace)?;
    let node = Node::ready(workspace)?;
    let [rounds, seed] = [options.rounds, options.seed].map(|number| number.to_string());
    let script = "tests/chain/bench.mjs";
    let compared = figures(workspace, &node, script, &[&rounds, &seed])?;
    println!("{compared:#}");
    Ok(compared)
}
