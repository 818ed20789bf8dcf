//! Measurements: prints tables, and writes the figures as JSON into `target/bench`.

mod api;
mod batch;
mod cert;
mod chain;
mod chain_cold;
mod chain_load;
mod faults;
mod hostile;
mod scale;
mod sizes;
mod worker;

use std::fs;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::build::Edition;
use crate::cli::{Backend, BenchOptions, Subject};
use crate::node::Node;
use crate::wasm::Profile;
use crate::workspace::Workspace;
use crate::{build, report};

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

/// Builds the Worker as it is deployed, and runs a script that measures it. The script's standard output is JSON. Its standard error is
/// shown.
fn script(workspace: &Workspace, script: &str, arguments: &[&str]) -> Result<Value> {
    measure(workspace, Edition::Embedded, script, arguments)
}

/// Like [`script`], but for the Worker with a ledger on a chain.
fn script_on_chain(workspace: &Workspace, script: &str, arguments: &[&str]) -> Result<Value> {
    measure(workspace, Edition::Evm, script, arguments)
}

fn measure(
    workspace: &Workspace,
    edition: Edition,
    script: &str,
    arguments: &[&str],
) -> Result<Value> {
    let node = Node::ready(workspace)?;
    build::cert(workspace, &node)?;
    build::client(workspace, &node)?;
    build::worker(workspace, &node, edition, Profile::Release)?;
    figures(workspace, &node, script, arguments)
}

/// Runs a script whose standard output is JSON.
fn figures(workspace: &Workspace, node: &Node, script: &str, arguments: &[&str]) -> Result<Value> {
    let output = node
        .script(workspace.root(), &workspace.path(script))
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("Node.js could not be started")?;
    if !output.status.success() {
        bail!("`{script}` failed ({})", output.status);
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("reading the output of `{script}`"))
}

/// A table with columns of minimal width. The first column is aligned to the left, all others to the right.
struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    fn new(titles: [&str; N]) -> Self {
        Self {
            rows: vec![titles.map(str::to_owned)],
        }
    }

    fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    fn print(&self) {
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for row in &self.rows {
            let mut line = String::from(" ");
            for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
                line.push_str(&if at == 0 {
                    format!(" {cell:<width$}")
                } else {
                    format!("  {cell:>width$}")
                });
            }
            println!("{line}");
        }
    }
}
