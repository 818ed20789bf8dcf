//! The places of the workspace's files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// The root of the workspace, and the places that tasks share.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask crate stands in no workspace")?;
        Ok(Self {
            root: root.to_owned(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path below the root.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Paths and texts of all files that git tracks or would; files that are no text are left out.
    pub(crate) fn texts(&self) -> Result<Vec<(String, String)>> {
        let listed = process::output(process::command("git", &self.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        let files = listed.split('\0').filter(|file| !file.is_empty());
        // Listed, too, are files that were deleted.
        let texts = files.filter_map(|file| {
            let text = std::fs::read_to_string(self.path(file)).ok()?;
            Some((file.to_owned(), text))
        });
        Ok(texts.collect())
    }

    /// Cargo's output; `CARGO_TARGET_DIR` moves it, as it does for cargo itself.
    pub(crate) fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// The tasks' cache between runs; deleting it costs time and nothing else. Within the workspace wherever cargo's output
    /// is, because it tells what this folder holds.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path("target/xtask")
    }
}
