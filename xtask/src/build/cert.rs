//! Builds the certification library for npm: an entry for each profile, and an entry that only verifies. Also builds the package that
//! validates, which contains the modules that both packages share.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use base64ct::{Base64, Encoding as _};

use super::common::{common_js, inputs, licences};
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
        for (module, output) in [("embedded", "node"), ("conventions", "conventions")] {
            let mut esbuild = common_js(workspace, node, &format!("pkg/cert/src/{module}.js"));
            esbuild.arg(format!("--outfile=pkg/cert/dist/{output}.cjs"));
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

/// An entry of the packages, with its own bindings and WebAssembly in its own folder.
struct Entry {
    name: &'static str,
    title: &'static str,
    /// The folder, which contains `src` and `dist`.
    folder: &'static str,
    feature: &'static str,
    rustc: &'static [&'static str],
    settings: &'static [&'static str],
}

/// Certifies and verifies under AIH-1: the default entry.
const CERT: Entry = Entry {
    name: "cert",
    title: "certification library for npm",
    folder: "pkg/cert",
    feature: "cert",
    rustc: wasm::INLINE,
    settings: &[],
};

/// Validates data against a JSON Schema.
const VALIDATE: Entry = Entry {
    name: "validate",
    title: "validation for npm",
    folder: "pkg/validate",
    feature: "validate",
    rustc: &[],
    settings: &[],
};

/// Certifies and verifies under AIH-2.
const AIH2: Entry = Entry {
    name: "aih2",
    title: "AIH-2 for npm",
    folder: "pkg/cert/aih2",
    feature: "aih2",
    rustc: wasm::INLINE,
    settings: &[],
};

/// Only verifies, under AIH-2. Verifying computes few hashes, so the hashing is also compiled for size.
const VERIFY: Entry = Entry {
    name: "verify",
    title: "AIH-2's verifier for npm",
    folder: "pkg/cert/verify",
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
    loadable(&bindings, dist, entry)?;
    Ok((compiled, bindings))
}

/// Builds an entry other than the default entry. Needs the types of the default entry.
fn beside(workspace: &Workspace, node: &Node, entry: &Entry) -> Result<PathBuf> {
    let Entry { name, folder, .. } = entry;
    let dist = workspace.path(folder).join("dist");
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
        let mut own = stamp::tree(&[
            workspace.path("pkg/cert/src"),
            workspace.path(folder).join("src"),
        ])?;
        if is_package(entry) {
            shared_modules(workspace, &dist)?;
            own.push(workspace.path("pkg/cert/dist/index.d.ts"));
            own.extend(licences(workspace, &dist)?);
        }
        let mut esbuild = common_js(workspace, node, &format!("{folder}/src/embedded.js"));
        esbuild.arg(format!("--outfile={folder}/dist/node.cjs"));
        process::output(&mut esbuild)?;
        types(
            &bindings.join(format!("{name}.d.ts")),
            &dist.join("index.d.ts"),
        )?;
        let (module, common) = ("/index.js'", "/index.cjs'");
        if is_package(entry) {
            // The types that both packages have.
            let from = workspace.path("pkg/cert/dist/index.d.ts");
            for name in ["cert.d.ts", "cert.d.cts"] {
                fs::copy(&from, dist.join(name))?;
            }
            replace(
                &dist.join("index.d.ts"),
                ("'../../dist/index.js'", "'./cert.js'"),
            )?;
            let common = ("'./cert.js'", "'./cert.cjs'");
            types_for_common_js(&dist.join("index.d.ts"), &dist.join("index.d.cts"), common)?;
        } else {
            types_for_common_js(
                &dist.join("index.d.ts"),
                &dist.join("index.d.cts"),
                (module, common),
            )?;
        }
        inputs(workspace, compiled, &own)
    })?;
    Ok(dist)
}

/// Returns true if an entry is a package of its own.
fn is_package(entry: &Entry) -> bool {
    entry.folder == VALIDATE.folder
}

/// The modules of `pkg/cert/src` that the package for validation also contains. It does not depend on the certification library, because that
/// package has a megabyte.
const SHARED: [&str; 8] = [
    "bytes", "error", "holding", "loading", "options", "pack", "text", "unpack",
];

fn shared_modules(workspace: &Workspace, dist: &Path) -> Result<()> {
    let folder = dist.join("shared");
    fs::create_dir_all(&folder)?;
    for name in SHARED {
        let file = format!("{name}.js");
        fs::copy(
            workspace.path("pkg/cert/src").join(&file),
            folder.join(&file),
        )?;
    }
    Ok(())
}

/// Builds the entries that the Worker's pages load.
pub(crate) fn cert_for_pages(workspace: &Workspace, node: &Node) -> Result<()> {
    cert(workspace, node)?;
    cert_others(workspace, node)
}

/// Builds all entries except the default entry. Builds the package for validation, too.
pub(crate) fn cert_others(workspace: &Workspace, node: &Node) -> Result<()> {
    for entry in [AIH2, VERIFY, VALIDATE] {
        beside(workspace, node, &entry)?;
    }
    Ok(())
}

/// Copies a WebAssembly module and its bindings, which src/core.js combines. Also writes the module as JavaScript, for the hosts that
/// src/embedded.js names.
fn loadable(bindings: &Path, dist: &Path, entry: &Entry) -> Result<()> {
    let name = entry.name;
    let module = format!("{name}_bg.wasm");
    let bytes = fs::read(bindings.join(&module)).with_context(|| format!("reading `{module}`"))?;
    fs::write(dist.join(&module), &bytes)?;
    embed(&bytes, &dist.join("embedded.js"))?;
    let script = format!("{name}_bg.js");
    let text = fs::read_to_string(bindings.join(&script))
        .with_context(|| format!("reading `{script}`"))?;
    let [written, shared] = match entry.folder {
        "pkg/cert" => ["../src/", "../src/"],
        "pkg/validate" => ["../../src/", "./shared/"],
        _ => ["../../src/", "../../src/"],
    };
    // Hosts without `TextDecoder` get the one that src/text.js finds.
    let text = format!(
        "import {{ TextDecoder }} from '{shared}text.js';\n{}",
        text.replace(&format!("from '{written}"), &format!("from '{shared}"))
    );
    fs::write(dist.join(script), text)?;
    Ok(())
}

/// Writes bytes as a module whose default export is their base64 text. The text is decoded when it is needed, so the module costs little.
pub(super) fn embed(bytes: &[u8], file: &Path) -> Result<()> {
    let text = Base64::encode_string(bytes);
    fs::write(file, format!("export default '{text}';\n"))
        .with_context(|| format!("writing `{}`", file.display()))
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
    fs::copy(types, to).with_context(|| format!("copying `{}`", types.display()))?;
    replace(to, (from, into))
}

/// Replaces a text in a file. Fails if the file does not contain the text.
fn replace(file: &Path, (from, into): (&str, &str)) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("reading `{}`", file.display()))?;
    if !text.contains(from) {
        bail!("`{}` no longer contains `{from}`", file.display());
    }
    fs::write(file, text.replace(from, into))
        .with_context(|| format!("writing `{}`", file.display()))
}

/// The maximum size of the default entry, in bytes: WebAssembly and JavaScript, each gzipped. Every page that shows a certificate may load
/// the entry, so it must not be larger than a picture. The aim is 46 KB. The bytes above the aim are wasm-bindgen's class, the class's
/// `free`, and the check of hash lengths.
const ENTRY_LIMIT: usize = 60 * 1024;

/// The maximum sizes of the entry of AIH-2 and of the entry that only verifies, in bytes, counted in the same way.
/// `docs/decisions/0008-size-of-the-package.md` lists the parts of the entry that only verifies.
const AIH2_LIMIT: usize = 60 * 1024;
const VERIFY_LIMIT: usize = 41 * 1024;

/// Builds the certification library and prints the size of each entry: its WebAssembly, and its JavaScript as one bundle. Fails if an entry
/// exceeds its limit.
pub(crate) fn cert_entries(workspace: &Workspace, node: &Node) -> Result<()> {
    let dist = cert(workspace, node)?;
    let module = dist.join("cert_bg.wasm");
    let title = "certification library, as a page loads it";
    weigh(workspace, node, CERT.folder, (title, &module), ENTRY_LIMIT)?;
    for (entry, title, limit) in [
        (AIH2, "its entry of AIH-2", AIH2_LIMIT),
        (VERIFY, "its entry that verifies AIH-2", VERIFY_LIMIT),
        (VALIDATE, "package for validation", usize::MAX),
    ] {
        let dist = beside(workspace, node, &entry)?;
        let module = dist.join(format!("{}_bg.wasm", entry.name));
        weigh(workspace, node, entry.folder, (title, &module), limit)?;
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
