//! Builds the products: the generated parts of the npm packages, and the Worker.

mod cert;
mod client;
mod elements;
mod parts;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cli::{BuildOptions, Product};
use crate::node::Node;
use crate::wasm::Compiled;
use crate::workspace::Workspace;
use crate::{process, report, stamp};

pub(crate) use cert::{cert, cert_entries, cert_for_pages, cert_others};
pub(crate) use client::client;
pub(crate) use elements::{elements, light_elements};
pub(crate) use worker::{Edition, light_worker, worker};

/// Builds products and prints their sizes.
pub(crate) fn run(workspace: &Workspace, options: &BuildOptions) -> Result<ExitCode> {
    if options.evm && !matches!(options.product, Product::Worker | Product::All) {
        bail!("only the Worker has a build with `--evm`: `cargo xtask build worker --evm`");
    }
    let node = Node::ready(workspace)?;
    let all = options.product == Product::All;
    if all || options.product == Product::Cert {
        cert_entries(workspace, &node)?;
    }
    if all || options.product == Product::Client {
        let dist = client(workspace, &node)?;
        report::sizes(
            "npm package of the API client",
            &[&dist.join("client_bg.wasm"), &dist.join("index.js")],
        )?;
    }
    if all || options.product == Product::Elements {
        light_elements(workspace, &node)?;
    }
    if all || options.product == Product::Worker {
        light_worker(workspace, &node, Edition::on_chain(options.evm))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the texts of the licences into a package's folder, because npm packs only files in this folder. Returns the original files.
fn licences(workspace: &Workspace, dist: &Path) -> Result<[PathBuf; 2]> {
    let texts = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| workspace.path(name));
    for text in &texts {
        let name = text.file_name().context("a licence has a name")?;
        fs::copy(text, dist.join(name)).with_context(|| format!("copying `{}`", text.display()))?;
    }
    Ok(texts)
}

/// Returns an esbuild command that converts a module for Node.js to CommonJS. CommonJS has no `import.meta.url`, so the command replaces this
/// expression.
fn common_js(workspace: &Workspace, node: &Node, entry: &str) -> Command {
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
fn inputs(workspace: &Workspace, compiled: Compiled, more: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut inputs = compiled.sources;
    inputs.extend(stamp::tree(&[workspace.path("xtask/src")])?);
    inputs.push(workspace.path("package-lock.json"));
    inputs.extend_from_slice(more);
    Ok(inputs)
}

/// Builds the rules of order-core as a program, which `tests/chain` compares with the original contracts. Selects the same packages as the
/// tests, so that dependencies are built only once.
pub(crate) fn rules(workspace: &Workspace) -> Result<()> {
    let mut rules = process::cargo(workspace.root());
    rules.arg("build").args(process::TESTED);
    process::run(rules.args(["--features", "order-core/sign", "--example", "ledger"]))
}
