//! Stores the inputs of each step, so that a step with unchanged inputs does not run again.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::report;
use crate::workspace::Workspace;

/// The maximum lag of a file system's clock behind the system's clock.
const CLOCK: Duration = Duration::from_millis(100);

/// The inputs of a step when the step last succeeded, in a file of lines `sha256  path`.
#[derive(Debug)]
pub(crate) struct Stamp {
    folder: PathBuf,
    name: &'static str,
}

impl Stamp {
    /// Returns the stamp of the step called `name`.
    pub(crate) fn of(workspace: &Workspace, name: &'static str) -> Self {
        Self {
            folder: workspace.cache(),
            name,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.stamp", self.name))
    }

    /// Returns true if every input is unchanged and every output exists.
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

    /// Records the inputs of a step that began at `started` and has just succeeded. If an input was written meanwhile, the step may have read
    /// the old content. In this case nothing is recorded, so the step runs again next time.
    fn record(&self, started: SystemTime, inputs: &[PathBuf]) -> Result<()> {
        let started = started.checked_sub(CLOCK).unwrap_or(started);
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

    /// Runs `step`, which returns its inputs, unless the result of its last run is still fresh.
    pub(crate) fn unless_fresh(
        &self,
        name: &str,
        outputs: &[PathBuf],
        step: impl FnOnce() -> Result<Vec<PathBuf>>,
    ) -> Result<()> {
        let _lock = lock(&self.folder, self.name)?;
        if self.holds(outputs) {
            return Ok(());
        }
        // If the step fails, the stamp of its last success must not remain.
        let _ = fs::remove_file(self.file());
        let started = SystemTime::now();
        let inputs = report::step(name, step)?;
        self.record(started, &inputs)
    }
}

/// Waits for a lock. The lock is held as long as the returned value lives. Without the lock, two processes that build the same product would
/// write into each other's files.
pub(crate) fn lock(folder: &Path, name: &str) -> Result<File> {
    fs::create_dir_all(folder)?;
    let file = File::create(folder.join(format!("{name}.lock")))?;
    file.lock()?;
    Ok(file)
}

/// Returns the hash of a file's content, or of the names in a folder.
pub(crate) fn hash_of(path: &Path) -> Result<String> {
    let bytes = if path.is_dir() {
        children(path)?.join("\n").into_bytes()
    } else {
        fs::read(path).with_context(|| format!("reading `{}`", path.display()))?
    };
    let digest = Sha256::digest(&bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the given files, all files and folders below the given folders, and these folders themselves. The folders are included so that a new
/// file counts as a change. Leaves out hidden files, `node_modules`, and roots that do not exist.
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

/// Returns the names in a folder, sorted, without hidden files and installed packages.
pub(crate) fn children(dir: &Path) -> Result<Vec<String>> {
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Stamp, tree};

    /// A folder that is deleted after the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("assay-xtask-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("sources")).unwrap();
            fs::write(path.join("sources/a"), "one").unwrap();
            // Makes the file older than the step.
            settle(&path.join("sources"));
            Self(path)
        }

        /// Runs a step that reads the sources. Returns true if it ran.
        fn step(&self, during: impl FnOnce(&Path)) -> bool {
            let mut ran = false;
            let stamp = Stamp {
                folder: self.0.join("cache"),
                name: "step",
            };
            let output = self.0.join("output");
            stamp
                .unless_fresh("a step", std::slice::from_ref(&output), || {
                    ran = true;
                    during(&self.0);
                    fs::write(&output, "made").unwrap();
                    tree(&[self.0.join("sources")])
                })
                .unwrap();
            ran
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.join(name), text).unwrap();
            settle(&self.0.join("sources"));
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Moves the times of a folder and its files into the past.
    fn settle(folder: &Path) {
        let past = std::time::SystemTime::UNIX_EPOCH;
        for path in tree(&[folder.to_owned()]).unwrap() {
            fs::File::open(path).unwrap().set_modified(past).unwrap();
        }
    }

    #[test]
    fn a_step_runs_only_if_its_inputs_or_outputs_changed() {
        let folder = Folder::new("changes");
        assert!(folder.step(|_| {}));
        assert!(!folder.step(|_| {}));
        folder.write("sources/a", "two");
        assert!(folder.step(|_| {}));
        folder.write("sources/b", "new");
        assert!(folder.step(|_| {}));
        assert!(!folder.step(|_| {}));
        fs::remove_file(folder.0.join("output")).unwrap();
        assert!(folder.step(|_| {}));
        folder.write("sources/.hidden", "not read");
        assert!(!folder.step(|_| {}));
        fs::remove_file(folder.0.join("sources/b")).unwrap();
        assert!(folder.step(|_| {}));
    }

    #[test]
    fn a_source_that_changes_during_the_step_is_built_again() {
        let folder = Folder::new("meanwhile");
        assert!(folder.step(|root| fs::write(root.join("sources/a"), "two").unwrap()));
        assert!(folder.step(|_| {}));
    }

    #[test]
    fn a_failed_step_leaves_no_stamp() {
        let folder = Folder::new("failure");
        assert!(folder.step(|_| {}));
        folder.write("sources/a", "two");
        let stamp = Stamp {
            folder: folder.0.join("cache"),
            name: "step",
        };
        assert!(
            stamp
                .unless_fresh("a step", &[], || anyhow::bail!("no"))
                .is_err()
        );
        folder.write("sources/a", "one");
        assert!(folder.step(|_| {}));
    }
}
