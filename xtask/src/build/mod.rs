//! Builds the products: the generated parts of the npm packages, and the Worker.

mod cert;
mod client;
mod common;
mod elements;
mod for_pages;
mod options;
mod pages;
mod parts;
mod worker;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::node::Node;
use crate::workspace::Workspace;
use crate::{process, report};

pub(crate) use cert::{cert, cert_entries, cert_for_pages, cert_others};
pub(crate) use client::client;
pub(crate) use elements::{elements, light_elements};
pub(crate) use for_pages::for_pages;
use for_pages::{BADGE, PDF, TABLES};
pub(crate) use options::BuildOptions;
use options::Product;
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
    if all || options.product == Product::Tables {
        TABLES.build_light(workspace, &node)?;
    }
    if all || options.product == Product::Pdf {
        PDF.build_light(workspace, &node)?;
    }
    if all || options.product == Product::Badge {
        BADGE.build_light(workspace, &node)?;
    }
    if all || options.product == Product::Worker {
        light_worker(workspace, &node, Edition::on_chain(options.evm))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the rules of order-core as a program, which `tests/chain` compares with the original contracts. Selects the same packages as the
/// tests, so that dependencies are built only once.
pub(crate) fn rules(workspace: &Workspace) -> Result<()> {
    let mut rules = process::cargo(workspace.root());
    rules.arg("build").args(process::TESTED);
    process::run(rules.args(["--features", "order-core/sign", "--example", "ledger"]))
}
