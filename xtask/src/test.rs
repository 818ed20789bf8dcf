//! The checks and tests, in parts; CI runs them all.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::cli::Part;
use crate::expect::Last;
use crate::node::{self, Node};
use crate::tally::{self, Tally};
use crate::wasm::{self, Profile};
use crate::workspace::Workspace;
use crate::{build, dependencies, expect, fuzz, hosts, licences, process, report, stamp};

/// The outcome of a part.
enum Outcome {
    Passed(Tally, Duration),
    Failed(Tally, Duration),
    NotRun,
}

/// The command: runs the parts in order, stops at the first that fails, and ends with a line that counts checks and tests.
pub(crate) fn run(workspace: &Workspace, chosen: &[Part]) -> Result<ExitCode> {
    let parts = if chosen.is_empty() {
        Part::value_variants()
    } else {
        chosen
    };
    foretell(workspace, parts);
    let mut outcomes = Vec::new();
    let mut failed = false;
    for part in parts {
        if failed {
            outcomes.push((*part, Outcome::NotRun));
            continue;
        }
        let mut tally = Tally::default();
        let started = Instant::now();
        let result = report::step(&format!("test {}", name(*part)), || {
            run_part(workspace, *part, &mut tally)
        });
        if let Err(error) = result {
            failed = true;
            report::error(&error);
            tally.require_failure();
            outcomes.push((*part, Outcome::Failed(tally, started.elapsed())));
        } else {
            last(workspace, *part).took(started.elapsed());
            outcomes.push((*part, Outcome::Passed(tally, started.elapsed())));
        }
    }
    summary(&outcomes);
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn last(workspace: &Workspace, part: Part) -> Last {
    Last::of(workspace, &format!("test-{}", name(part)))
}

/// Says which parts run and about how long each takes: as long as the last time it passed here, else an estimate for a machine of two
/// cores on which nothing was built before.
fn foretell(workspace: &Workspace, parts: &[Part]) {
    let first_time = |part| match part {
        Part::Format => 2,
        Part::Lint => 120,
        Part::Native => 300,
        Part::BareMetal => 30,
        Part::Fuzz => 120,
        Part::Wasm => 195,
        Part::Workerd => 420,
        Part::Conformance => 120,
    };
    report::note("cargo xtask test runs these parts, and stops at the first that fails; about:");
    let names: Vec<(String, u64)> = parts
        .iter()
        .map(|part| {
            let seconds = last(workspace, *part).seconds();
            (name(*part), seconds.unwrap_or_else(|| first_time(*part)))
        })
        .collect();
    let steps = names
        .iter()
        .map(|(name, seconds)| (name.as_str(), *seconds));
    report::note(&expect::table(steps));
}

fn run_part(workspace: &Workspace, part: Part, tally: &mut Tally) -> Result<()> {
    match part {
        Part::Format => check(
            tally,
            process::cargo(workspace.root()).args(["fmt", "--all", "--check"]),
        ),
        Part::Lint => lint(workspace, tally),
        Part::Native => native(workspace, tally),
        Part::BareMetal => bare_metal(workspace, tally),
        Part::Fuzz => fuzz_briefly(workspace, tally),
        Part::Wasm => npm_package(workspace, tally),
        Part::Workerd => workerd(workspace, tally),
        Part::Conformance => conformance(workspace, tally),
    }
}

/// The crates that know no host.
const CORES: [&str; 3] = ["sha256-lanes", "cert-core", "order-core"];

/// The features of cert-wasm's other modules: two classes of one name exclude each other.
const CLASSES: [&str; 2] = ["aih2", "aih2-verify"];

fn lint(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut native = process::cargo(workspace.root());
    native.args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]);
    check(tally, &mut native)?;
    wasm::ensure_target(workspace, wasm::TARGET)?;
    // The crates that are built for JavaScript hosts, together, so that what they share is looked at once.
    let mut bindings = process::cargo(workspace.root());
    bindings.args(["clippy", "--package", "cert-wasm", "--package", "edge-api"]);
    bindings.args(["--features", "cert-wasm/claims,cert-wasm/validate"]);
    bindings.args(["--target", wasm::TARGET, "--", "-D", "warnings"]);
    check(tally, &mut bindings)?;
    for class in CLASSES {
        let mut module = process::cargo(workspace.root());
        module.args(["clippy", "--package", "cert-wasm", "--no-default-features"]);
        module.args(["--features", class, "--target", wasm::TARGET]);
        module.args(["--", "-D", "warnings"]);
        check(tally, &mut module)?;
    }
    hosts::check(workspace)?;
    tally.pass();
    dependencies::check(workspace)?;
    tally.pass();
    licences::check(workspace)?;
    tally.pass();
    Ok(())
}

/// All packages together, so that a dependency that several of them share is built once. The features that one asks of it reach the
/// others here; the bare-metal part and the builds for WebAssembly see each with its own.
fn native(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut cargo = process::cargo(workspace.root());
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    tally::run(&mut cargo, tally)
}

/// A target without an operating system: what compiles for it uses neither std nor a host.
fn bare_metal(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    const TARGET: &str = "thumbv7em-none-eabi";
    wasm::ensure_target(workspace, TARGET)?;
    for package in CORES {
        let mut cargo = process::cargo(workspace.root());
        cargo.args(["check", "--package", package, "--target", TARGET]);
        check(tally, &mut cargo)?;
    }
    Ok(())
}

/// A few seconds of the fuzz targets. The native part runs them too, on seeds and random changes of these; this follows coverage.
fn fuzz_briefly(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    const SECONDS: u32 = 3;
    if !fuzz::is_possible() {
        report::note("not fuzzed: there is no C++ compiler to build the engine with");
        return Ok(());
    }
    fuzz::fuzz(workspace, &fuzz::brief(), SECONDS)?;
    tally.pass();
    Ok(())
}

/// The npm package on the newest Node at hand, and on the machine's own where that is another: it supports both.
fn npm_package(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_entries(workspace, &node)?;
    tally.pass();
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    // The package is held against the tool, which is the same certification, natively.
    process::run(process::cargo(workspace.root()).args(["build", "--package", "cert-cli"]))?;
    let files = test_files(workspace, &["pkg"])?;
    for program in node::every(&node) {
        let mut command = node.within(program, workspace.root());
        tally::run(node_test(&mut command, &files), tally)?;
    }
    Ok(())
}

/// The Worker as it is deployed, in workerd: first the suite that also runs natively, then what only exists end to end.
fn workerd(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    build::light_worker(workspace, &node)?;
    let mut cargo = node.within(process::cargo_program(), workspace.root());
    // As the native part builds it, with the whole workspace: alone, its libraries would be built once more with other features.
    cargo.args(["test", "--workspace", "--test", "http", "--no-fail-fast"]);
    // Tests that need the runtime; the native part counts them as ignored.
    cargo.args(["--", "--include-ignored"]);
    cargo.env("ASSAY_HOST", "workerd");
    tally::run(&mut cargo, tally)?;
    let mut files = test_files(workspace, &["edge-api/host", "tests"])?;
    let conformance = workspace.path(CONFORMANCE);
    files.retain(|file| !file.starts_with(&conformance));
    install(workspace, &node, "tests/pages/chromium.mjs")?;
    tally::run(
        node_test(&mut node.within(node.program(), workspace.root()), &files),
        tally,
    )
}

/// A part of its own: it needs Python, and two cores for a minute.
const CONFORMANCE: &str = "tests/conformance";

/// The description of the API against the Worker as it is deployed.
fn conformance(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::client(workspace, &node)?;
    build::worker(workspace, &node, Profile::Release)?;
    let files = test_files(workspace, &[CONFORMANCE])?;
    install(workspace, &node, "tests/conformance/python.mjs")?;
    tally::run(
        node_test(&mut node.within(node.program(), workspace.root()), &files),
        tally,
    )
}

/// Runs the module by which test files install a program, before they start side by side: two would install it in each other's way.
fn install(workspace: &Workspace, node: &Node, module: &str) -> Result<()> {
    process::run(&mut node.script(workspace.root(), &workspace.path(module)))
}

/// As many files at a time as there are cores: Node leaves one of them idle.
fn node_test<'a>(command: &'a mut Command, files: &[PathBuf]) -> &'a mut Command {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    command.args(["--test", "--test-reporter=spec"]);
    command.arg(format!("--test-concurrency={cores}"));
    command.args(files)
}

/// Every JavaScript test below some folders. None at all is a failure: a part that tests nothing must not pass.
fn test_files(workspace: &Workspace, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let is_test = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        [".test.js", ".test.mjs"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let roots: Vec<_> = folders
        .iter()
        .map(|folder| workspace.path(folder))
        .collect();
    let files: Vec<_> = stamp::tree(&roots)?
        .into_iter()
        .filter(|path| is_test(path))
        .collect();
    if files.is_empty() {
        bail!(
            "there is no `*.test.js` or `*.test.mjs` below {}",
            folders.join(", ")
        );
    }
    Ok(files)
}

/// A command that counts as one check.
fn check(tally: &mut Tally, command: &mut Command) -> Result<()> {
    process::run(command)?;
    tally.pass();
    Ok(())
}

fn name(part: Part) -> String {
    part.to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

fn summary(outcomes: &[(Part, Outcome)]) {
    let mut total = Tally::default();
    report::note("");
    for (part, outcome) in outcomes {
        let name = name(*part);
        let line = match outcome {
            Outcome::Passed(tally, time) => format!(
                "{} {:>8.1} s  {tally}",
                report::paint("32", "passed "),
                time.as_secs_f64()
            ),
            Outcome::Failed(tally, time) => format!(
                "{} {:>8.1} s  {tally}",
                report::paint("31", "FAILED "),
                time.as_secs_f64()
            ),
            Outcome::NotRun => report::paint("33", "not run"),
        };
        report::note(&format!("  {name:<12}{line}"));
        if let Outcome::Passed(tally, _) | Outcome::Failed(tally, _) = outcome {
            total.add(tally);
        }
    }
    println!("{total}");
}
