//! Measures the sizes of proofs with tests/bench/sizes.mjs, for the figures of `docs/profiles.md`.

use std::collections::BTreeMap;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::script::Table;
use crate::node::Node;
use crate::process;
use crate::workspace::Workspace;

#[derive(Deserialize)]
struct Figures {
    /// Bytes by the number of fields, then by the profile.
    profiles: BTreeMap<u32, BTreeMap<String, Sizes>>,
    formats: BTreeMap<String, Size>,
}

/// Bytes of detached evidence for each selection of fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sizes {
    one: u32,
    ten: u32,
    all_but_one: u32,
    all: u32,
}

#[derive(Deserialize)]
struct Size {
    bytes: u32,
    /// `measured` or `computed`.
    how: String,
}

/// Builds the command-line tool, measures the sizes and prints them.
pub(super) fn run(workspace: &Workspace) -> Result<Value> {
    let node = Node::ready(workspace)?;
    process::run(process::cargo(workspace.root()).args([
        "build",
        "--quiet",
        "--package",
        "cert-cli",
    ]))?;
    let tool = workspace
        .target()
        .join("debug")
        .join(format!("cert{}", std::env::consts::EXE_SUFFIX));
    let output = node
        .script(workspace.root(), &workspace.path("tests/bench/sizes.mjs"))
        .arg(tool)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("Node.js could not be started")?;
    if !output.status.success() {
        bail!("the sizes could not be measured ({})", output.status);
    }
    let measured: Value = serde_json::from_slice(&output.stdout)?;
    let figures: Figures = serde_json::from_value(measured.clone())?;
    let mut table = Table::new(["fields, profile", "one", "ten", "all but one", "all"]);
    for (count, profiles) in &figures.profiles {
        for (profile, sizes) in profiles {
            let shown = [sizes.one, sizes.ten, sizes.all_but_one, sizes.all];
            let [one, ten, all_but_one, all] = shown.map(|bytes| bytes.to_string());
            table.row([format!("{count}, {profile}"), one, ten, all_but_one, all]);
        }
    }
    table.print();
    println!();
    let mut table = Table::new(["one of 1,000 fields", "bytes", ""]);
    for (format, size) in &figures.formats {
        table.row([format.clone(), size.bytes.to_string(), size.how.clone()]);
    }
    table.print();
    Ok(measured)
}
