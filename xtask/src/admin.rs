//! Calls a route of a service as an administrator, or prints the address of the administrator's account.

use std::process::ExitCode;

use anyhow::Result;

use crate::build;
use crate::cli::AdminOptions;
use crate::node::Node;
use crate::workspace::Workspace;

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
