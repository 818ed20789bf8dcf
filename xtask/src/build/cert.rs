//! Builds the certification library for npm: an entry for each profile, an entry that only verifies, and an entry that validates.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{common_js, inputs, licences};
use crate::node::Node;
use crate::stamp::{self, Stamp};
use crate::wasm::{self, Compiled, Module, Profile};
use crate::workspace::Workspace;
use crate::{conventions, process, report};

/// Builds the generated files of the default entry: WebAssembly with its bindings, types, conventions, and a second copy of the modules for
/// CommonJS.
pub(crate) fn cert(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    let package = workspace.path("pkg/cert");
    let dist = package.join("dist");
    let outputs = [
        "cert_bg.wasm",
        "cert_bg.js",
        "embedded.js",
        "node.cjs",
        "index.d.ts",
        "index.d.cts",
        "conventions.js",
        "conventions.cjs",
        "conventions.d.cts",
        "LICENSE-MIT",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, CERT.name).unless_fresh(CERT.title, &outputs, || {
        let (compiled, bindings) = module(workspace, node, &CERT, &dist)?;
        conventions::write(&dist.join("conventions.js"))?;

        let mut own = stamp::tree(&[package.join("src")])?;
        own.extend(licences(workspace, &dist)?);
        for module in ["node", "conventions"] {
            let mut esbuild = common_js(workspace, node, &format!("pkg/cert/src/{module}.js"));
            esbuild.arg(format!("--outfile=pkg/cert/dist/{module}.cjs"));
            process::output(&mut esbuild)?;
        }
        types(&bindings.join("cert.d.ts"), &dist.join("index.d.ts"))?;
        fs::copy(dist.join("index.d.ts"), dist.join("index.d.cts"))?;
        let types = package.join("conventions.d.ts");
        // The types for CommonJS import the CommonJS copies of other types.
        types_for_common_js(
            &types,
            &dist.join("conventions.d.cts"),
            ("'./dist/index.js'", "'./index.cjs'"),
        )?;
        own.push(types);
        inputs(workspace, compiled, &own)
    })?;
    Ok(dist)
}

/// An entry of the certification library, with its own bindings and WebAssembly in its own folder.
struct Entry {
    name: &'static str,
    title: &'static str,
    feature: &'static str,
    rustc: &'static [&'static str],
    settings: &'static [&'static str],
}

/// Certifies and verifies under AIH-1: the default entry.
const CERT: Entry = Entry {
    name: "cert",
    title: "certification library for npm",
    feature: "cert",
    rustc: wasm::INLINE,
    settings: &[],
};

/// Validates data against a JSON Schema.
const VALIDATE: Entry = Entry {
    name: "validate",
    title: "validation for npm",
    feature: "validate",
    rustc: &[],
    settings: &[],
};

/// Certifies and verifies under AIH-2.
const AIH2: Entry = Entry {
    name: "aih2",
    title: "AIH-2 for npm",
    feature: "aih2",
    rustc: wasm::INLINE,
    settings: &[],
};

/// Only verifies, under AIH-2. Verifying computes few hashes, so the hashing is also compiled for size.
const VERIFY: Entry = Entry {
    name: "verify",
    title: "AIH-2's verifier for npm",
    feature: "aih2-verify",
    rustc: wasm::INLINE,
    settings: &["profile.release.package.sha256-lanes.opt-level='z'"],
};

/// Compiles an entry's module, and replaces its `dist` with the module and its bindings. Returns the paths of wasm-bindgen's output.
fn module(
    workspace: &Workspace,
    node: &Node,
    entry: &Entry,
    dist: &Path,
) -> Result<(Compiled, PathBuf)> {
    let name = entry.name;
    let compiled = wasm::compile(
        workspace,
        Profile::Release,
        &Module {
            package: "cert-wasm",
            features: &[entry.feature],
            rustc: entry.rustc,
            settings: entry.settings,
        },
    )?;
    let bindings = workspace.cache().join(format!("{name}-bindings"));
    wasm::bind(&compiled.module, name, &bindings, |bindgen| {
        bindgen.bundler(true)?.typescript(true);
        Ok(())
    })?;
    let optimised = bindings.join(format!("{name}_bg.wasm"));
    wasm::optimise(workspace, node, &optimised, wasm::SMALL)?;
    if dist.exists() {
        fs::remove_dir_all(dist)?;
    }
    fs::create_dir_all(dist)?;
    loadable(workspace, node, &bindings, dist, name)?;
    Ok((compiled, bindings))
}

/// Builds an entry other than the default entry.
fn beside(workspace: &Workspace, node: &Node, entry: &Entry) -> Result<PathBuf> {
    let name = entry.name;
    let package = workspace.path("pkg/cert");
    let folder = package.join(name);
    let dist = folder.join("dist");
    let outputs = [
        format!("{name}_bg.wasm").as_str(),
        &format!("{name}_bg.js"),
        "embedded.js",
        "node.cjs",
        "index.d.ts",
        "index.d.cts",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, name).unless_fresh(entry.title, &outputs, || {
        let (compiled, bindings) = module(workspace, node, entry, &dist)?;
        let mut esbuild = common_js(workspace, node, &format!("pkg/cert/{name}/src/node.js"));
        esbuild.arg(format!("--outfile=pkg/cert/{name}/dist/node.cjs"));
        process::output(&mut esbuild)?;
        types(
            &bindings.join(format!("{name}.d.ts")),
            &dist.join("index.d.ts"),
        )?;
        types_for_common_js(
            &dist.join("index.d.ts"),
            &dist.join("index.d.cts"),
            ("/dist/index.js'", "/dist/index.cjs'"),
        )?;
        let own = stamp::tree(&[package.join("src"), folder.join("src")])?;
        inputs(workspace, compiled, &own)
    })?;
    Ok(dist)
}

/// Builds the entries that the Worker's pages load.
pub(crate) fn cert_for_pages(workspace: &Workspace, node: &Node) -> Result<()> {
    cert(workspace, node)?;
    cert_others(workspace, node)
}

/// Builds all entries except the default entry.
pub(crate) fn cert_others(workspace: &Workspace, node: &Node) -> Result<()> {
    for entry in [AIH2, VERIFY, VALIDATE] {
        beside(workspace, node, &entry)?;
    }
    Ok(())
}

/// Copies a WebAssembly module and its bindings, which src/init.js combines. Also writes the module as JavaScript, for the hosts that
/// src/development.js names.
fn loadable(
    workspace: &Workspace,
    node: &Node,
    bindings: &Path,
    dist: &Path,
    name: &str,
) -> Result<()> {
    let module = format!("{name}_bg.wasm");
    for file in [&module, &format!("{name}_bg.js")] {
        fs::copy(bindings.join(file), dist.join(file))
            .with_context(|| format!("copying `{file}`"))?;
    }
    let entry = bindings.join("embedded.js");
    fs::write(&entry, format!("export {{ default }} from './{module}';\n"))?;
    let mut esbuild = node.tool(workspace.root(), "esbuild");
    esbuild.arg(&entry);
    esbuild.args(["--bundle", "--minify", "--format=esm", "--target=es2022"]);
    esbuild.args(["--platform=browser", "--loader:.wasm=binary"]);
    esbuild.arg("--log-level=warning");
    esbuild.arg(format!("--outfile={}", dist.join("embedded.js").display()));
    process::output(&mut esbuild)?;
    Ok(())
}

/// Copies the types that wasm-bindgen wrote, without the methods that free an object. `Freeable` of cert.d.ts has them, with
/// documentation and a declaration of `Symbol.dispose`, which older `lib`s do not have.
fn types(generated: &Path, to: &Path) -> Result<()> {
    let text = fs::read_to_string(generated)
        .with_context(|| format!("reading `{}`", generated.display()))?;
    // Matches only the first two methods of a class.
    let freeing = " {\n    free(): void;\n    [Symbol.dispose](): void;\n";
    if !text.contains(freeing) {
        bail!("wasm-bindgen's types no longer have `{freeing}`");
    }
    fs::write(to, text.replace(freeing, " {\n"))
        .with_context(|| format!("writing `{}`", to.display()))
}

/// Writes a second copy of a module's types for CommonJS, with `from` replaced by `into`.
fn types_for_common_js(types: &Path, to: &Path, (from, into): (&str, &str)) -> Result<()> {
    let text =
        fs::read_to_string(types).with_context(|| format!("reading `{}`", types.display()))?;
    fs::write(to, text.replace(from, into)).with_context(|| format!("writing `{}`", to.display()))
}

/// The maximum size of the default entry, in bytes: WebAssembly and JavaScript, each gzipped. Every page that shows a certificate may load
/// the entry, so it must not be larger than a picture. The aim is 46 KB. The bytes above the aim are wasm-bindgen's class, the class's
/// `free`, and the check of hash lengths.
const ENTRY_LIMIT: usize = 54 * 1024;

/// The maximum sizes of the entry of AIH-2 and of the entry that only verifies, in bytes, counted in the same way.
/// `docs/decisions/0008-size-of-the-package.md` lists the parts of the entry that only verifies.
const AIH2_LIMIT: usize = 53 * 1024;
const VERIFY_LIMIT: usize = 36 * 1024;

/// Builds the certification library and prints the size of each entry: its WebAssembly, and its JavaScript as one bundle. Fails if an entry
/// exceeds its limit.
pub(crate) fn cert_entries(workspace: &Workspace, node: &Node) -> Result<()> {
    let dist = cert(workspace, node)?;
    let module = dist.join("cert_bg.wasm");
    let title = "certification library, as a page loads it";
    weigh(workspace, node, "pkg/cert", (title, &module), ENTRY_LIMIT)?;
    for (entry, title, limit) in [
        (AIH2, "its entry of AIH-2", AIH2_LIMIT),
        (VERIFY, "its entry that verifies AIH-2", VERIFY_LIMIT),
        (VALIDATE, "its entry that validates", usize::MAX),
    ] {
        let dist = beside(workspace, node, &entry)?;
        let module = dist.join(format!("{}_bg.wasm", entry.name));
        let folder = format!("pkg/cert/{}", entry.name);
        weigh(workspace, node, &folder, (title, &module), limit)?;
    }
    Ok(())
}

/// Prints the size of an entry. Fails if the size exceeds the limit.
fn weigh(
    workspace: &Workspace,
    node: &Node,
    folder: &str,
    (title, module): (&str, &Path),
    limit: usize,
) -> Result<()> {
    let script = workspace.cache().join("entry.js");
    let mut esbuild = node.tool(workspace.root(), "esbuild");
    esbuild.arg(format!("{folder}/src/init.js"));
    esbuild.args(["--bundle", "--minify"]);
    esbuild.args(["--format=esm", "--platform=browser", "--target=es2022"]);
    esbuild.args(["--legal-comments=none", "--log-level=warning"]);
    esbuild.arg(format!("--outfile={}", script.display()));
    process::output(&mut esbuild)?;
    let size = report::sizes(title, &[module, &script])?;
    if size > limit {
        bail!("{title}: {size} bytes gzipped, more than {limit}");
    }
    Ok(())
}
