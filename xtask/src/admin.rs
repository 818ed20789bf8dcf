//! Calls a route of a service as an administrator.

use std::process::ExitCode;

use anyhow::Result;

use crate::build;
use crate::cli::AdminOptions;
use crate::node::Node;
use crate::workspace::Workspace;

/// Builds the npm client. Then runs the script that signs and sends the call.
///
/// # Errors
/// If the client cannot be built, or the script cannot be started.
pub(crate) fn run(workspace: &Workspace, options: &AdminOptions) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    build::client(workspace, &node)?;
    let mut call = node.script(workspace.root(), &workspace.path("edge-api/host/admin.mjs"));
    call.arg("--url").arg(&options.url);
    call.arg("--key").arg(&options.key);
    call.arg(options.method.to_uppercase()).arg(&options.path);
    call.args(&options.fields);
    let status = call.status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
