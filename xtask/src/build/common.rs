//! Steps that the builds of several products have.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::node::Node;
use crate::stamp;
use crate::wasm::Compiled;
use crate::workspace::Workspace;

/// Copies the texts of the licences into a package's folder, because npm packs only files in this folder. Returns the original files.
pub(super) fn licences(workspace: &Workspace, dist: &Path) -> Result<[PathBuf; 2]> {
    let texts = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| workspace.path(name));
    for text in &texts {
        let name = text.file_name().context("a licence has a name")?;
        fs::copy(text, dist.join(name)).with_context(|| format!("copying `{}`", text.display()))?;
    }
    Ok(texts)
}

/// Returns an esbuild command that converts a module for Node.js to CommonJS. CommonJS has no `import.meta.url`, so the command replaces this
/// expression.
pub(super) fn common_js(workspace: &Workspace, node: &Node, entry: &str) -> Command {
    let mut esbuild = node.tool(workspace.root(), "esbuild");
    esbuild.args([
        entry,
        "--bundle",
        "--platform=node",
        "--target=node20",
        "--format=cjs",
    ]);
    esbuild.args(["--define:import.meta.url=__url", "--log-level=warning"]);
    esbuild.arg("--banner:js=const __url=require('node:url').pathToFileURL(__filename).href;");
    esbuild
}

/// Returns the inputs of a product: the crate's sources, xtask's sources, the locked versions of the JavaScript tools, and `more`.
pub(super) fn inputs(
    workspace: &Workspace,
    compiled: Compiled,
    more: &[PathBuf],
) -> Result<Vec<PathBuf>> {
    let mut inputs = compiled.sources;
    inputs.extend(stamp::tree(&[workspace.path("xtask/src")])?);
    inputs.push(workspace.path("package-lock.json"));
    inputs.extend_from_slice(more);
    Ok(inputs)
}
