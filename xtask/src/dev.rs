//! Builds everything, serves it on this machine, and rebuilds after every change.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::build::Edition;
use crate::chain::{self, Chain};
use crate::node::Node;
use crate::options::{Backend, CHAIN_PORT, DEVELOPMENT_PORT, variable};
use crate::server::{self, Event, Server};
use crate::wasm::Profile;
use crate::watch::Watch;
use crate::workspace::Workspace;
use crate::{build, report};

#[derive(Debug, Args)]
pub(crate) struct DevOptions {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = DEVELOPMENT_PORT)]
    pub(crate) port: u16,
    /// Folder for the database, the cache and the chain, kept between runs [default: .state beside Cargo.toml; .state/anvil with a chain]
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Start from an empty state
    #[arg(long)]
    pub(crate) reset: bool,
    /// The ledger
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    pub(crate) ledger: Backend,
    /// Port of the chain on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = CHAIN_PORT)]
    pub(crate) chain_port: u16,
    /// A setting of the Worker; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) var: Vec<String>,
    /// Build the Worker as it is deployed: the build is slower, and the Worker answers faster
    #[arg(long)]
    pub(crate) release: bool,
    /// Log every request, not only failures
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// The folders of the simulator and the chain in a state folder. A reset deletes only these, because the state folder may have other files.
const STATE: [&str; 7] = [
    "cache",
    chain::FOLDER,
    DATABASE,
    "kv",
    "queues",
    "r2",
    "ratelimit",
];

const DATABASE: &str = "d1";

/// The file in a state folder with the key of status lists. A reset keeps it.
const STATUS_KEY: &str = "status.key";

/// Rate limits that stop a runaway loop, but that a person never reaches.
const LIMITS: [&str; 2] = ["RATE_LIMIT_ADDRESS=3000/10", "RATE_LIMIT_ACCOUNT=2000/10"];

/// The sources of the Worker and its pages.
const SOURCES: [&str; 19] = [
    "Cargo.lock",
    "Cargo.toml",
    "cert-badge",
    "cert-core",
    "sha256-lanes",
    "cert-wasm",
    "edge-api/Cargo.toml",
    "edge-api/assets",
    "edge-api/host/worker.mjs",
    "edge-api/src",
    "order-core",
    "pkg/cert/index.d.ts",
    "pkg/cert/aih2/src",
    "pkg/cert/src",
    "pkg/cert/verify/src",
    "pkg/client/src",
    "pkg/elements/src",
    "pkg/view",
    "www",
];

/// Runs the command. This function returns only if an error occurs: Ctrl-C in the terminal stops this process and the server.
pub(crate) fn run(workspace: &Workspace, options: &DevOptions) -> Result<ExitCode> {
    let edition = Edition::on_chain(options.ledger == Backend::Anvil);
    report::note(
        "cargo xtask dev builds the service, serves it on this machine and follows your changes. The first build takes 5 to 10 minutes.",
    );
    let node = Node::ready(workspace)?;
    let profile = if options.release {
        Profile::Release
    } else {
        Profile::Quick
    };
    let state = if let Some(chosen) = &options.state {
        std::path::absolute(chosen)?
    } else {
        keep_private(&workspace.path(".state"))?;
        default_state(workspace, options.ledger)
    };
    if options.reset {
        reset(&state)?;
    }
    // The chain starts before the build, so that a machine that cannot run the chain reports this immediately.
    let chain = match options.ledger {
        Backend::Embedded => None,
        Backend::Anvil => Some(start_chain(workspace, &node, options.chain_port, &state)?),
    };
    // The watch starts before the first build, so that no change during the build is missed.
    let watch = Watch::new(SOURCES.map(|source| workspace.path(source)).to_vec())?;
    let dist = build::worker(workspace, &node, edition, profile)?;

    let started = Instant::now();
    let of_chain = chain.iter().flat_map(chain::Ready::vars);
    let vars: Vec<String> = LIMITS
        .map(str::to_owned)
        .into_iter()
        .chain(of_chain)
        .chain([status_key(&state)?])
        .chain(options.var.iter().cloned())
        .collect();
    let mut server = Server::start(
        workspace,
        &node,
        &server::Options {
            port: options.port,
            state: Some(&state),
            dist: &dist,
            vars: &server::development_vars(&vars),
            sweep_seconds: 2,
            watch: true,
            quiet: !options.verbose,
            log: None,
        },
    )?;
    let url = server.address()?;
    announce(&url, chain.as_ref(), &state, started, options.verbose);

    let workspace = workspace.clone();
    std::thread::spawn(move || follow(&workspace, &node, edition, profile, watch));
    loop {
        match server.next()? {
            Event::Ready(_) => {}
            Event::Reloaded => report::note("  serving the new build"),
            Event::Ended => bail!("the server ended"),
        }
    }
}

/// Returns the default state folder. A database belongs to one ledger, so each ledger has its own folder.
pub(crate) fn default_state(workspace: &Workspace, ledger: Backend) -> PathBuf {
    match ledger {
        Backend::Embedded => workspace.path(".state"),
        Backend::Anvil => workspace.path(".state/anvil"),
    }
}

/// Starts the chain of a state folder. When the chain ends, this process exits too.
fn start_chain(
    workspace: &Workspace,
    node: &Node,
    port: u16,
    state: &Path,
) -> Result<chain::Ready> {
    let has_database = state.join(DATABASE).is_dir();
    let (mut chain, ready) = Chain::start(workspace, node, port, &state.join(chain::FOLDER))?;
    if ready.created && has_database {
        // Otherwise the next run would find this chain, and would not notice that the chain is new.
        let description = state.join(chain::FOLDER).join(chain::DESCRIPTION);
        std::fs::remove_file(description)?;
        bail!(
            "the database in {} belongs to another ledger than the new chain: start with `--reset`, or choose another folder by `--state`",
            state.display()
        );
    }
    std::thread::spawn(move || {
        if let Err(error) = chain.ended() {
            report::error(&error);
        }
        report::note("the chain has ended");
        std::process::exit(1);
    });
    Ok(ready)
}

/// Rebuilds after every change. If a build fails, its errors are shown and the last good build is still served.
fn follow(
    workspace: &Workspace,
    node: &Node,
    edition: Edition,
    profile: Profile,
    mut watch: Watch,
) {
    loop {
        let built = watch.wait().and_then(|changed| {
            let name = changed
                .strip_prefix(workspace.root())
                .unwrap_or(&changed)
                .display()
                .to_string();
            report::note(&format!("\n  {name} changed"));
            build::worker(workspace, node, edition, profile)
        });
        if let Err(error) = built {
            report::error(&error);
            report::note("  the last good build is still served");
        }
    }
}

/// Denies other users access to the default state folder, which earlier versions left readable. The caller does not call this for a folder
/// of `--state`, because such a folder may have other uses. There, the server protects its own folders.
#[cfg(unix)]
fn keep_private(state: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    if state.is_dir() {
        std::fs::set_permissions(state, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> Result<()> {
    Ok(())
}

/// Returns the setting with the key of status lists. The first run draws the key, and later runs read it, so that badges stay verifiable.
fn status_key(state: &Path) -> Result<String> {
    let file = state.join(STATUS_KEY);
    if !file.is_file() {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)?;
        let digits: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        create_private(state, &file, &digits)?;
    }
    let key = std::fs::read_to_string(&file)?;
    Ok(format!("STATUS_KEY={}", key.trim()))
}

/// Writes a file, and its folder if it is missing, so that other users cannot read them.
#[cfg(unix)]
fn create_private(folder: &Path, file: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};

    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    let mut options = std::fs::OpenOptions::new();
    let mut opened = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    opened.write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(not(unix))]
fn create_private(folder: &Path, file: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    Ok(std::fs::write(file, text)?)
}

fn reset(state: &Path) -> Result<()> {
    for name in STATE {
        let folder = state.join(name);
        if folder.is_dir() {
            std::fs::remove_dir_all(folder)?;
        }
    }
    Ok(())
}

fn announce(
    url: &str,
    chain: Option<&chain::Ready>,
    state: &Path,
    started: Instant,
    verbose: bool,
) {
    report::note(&format!("\n  ready {}", report::elapsed(started.elapsed())));
    let link = |name: &str, url: &str| {
        report::note(&format!("    {name:<9}{}", report::paint("36", url)));
    };
    for (name, path) in [
        ("pages", "/"),
        ("API", "/docs/"),
        ("OpenAPI", "/openapi.json"),
        ("health", "/health"),
    ] {
        link(name, &format!("{url}{path}"));
    }
    if let Some(chain) = chain {
        link("chain", &chain.url);
        for (name, value) in [
            ("chain id", chain.chain_id.to_string().as_str()),
            (
                "gateways",
                &format!(
                    "{} for orders, {} for deployments",
                    chain.var("GATEWAY_ACTIONS"),
                    chain.var("GATEWAY_DEPLOY")
                ),
            ),
            ("token", chain.var("TOKEN_ADDRESS")),
        ] {
            report::note(&format!("    {name:<9}{value}"));
        }
    }
    report::note(&format!("    state    {}", state.display()));
    let demo = match chain {
        None => "cargo xtask demo",
        Some(_) => "cargo xtask demo --ledger anvil",
    };
    report::note(&format!(
        "  next     `{demo}` in a second terminal shows what the service does"
    ));
    if !verbose {
        report::note("  log      warnings and errors; every request with --verbose");
    }
    report::note("  Changes are built and served as you save. Ctrl-C ends everything.\n");
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_key_of_status_lists_is_drawn_once_and_kept_private() {
        let folder = std::env::temp_dir().join(format!("assay-xtask-key-{}", std::process::id()));
        let first = status_key(&folder).unwrap();
        let digits = first.strip_prefix("STATUS_KEY=").unwrap();
        assert!(digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(status_key(&folder).unwrap(), first);
        let mode = folder
            .join(STATUS_KEY)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn an_existing_state_folder_is_closed_to_other_users() {
        let folder = std::env::temp_dir().join(format!("assay-xtask-state-{}", std::process::id()));
        keep_private(&folder).unwrap();
        assert!(!folder.exists());
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        keep_private(&folder).unwrap();
        let mode = folder.metadata().unwrap().permissions().mode();
        std::fs::remove_dir(&folder).unwrap();
        assert_eq!(mode & 0o777, 0o700);
    }
}
