//! Measures `cert batch`: the time from a table to final certificates, and the parts of this time.

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::options::BatchOptions;
use super::script::{Table, script};
use crate::process;
use crate::workspace::Workspace;

/// Times in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    rows: u32,
    /// The whole command.
    seconds: f64,
    /// Certifying on all cores, and writing the files.
    certifying: f64,
    /// Signing, sending and waiting.
    issuing: f64,
    /// The time of a second run, which finds nothing to issue.
    nothing_left: f64,
}

/// Builds the tool as it is published, measures it, and prints the figures.
pub(super) fn run(workspace: &Workspace, options: &BatchOptions) -> Result<Value> {
    let mut build = process::cargo(workspace.root());
    process::run(build.args(["build", "--release", "--package", "cert-cli"]))?;
    let name = format!("cert{}", std::env::consts::EXE_SUFFIX);
    let tool = workspace.target().join("release").join(name);
    let rows = options.rows.to_string();
    let tool = tool.display().to_string();
    let measured = script(workspace, "tests/batch/bench.mjs", &[&tool, &rows])?;
    let figures: Figures = serde_json::from_value(measured.clone())?;
    let mut table = Table::new(["cert batch", "s", "share"]);
    for (name, seconds) in [
        ("the whole command", figures.seconds),
        ("certifying, with all files", figures.certifying),
        ("issuing", figures.issuing),
        ("again, with nothing left to issue", figures.nothing_left),
    ] {
        let share = seconds / figures.seconds * 100.0;
        table.row([
            format!("{} rows: {name}", figures.rows),
            format!("{seconds:.2}"),
            format!("{share:.0} %"),
        ]);
    }
    table.print();
    Ok(measured)
}
