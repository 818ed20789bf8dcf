//! Runs the operator's tool (`operate/`) from its sources, for tasks such as `cargo xtask deploy`.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::build;
use crate::node::Node;
use crate::workspace::Workspace;

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct OperateOptions {
    /// Options and arguments; `--help` explains them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs a command of the tool. The tool builds the Worker by this program if it needs it.
///
/// # Errors
/// If the tool cannot be started.
pub(crate) fn run(
    workspace: &Workspace,
    command: &str,
    options: &OperateOptions,
) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    if command == "admin" {
        build::client(workspace, &node)?;
    }
    let own = std::env::current_exe().context("finding this program")?;
    let mut tool = node.within(node.program(), workspace.root());
    // Some versions of Node.js print a warning when they import TypeScript.
    tool.arg("--disable-warning=ExperimentalWarning");
    tool.arg(workspace.path("operate/src/cli.ts"));
    tool.arg(command).args(&options.arguments);
    tool.env("ASSAY_XTASK", own);
    tool.env("ASSAY_OPERATE", "cargo xtask");
    let code = tool.status()?.code().and_then(|code| code.try_into().ok());
    Ok(code.map_or(ExitCode::FAILURE, |code: u8| ExitCode::from(code)))
}
