//! Builds the artefacts of a release into one folder, checks them, and publishes the packages and crates.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::build::Edition;
use crate::node::{self, Node};
use crate::stamp::{self, Stamp};
use crate::workspace::Workspace;
use crate::{build, process, report};

#[derive(Debug, Args)]
pub(crate) struct ReleaseOptions {
    /// Publish nothing: print the publish commands instead. The working tree and the changelog are not checked
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The crates that are published. Each crate follows the crates that it depends on.
pub(crate) const CRATES: [&str; 7] = [
    "sha256-lanes",
    "cert-core",
    "cert-pdf",
    "cert-tables",
    "cert-badge",
    "order-core",
    "cert-cli",
];
/// The folders of the npm packages. Each package follows the packages that it depends on.
const PACKAGES: [&str; 4] = ["pkg/cert", "pkg/validate", "pkg/client", "pkg/elements"];
/// The crates whose components are listed: the programs of the release.
const DESCRIBED: [&str; 2] = ["cert-cli", "edge-api"];
/// The version of cargo-cyclonedx, which lists the components of the crates.
const CYCLONEDX: &str = "0.5.9";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds and checks all artefacts. Then publishes the npm packages and the crates, or prints the commands if this is a dry run.
pub(crate) fn run(workspace: &Workspace, options: &ReleaseOptions) -> Result<ExitCode> {
    let out = workspace
        .target()
        .join(format!("release-artefacts/{VERSION}"));
    if !options.dry_run {
        is_ready(workspace)?;
    }
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let node = Node::ready(workspace)?;
    build::cert_entries(workspace, &node)?;
    build::cert_others(workspace, &node)?;
    build::client(workspace, &node)?;
    build::light_elements(workspace, &node)?;
    report::step("npm packages", || packages(workspace, &node, &out))?;
    report::step("crates", || crates(workspace, &out))?;
    report::step("command-line tool", || tool(workspace, &out))?;
    for edition in Edition::ALL {
        build::light_worker(workspace, &node, edition)?;
    }
    report::step("operator's tool with the Worker", || {
        operator(workspace, &node, &out)
    })?;
    report::step("lists of components", || components(workspace, &node, &out))?;
    let sums = checksums(&out)?;
    report::note(&format!("{sums}in {}", out.display()));

    let mut publish = publishing(workspace, &out)?;
    if options.dry_run {
        report::note("without --dry-run, these commands would run next:");
    }
    for command in &mut publish {
        if options.dry_run {
            report::note(&format!("  {}", process::line(command)));
        } else {
            process::run(command)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if the working tree has changes, or if the changelog has no section for the version.
fn is_ready(workspace: &Workspace) -> Result<()> {
    let changes =
        process::output(process::command("git", workspace.root()).args(["status", "--porcelain"]))?;
    if !changes.is_empty() {
        bail!("commit or remove these changes before a release:\n{changes}");
    }
    let log = fs::read_to_string(workspace.path("CHANGELOG.md"))?;
    if !log.contains(&format!("\n## [{VERSION}]")) {
        bail!(
            "CHANGELOG.md has no section `## [{VERSION}]`: rename the section `Unreleased`, and add the date"
        );
    }
    Ok(())
}

/// Packs the npm packages, and checks the packed files with publint and are-the-types-wrong.
fn packages(workspace: &Workspace, node: &Node, out: &Path) -> Result<()> {
    let tools = workspace.path("xtask/release");
    let bin = tools.join("node_modules/.bin");
    Stamp::of(workspace, "release-tools").unless_fresh(
        "publint and are-the-types-wrong",
        &[bin.join("publint"), bin.join("attw")],
        || {
            node::npm_ci(&tools)?;
            Ok(vec![tools.join("package-lock.json")])
        },
    )?;
    for package in PACKAGES {
        let mut pack = node.within("npm", workspace.root());
        pack.args(["pack", "--ignore-scripts", "--pack-destination"]);
        process::output(pack.arg(out).arg(format!("./{package}")))?;
        let file = out.join(packed(workspace, package)?);
        let mut publint = node.within(bin.join("publint"), workspace.root());
        process::output(publint.arg("run").arg(&file).arg("--strict"))?;
        let mut attw = node.within(bin.join("attw"), workspace.root());
        attw.arg(&file);
        // The entries that load WebAssembly by `fetch` are for browsers. Browsers have no `require`, so the rule does not apply.
        attw.args(["--ignore-rules", "cjs-resolves-to-esm"]);
        let modules = wasm_entries(&workspace.path(package))?;
        if !modules.is_empty() {
            attw.arg("--exclude-entrypoints").args(modules);
        }
        process::output(&mut attw)?;
    }
    Ok(())
}

/// Returns the entries of a package that are WebAssembly modules, which have no types.
fn wasm_entries(package: &Path) -> Result<Vec<String>> {
    let manifest: Value = serde_json::from_slice(&fs::read(package.join("package.json"))?)?;
    let entries = manifest.get("exports").and_then(Value::as_object);
    let names = entries.into_iter().flat_map(|entries| entries.keys());
    Ok(names
        .filter(|name| name.ends_with(".wasm"))
        .cloned()
        .collect())
}

/// Packages the crates. cargo compiles each crate from its packed files.
fn crates(workspace: &Workspace, out: &Path) -> Result<()> {
    let mut cargo = process::cargo(workspace.root());
    cargo.args(["package", "--quiet", "--allow-dirty"]);
    cargo.args(CRATES.iter().flat_map(|name| ["--package", name]));
    process::output(&mut cargo)?;
    for name in CRATES {
        let file = format!("{name}-{VERSION}.crate");
        fs::copy(
            workspace.target().join("package").join(&file),
            out.join(file),
        )?;
    }
    Ok(())
}

/// Builds the command-line tool for this machine.
fn tool(workspace: &Workspace, out: &Path) -> Result<()> {
    let mut cargo = process::cargo(workspace.root());
    cargo.args(["build", "--quiet", "--release", "--package", "cert-cli"]);
    process::output(&mut cargo)?;
    let (os, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let folder = Folder::create(out, &format!("cert-{VERSION}-{os}-{machine}"))?;
    folder.copy(&workspace.target().join("release/cert"), "cert")?;
    folder.copy(&workspace.path("cert-cli/README.md"), "README.md")?;
    folder.licences(workspace)?;
    process::output(Command::new(folder.path.join("cert")).arg("--version"))?;
    folder.pack()
}

/// The package of the operator's tool, which contains both builds of the Worker.
const OPERATE: &str = "operate";

/// Packs the operator's tool, and checks that wrangler accepts both builds of the Worker.
fn operator(workspace: &Workspace, node: &Node, out: &Path) -> Result<()> {
    let mut pack = node.within(node.program(), workspace.root());
    process::output(pack.arg("operate/pack.mjs").arg(out))?;
    // In a folder below the workspace, the program finds the dependencies of the workspace.
    let trial = workspace.cache().join("release-operate");
    let _ = fs::remove_dir_all(&trial);
    fs::create_dir_all(&trial)?;
    let mut tar = process::command("tar", &trial);
    tar.args(["--extract", "--file"]);
    process::output(tar.arg(out.join(packed(workspace, OPERATE)?)))?;
    for ledger in [&[][..], &ON_CHAIN] {
        let mut deploy = node.within(node.program(), &trial);
        deploy.args(["package/tool/bin/operate.js", "deploy", "--dry-run"]);
        for setting in SETTINGS.iter().chain(ledger) {
            deploy.args(["--set", setting]);
        }
        process::output(&mut deploy)?;
    }
    Ok(fs::remove_dir_all(trial)?)
}

/// The settings of a dry run.
const SETTINGS: [&str; 2] = [
    "SERVICE_NAME=certificates.example.org",
    "DEPLOYERS=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
];
/// Further settings of a dry run with a ledger on a chain.
const ON_CHAIN: [&str; 7] = [
    "LEDGER=evm",
    "CHAIN_ID=8453",
    "CHAIN_START_BLOCK=1",
    "GATEWAY_ACTIONS=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
    "GATEWAY_DEPLOY=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
    "TOKEN_ADDRESS=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
    "PAYMENT_RECEIVER=0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
];

/// Writes the lists of the components of the npm packages and of the crates, in the format of CycloneDX.
fn components(workspace: &Workspace, node: &Node, out: &Path) -> Result<()> {
    npm_components(workspace, node, out)?;
    let tools = workspace.cache().join(format!("cyclonedx-{CYCLONEDX}"));
    if !tools.join("bin/cargo-cyclonedx").exists() {
        let mut install = process::cargo(workspace.root());
        install.args(["install", "--quiet", "--locked", "--version", CYCLONEDX]);
        install.arg("--root").arg(&tools).arg("cargo-cyclonedx");
        process::output(&mut install)?;
    }
    let mut cyclonedx = process::command(tools.join("bin/cargo-cyclonedx"), workspace.root());
    cyclonedx.args(["cyclonedx", "--quiet", "--format", "json"]);
    cyclonedx.args(["--spec-version", "1.5", "--override-filename", "components"]);
    process::output(&mut cyclonedx)?;
    // cargo-cyclonedx writes a list beside the manifest of each workspace member. The list contains the member's path on this machine.
    let root = format!("{}/", workspace.root().display());
    for member in stamp::children(workspace.root())? {
        let written = workspace.path(&member).join("components.json");
        if !written.exists() {
            continue;
        }
        if DESCRIBED.contains(&member.as_str()) {
            let text = fs::read_to_string(&written)?.replace(&root, "/");
            fs::write(out.join(format!("{member}.cdx.json")), text)?;
        }
        fs::remove_file(written)?;
    }
    Ok(())
}

/// Lists the npm packages and their dependencies, from a project that installs the packed files.
fn npm_components(workspace: &Workspace, node: &Node, out: &Path) -> Result<()> {
    let project = workspace.cache().join("release-npm");
    fs::create_dir_all(&project)?;
    let _ = fs::remove_file(project.join("package-lock.json"));
    let own = serde_json::json!({ "name": "assay", "version": VERSION, "private": true });
    fs::write(project.join("package.json"), own.to_string())?;
    let mut install = node.within("npm", &project);
    install.args(["install", "--package-lock-only", "--ignore-scripts"]);
    install.args(["--no-audit", "--no-fund"]);
    for package in PACKAGES {
        install.arg(out.join(packed(workspace, package)?));
    }
    process::output(&mut install)?;
    let mut sbom = node.within("npm", &project);
    sbom.args(["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"]);
    let mut list: Value = serde_json::from_str(&process::output(&mut sbom)?)?;
    let components = list.get_mut("components").and_then(Value::as_array_mut);
    for component in components.context("npm lists components")? {
        if let Some(references) = component
            .get_mut("externalReferences")
            .and_then(Value::as_array_mut)
        {
            // Leaves out the paths of the packed files on this machine.
            references.retain(|reference| {
                let address = reference.get("url").and_then(Value::as_str);
                !address.is_some_and(|address| address.starts_with("file:"))
            });
        }
    }
    let text = serde_json::to_string_pretty(&list)?;
    Ok(fs::write(out.join("npm.cdx.json"), text)?)
}

/// Returns the name of the file into which npm packs a package.
fn packed(workspace: &Workspace, package: &str) -> Result<String> {
    let manifest = fs::read(workspace.path(package).join("package.json"))?;
    let manifest: Value = serde_json::from_slice(&manifest)?;
    let name = manifest.get("name").and_then(Value::as_str);
    let name = name.context("a package has a name")?;
    Ok(format!(
        "{}-{VERSION}.tgz",
        name.replace('@', "").replace('/', "-")
    ))
}

/// Writes `SHA256SUMS` for all artefacts, in the form that `sha256sum --check` reads. Returns its text.
fn checksums(out: &Path) -> Result<String> {
    let mut text = String::new();
    for name in stamp::children(out)? {
        let path = out.join(&name);
        if path.is_file() {
            writeln!(text, "{}  {name}", stamp::hash_of(&path)?)?;
        }
    }
    fs::write(out.join("SHA256SUMS"), &text)?;
    Ok(text)
}

/// Returns the commands that publish the packages and crates. Dependencies are published before the packages and crates that need them.
fn publishing(workspace: &Workspace, out: &Path) -> Result<Vec<Command>> {
    let mut commands = Vec::new();
    for package in PACKAGES.into_iter().chain([OPERATE]) {
        let file = packed(workspace, package)?;
        let mut npm = process::command("npm", workspace.root());
        npm.args(["publish", "--access", "public"])
            .arg(out.join(file));
        commands.push(npm);
    }
    for name in CRATES {
        let mut cargo = process::cargo(workspace.root());
        cargo.args(["publish", "--package", name]);
        commands.push(cargo);
    }
    Ok(commands)
}

/// A folder that [`Folder::pack`] turns into an archive.
struct Folder {
    name: String,
    path: PathBuf,
}

impl Folder {
    fn create(out: &Path, name: &str) -> Result<Self> {
        let path = out.join(name);
        fs::create_dir_all(&path)?;
        Ok(Self {
            name: name.to_owned(),
            path,
        })
    }

    fn copy(&self, from: &Path, name: &str) -> Result<()> {
        let to = self.path.join(name);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from, to).with_context(|| format!("copying `{}`", from.display()))?;
        Ok(())
    }

    fn licences(&self, workspace: &Workspace) -> Result<()> {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            self.copy(&workspace.path(name), name)?;
        }
        Ok(())
    }

    /// Packs the folder as `{name}.tar.gz`, and removes the folder. The order, times and owners of the files are fixed, so that equal contents
    /// give equal archives.
    fn pack(self) -> Result<()> {
        let out = self.path.parent().context("the folder has a parent")?;
        let mut tar = process::command("tar", out);
        tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0"]);
        tar.args(["--numeric-owner", "--create", "--gzip", "--file"]);
        process::output(tar.arg(format!("{}.tar.gz", self.name)).arg(&self.name))?;
        fs::remove_dir_all(&self.path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release has one version. The manifests of all packages and crates must name it.
    #[test]
    fn packages_and_crates_have_one_version() {
        let workspace = Workspace::find().unwrap();
        for package in PACKAGES.into_iter().chain([OPERATE]) {
            let manifest = fs::read(workspace.path(package).join("package.json")).unwrap();
            let manifest: Value = serde_json::from_slice(&manifest).unwrap();
            assert_eq!(manifest["version"], VERSION, "{package}");
            if package == OPERATE {
                // Its dependencies are the locked tools of the platform.
                continue;
            }
            let dependencies = manifest["dependencies"].as_object();
            for (name, version) in dependencies.into_iter().flatten() {
                assert_eq!(version, VERSION, "{package}: {name}");
            }
        }
        for name in CRATES {
            let manifest = fs::read_to_string(workspace.path(name).join("Cargo.toml")).unwrap();
            assert!(!manifest.contains("publish"), "{name} can be published");
            for line in manifest
                .lines()
                .filter(|line| line.contains("path = \"../"))
            {
                assert!(
                    line.contains(&format!("version = \"{VERSION}\"")),
                    "{name}: {line}"
                );
            }
        }
    }

    #[test]
    fn dependencies_are_published_before_their_dependents() {
        let workspace = Workspace::find().unwrap();
        for (at, name) in CRATES.iter().enumerate() {
            let manifest = fs::read_to_string(workspace.path(name).join("Cargo.toml")).unwrap();
            for later in CRATES.iter().skip(at) {
                assert!(
                    !manifest.contains(&format!("path = \"../{later}\"")),
                    "{name}"
                );
            }
        }
        let commands = publishing(&workspace, Path::new("out")).unwrap();
        let lines: Vec<_> = commands.iter().map(process::line).collect();
        assert_eq!(lines.len(), PACKAGES.len() + 1 + CRATES.len());
        assert_eq!(
            lines.first().map(String::as_str),
            Some(format!("npm publish --access public out/assay-cert-{VERSION}.tgz").as_str())
        );
    }

    #[test]
    fn webassembly_entries_are_left_out_of_the_check_of_types() {
        let workspace = Workspace::find().unwrap();
        let entries = wasm_entries(&workspace.path("pkg/client")).unwrap();
        assert_eq!(entries, ["./client_bg.wasm"]);
    }
}
