//! Runs the scripts that measure, and prints their figures.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::build::{self, Edition};
use crate::node::Node;
use crate::wasm::Profile;
use crate::workspace::Workspace;

/// Builds the Worker as it is deployed, and runs a script that measures it. The script's standard output is JSON. Its standard error is
/// shown.
pub(super) fn script(workspace: &Workspace, script: &str, arguments: &[&str]) -> Result<Value> {
    measure(workspace, Edition::Embedded, script, arguments)
}

/// Like [`script`], but for the Worker with a ledger on a chain.
pub(super) fn script_on_chain(
    workspace: &Workspace,
    script: &str,
    arguments: &[&str],
) -> Result<Value> {
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
pub(super) fn figures(
    workspace: &Workspace,
    node: &Node,
    script: &str,
    arguments: &[&str],
) -> Result<Value> {
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
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(super) fn new(titles: [&str; N]) -> Self {
        Self {
            rows: vec![titles.map(str::to_owned)],
        }
    }

    pub(super) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    pub(super) fn print(&self) {
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
