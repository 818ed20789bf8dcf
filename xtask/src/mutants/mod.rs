//! Mutants of AIH-2: variants of the library, each with one changed expression. The tests must fail with every mutant.
//!
//! All mutants are compiled into one copy of the library. An environment variable selects the mutant that is active in a run of the tests.

mod list;

use std::fs;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;
use crate::{process, report};
use list::{MUTANTS, Mutant};

/// The folder of the changed files.
const FOLDER: &str = "cert-core/src/aih2";

/// The environment variable with the number of the active mutant, starting at 1.
const VARIABLE: &str = "MUTANT";

/// Code that is added to the copy of the library: a function that returns true if the mutant with this number is active.
const IN_FORCE: &str = r#"
extern crate std;
pub(crate) fn mutant(number: usize) -> bool {
    static NUMBER: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let read = || std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *NUMBER.get_or_init(read) == number
}
"#;

/// The time limit of a test run. Tests that exceed it count as failed, because a mutant may cause an endless loop.
const LONGEST: Duration = Duration::from_secs(300);

/// Runs the tests with each mutant. Fails if the tests pass with any mutant, or fail without a mutant.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let copy = workspace.target().join("mutants");
    copy_sources(workspace, &copy)?;
    for (number, mutant) in (1..).zip(MUTANTS) {
        plant(&copy, number, mutant)?;
    }
    let mut library = fs::read_to_string(copy.join("cert-core/src/lib.rs"))?;
    library.push_str(IN_FORCE);
    fs::write(copy.join("cert-core/src/lib.rs"), library)?;
    let tests = report::step("build with mutants", || build(&copy, &copy.join("target")))?;
    let tests = Path::new(&tests);
    ensure!(
        !fails(tests, &copy, 0)?,
        "the tests fail without any mutant"
    );

    let mut missed = Vec::new();
    for (number, mutant) in (1..).zip(MUTANTS) {
        let is_noticed = fails(tests, &copy, number)?;
        let result = if is_noticed { "noticed" } else { "MISSED" };
        let Mutant { file, instead, .. } = mutant;
        report::note(&format!("  {result:<8} {number:>3} {file}: {instead}"));
        if !is_noticed {
            missed.push(number);
        }
    }
    report::note(&format!(
        "{} of {} mutants noticed",
        MUTANTS.len().saturating_sub(missed.len()),
        MUTANTS.len()
    ));
    if !missed.is_empty() {
        bail!("the tests do not notice the mutants {missed:?}");
    }
    Ok(ExitCode::SUCCESS)
}

fn copy_sources(workspace: &Workspace, copy: &Path) -> Result<()> {
    for (file, text) in workspace.texts()? {
        let to = copy.join(&file);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&to, text).with_context(|| format!("writing `{}`", to.display()))?;
    }
    Ok(())
}

/// Replaces the mutant's expression with code that selects the original or the changed expression at run time.
fn plant(copy: &Path, number: usize, mutant: &Mutant) -> Result<()> {
    let file = copy.join(FOLDER).join(mutant.file);
    let text = fs::read_to_string(&file)?;
    let Mutant { of, instead, .. } = mutant;
    let count = text.matches(of).count();
    ensure!(count == 1, "`{of}` occurs {count} times in {}", mutant.file);
    let either = format!("(if crate::mutant({number}) {{ {instead} }} else {{ {of} }})");
    fs::write(&file, text.replacen(of, &either, 1))?;
    Ok(())
}

/// Builds the tests of AIH-2. Returns the path of the test program.
fn build(copy: &Path, target: &Path) -> Result<String> {
    let mut cargo = process::cargo(copy);
    cargo.args([
        "test",
        "--package",
        "cert-core",
        "--test",
        "aih2",
        "--no-run",
    ]);
    cargo.args(["--message-format", "json"]);
    // A separate target folder, because cargo would confuse the copy with the workspace's own library.
    cargo.env("CARGO_TARGET_DIR", target);
    let output = process::output(&mut cargo)?;
    let mut programs = output.lines().rev().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let program = message.get("executable")?.as_str()?;
        Some(program.to_owned())
    });
    programs.next().context("cargo names no program")
}

/// Returns true if the tests fail with the mutant `number`, or without a mutant if it is 0. The slow tests of forgeries run last.
fn fails(tests: &Path, copy: &Path, number: usize) -> Result<bool> {
    for which in [["--skip", "forge"], ["forge", "--quiet"]] {
        let mut command = process::command(tests, &copy.join("cert-core"));
        command.args(which).env(VARIABLE, number.to_string());
        let mut tests = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let started = Instant::now();
        let passed = loop {
            if let Some(status) = tests.try_wait()? {
                break status.success();
            }
            if started.elapsed() > LONGEST {
                tests.kill()?;
                tests.wait()?;
                break false;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        if !passed {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::{FOLDER, MUTANTS, Workspace};

    #[test]
    fn every_changed_expression_is_in_its_file_once() {
        let folder = Workspace::find().unwrap().path(FOLDER);
        for mutant in MUTANTS {
            let text = std::fs::read_to_string(folder.join(mutant.file)).unwrap();
            let count = text.matches(mutant.of).count();
            assert_eq!(count, 1, "`{}` in {}", mutant.of, mutant.file);
        }
    }
}
