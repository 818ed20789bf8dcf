//! Runs the checks and tests, in parts. CI runs all of them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::build::Edition;
use crate::node::{self, Node};
use crate::parts::{Part, Selection};
use crate::tally::{self, Tally};
use crate::wasm::{self, Profile};
use crate::workspace::Workspace;
use crate::{build, dependencies, fuzz, hosts, process, release, report, stamp};

/// The outcome of a part.
enum Outcome {
    Passed(Tally, Duration),
    Failed(Tally, Duration),
    NotRun,
}

/// Runs the parts in order, and stops at the first failure. Finally prints a summary with the numbers of checks and tests.
pub(crate) fn run(workspace: &Workspace, selection: &Selection) -> Result<ExitCode> {
    let parts = selection.parts.as_slice();
    match &selection.name {
        Some(name) => report::note(&format!("only tests whose name contains `{name}` run")),
        None => announce(parts),
    }
    let stop = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        let preparing = scope.spawn(|| prepare(workspace, parts, &stop));
        let outcomes = run_parts(workspace, selection);
        stop.store(true, Ordering::Relaxed);
        if !preparing.is_finished() {
            report::note("waiting for a build in the background");
        }
        outcomes
    });
    summary(&outcomes);
    let all = |(_, outcome): &(Part, Outcome)| matches!(outcome, Outcome::Passed(..));
    Ok(if outcomes.iter().all(all) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn run_parts(workspace: &Workspace, selection: &Selection) -> Vec<(Part, Outcome)> {
    let mut outcomes = Vec::new();
    let mut failed = false;
    for part in &selection.parts {
        if failed {
            outcomes.push((*part, Outcome::NotRun));
            continue;
        }
        let mut tally = Tally::default();
        let started = Instant::now();
        let result = report::step(&format!("test {part}"), || {
            run_part(workspace, *part, selection.name.as_deref(), &mut tally)
        });
        if let Err(error) = result {
            failed = true;
            report::error(&error);
            tally.require_failure();
            outcomes.push((*part, Outcome::Failed(tally, started.elapsed())));
        } else {
            outcomes.push((*part, Outcome::Passed(tally, started.elapsed())));
        }
    }
    outcomes
}

/// Builds the products of later parts in the background while earlier parts run, because linking and shrinking WebAssembly keep only
/// one core busy. Also installs the programs of [`Part::Workerd`]. A part waits for the products that it needs. A failure in the background
/// is not fatal: the part builds the product again, and reports the failure.
fn prepare(workspace: &Workspace, parts: &[Part], stop: &AtomicBool) {
    type Step = fn(&Workspace, &Node) -> Result<()>;
    const STEPS: [(Part, Step); 7] = [
        (Part::Wasm, |workspace, node| {
            build::cert(workspace, node).map(drop)
        }),
        (Part::Wasm, build::cert_others),
        (Part::Wasm, |workspace, node| {
            build::client(workspace, node).map(drop)
        }),
        (Part::Workerd, |workspace, node| {
            build::worker(workspace, node, Edition::Embedded, Profile::Release).map(drop)
        }),
        (Part::Workerd, |workspace, node| {
            build::worker(workspace, node, Edition::Evm, Profile::Release).map(drop)
        }),
        (Part::Workerd, install),
        (Part::Fuzz, |workspace, _| match fuzz::is_possible() {
            true => fuzz::build(workspace, &fuzz::brief()).map(drop),
            false => Ok(()),
        }),
    ];
    let mut steps = STEPS
        .iter()
        .filter(|(part, _)| parts.contains(part))
        .peekable();
    if steps.peek().is_none() {
        return;
    }
    let Ok(node) = Node::ready(workspace) else {
        return;
    };
    for (_, step) in steps {
        if stop.load(Ordering::Relaxed) || step(workspace, &node).is_err() {
            return;
        }
    }
}

/// Prints the parts, and the time of a first run of all of them, as in CONTRIBUTING.md.
fn announce(parts: &[Part]) {
    let names: Vec<String> = parts.iter().map(Part::to_string).collect();
    report::note(&format!(
        "cargo xtask test runs these parts, and stops at the first failure: {}. A first run of all parts takes 25 to 50 minutes on two cores.",
        names.join(", ")
    ));
}

/// Runs a part. `name` selects the tests whose names contain it. Fails if there is no such test.
fn run_part(
    workspace: &Workspace,
    part: Part,
    name: Option<&str>,
    tally: &mut Tally,
) -> Result<()> {
    match part {
        Part::Format => format(workspace, tally),
        Part::Lint => lint(workspace, tally),
        Part::Native => native(workspace, name, tally),
        Part::Chain => chain(workspace, name, tally),
        Part::BareMetal => bare_metal(workspace, tally),
        Part::Fuzz => fuzz_briefly(workspace, tally),
        Part::Wasm => npm_package(workspace, name, tally),
        Part::Workerd => workerd(workspace, name, tally),
        Part::Lowest => lowest_rust(workspace, tally),
        Part::Hosts => in_hosts(workspace, name, tally),
        Part::Interop => with_others(workspace, name, tally),
    }?;
    match name {
        Some(name) if tally.ran() == 0 => {
            bail!("no test of the part `{part}` has a name that contains `{name}`")
        }
        _ => Ok(()),
    }
}

/// Checks the format of Rust code, and of JavaScript (`biome.jsonc`).
fn format(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    check(
        tally,
        process::cargo(workspace.root()).args(["fmt", "--all", "--check"]),
    )?;
    let node = Node::ready(workspace)?;
    let mut biome = node.tool(workspace.root(), "biome");
    check(tally, biome.arg("format"))
}

/// Runs a test runner. If tests are selected by a name, the runner may find no test, because another runner of the same part may have them.
fn tests(command: &mut Command, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    match name {
        Some(_) => tally::count(command, tally),
        None => tally::run(command, tally),
    }
}

/// The crates that do not depend on a host.
const CORES: [&str; 3] = ["sha256-lanes", "cert-core", "order-core"];

/// The features of cert-wasm for modules other than the default one. They exclude each other, because their classes have the same name.
const CLASSES: [&str; 2] = ["aih2", "aih2-verify"];

/// The features of cert-wasm that can be added to its default feature.
const ADDED: [&str; 5] = ["badge", "claims", "pdf", "tables", "validate"];

fn lint(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let added = ADDED
        .map(|feature| format!("cert-wasm/{feature}"))
        .join(",");
    // With the features of the documentation below, which then does not check jsonschema and serde_json's other users again.
    let mut native = process::cargo(workspace.root());
    native.args(["clippy", "--workspace", "--all-targets"]);
    native.args(["--features", &added, "--", "-D", "warnings"]);
    check(tally, &mut native)?;
    wasm::ensure_target(workspace, wasm::TARGET)?;
    // Checks the crates for JavaScript hosts together, so that their shared dependencies are checked once. The feature is written as `evm`. cargo
    // would take `edge-api/evm` for a feature of edge-api's dev-dependency on itself, and would not turn the feature on. Without this feature, the
    // Worker has less code and hardly any other code, so it is not checked twice.
    let mut bindings = process::cargo(workspace.root());
    bindings.args(["clippy", "--package", "cert-wasm", "--package", "edge-api"]);
    bindings.args(["--features", &format!("{added},evm")]);
    bindings.args(["--target", wasm::TARGET, "--", "-D", "warnings"]);
    check(tally, &mut bindings)?;
    for class in CLASSES {
        let mut module = process::cargo(workspace.root());
        module.args(["clippy", "--package", "cert-wasm", "--no-default-features"]);
        module.args(["--features", class, "--target", wasm::TARGET]);
        module.args(["--", "-D", "warnings"]);
        check(tally, &mut module)?;
    }
    // Private items are documented too, so that their links are checked.
    let mut documents = process::cargo(workspace.root());
    documents.args([
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
        "--features",
        &added,
    ]);
    documents.env(
        "RUSTDOCFLAGS",
        "-D warnings -A rustdoc::private_intra_doc_links",
    );
    check(tally, &mut documents)?;
    hosts::check(workspace)?;
    tally.pass();
    scripts(workspace, tally)?;
    dependencies::check(workspace, tally)
}

/// Runs the lints of all JavaScript (`biome.jsonc`), and checks the types of the pages' scripts. The types of the packages that the pages use are
/// built first.
fn scripts(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    let mut lints = node.tool(workspace.root(), "biome");
    check(tally, lints.args(["lint", "--error-on-warnings"]))?;
    build::cert_for_pages(workspace, &node)?;
    build::client(workspace, &node)?;
    build::for_pages(workspace, &node)?;
    for project in ["pkg/view", "www", "www/workers", "operate"] {
        let mut tsc = node.tool(workspace.root(), "tsc");
        check(tally, tsc.args(["--project", project]))?;
    }
    Ok(())
}

/// Checks each published crate with the lowest version of Rust that it declares. The part `lint` finds newer functions of the standard library
/// only, by clippy's lint `incompatible_msrv`.
fn lowest_rust(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    for name in release::CRATES {
        let manifest = std::fs::read_to_string(workspace.path(&format!("{name}/Cargo.toml")))?;
        let version = declared_rust(&manifest)
            .with_context(|| format!("{name}/Cargo.toml has no `rust-version` of its own"))?;
        let mut install = process::command("rustup", workspace.root());
        install.args(["toolchain", "install", version, "--profile", "minimal"]);
        process::output(&mut install)?;
        let mut cargo = process::command("rustup", workspace.root());
        cargo.args(["run", version, "cargo", "check", "--locked"]);
        cargo.args(["--all-features", "--package", name, "--target-dir"]);
        // Another compiler would replace the products of the usual one.
        cargo.arg(workspace.target().join("lowest"));
        check(tally, &mut cargo)?;
    }
    Ok(())
}

/// Returns the `rust-version` that a manifest declares itself.
fn declared_rust(manifest: &str) -> Option<&str> {
    let mut lines = manifest.lines();
    lines.find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'))
}

fn native(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    for packages in [process::TESTED.as_slice(), &["--package", "xtask"]] {
        let mut cargo = process::cargo(workspace.root());
        cargo.arg("test").args(packages).arg("--no-fail-fast");
        tests(cargo.arg("--").args(name), name, tally)?;
    }
    Ok(())
}

/// Runs the HTTP suite on a chain. Skips the tests in `in_process`, and the tests that need the embedded ledger. `on_chain.txt` lists the
/// tests of the second kind, with the reasons.
fn chain(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    let list = std::fs::read_to_string(workspace.path("edge-api/tests/http/on_chain.txt"))?;
    let mut cargo = node.within(process::cargo_program(), workspace.root());
    cargo.arg("test").args(process::TESTED);
    cargo.args(["--test", "http", "--no-fail-fast", "--"]);
    cargo.args(["--skip", "in_process::"]);
    for test in only_embedded(&list) {
        cargo.args(["--skip", test]);
    }
    cargo.args(name).env("ASSAY_LEDGER", "anvil");
    tests(&mut cargo, name, tally)
}

/// Returns the names of the tests in a list. Each line of the list has a name and a reason, or is a comment.
fn only_embedded(list: &str) -> impl Iterator<Item = &str> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next())
}

/// Checks the cores for a target without an operating system. Code that compiles for it uses neither std nor a host.
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

/// Runs the fuzz targets for a few seconds, guided by coverage. The native part runs the targets on seeds and on random changes of seeds.
fn fuzz_briefly(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    const SECONDS: u32 = 8;
    if !fuzz::is_possible() {
        report::note("fuzzing is skipped, because its engine needs a C++ compiler");
        return Ok(());
    }
    fuzz::fuzz(workspace, &fuzz::brief(), SECONDS)?;
    tally.pass();
    Ok(())
}

/// Tests the npm packages on the Node.js program of the tasks, and on the machine's own if it has another version. The packages support both.
fn npm_package(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_entries(workspace, &node)?;
    if name.is_none() {
        tally.pass();
    }
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    build::light_elements(workspace, &node)?;
    // Tests compare the package with the command-line tool.
    build_tool(workspace)?;
    let files = test_files(workspace, &["pkg"])?;
    // In parallel, because the tests spend much of their time waiting.
    let programs = node::every(&node).into_iter().enumerate();
    let ends = process::side_by_side(programs, |(index, program)| {
        let mut command = node.within(program, workspace.root());
        if index > 0 {
            // Random samples of rules are fewer here (`tests/support/samples.mjs`).
            command.env("ASSAY_NODE_AGAIN", "1");
        }
        let mut counted = Tally::default();
        let end = tests(
            node_test(&mut command, &files, name, at_a_time()),
            name,
            &mut counted,
        );
        (counted, end)
    });
    added(ends, tally)
}

/// Adds the counts of runs to a tally. Fails if one of the runs failed.
fn added(ends: Vec<(Tally, Result<()>)>, tally: &mut Tally) -> Result<()> {
    for (counted, _) in &ends {
        tally.add(counted);
    }
    ends.into_iter().try_for_each(|(_, end)| end)
}

/// The test files that mostly wait: nine minutes for deployments, two minutes for the quiet after each counted request, and one minute for a pause of
/// webhooks. They run beside all other tests. Node.js starts files in alphabetical order and would start the longest one last.
const WAITING: [&str; 3] = [
    "tests/operator/walk.test.mjs",
    "tests/counts.test.mjs",
    "tests/webhooks.test.mjs",
];

/// Tests the Worker in workerd: with the suite that also runs natively, then with the end-to-end tests. The files of these that mostly wait run
/// beside both.
fn workerd(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    build::elements(workspace, &node)?;
    for edition in Edition::ALL {
        build::light_worker(workspace, &node, edition)?;
    }
    build_tool(workspace)?;
    build::rules(workspace)?;
    install(workspace, &node)?;
    let waiting = WAITING.map(|file| workspace.path(file));
    let mut files = test_files(workspace, &["edge-api/host", "operate", "tests"])?;
    files.retain(|file| !waiting.contains(file));
    let others = at_a_time().saturating_sub(1);
    // A test deploys with this program. If the test started the program by cargo, it would wait for other builds. The file may be missing,
    // because a build can replace it.
    let own = std::env::current_exe().ok().filter(|own| own.is_file());
    let run = |files: &[PathBuf], at_once, counted: &mut Tally| {
        let mut runner = node.within(node.program(), workspace.root());
        runner.envs(own.as_ref().map(|own| ("ASSAY_XTASK", own)));
        tests(node_test(&mut runner, files, name, at_once), name, counted)
    };
    let ends = process::side_by_side([true, false], |is_waiting| {
        let mut counted = Tally::default();
        let end = if is_waiting {
            run(&waiting, waiting.len(), &mut counted)
        } else {
            in_workerd(workspace, &node, name, others, &mut counted)
                .and_then(|()| run(&files, others, &mut counted))
        };
        (counted, end)
    });
    added(ends, tally)
}

/// Runs the suite of the HTTP interface in workerd, with this number of tests at a time.
fn in_workerd(
    workspace: &Workspace,
    node: &Node,
    name: Option<&str>,
    threads: usize,
    tally: &mut Tally,
) -> Result<()> {
    let mut cargo = node.within(process::cargo_program(), workspace.root());
    cargo.arg("test").args(process::TESTED);
    cargo.args(["--test", "http", "--no-fail-fast"]);
    // Includes tests that are ignored natively because they need the runtime. Skips tests that only run natively.
    cargo.args(["--", "--include-ignored", "--skip", "in_process::"]);
    cargo.arg(format!("--test-threads={threads}"));
    cargo.args(name).env("ASSAY_HOST", "workerd");
    tests(&mut cargo, name, tally)
}

/// Tests the packed npm packages in the hosts that `tests/hosts/package-lock.json` pins. The tests install them into `target/hosts`.
fn in_hosts(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_entries(workspace, &node)?;
    build::client(workspace, &node)?;
    build::elements(workspace, &node)?;
    install(workspace, &node)?;
    let files = [workspace.path("tests/hosts/hosts.mjs")];
    let mut runner = node.within(node.program(), workspace.root());
    tests(
        node_test(&mut runner, &files, name, at_a_time()),
        name,
        tally,
    )
}

/// Checks badges in the programs that `tests/interop` pins. The tests install them into `target/interop`.
fn with_others(workspace: &Workspace, name: Option<&str>, tally: &mut Tally) -> Result<()> {
    let node = Node::ready(workspace)?;
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    build::light_worker(workspace, &node, Edition::Embedded)?;
    build_tool(workspace)?;
    let files = [workspace.path("tests/interop/interop.mjs")];
    let mut runner = node.within(node.program(), workspace.root());
    tests(
        node_test(&mut runner, &files, name, at_a_time()),
        name,
        tally,
    )
}

/// Builds the command-line tool, by building the tests that run it. Also builds the example that tests of badges use.
fn build_tool(workspace: &Workspace) -> Result<()> {
    let mut tool = process::cargo(workspace.root());
    tool.arg("test").args(process::TESTED);
    process::run(tool.args(["--no-run", "--test", "cli"]))?;
    let mut example = process::cargo(workspace.root());
    example.arg("build").args(process::TESTED);
    process::run(example.args(["--example", "to-sign"]))
}

/// Installs the programs that several test files use. The files run in parallel and would otherwise install them at the same time.
fn install(workspace: &Workspace, node: &Node) -> Result<()> {
    let _lock = stamp::lock(&workspace.cache(), "install")?;
    for module in [
        "tests/pages/chromium.mjs",
        "tests/conformance/python.mjs",
        "tests/openapi/python.mjs",
        "tests/examples/python.mjs",
        "tests/pdf/programs.mjs",
        "tests/send/python.mjs",
    ] {
        process::output(&mut node.script(workspace.root(), &workspace.path(module)))?;
    }
    Ok(())
}

/// Returns the number of tests or test files that run at a time if tests wait for servers and browsers. It is larger than the number of cores.
/// On two cores, three files kept the cores busy for 60 % of the time, and five files for all of it.
fn at_a_time() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.saturating_add(3)
}

/// Adds the arguments for a run of test files, of which `at_once` run at the same time.
fn node_test<'a>(
    command: &'a mut Command,
    files: &[PathBuf],
    name: Option<&str>,
    at_once: usize,
) -> &'a mut Command {
    command.args(["--test", "--test-reporter=spec"]);
    // A test or hook that hangs fails after 20 minutes. The slowest test, in the conformance suite, took 9 minutes on a slow machine.
    command.arg("--test-timeout=1200000");
    command.arg("--import=./tests/support/ends.mjs");
    command.arg(format!("--test-concurrency={at_once}"));
    if let Some(name) = name {
        command.arg(format!("--test-name-pattern={}", literally(name)));
    }
    command.args(files)
}

/// Returns a regular expression that matches `name` literally.
fn literally(name: &str) -> String {
    let escaped = |sign: char| {
        let is_plain = sign.is_alphanumeric() || sign == ' ' || sign == '_';
        (!is_plain).then_some('\\').into_iter().chain([sign])
    };
    name.chars().flat_map(escaped).collect()
}

/// Returns the JavaScript test files below some folders. Fails if there are no such files, because a part without tests must not pass.
fn test_files(workspace: &Workspace, folders: &[&str]) -> Result<Vec<PathBuf>> {
    let is_test = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        tally::TEST_FILES.iter().any(|end| name.ends_with(end))
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

/// Runs a command that counts as one check.
fn check(tally: &mut Tally, command: &mut Command) -> Result<()> {
    process::run(command)?;
    tally.pass();
    Ok(())
}

fn summary(outcomes: &[(Part, Outcome)]) {
    let mut total = Tally::default();
    report::note("");
    for (part, outcome) in outcomes {
        let name = part.to_string();
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

#[cfg(test)]
mod tests {
    use super::{ADDED, CLASSES, declared_rust};

    #[test]
    fn the_lowest_rust_is_the_one_that_the_crate_itself_declares() {
        let own = "name = \"a\"\nrust-version = \"1.88\"\n";
        assert_eq!(declared_rust(own), Some("1.88"));
        assert_eq!(declared_rust("rust-version.workspace = true\n"), None);
        for name in crate::release::CRATES {
            let manifest = format!("{}/../{name}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
            let manifest = std::fs::read_to_string(manifest).unwrap();
            assert!(declared_rust(&manifest).is_some(), "{name}");
        }
    }

    #[test]
    fn every_feature_of_the_bindings_is_linted() {
        let manifest = include_str!("../../cert-wasm/Cargo.toml");
        let (_, features) = manifest.split_once("[features]\n").unwrap();
        let (features, _) = features.split_once("\n[").unwrap();
        let lines = features.lines().filter(|line| !line.starts_with('#'));
        let mut found: Vec<_> = lines.filter_map(|line| line.split_once(" = ")).collect();
        found.sort_unstable();
        let found: Vec<_> = found.into_iter().map(|(name, _)| name).collect();
        let mut linted = [&["default", "cert"], &ADDED[..], &CLASSES].concat();
        linted.sort_unstable();
        assert_eq!(found, linted);
    }
}
