//! Calls a route of a service as an administrator, or prints the address of the administrator's account.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::build;
use crate::node::Node;
use crate::options::variable;
use crate::workspace::Workspace;

#[derive(Debug, Args)]
pub(crate) struct AdminOptions {
    /// The address of the service
    #[arg(long, requires = "method")]
    pub(crate) url: Option<String>,
    /// A file with the private key of an account in `ADMIN_ACCOUNTS`, 64 hexadecimal digits
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// GET or POST
    #[arg(requires_all = ["url", "path"])]
    pub(crate) method: Option<String>,
    /// The path with its query, such as `/admin/audit?limit=5`
    pub(crate) path: Option<String>,
    /// Fields of the body
    #[arg(value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) fields: Vec<String>,
}

/// Builds the npm client. Then runs the script that signs and sends the call. Without a call, the script prints the address of the key's
/// account.
///
/// # Errors
/// If the client cannot be built, or the script cannot be started.
pub(crate) fn run(workspace: &Workspace, options: &AdminOptions) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    build::client(workspace, &node)?;
    let mut script = node.script(workspace.root(), &workspace.path("edge-api/host/admin.mjs"));
    script.arg("--key").arg(&options.key);
    if let (Some(url), Some(method), Some(path)) = (&options.url, &options.method, &options.path) {
        script.arg("--url").arg(url);
        script.arg(method.to_uppercase()).arg(path);
        script.args(&options.fields);
    }
    let status = script.status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
