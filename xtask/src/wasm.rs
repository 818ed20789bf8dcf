//! Builds the files of a crate that a JavaScript host loads, with cargo, wasm-bindgen and wasm-opt.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::node::Node;
use crate::process;
use crate::stamp;
use crate::workspace::Workspace;

/// The compilation target of modules for JavaScript hosts.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The WebAssembly features that rustc emits for the target, and the features that wasm-bindgen adds. They are listed one by one, so that a new
/// version of wasm-opt does not emit an encoding that runtimes do not support.
const FEATURES: [&str; 8] = [
    "mutable-globals",
    "sign-ext",
    "nontrapping-float-to-int",
    "bulk-memory",
    "multivalue",
    "reference-types",
    "exception-handling",
    "simd",
];

/// The profile of a build: small output, or a short build time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// A build for publishing or deploying, with small output.
    Release,
    /// A fast build for development.
    Quick,
}

/// A module that cargo compiled.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) module: PathBuf,
    /// Every source file of the module.
    pub(crate) sources: Vec<PathBuf>,
}

/// Installs a compilation target if it is missing, because rustup may be configured not to do so itself.
pub(crate) fn ensure_target(workspace: &Workspace, target: &str) -> Result<()> {
    let root = workspace.root();
    let sysroot = process::output(process::command("rustc", root).args(["--print", "sysroot"]))?;
    let installed = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(target)
        .join("lib");
    if installed.is_dir() {
        return Ok(());
    }
    process::run(process::command("rustup", root).args(["target", "add", target])).with_context(
        || format!("the Rust target {target} is missing and could not be installed by rustup"),
    )
}

/// A module to compile.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    /// The package of the workspace.
    pub(crate) package: &'a str,
    /// Exactly these features. If empty, the default features.
    pub(crate) features: &'a [&'a str],
    /// Flags for rustc.
    pub(crate) rustc: &'a [&'a str],
    /// Additional settings for cargo.
    pub(crate) settings: &'a [&'a str],
}

/// Compiles a package to WebAssembly.
pub(crate) fn compile(
    workspace: &Workspace,
    profile: Profile,
    module: &Module<'_>,
) -> Result<Compiled> {
    let Module {
        package,
        features,
        rustc,
        settings,
    } = *module;
    ensure_target(workspace, TARGET)?;
    let mut cargo = process::cargo(workspace.root());
    // Builds only the `cdylib`. Together with the `rlib` for tests, cargo would skip link-time optimisation.
    cargo.args(["rustc", "--target", TARGET, "--package", package]);
    cargo.args(["--lib", "--crate-type", "cdylib"]);
    let folder = match profile {
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
        Profile::Quick => {
            cargo.args(["--profile", "quick"]);
            "quick"
        }
    };
    if !features.is_empty() {
        cargo.arg("--no-default-features");
    }
    for feature in features {
        cargo.args(["--features", feature]);
    }
    let flags = rustc.iter().map(ToString::to_string);
    let flags = flags.chain(same_paths_everywhere()?).collect::<Vec<_>>();
    for setting in settings {
        cargo.args(["--config", setting]);
    }
    // In addition to the flags in `.cargo/config.toml`.
    cargo.arg("--config").arg(format!(
        "target.{TARGET}.rustflags={}",
        serde_json::to_string(&flags)?
    ));
    // Locked until the copy is made, because a build with other features would overwrite cargo's file.
    let _lock = stamp::lock(&workspace.cache(), &format!("compile-{package}"))?;
    process::run(&mut cargo)?;

    let built = workspace
        .target()
        .join(TARGET)
        .join(folder)
        .join(package.replace('-', "_"));
    let mut sources = dependencies(&built.with_extension("d"))?;
    sources.extend(
        [
            "Cargo.toml",
            "Cargo.lock",
            "rust-toolchain.toml",
            ".cargo/config.toml",
        ]
        .map(|file| workspace.path(file)),
    );
    sources.push(workspace.path(package).join("Cargo.toml"));
    let module = copy_of(workspace, package, folder, features);
    fs::copy(built.with_extension("wasm"), &module)
        .with_context(|| format!("cargo left no `{}.wasm`", built.display()))?;
    Ok(Compiled { module, sources })
}

/// Returns the path for a copy of a compiled module. Each profile and feature set of a package has its own file.
pub(crate) fn copy_of(
    workspace: &Workspace,
    package: &str,
    profile: &str,
    features: &[&str],
) -> PathBuf {
    let name = [&[package, profile], features].concat().join("-");
    workspace.cache().join(format!("{name}.wasm"))
}

/// Returns flags for rustc that keep this machine's paths out of a module. Panic messages name files of dependencies, but a published module
/// should be the same on every machine.
fn same_paths_everywhere() -> Result<Vec<String>> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
        .context("neither CARGO_HOME nor a home folder is known")?;
    let mut flags = Vec::new();
    // The folder has a subfolder for each registry. The folder exists, because this program has dependencies.
    for registry in fs::read_dir(home.join("registry/src"))
        .into_iter()
        .flatten()
    {
        flags.push(format!(
            "--remap-path-prefix={}=",
            registry?.path().display()
        ));
    }
    flags.sort();
    Ok(flags)
}

/// Returns the source files in cargo's list of an artifact: `artifact: file file …`, with `\ ` for a space in a name.
fn dependencies(listing: &Path) -> Result<Vec<PathBuf>> {
    let text =
        fs::read_to_string(listing).with_context(|| format!("reading `{}`", listing.display()))?;
    let (_, files) = text
        .split_once(": ")
        .context("cargo's list of dependencies has an unknown form")?;
    Ok(files
        .replace("\\ ", "\0")
        .split_whitespace()
        .map(|file| PathBuf::from(file.replace('\0', " ")))
        .collect())
}

/// Runs wasm-bindgen. Replaces the folder `into` with its output.
pub(crate) fn bind(
    module: &Path,
    name: &str,
    into: &Path,
    configure: impl FnOnce(&mut Bindgen) -> Result<()>,
) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name(name)
        .remove_producers_section(true);
    configure(&mut bindgen)?;
    if into.exists() {
        fs::remove_dir_all(into)?;
    }
    bindgen
        .generate(into)
        .with_context(|| format!("wasm-bindgen on `{}`", module.display()))
}

/// Flags for rustc in builds for size: rustc inlines functions that are about as long as a call. Twice this threshold costs two kilobytes
/// gzipped, and saves no measurable time on small documents.
pub(crate) const INLINE: &[&str] = &["-C", "llvm-args=-inline-threshold=24"];

/// The level of wasm-opt for modules that pages load, for which size matters most. An alternative of thirteen passes in a special order made
/// the library's entries 1.3 % smaller, but not the client. It made AIH-1 4 to 10 % slower, and optimising took six times as long.
pub(crate) const SMALL: &str = "-Oz";

/// The level of wasm-opt for the Worker.
pub(crate) const FAST: &str = "-Os";

/// Optimises a module in place by wasm-opt. Fails if the module becomes larger.
pub(crate) fn optimise(
    workspace: &Workspace,
    node: &Node,
    module: &Path,
    level: &str,
) -> Result<()> {
    let before = fs::metadata(module)?.len();
    let mut command = node.script(
        workspace.root(),
        &workspace.path("node_modules/binaryen/bin/wasm-opt"),
    );
    command
        .arg(level)
        .args(FEATURES.map(|feature| format!("--enable-{feature}")));
    // Strips the list of used features, which only linkers read.
    command.arg("--strip-target-features");
    command.arg(module).arg("--output").arg(module);
    process::output(&mut command)?;
    if fs::metadata(module)?.len() > before {
        bail!("wasm-opt made `{}` larger", module.display());
    }
    Ok(())
}
