//! Paths of the workspace's files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// The root of the workspace, and the paths that tasks share.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Returns the workspace from which this program was built.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the xtask crate is not in a workspace")?;
        Ok(Self {
            root: root.to_owned(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a path below the root.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns the path and text of each file that git tracks or does not ignore. Binary files are left out.
    pub(crate) fn texts(&self) -> Result<Vec<(String, String)>> {
        let listed = process::output(process::command("git", &self.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        let files = listed.split('\0').filter(|file| !file.is_empty());
        // git also lists deleted files, which cannot be read.
        let texts = files.filter_map(|file| {
            let text = std::fs::read_to_string(self.path(file)).ok()?;
            Some((file.to_owned(), text))
        });
        Ok(texts.collect())
    }

    /// Returns cargo's output folder: `CARGO_TARGET_DIR`, relative to the root, or `target` if the variable is not set.
    pub(crate) fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// Returns the folder for the tasks' cache, which is safe to delete. The folder is always inside the workspace, even if cargo's output is
    /// elsewhere, because the cache describes the files of this workspace.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path("target/xtask")
    }
}
