//! The files that are made from the service's own shapes.

use std::process::ExitCode;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// The command. Runs the test that compares these files with the service, in the mode that writes them.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let mut cargo = process::cargo(workspace.root());
    cargo.args(["test", "--package", "edge-api", "--lib", "openapi::"]);
    cargo.env("ASSAY_WRITE_DOCS", "1");
    process::run(&mut cargo)?;
    Ok(ExitCode::SUCCESS)
}
