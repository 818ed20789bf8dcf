//! What is published: the npm packages' generated parts and the Worker.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cli::{BuildOptions, Product};
use crate::node::Node;
use crate::stamp::{self, Stamp};
use crate::wasm::{self, Compiled, Profile};
use crate::workspace::Workspace;
use crate::{conventions, process, report};

/// The command: builds and prints sizes.
pub(crate) fn run(workspace: &Workspace, options: &BuildOptions) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    let all = options.product == Product::All;
    if all || options.product == Product::Cert {
        cert_entries(workspace, &node)?;
    }
    if all || options.product == Product::Client {
        let dist = client(workspace, &node)?;
        report::sizes(
            "npm package of the API client",
            &[&dist.join("client_bg.wasm"), &dist.join("index.js")],
        )?;
    }
    if all || options.product == Product::Worker {
        light_worker(workspace, &node)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the generated part of the npm package: the one WebAssembly file that every host loads, and the
/// package once more for CommonJS, whose hosts cannot import it.
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
    Stamp::of(workspace, "cert").unless_fresh("certification library for npm", &outputs, || {
        let compiled = wasm::compile(
            workspace,
            "cert-wasm",
            Profile::Release,
            &[],
            wasm::INLINE,
            &[],
        )?;
        let bindings = workspace.cache().join("cert-bindings");
        wasm::bind(&compiled.module, "cert", &bindings, |bindgen| {
            bindgen.bundler(true)?.typescript(true);
            Ok(())
        })?;
        wasm::optimise(workspace, node, &bindings.join("cert_bg.wasm"), wasm::SMALL)?;
        if dist.exists() {
            fs::remove_dir_all(&dist)?;
        }
        fs::create_dir_all(&dist)?;
        loadable(workspace, node, &bindings, &dist, "cert")?;

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
        // Each of two modules of this package refers to the other of its own kind.
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

/// An entry of the certification library beside the default one: bindings and WebAssembly of its own, in a folder of its own.
struct Entry {
    name: &'static str,
    title: &'static str,
    feature: &'static str,
    rustc: &'static [&'static str],
    settings: &'static [&'static str],
    wasm_opt: &'static [&'static str],
}

/// Holds data against the whole of its JSON Schema.
const VALIDATE: Entry = Entry {
    name: "validate",
    title: "validation for npm",
    feature: "validate",
    rustc: &[],
    settings: &[],
    wasm_opt: &["-Oz"],
};

/// Certifies and verifies under AIH-2.
const AIH2: Entry = Entry {
    name: "aih2",
    title: "AIH-2 for npm",
    feature: "aih2",
    rustc: wasm::INLINE,
    settings: &[],
    wasm_opt: wasm::SMALL,
};

/// Verifies under AIH-2, and no more. It takes few hashes, one after the other, so that they too are compiled for size.
const VERIFY: Entry = Entry {
    name: "verify",
    title: "AIH-2's verifier for npm",
    feature: "aih2-verify",
    rustc: wasm::INLINE,
    settings: &["profile.release.package.sha256-lanes.opt-level='z'"],
    wasm_opt: wasm::SMALL,
};

/// Builds an entry beside the default one.
fn beside(workspace: &Workspace, node: &Node, entry: &Entry) -> Result<PathBuf> {
    let name = entry.name;
    let package = workspace.path("pkg/cert");
    let folder = package.join(name);
    let dist = folder.join("dist");
    let module = format!("{name}_bg.wasm");
    let outputs = [
        module.as_str(),
        &format!("{name}_bg.js"),
        "embedded.js",
        "node.cjs",
        "index.d.ts",
        "index.d.cts",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, name).unless_fresh(entry.title, &outputs, || {
        let compiled = wasm::compile(
            workspace,
            "cert-wasm",
            Profile::Release,
            &[entry.feature],
            entry.rustc,
            entry.settings,
        )?;
        let bindings = workspace.cache().join(format!("{name}-bindings"));
        wasm::bind(&compiled.module, name, &bindings, |bindgen| {
            bindgen.bundler(true)?.typescript(true);
            Ok(())
        })?;
        wasm::optimise(workspace, node, &bindings.join(&module), entry.wasm_opt)?;
        if dist.exists() {
            fs::remove_dir_all(&dist)?;
        }
        fs::create_dir_all(&dist)?;
        loadable(workspace, node, &bindings, &dist, name)?;
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

/// Builds the entry that certifies under AIH-2.
pub(crate) fn aih2(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    beside(workspace, node, &AIH2)
}

/// Builds the entries beside the default one.
pub(crate) fn cert_others(workspace: &Workspace, node: &Node) -> Result<()> {
    for entry in [AIH2, VERIFY, VALIDATE] {
        beside(workspace, node, &entry)?;
    }
    Ok(())
}

/// Copies a WebAssembly module and its bindings, which src/init.js joins, and writes the module once more as JavaScript:
/// src/development.js says who takes that.
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

/// Copies the types that wasm-bindgen wrote, but for what they say of a language younger than the one this package is for: whoever
/// compiles for that would be told that there is no `Symbol.dispose`.
fn types(generated: &Path, to: &Path) -> Result<()> {
    let text = fs::read_to_string(generated)
        .with_context(|| format!("reading `{}`", generated.display()))?;
    let younger = "  [Symbol.dispose](): void;\n";
    if !text.contains(younger) {
        bail!("wasm-bindgen's types no longer have `{younger}`");
    }
    fs::write(to, text.replace(younger, "")).with_context(|| format!("writing `{}`", to.display()))
}

/// Writes the types of a module once more for CommonJS, with another module in place of one it refers to.
fn types_for_common_js(types: &Path, to: &Path, (from, into): (&str, &str)) -> Result<()> {
    let text =
        fs::read_to_string(types).with_context(|| format!("reading `{}`", types.display()))?;
    fs::write(to, text.replace(from, into)).with_context(|| format!("writing `{}`", to.display()))
}

/// What a package says in its manifest, in full: npm packs only what lies in the package's own folder.
fn licences(workspace: &Workspace, dist: &Path) -> Result<[PathBuf; 2]> {
    let texts = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| workspace.path(name));
    for text in &texts {
        let name = text.file_name().context("a licence has a name")?;
        fs::copy(text, dist.join(name)).with_context(|| format!("copying `{}`", text.display()))?;
    }
    Ok(texts)
}

/// The most that a page which certifies or verifies may load: 52 KB, WebAssembly and JavaScript each gzipped. Verification belongs into
/// any page that shows a certificate, so it has to weigh no more than a picture. (The aim is 46 KB; the class that wasm-bindgen exports
/// took the rest.)
const ENTRY_LIMIT: usize = 52 * 1024;

/// The most that a page which certifies under AIH-2 may load, and one that verifies alone, counted in the same way. (The aim of the latter
/// is 20 KB; what it consists of is in DESIGN.md.)
const AIH2_LIMIT: usize = 47 * 1024;
const VERIFY_LIMIT: usize = 31 * 1024;

/// Builds the certification library and prints what a page loads of each entry: the WebAssembly, and the JavaScript as a bundler joins
/// it. Fails where that is more than it may be.
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

/// Prints the size of an entry, and fails above the limit.
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

/// esbuild on a module of Node's, for CommonJS, where a module knows its own address by another name.
fn common_js(workspace: &Workspace, node: &Node, entry: &str) -> Command {
    let mut esbuild = node.tool(workspace.root(), "esbuild");
    esbuild.args([
        entry,
        "--bundle",
        "--platform=node",
        "--target=node20",
        "--format=cjs",
    ]);
    esbuild.args(["--define:import.meta.url=__url", "--log-level=warning"]);
    esbuild.arg("--banner:js=const __url=require('node:url').pathToFileURL(__filename).href;");
    esbuild
}

/// Builds the npm package of the API client: one WebAssembly file with the hashes and signatures of order-core, the modules that
/// load it in Node, browsers and workerd, and their types.
pub(crate) fn client(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    let package = workspace.path("pkg/client");
    let dist = package.join("dist");
    let outputs = [
        "index.js",
        "node.js",
        "node.cjs",
        "workerd.js",
        "client_bg.wasm",
        "types/index.d.ts",
        "cjs/index.d.ts",
        "LICENSE-MIT",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, "client").unless_fresh("API client for npm", &outputs, || {
        let compiled = wasm::compile(
            workspace,
            "cert-wasm",
            Profile::Release,
            &["claims"],
            &[],
            &[],
        )?;
        let bindings = workspace.cache().join("client-bindings");
        wasm::bind(&compiled.module, "client", &bindings, |bindgen| {
            bindgen.web(true)?.typescript(false);
            Ok(())
        })?;
        wasm::optimise(
            workspace,
            node,
            &bindings.join("client_bg.wasm"),
            wasm::SMALL,
        )?;

        if dist.exists() {
            fs::remove_dir_all(&dist)?;
        }
        // Types first: what does not type-check is not built.
        process::output(
            node.tool(workspace.root(), "tsc")
                .args(["--project", "pkg/client"]),
        )?;
        // The same types once more for CommonJS: it is the folder's package.json that tells a compiler which of the two they are.
        let types = dist.join("types");
        let common = dist.join("cjs");
        fs::create_dir_all(&common)?;
        for file in stamp::tree(std::slice::from_ref(&types))? {
            if let Some(name) = file.file_name().filter(|_| file.is_file()) {
                fs::copy(&file, common.join(name))?;
            }
        }
        fs::write(common.join("package.json"), "{ \"type\": \"commonjs\" }\n")?;

        let alias = format!("--alias:bindings={}", bindings.join("client.js").display());
        for (entry, platform, output) in [
            ("browser.ts", "browser", "index.js"),
            ("node.ts", "node", "node.js"),
            ("workerd.ts", "neutral", "workerd.js"),
        ] {
            let mut esbuild = node.tool(workspace.root(), "esbuild");
            esbuild.arg(format!("pkg/client/src/{entry}"));
            esbuild.args(["--bundle", "--format=esm", "--target=es2022"]);
            esbuild.args([&alias, "--log-level=warning"]);
            // A module of its own, where a host gives it compiled.
            esbuild.arg("--external:./client_bg.wasm");
            esbuild.arg(format!("--platform={platform}"));
            esbuild.arg(format!("--outfile=pkg/client/dist/{output}"));
            process::output(&mut esbuild)?;
        }
        let mut esbuild = common_js(workspace, node, "pkg/client/src/node.ts");
        esbuild.args([&alias, "--outfile=pkg/client/dist/node.cjs"]);
        process::output(&mut esbuild)?;
        fs::copy(bindings.join("client_bg.wasm"), dist.join("client_bg.wasm"))?;

        let mut own = stamp::tree(&[package.join("src")])?;
        own.push(package.join("tsconfig.json"));
        own.extend(licences(workspace, &dist)?);
        inputs(workspace, compiled, &own)
    })?;
    Ok(dist)
}

/// The most that the runtime may load before it answers a first request, WebAssembly and JavaScript each gzipped.
const WORKER_LIMIT: usize = 552 * 1024;

/// Builds the Worker as it is deployed and prints what it weighs. Fails where that is more than it may be.
pub(crate) fn light_worker(workspace: &Workspace, node: &Node) -> Result<()> {
    let dist = worker(workspace, node, Profile::Release)?;
    let (module, script) = (dist.join("worker_bg.wasm"), dist.join("worker.js"));
    let size = report::sizes("Worker", &[&module, &script])?;
    if size > WORKER_LIMIT {
        bail!("the Worker: {size} bytes gzipped, more than {WORKER_LIMIT}");
    }
    Ok(())
}

/// Builds the Worker with the pages it serves: as `wrangler deploy` takes it into `edge-api/dist`, or quickly for development into
/// a folder of its own, so that neither build disturbs what the other one serves.
pub(crate) fn worker(workspace: &Workspace, node: &Node, profile: Profile) -> Result<PathBuf> {
    // The pages certify and verify with these, and the reference page signs with the client.
    cert(workspace, node)?;
    for entry in [AIH2, VERIFY] {
        beside(workspace, node, &entry)?;
    }
    client(workspace, node)?;
    let (name, title, dist) = match profile {
        Profile::Release => ("worker", "Worker", workspace.path("edge-api/dist")),
        Profile::Quick => (
            "worker-dev",
            "Worker (development build)",
            workspace.cache().join("worker-dev"),
        ),
    };
    let outputs = ["worker.js", "worker_bg.wasm"].map(|file| dist.join(file));
    Stamp::of(workspace, name).unless_fresh(title, &outputs, || {
        let compiled = wasm::compile(workspace, "edge-api", profile, &[], &[], &[])?;
        let bindings = workspace.cache().join(format!("{name}-bindings"));
        wasm::bind(&compiled.module, "worker", &bindings, |bindgen| {
            bindgen.module(true)?.typescript(false);
            bindgen
                .reset_state_function(true)
                .force_enable_abort_handler(true);
            Ok(())
        })?;
        if profile != Profile::Quick {
            wasm::optimise(workspace, node, &bindings.join("worker_bg.wasm"), &["-Os"])?;
        }
        bundle(workspace, node, &bindings, &dist, profile)?;
        inputs(
            workspace,
            compiled,
            &[workspace.path("edge-api/host/worker.mjs")],
        )
    })?;
    assets(workspace, &dist)?;
    Ok(dist)
}

/// Joins the generated bindings and host/worker.mjs into one module beside the WebAssembly.
fn bundle(
    workspace: &Workspace,
    node: &Node,
    bindings: &Path,
    dist: &Path,
    profile: Profile,
) -> Result<()> {
    let generated = bindings.join("worker.js");
    let text = fs::read_to_string(&generated)?;
    // Neither the bundler nor the simulator knows the source phase yet; both give a compiled module for a plain import.
    if !text.contains("import source ") {
        bail!("wasm-bindgen's output no longer imports its module in the source phase");
    }
    fs::write(&generated, text.replace("import source ", "import "))?;

    let building = bindings.join("bundle.js");
    let mut esbuild = node.tool(workspace.root(), "esbuild");
    esbuild.args([
        "edge-api/host/worker.mjs",
        "--bundle",
        "--format=esm",
        "--log-level=warning",
    ]);
    esbuild.args(["--external:cloudflare:*", "--external:./worker_bg.wasm"]);
    esbuild.arg(format!("--alias:rust-bindings={}", generated.display()));
    esbuild.arg(format!("--outfile={}", building.display()));
    if profile != Profile::Quick {
        esbuild.arg("--minify");
    }
    process::output(&mut esbuild)?;

    // Whole files appear at once, for the server that may be watching.
    fs::create_dir_all(dist)?;
    fs::rename(bindings.join("worker_bg.wasm"), dist.join("worker_bg.wasm"))?;
    fs::rename(building, dist.join("worker.js"))?;
    Ok(())
}

/// Copies the pages, and for them the certification library (`/cert/`), the API client (`/client/`) and the viewer of the reference, as they are
/// published, into the folder that the Worker's assets come from. Only what differs is written, and what has gone is removed.
fn assets(workspace: &Workspace, dist: &Path) -> Result<()> {
    let files_below = |folder: &Path| -> Result<Vec<PathBuf>> {
        let all = stamp::tree(&[folder.to_owned()])?;
        let files: Vec<_> = all.into_iter().filter(|path| path.is_file()).collect();
        if files.is_empty() {
            bail!("there is nothing for the pages in `{}`", folder.display());
        }
        Ok(files)
    };
    // Excludes files that only Node, compilers and development servers read.
    let for_pages = |path: &Path| {
        let is_common = path
            .extension()
            .is_some_and(|end| end == "cjs" || end == "cts");
        !is_common && !path.ends_with("dist/embedded.js") && !path.ends_with("src/development.js")
    };
    let into = dist.join("assets");
    let mut wanted = Vec::new();
    for (from, to) in [
        ("www", "."),
        ("pkg/cert/src", "cert/src"),
        ("pkg/cert/dist", "cert/dist"),
        ("pkg/cert/aih2/src", "cert/aih2/src"),
        ("pkg/cert/aih2/dist", "cert/aih2/dist"),
        ("pkg/cert/verify/src", "cert/verify/src"),
        ("pkg/cert/verify/dist", "cert/verify/dist"),
        ("pkg/client/dist/index.js", "client/index.js"),
        ("pkg/client/dist/client_bg.wasm", "client/client_bg.wasm"),
        (
            "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
            "docs/viewer/swagger-ui-bundle.js",
        ),
        (
            "node_modules/swagger-ui-dist/swagger-ui.css",
            "docs/viewer/swagger-ui.css",
        ),
        (
            "node_modules/swagger-ui-dist/LICENSE",
            "docs/viewer/LICENSE",
        ),
        (
            "node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt",
            "docs/viewer/swagger-ui-bundle.js.LICENSE.txt",
        ),
    ] {
        let from = workspace.path(from);
        for file in files_below(&from)?
            .into_iter()
            .filter(|file| for_pages(file))
        {
            let target: PathBuf = into
                .join(to)
                .join(file.strip_prefix(&from)?)
                .components()
                .collect();
            let content = fs::read(&file)?;
            if fs::read(&target).ok().as_ref() != Some(&content) {
                if let Some(folder) = target.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(&target, content)
                    .with_context(|| format!("writing `{}`", target.display()))?;
            }
            wanted.push(target);
        }
    }
    for file in files_below(&into)? {
        if !wanted.contains(&file) {
            fs::remove_file(file)?;
        }
    }
    Ok(())
}

/// What a product was made from: the crate's sources, these tasks and the locked versions of the JavaScript tools.
fn inputs(workspace: &Workspace, compiled: Compiled, more: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut inputs = compiled.sources;
    inputs.extend(stamp::tree(&[workspace.path("xtask/src")])?);
    inputs.push(workspace.path("package-lock.json"));
    inputs.extend_from_slice(more);
    Ok(inputs)
}
