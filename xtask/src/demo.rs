//! Walks through the service and the certification library.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::build::Edition;
use crate::chain::{self, Chain};
use crate::dev;
use crate::node::Node;
use crate::options::{self, Backend};
use crate::server::{self, Server};
use crate::wasm::Profile;
use crate::workspace::Workspace;
use crate::{build, report};

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// A running server [default: the server of `cargo xtask dev`, otherwise a new one for the demo]
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The ledger of the server
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    pub(crate) ledger: Backend,
    /// The state folder of `cargo xtask dev --ledger anvil` [default: .state/anvil beside Cargo.toml]
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// A JSON file with your own asset metadata
    #[arg(long, value_name = "FILE", requires = "schema")]
    pub(crate) metadata: Option<PathBuf>,
    /// The JSON Schema that describes the metadata
    #[arg(long, value_name = "FILE", requires = "metadata")]
    pub(crate) schema: Option<PathBuf>,
    /// The certification profile [default: AIH-2]
    #[arg(long, value_parser = ["AIH-1", "AIH-2"])]
    pub(crate) profile: Option<String>,
}

/// Runs the demo against the given server. Without one, uses the server of `cargo xtask dev` if it runs, or starts a new server.
pub(crate) fn run(workspace: &Workspace, options: &DemoOptions) -> Result<ExitCode> {
    let chosen = options.url.clone().or_else(development_server);
    let with_chain = options.ledger == Backend::Anvil;
    let edition = Edition::on_chain(with_chain);
    report::note("cargo xtask demo issues a certificate, shows its badge, and forges it.");
    let node = Node::ready(workspace)?;
    build::client(workspace, &node)?;
    build::cert_for_pages(workspace, &node)?;

    let mut demo = node.script(workspace.root(), &workspace.path("tests/demo/demo.mjs"));
    // Both values are held until the demo has ended, because dropping them stops the chain and the server.
    let _own_chain;
    let mut own_server;
    let url = if let Some(url) = chosen {
        if with_chain {
            let state = match &options.state {
                Some(state) => absolute(state)?,
                None => dev::default_state(workspace, Backend::Anvil),
            };
            demo.arg("--chain")
                .arg(description(&state.join(chain::FOLDER)));
            // The demo starts a second service on the same chain.
            let dist = build::worker(workspace, &node, edition, Profile::Quick)?;
            demo.arg("--dist").arg(dist);
        }
        url
    } else {
        let dev = match options.ledger {
            Backend::Embedded => "cargo xtask dev",
            Backend::Anvil => "cargo xtask dev --ledger anvil",
        };
        report::note(&format!(
            "no server runs here: starting one for the demo. To open the demo's certificate later, start `{dev}` first"
        ));
        let mut vars = Vec::new();
        if with_chain {
            let folder = workspace.cache().join("demo-chain");
            remove(&folder)?;
            let (chain, ready) = Chain::start(workspace, &node, 0, &folder)?;
            _own_chain = chain;
            vars.extend(ready.vars());
            demo.arg("--chain").arg(description(&folder));
        }
        let dist = build::worker(workspace, &node, edition, Profile::Quick)?;
        demo.arg("--dist").arg(&dist);
        own_server = Server::start(
            workspace,
            &node,
            &server::Options {
                port: 0,
                state: None,
                dist: &dist,
                vars: &server::development_vars(&vars),
                sweep_seconds: 1,
                watch: false,
                quiet: false,
                log: Some(&workspace.cache().join("demo-server.log")),
            },
        )?;
        own_server.address()?
    };

    demo.arg("--url").arg(url);
    for (name, file) in [
        ("--metadata", &options.metadata),
        ("--schema", &options.schema),
    ] {
        if let Some(file) = file {
            demo.arg(name).arg(absolute(file)?);
        }
    }
    if let Some(profile) = &options.profile {
        demo.arg("--profile").arg(profile);
    }
    let status = demo
        .status()
        .context("Node.js could not be started for the demo")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the file that describes the chain in a folder.
fn description(folder: &Path) -> PathBuf {
    folder.join(chain::DESCRIPTION)
}

/// Removes a folder, if it exists.
fn remove(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Resolves a path of the command line from the caller's folder.
fn absolute(file: &Path) -> Result<PathBuf> {
    std::path::absolute(file).with_context(|| format!("`{}` is not a path", file.display()))
}

/// Returns the address of `cargo xtask dev` on its default port, if a server listens there.
fn development_server() -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options::DEVELOPMENT_PORT));
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()?;
    Some(format!("http://{address}"))
}
