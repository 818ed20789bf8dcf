//! Measurements: prints tables, and writes the figures as JSON into `target/bench`.

mod cert;
mod options;
mod script;
mod table;
mod worker;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::build::{self, Edition};
use crate::options::Backend;
use crate::workspace::Workspace;
use crate::{process, report};

pub(crate) use options::{BenchOptions, Subject};
use script::Script;

/// Measures one subject.
pub(crate) fn run(workspace: &Workspace, options: &BenchOptions) -> Result<ExitCode> {
    let measure = |name, worker, path, arguments| {
        let script = Script {
            path,
            arguments,
            worker,
        };
        script::run(workspace, name, &script)
    };
    let (embedded, evm) = (Some(Edition::Embedded), Some(Edition::Evm));
    let option = |name: &str, value: &dyn ToString| vec![format!("--{name}"), value.to_string()];
    match &options.subject {
        Subject::Cert => write(workspace, "cert", &cert::run(workspace)?)?,
        Subject::Worker(options) => {
            let name = if options.evm { "worker-evm" } else { "worker" };
            write(workspace, name, &worker::run(workspace, options)?)?;
        }
        Subject::Api => measure("api", embedded, "tests/load/api.mjs", Vec::new())?,
        Subject::Scale => measure("scale", embedded, "tests/load/scale.mjs", Vec::new())?,
        Subject::Hostile(options) => {
            let names = options.names.clone();
            measure("hostile", embedded, "tests/hostile/run.mjs", names)?;
        }
        Subject::ChainHostile(options) => {
            let names = options.names.clone();
            measure("chain-hostile", evm, "tests/chain/hostile.mjs", names)?;
        }
        Subject::Faults(options) => {
            let mut arguments = option("rounds", &options.rounds);
            match options.ledger {
                Backend::Embedded => {
                    measure("faults", embedded, "tests/faults/run.mjs", arguments)?;
                }
                Backend::Anvil => {
                    arguments.extend(options.only.iter().flat_map(|name| option("only", name)));
                    measure("faults-anvil", evm, "tests/chain/run.mjs", arguments)?;
                }
            }
        }
        Subject::ChainCold(options) => {
            let arguments = option("assets", &options.assets);
            measure("chain-cold", evm, "tests/chain/cold.mjs", arguments)?;
        }
        Subject::ChainLoad(options) => {
            let arguments = option("orders", &options.orders);
            measure("chain-load", evm, "tests/chain/load.mjs", arguments)?;
        }
        Subject::Batch(options) => {
            let arguments = vec![tool(workspace, "release")?, options.rows.to_string()];
            measure("batch", embedded, "tests/batch/bench.mjs", arguments)?;
        }
        Subject::Chain(options) => {
            build::rules(workspace)?;
            let arguments = [options.rounds, options.seed].map(|number| number.to_string());
            measure("chain", None, "tests/chain/bench.mjs", arguments.into())?;
        }
        Subject::Sizes => {
            let arguments = vec![tool(workspace, "dev")?];
            measure("sizes", None, "tests/bench/sizes.mjs", arguments)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the command-line tool and returns its path.
fn tool(workspace: &Workspace, profile: &str) -> Result<String> {
    let mut build = process::cargo(workspace.root());
    build.args(["build", "--package", "cert-cli", "--profile", profile]);
    process::run(&mut build)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let name = format!("cert{}", std::env::consts::EXE_SUFFIX);
    let tool = workspace.target().join(folder).join(name);
    Ok(tool.display().to_string())
}

/// Returns the file for the figures of a subject.
fn file(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.path("target/bench").join(format!("{name}.json"))
}

fn write(workspace: &Workspace, name: &str, figures: &Value) -> Result<()> {
    let file = file(workspace, name);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&file, serde_json::to_string_pretty(figures)?)
        .with_context(|| format!("writing `{}`", file.display()))?;
    report::note(&format!("written to {}", file.display()));
    Ok(())
}
