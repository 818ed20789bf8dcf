//! Starts other programs.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::report;

/// Returns a command that runs in `dir`, without the environment variables that `cargo run` sets for the package xtask. Build scripts depend
/// on these variables. If they were set, the scripts would run again whenever this program is started in another way.
pub(crate) fn command(program: impl AsRef<OsStr>, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir);
    for (name, _) in std::env::vars_os() {
        let of_this_package = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_")
                || name.starts_with("CARGO_MANIFEST_")
                || matches!(
                    name,
                    "CARGO_BIN_NAME" | "CARGO_CRATE_NAME" | "CARGO_PRIMARY_PACKAGE"
                )
        });
        if of_this_package {
            command.env_remove(name);
        }
    }
    command
}

/// Returns a command for the cargo program that started this program.
pub(crate) fn cargo(dir: &Path) -> Command {
    command(cargo_program(), dir)
}

/// Returns the cargo program that started this program, or `cargo` if it is not known.
pub(crate) fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Arguments for cargo that select the tested packages. cargo unifies the features of all selected packages. All tests use the same selection,
/// because another set of features would build shared dependencies again. The bare-metal part and the builds for WebAssembly build each
/// package with its own features. The package xtask is excluded, because it is built separately before anything else.
pub(crate) const TESTED: [&str; 3] = ["--workspace", "--exclude", "xtask"];

/// Does the same work on several items in parallel. Waits for all of them, and returns the results in the order of the items.
pub(crate) fn side_by_side<T: Send, R: Send>(
    things: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = things
            .into_iter()
            .map(|thing| scope.spawn(move || work(thing)))
            .collect();
        let ended = started.into_iter().map(ScopedJoinHandle::join);
        ended
            .map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Runs a command and shows its output. Fails if the command fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command
        .status()
        .with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// The interval at which a note reports that a silent command is still running.
const SILENCE: Duration = Duration::from_secs(10);

/// Runs a command and returns its standard output. Prints notes while the command runs. If the command fails, the error contains its output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = finish(command)?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{}` failed ({})\n{stdout}{stderr}",
            line(command),
            output.status
        );
    }
    Ok(stdout)
}

/// Runs a command to its end, and prints notes while it runs. A command that ends with an error status is not a failure here.
pub(crate) fn finish(command: &mut Command) -> Result<Output> {
    let line = line(command);
    let (done, ended) = mpsc::channel::<()>();
    let shown = &line;
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            let started = Instant::now();
            while ended.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                report::note(&still_running(shown, started.elapsed()));
            }
        });
        let output = command.stdin(Stdio::null()).output();
        drop(done);
        output
    });
    output.with_context(|| format!("`{line}` could not be started"))
}

fn still_running(line: &str, time: Duration) -> String {
    // Shows the name of a script without its folder.
    let words = line.split_whitespace().take(2);
    let names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let names = names.collect::<Vec<_>>().join(" ");
    format!("    {names}: {} s so far", time.as_secs())
}

/// Returns the program's name and its arguments, separated by spaces and not quoted.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_command_is_noted_as_running() {
        let said = still_running("npm ci --ignore-scripts", Duration::from_millis(20_400));
        assert_eq!(said, "    npm ci: 20 s so far");
        let script = still_running("node /a/b/bin/wasm-opt -Oz", Duration::from_secs(10));
        assert_eq!(script, "    node wasm-opt: 10 s so far");
    }

    #[test]
    fn output_and_failure_of_a_command_are_returned() {
        let shown = output(command("rustc", Path::new(".")).arg("--version"));
        assert!(shown.is_ok_and(|text| text.starts_with("rustc ")));
        let failed = output(command("rustc", Path::new(".")).arg("--no-such-option"));
        assert!(failed.is_err_and(|error| error.to_string().contains("no-such-option")));
        assert!(output(&mut command("no-such-program", Path::new("."))).is_err());
    }
}
