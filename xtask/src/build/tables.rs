//! Builds the WebAssembly with which the pages read tables.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::common::inputs;
use crate::node::Node;
use crate::report;
use crate::stamp::Stamp;
use crate::wasm::{self, Module, Profile};
use crate::workspace::Workspace;

/// The module and its bindings.
const FILES: [&str; 3] = ["tables.js", "tables_bg.wasm", "tables.d.ts"];

/// The maximum size in bytes: WebAssembly and JavaScript, each gzipped. A page loads the module with the first table, and browsers keep it. Workbooks take
/// 130 KB of it, and the letters of East Asian encodings about as much. The rest, 137 KB, would be enough to find doubts about a single document. A
/// module for it alone would be another build of half a minute.
const LIMIT: usize = 460 * 1024;

/// Builds the module and its bindings into `cert-tables/dist`.
pub(crate) fn tables(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    let dist = workspace.path("cert-tables/dist");
    let outputs = FILES.map(|file| dist.join(file));
    Stamp::of(workspace, "tables").unless_fresh("tables for the pages", &outputs, || {
        let compiled = wasm::compile(
            workspace,
            Profile::Release,
            &Module {
                package: "cert-wasm",
                features: &["tables"],
                ..Module::default()
            },
        )?;
        let bindings = workspace.cache().join("tables-bindings");
        wasm::bind(&compiled.module, "tables", &bindings, |bindgen| {
            bindgen.web(true)?.typescript(true);
            Ok(())
        })?;
        let module = bindings.join("tables_bg.wasm");
        wasm::optimise(workspace, node, &module, wasm::SMALL)?;
        fs::create_dir_all(&dist)?;
        for file in FILES {
            fs::rename(bindings.join(file), dist.join(file))?;
        }
        inputs(workspace, compiled, &[])
    })?;
    Ok(dist)
}

/// Builds the module and prints its size. Fails if the size exceeds the limit.
pub(crate) fn light_tables(workspace: &Workspace, node: &Node) -> Result<()> {
    let dist = tables(workspace, node)?;
    let files = ["tables.js", "tables_bg.wasm"].map(|file| dist.join(file));
    let title = "tables for the pages";
    let size = report::sizes(title, &files.each_ref().map(PathBuf::as_path))?;
    if size > LIMIT {
        bail!("{title}: {size} bytes gzipped, more than {LIMIT}");
    }
    Ok(())
}
