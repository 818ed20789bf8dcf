//! The options of deployments.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::configuration::{Domain, Environment};
use crate::options::variable;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DeployOptions {
    #[command(subcommand)]
    pub(crate) action: Option<DeployAction>,
    #[command(flatten)]
    pub(crate) service: ServiceOptions,
    /// Do everything that needs no Cloudflare account, and create, upload and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A setting of the service, kept in `deploy/<ENV>.jsonc`; may be repeated; an empty value restores the default
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Serve the service at this host name instead of below workers.dev; its zone must be in the Cloudflare account
    #[arg(long, value_name = "HOST")]
    pub(crate) domain: Option<Domain>,
    /// The id of the Cloudflare account, if the login has several accounts
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceOptions {
    /// The service to deploy: each has its own file `deploy/<ENV>.jsonc`, address, database and queues
    #[arg(long, value_name = "ENV", default_value_t = Environment::default())]
    pub(crate) env: Environment,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeployAction {
    /// Roll back to the last version that passed its smoke test, or to the named one; the database keeps its tables
    Rollback {
        #[command(flatten)]
        service: ServiceOptions,
        /// A version's id, from `cargo xtask wrangler versions list`
        version: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WranglerOptions {
    /// Arguments for wrangler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let variable = variable(text)?;
    let (name, value) = variable.split_once('=').unwrap_or_default();
    Ok((name.to_owned(), value.trim().to_owned()))
}
