//! The files that are made from the service's own shapes.

use std::process::ExitCode;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// The command: the test that holds these files against the service writes them where it is asked to.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let mut cargo = process::cargo(workspace.root());
    cargo.args(["test", "--package", "edge-api", "--lib", "openapi::"]);
    cargo.env("ASSAY_WRITE_DOCS", "1");
    process::run(&mut cargo)?;
    Ok(ExitCode::SUCCESS)
}
