//! Runs the scripts that measure. Each prints its figures, and writes them as JSON into a file. It fails if a bound does not hold.

use std::process::Stdio;

use anyhow::{Result, bail};

use crate::build::{self, Edition};
use crate::node::Node;
use crate::wasm::Profile;
use crate::workspace::Workspace;

/// The environment variable that names the file for the figures: `tests/support/figures.mjs`.
const FIGURES: &str = "ASSAY_FIGURES";

/// A script that measures.
pub(super) struct Script {
    /// The path in the workspace.
    pub(super) path: &'static str,
    pub(super) arguments: Vec<String>,
    /// The Worker that the script measures. It is built as it is deployed.
    pub(super) worker: Option<Edition>,
}

/// Runs a script.
pub(super) fn run(workspace: &Workspace, name: &str, script: &Script) -> Result<()> {
    let node = Node::ready(workspace)?;
    if let Some(edition) = script.worker {
        build::cert(workspace, &node)?;
        build::client(workspace, &node)?;
        build::worker(workspace, &node, edition, Profile::Release)?;
    }
    let status = node
        .script(workspace.root(), &workspace.path(script.path))
        .args(&script.arguments)
        .env(FIGURES, super::file(workspace, name))
        .stdin(Stdio::null())
        .status()?;
    if !status.success() {
        bail!("`{}` failed ({status})", script.path);
    }
    Ok(())
}
