//! Where things are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

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

    /// Cargo's output; `CARGO_TARGET_DIR` moves it, as it does for cargo itself.
    pub(crate) fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// What tasks remember between runs; deleting it costs time and nothing else. Within the workspace wherever cargo's output
    /// is, because it tells what this folder holds.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path("target/xtask")
    }
}
