//! Measurements: prints tables, and writes the figures as JSON into `target/bench`.

mod api;
mod batch;
mod cert;
mod chain;
mod chain_cold;
mod chain_load;
mod faults;
mod hostile;
mod options;
mod scale;
mod script;
mod sizes;
mod worker;

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::options::Backend;
use crate::report;
use crate::workspace::Workspace;

pub(crate) use options::{BenchOptions, Subject};

/// Measures one subject.
pub(crate) fn run(workspace: &Workspace, options: &BenchOptions) -> Result<ExitCode> {
    let (name, measured) = match &options.subject {
        Subject::Api => ("api", api::run(workspace)?),
        Subject::Cert => ("cert", cert::run(workspace)?),
        Subject::Sizes => ("sizes", sizes::run(workspace)?),
        Subject::Batch(options) => ("batch", batch::run(workspace, options)?),
        Subject::Chain(options) => ("chain", chain::run(workspace, options)?),
        Subject::Worker(options) => {
            let name = if options.evm { "worker-evm" } else { "worker" };
            (name, worker::run(workspace, options)?)
        }
        Subject::Hostile(options) => ("hostile", hostile::run(workspace, options)?),
        Subject::ChainHostile(options) => (
            "chain-hostile",
            hostile::on_chain(workspace, &options.names)?,
        ),
        Subject::Scale => ("scale", scale::run(workspace)?),
        Subject::Faults(options) => match options.ledger {
            Backend::Embedded => ("faults", faults::run(workspace, options)?),
            Backend::Anvil => ("faults-anvil", faults::on_chain(workspace, options)?),
        },
        Subject::ChainCold(options) => ("chain-cold", chain_cold::run(workspace, options)?),
        Subject::ChainLoad(options) => ("chain-load", chain_load::run(workspace, options)?),
    };
    let file = workspace.path("target/bench").join(format!("{name}.json"));
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&file, serde_json::to_string_pretty(&measured)?)
        .with_context(|| format!("writing `{}`", file.display()))?;
    report::note(&format!("written to {}", file.display()));
    Ok(ExitCode::SUCCESS)
}
