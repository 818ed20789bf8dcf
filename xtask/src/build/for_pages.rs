//! Builds the WebAssembly that only the pages use: for tables, for PDFs and for Open Badges.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::common::inputs;
use crate::node::Node;
use crate::report;
use crate::stamp::Stamp;
use crate::wasm::{self, Module, Profile};
use crate::workspace::Workspace;

/// A module of cert-wasm for the pages.
pub(crate) struct ForPages {
    /// The feature of cert-wasm, and the name of the files.
    name: &'static str,
    title: &'static str,
    dist: &'static str,
    /// The maximum size in bytes: WebAssembly and JavaScript, each gzipped.
    limit: usize,
}

/// Reads tables. A page loads the module with the first table, and browsers keep it. Workbooks take 130 KB of it, and the letters of East Asian
/// encodings about as much. The rest, 137 KB, would be enough to find doubts about a single document. A module for it alone would be another build of
/// half a minute.
pub(crate) const TABLES: ForPages = ForPages {
    name: "tables",
    title: "tables for the pages",
    dist: "cert-tables/dist",
    limit: 460 * 1024,
};

/// Writes PDFs. A page loads the module with the first PDF. Shaping, subsets of fonts and decoding of pictures take most of it, and tags for programs
/// that read aloud 30 KB. The fonts are files of their own, and a page loads those that a certificate needs.
pub(crate) const PDF: ForPages = ForPages {
    name: "pdf",
    title: "PDFs for the pages",
    dist: "cert-pdf/dist",
    limit: 820 * 1024,
};

/// Makes and reads Open Badges. A page loads the module with the first badge.
pub(crate) const BADGE: ForPages = ForPages {
    name: "badge",
    title: "badges for the pages",
    dist: "cert-badge/dist",
    limit: 200 * 1024,
};

impl ForPages {
    /// Builds the module, its bindings and their types.
    pub(crate) fn build(&self, workspace: &Workspace, node: &Node) -> Result<PathBuf> {
        let dist = workspace.path(self.dist);
        let files = ["_bg.wasm", ".js", ".d.ts"].map(|end| format!("{}{end}", self.name));
        let outputs = files.each_ref().map(|file| dist.join(file));
        Stamp::of(workspace, self.name).unless_fresh(self.title, &outputs, || {
            let compiled = wasm::compile(
                workspace,
                Profile::Release,
                &Module {
                    package: "cert-wasm",
                    features: &[self.name],
                    ..Module::default()
                },
            )?;
            let bindings = workspace.cache().join(format!("{}-bindings", self.name));
            wasm::bind(&compiled.module, self.name, &bindings, |bindgen| {
                bindgen.web(true)?.typescript(true);
                Ok(())
            })?;
            let module = bindings.join(format!("{}_bg.wasm", self.name));
            wasm::optimise(workspace, node, &module, wasm::SMALL)?;
            fs::create_dir_all(&dist)?;
            for file in &files {
                fs::rename(bindings.join(file), dist.join(file))?;
            }
            inputs(workspace, compiled, &[])
        })?;
        Ok(dist)
    }

    /// Builds the module and prints its size. Fails if the size exceeds the limit.
    pub(crate) fn build_light(&self, workspace: &Workspace, node: &Node) -> Result<()> {
        let dist = self.build(workspace, node)?;
        let files = [".js", "_bg.wasm"].map(|end| dist.join(format!("{}{end}", self.name)));
        let size = report::sizes(self.title, &files.each_ref().map(PathBuf::as_path))?;
        if size > self.limit {
            bail!(
                "{}: {size} bytes gzipped, more than {}",
                self.title,
                self.limit
            );
        }
        Ok(())
    }
}

/// Builds all modules that only the pages use.
pub(crate) fn for_pages(workspace: &Workspace, node: &Node) -> Result<()> {
    TABLES.build(workspace, node)?;
    PDF.build(workspace, node)?;
    BADGE.build(workspace, node)?;
    Ok(())
}
