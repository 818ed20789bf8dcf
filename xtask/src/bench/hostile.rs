//! Runs the attacks of tests/hostile/run.mjs on the Worker, and reports which limits were kept.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::options::HostileOptions;
use super::script::{Table, script, script_on_chain};
use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Figures {
    attacks: Vec<Attack>,
}

#[derive(Deserialize)]
struct Attack {
    name: String,
    bounds: Vec<Bound>,
}

/// A measurement of an attack, and its limit. `value` is null if the system cannot provide the measurement.
#[derive(Deserialize)]
struct Bound {
    what: String,
    #[serde(default)]
    value: Value,
    limit: Value,
    unit: String,
    holds: bool,
}

/// Runs the attacks, prints every bound, and fails if a bound did not hold.
pub(super) fn run(workspace: &Workspace, options: &HostileOptions) -> Result<Value> {
    let names: Vec<&str> = options.names.iter().map(String::as_str).collect();
    report(script(workspace, "tests/hostile/run.mjs", &names)?)
}

/// Like [`run`], but for the attacks of tests/chain/hostile.mjs on the Worker with a ledger on a chain.
pub(super) fn on_chain(workspace: &Workspace, names: &[String]) -> Result<Value> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let measured = script_on_chain(workspace, "tests/chain/hostile.mjs", &names)?;
    report(measured)
}

/// Prints every bound, and fails if a bound did not hold.
fn report(measured: Value) -> Result<Value> {
    let Figures { attacks } = serde_json::from_value(measured.clone())?;
    let mut broken = Vec::new();
    let mut table = Table::new(["attack", "measured", "bound", ""]);
    for Attack { name, bounds } in attacks {
        table.row([name.clone(), String::new(), String::new(), String::new()]);
        for bound in bounds {
            let Bound {
                what,
                value,
                limit,
                unit,
                holds,
            } = bound;
            if !holds {
                broken.push(format!("{name}: {what}: {value}"));
            }
            table.row([
                format!("  {what}"),
                value.to_string(),
                limit.to_string(),
                unit,
            ]);
        }
    }
    table.print();
    if !broken.is_empty() {
        bail!("bounds that did not hold:\n  {}", broken.join("\n  "));
    }
    Ok(measured)
}
