//! Remembers what a step's result was made from, so that a step whose inputs are the same does not run again.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::report;
use crate::workspace::Workspace;

/// The inputs of one step as they were when it last succeeded, in a file of lines `sha256  path`.
#[derive(Debug)]
pub(crate) struct Stamp {
    folder: PathBuf,
    name: &'static str,
}

impl Stamp {
    /// The stamp of the step called `name`.
    pub(crate) fn of(workspace: &Workspace, name: &'static str) -> Self {
        Self {
            folder: workspace.cache(),
            name,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.stamp", self.name))
    }

    /// Whether every input is byte for byte what it was, and every output exists.
    fn holds(&self, outputs: &[PathBuf]) -> bool {
        let Ok(recorded) = fs::read_to_string(self.file()) else {
            return false;
        };
        outputs.iter().all(|output| output.exists())
            && recorded.lines().all(|line| {
                line.split_once("  ").is_some_and(|(hash, path)| {
                    hash_of(Path::new(path)).is_ok_and(|now| now == hash)
                })
            })
    }

    /// Records the inputs of a step that began at `started` and has just succeeded. Where one of them was written meanwhile,
    /// nobody knows which content the step saw: then nothing is recorded, and the step runs again next time.
    fn record(&self, started: SystemTime, inputs: &[PathBuf]) -> Result<()> {
        let mut lines = String::new();
        for input in inputs {
            if fs::metadata(input)?.modified()? >= started {
                return Ok(());
            }
            writeln!(lines, "{}  {}", hash_of(input)?, input.display())?;
        }
        let file = self.file();
        fs::write(&file, lines).with_context(|| format!("writing `{}`", file.display()))
    }

    /// Runs `step`, which returns what it read, unless its last result still holds.
    pub(crate) fn unless_fresh(
        &self,
        name: &str,
        outputs: &[PathBuf],
        step: impl FnOnce() -> Result<Vec<PathBuf>>,
    ) -> Result<()> {
        // One process at a time: two that build the same thing would write into each other's files.
        fs::create_dir_all(&self.folder)?;
        let lock = File::create(self.folder.join(format!("{}.lock", self.name)))?;
        lock.lock()?;
        if self.holds(outputs) {
            return Ok(());
        }
        // A failure half-way must not leave a stamp that describes the outputs of the time before.
        let _ = fs::remove_file(self.file());
        let started = SystemTime::now();
        let inputs = report::step(name, step)?;
        self.record(started, &inputs)
    }
}

/// The hash of a file's content; of a folder, the hash of the names in it.
fn hash_of(path: &Path) -> Result<String> {
    let bytes = if path.is_dir() {
        children(path)?.join("\n").into_bytes()
    } else {
        fs::read(path).with_context(|| format!("reading `{}`", path.display()))?
    };
    Ok(Sha256::digest(&bytes)
        .iter()
        .fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        }))
}

/// Every file below the given files and folders, and the folders themselves, so that a new file counts as a change. Roots that
/// do not exist are left out.
pub(crate) fn tree(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = roots.iter().filter(|root| root.exists()).cloned().collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(children(&path)?.iter().map(|name| path.join(name)));
        }
        found.push(path);
    }
    found.sort();
    Ok(found)
}

/// The names in a folder, sorted, without hidden ones and installed packages.
fn children(dir: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("listing `{}`", dir.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !(name.starts_with('.') || name == "node_modules") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
