//! Generates the API description, the list of errors, the client's types, and the tables of characters and headlines.

use std::process::ExitCode;

use anyhow::Result;

use crate::node::Node;
use crate::process;
use crate::workspace::Workspace;

/// The tests that compare the tables of pages: characters with `docs/spec/text.json`, and headlines with the library.
const TABLES: &[&str] = &[
    "test",
    "--package",
    "cert-core",
    "--test",
    "text",
    "--test",
    "verdict",
    "the_table",
];

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
    let steps = STEPS.map(|step| [&["test", "--package", "edge-api"], step].concat());
    for step in [TABLES.to_vec()].into_iter().chain(steps) {
        let mut cargo = process::cargo(workspace.root());
        cargo.args(step);
        cargo.env("ASSAY_WRITE_DOCS", "1");
        process::run(&mut cargo)?;
    }
    let types = workspace.path("pkg/client/types.mjs");
    process::run(&mut node.script(workspace.root(), &types))?;
    Ok(ExitCode::SUCCESS)
}
