//! Fuzzes the certification library and the readers of badges, guided by coverage, with libFuzzer on the pinned toolchain.
//!
//! The address sanitizer is not used, because it needs a nightly toolchain and the code has no `unsafe`. The coverage instrumentation is
//! part of the stable compiler.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::workspace::Workspace;
use crate::{process, report};

#[derive(Debug, Args)]
pub(crate) struct FuzzOptions {
    /// Target to fuzz [default: all of them, in parallel]
    #[arg(value_parser = TARGETS)]
    pub(crate) target: Option<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
}

/// The targets of `fuzz/Cargo.toml`.
pub(crate) const TARGETS: [&str; 7] = [
    "data", "schema", "evidence", "imprint", VALIDATE, "aih2", "badge",
];

/// The target that takes five times as long to build as all other targets together. It has its own feature.
const VALIDATE: &str = "validate";

/// The coverage instrumentation for libFuzzer, with the same flags as cargo-fuzz.
const INSTRUMENTED: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The maximum length of an input in bytes. Longer inputs find nothing new.
const LONGEST: usize = 16_384;

/// Returns the targets of every test run. `validate` is left out, because it mostly tests a third-party library. The native part of the
/// tests runs it on its seeds.
pub(crate) fn brief() -> Vec<&'static str> {
    let mut targets = TARGETS.to_vec();
    targets.retain(|target| *target != VALIDATE);
    targets
}

/// Runs one target, or all targets in parallel, for some seconds.
pub(crate) fn run(workspace: &Workspace, options: &FuzzOptions) -> Result<ExitCode> {
    let targets = match &options.target {
        Some(target) => vec![target.as_str()],
        None => TARGETS.to_vec(),
    };
    fuzz(workspace, &targets, options.seconds)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns true if this machine has a C++ compiler, which builds the fuzzing engine.
pub(crate) fn is_possible() -> bool {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut version = Command::new(compiler);
    version
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Builds targets. Returns the folder of their programs.
pub(crate) fn build(workspace: &Workspace, targets: &[&str]) -> Result<PathBuf> {
    let root = workspace.root();
    let host = process::output(process::command("rustc", root).args(["--print", "host-tuple"]))?;
    let host = host.trim();
    let folder = folder(workspace);
    report::step("fuzz targets", || {
        let mut cargo = process::cargo(root);
        cargo.args(["build", "--quiet", "--package", "fuzz"]);
        cargo.args(["--no-default-features", "--features", "libfuzzer"]);
        if targets.contains(&VALIDATE) {
            cargo.args(["--features", VALIDATE]);
        }
        for target in targets {
            cargo.args(["--bin", target]);
        }
        // With an explicit `--target`, build scripts and macros are not instrumented.
        cargo.args(["--profile", "fuzz", "--target", host]);
        cargo.env("CARGO_TARGET_DIR", &folder);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTED.join("\u{1f}"));
        process::run(&mut cargo)
    })?;
    Ok(folder.join(host).join("fuzz"))
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("fuzz")
}

/// Builds targets and runs them in parallel for some seconds. If targets find faults, fails with the first of these targets.
pub(crate) fn fuzz(workspace: &Workspace, targets: &[&str], seconds: u32) -> Result<()> {
    if !is_possible() {
        bail!(
            "there is no C++ compiler (`c++`, or the program that CXX names), which the fuzzing engine is built with"
        );
    }
    let root = workspace.root();
    let programs = build(workspace, targets)?;
    // Uses the tests' profile and features, so cargo reuses their build.
    let mut cargo = process::cargo(root);
    cargo.args(["build", "--quiet"]).args(process::TESTED);
    process::run(cargo.args(["--example", "seeds"]))?;
    let engine = |target: &str| {
        let own = folder(workspace).join(target);
        let (seeds, corpus) = (own.join("seeds"), own.join("corpus"));
        fs::create_dir_all(&corpus).with_context(|| format!("making `{}`", corpus.display()))?;
        let mut program = process::command(workspace.target().join("debug/examples/seeds"), root);
        process::output(program.arg(target).arg(&seeds))?;

        let mut engine = process::command(programs.join(target), root);
        engine.arg(format!("-max_total_time={seconds}"));
        engine.arg(format!("-max_len={LONGEST}"));
        engine.arg(format!("-artifact_prefix={}/", own.display()));
        engine.args(["-print_final_stats=1", "-verbosity=0", "-timeout=10"]);
        engine.args(["-rss_limit_mb=2048"]);
        follow(target, engine.args([&corpus, &seeds])).with_context(|| {
            format!(
                "`{target}` found something; the input is in {}",
                own.display()
            )
        })
    };
    let title = format!("fuzz {} for {seconds} s", targets.join(", "));
    report::step(&title, || {
        let ends = process::side_by_side(targets, |target| engine(target));
        ends.into_iter().collect()
    })
}

/// Runs the engine. Prints only the number of inputs, and how many of them reached new code. If the engine fails, the error contains its
/// standard error.
fn follow(target: &str, engine: &mut Command) -> Result<()> {
    let output = engine.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the engine stopped ({})\n{errors}", output.status);
    }
    let count = |name: &str| {
        errors
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
            .with_context(|| format!("the engine's output lacks `{name}`"))
    };
    let tried = count("stat::number_of_executed_units:")?;
    let new = count("stat::new_units_added:")?;
    report::note(&format!(
        "  {target}: {tried} inputs, {new} of which reached new code"
    ));
    Ok(())
}
