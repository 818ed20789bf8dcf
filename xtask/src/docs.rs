//! Generates files from the service: its API description, its error list and the client's types.

use std::process::ExitCode;

use anyhow::Result;

use crate::node::Node;
use crate::process;
use crate::workspace::Workspace;

/// Tests of edge-api that compare files with the service. If `ASSAY_WRITE_DOCS` is set, they write the files instead. Each step reads the
/// files of earlier steps.
const STEPS: [&[&str]; 2] = [
    // docs/errors.md, and the examples of the description.
    &["--test", "http", "--", "errors::", "in_process::examples::"],
    // www/openapi.json.
    &["--lib", "--", "openapi::"],
];

/// Writes the files, then the client's types from the API description.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    for step in STEPS {
        let mut cargo = process::cargo(workspace.root());
        cargo.args(["test", "--package", "edge-api"]).args(step);
        cargo.env("ASSAY_WRITE_DOCS", "1");
        process::run(&mut cargo)?;
    }
    let types = workspace.path("pkg/client/types.mjs");
    process::run(&mut node.script(workspace.root(), &types))?;
    Ok(ExitCode::SUCCESS)
}
