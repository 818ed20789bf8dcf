//! Runs tests/faults/run.mjs, or tests/chain/run.mjs with a chain. These scripts stop the Worker, and fail unless every accepted change
//! happened exactly once.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::options::FaultsOptions;
use super::script::{Table, script, script_on_chain};
use crate::report;
use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Figures {
    rounds: u32,
    /// The number of aborts at each step.
    reached: BTreeMap<String, u32>,
    killed: u32,
    resent: u32,
    repeated: u32,
}

/// Runs the test and prints the steps at which the Worker aborted.
pub(super) fn run(workspace: &Workspace, options: &FaultsOptions) -> Result<Value> {
    let rounds = options.rounds.to_string();
    let measured = script(workspace, "tests/faults/run.mjs", &["--rounds", &rounds])?;
    let figures: Figures = serde_json::from_value(measured.clone())?;
    let mut table = Table::new(["the Worker aborted", "times"]);
    for (step, times) in &figures.reached {
        table.row([step.clone(), times.to_string()]);
    }
    table.print();
    report::note(&format!(
        "Rounds: {}; with the process killed: {}; requests that got no answer and were sent again: {}. Every order, deposit and \
         payment happened exactly once. No webhook event was lost, and {} arrived twice.",
        figures.rounds, figures.killed, figures.resent, figures.repeated
    ));
    Ok(measured)
}

#[derive(Deserialize)]
struct ChainFigures {
    rounds: u32,
    /// The number of rounds of each fault.
    scenarios: BTreeMap<String, u32>,
    killed: u32,
    resent: u32,
    /// The number of performed orders, deployments and approvals.
    requests: u32,
}

/// Runs the test with a chain, and prints the faults.
pub(super) fn on_chain(workspace: &Workspace, options: &FaultsOptions) -> Result<Value> {
    let rounds = options.rounds.to_string();
    let mut arguments = vec!["--rounds", rounds.as_str()];
    if let Some(name) = &options.only {
        arguments.extend(["--only", name.as_str()]);
    }
    let measured = script_on_chain(workspace, "tests/chain/run.mjs", &arguments)?;
    let figures: ChainFigures = serde_json::from_value(measured.clone())?;
    let mut table = Table::new(["fault", "rounds"]);
    for (name, times) in &figures.scenarios {
        table.row([name.clone(), times.to_string()]);
    }
    table.print();
    report::note(&format!(
        "Rounds: {}; with the process killed: {}; requests that got no answer and were sent again: {}. Each of {} requests was performed \
         exactly once, and the service called none of them final before the chain's contracts did.",
        figures.rounds, figures.killed, figures.resent, figures.requests
    ));
    Ok(measured)
}
