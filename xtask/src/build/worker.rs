//! Builds the Worker.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::cert::cert_for_pages;
use super::client::client;
use super::common::inputs;
use super::elements::elements;
use super::for_pages::for_pages;
use super::pages::pages;
use crate::node::Node;
use crate::stamp::Stamp;
use crate::wasm::{self, Module, Profile};
use crate::workspace::Workspace;
use crate::{process, report};

/// The package of the Worker.
const PACKAGE: &str = "edge-api";

/// A build of the Worker. Each cold start loads the whole program. The build for services with the embedded ledger therefore does not
/// contain the code for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edition {
    /// With the embedded ledger only.
    Embedded,
    /// Also with the ledger on an EVM chain: the feature `evm`.
    Evm,
}

impl Edition {
    pub(crate) const ALL: [Self; 2] = [Self::Embedded, Self::Evm];

    /// Returns the build for a service with a ledger on a chain if `is_on` is true, otherwise the build for the embedded ledger.
    pub(crate) const fn on_chain(is_on: bool) -> Self {
        if is_on { Self::Evm } else { Self::Embedded }
    }

    /// Returns the maximum size in bytes: WebAssembly and JavaScript, each gzipped. The limit is about 10 KB above the measured size. Small
    /// changes fit, but a new dependency fails, and so does a chain's code in the wrong build. The platform allows 3 MB (Workers, "Limits").
    const fn limit(self) -> usize {
        match self {
            Self::Embedded => 1_030_000,
            Self::Evm => 1_320_000,
        }
    }

    /// Fails if a number of bytes exceeds the limit.
    fn ensure_fits(self, size: usize) -> Result<()> {
        let (limit, (_, title)) = (self.limit(), self.step(Profile::Release));
        if size > limit {
            bail!("{title}: {size} bytes gzipped, more than {limit}");
        }
        Ok(())
    }

    /// Returns the features of the crate edge-api.
    const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Embedded => &[],
            Self::Evm => &["evm"],
        }
    }

    /// Returns the folder of a release build in `edge-api`, from which `wrangler deploy` reads it.
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Embedded => "dist",
            Self::Evm => "dist-evm",
        }
    }

    /// Returns the path of a release's module as rustc linked it. Unlike the deployed module, it has names of functions.
    pub(crate) fn linked(self, workspace: &Workspace) -> PathBuf {
        wasm::copy_of(workspace, PACKAGE, "release", self.features())
    }

    /// Returns the name and the title of the build step.
    pub(crate) const fn step(self, profile: Profile) -> (&'static str, &'static str) {
        match (self, profile) {
            (Self::Embedded, Profile::Release) => ("worker", "Worker"),
            (Self::Embedded, Profile::Quick) => ("worker-dev", "Worker (development build)"),
            (Self::Evm, Profile::Release) => ("worker-evm", "Worker with a ledger on a chain"),
            (Self::Evm, Profile::Quick) => (
                "worker-dev-evm",
                "Worker with a ledger on a chain (development build)",
            ),
        }
    }
}

/// Builds the Worker as it is deployed and prints its size. Fails if the size exceeds the limit.
pub(crate) fn light_worker(workspace: &Workspace, node: &Node, edition: Edition) -> Result<()> {
    let dist = worker(workspace, node, edition, Profile::Release)?;
    let (module, script) = (dist.join("worker_bg.wasm"), dist.join("worker.js"));
    let (_, title) = edition.step(Profile::Release);
    let size = report::sizes(title, &[&module, &script])?;
    edition.ensure_fits(size)
}

/// Builds the Worker with its pages. A release build goes into `edge-api/dist` or `edge-api/dist-evm`. A quick build for development goes into
/// a separate folder, so that one build does not disturb a server that runs the other build.
pub(crate) fn worker(
    workspace: &Workspace,
    node: &Node,
    edition: Edition,
    profile: Profile,
) -> Result<PathBuf> {
    // The pages load the certification library, and the reference page signs with the client.
    cert_for_pages(workspace, node)?;
    client(workspace, node)?;
    elements(workspace, node)?;
    for_pages(workspace, node)?;
    let (name, title) = edition.step(profile);
    let dist = match profile {
        Profile::Release => workspace.path("edge-api").join(edition.folder()),
        Profile::Quick => workspace.cache().join(name),
    };
    let outputs = ["worker.js", "worker_bg.wasm"].map(|file| dist.join(file));
    Stamp::of(workspace, name).unless_fresh(title, &outputs, || {
        let compiled = wasm::compile(
            workspace,
            profile,
            &Module {
                package: PACKAGE,
                features: edition.features(),
                ..Module::default()
            },
        )?;
        let bindings = workspace.cache().join(format!("{name}-bindings"));
        wasm::bind(&compiled.module, "worker", &bindings, |bindgen| {
            bindgen.module(true)?.typescript(false);
            bindgen
                .reset_state_function(true)
                .force_enable_abort_handler(true);
            Ok(())
        })?;
        if profile != Profile::Quick {
            wasm::optimise(
                workspace,
                node,
                &bindings.join("worker_bg.wasm"),
                wasm::FAST,
            )?;
        }
        bundle(workspace, node, &bindings, &dist, profile)?;
        inputs(
            workspace,
            compiled,
            &[workspace.path("edge-api/host/worker.mjs")],
        )
    })?;
    pages(workspace, node, &dist, profile)?;
    Ok(dist)
}

/// Bundles the generated bindings and host/worker.mjs into one module, and moves it into `dist` with the WebAssembly.
fn bundle(
    workspace: &Workspace,
    node: &Node,
    bindings: &Path,
    dist: &Path,
    profile: Profile,
) -> Result<()> {
    let generated = bindings.join("worker.js");
    let text = fs::read_to_string(&generated)?;
    // The bundler and the simulator do not support source phase imports yet. Both give a compiled module for a plain import.
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

    // Renames files into place, so that a watching server never reads half a file.
    fs::create_dir_all(dist)?;
    fs::rename(bindings.join("worker_bg.wasm"), dist.join("worker_bg.wasm"))?;
    fs::rename(building, dist.join("worker.js"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_above_its_limit_is_refused() {
        for edition in Edition::ALL {
            let limit = edition.limit();
            assert!(edition.ensure_fits(limit).is_ok());
            let refused = edition.ensure_fits(limit + 1).unwrap_err().to_string();
            assert!(refused.contains(&format!("more than {limit}")), "{refused}");
        }
    }

    /// Before ledgers on a chain existed, the Worker had 758,337 bytes. Support for them may add at most 40 KB to the embedded build. Other
    /// features may have added at most 232 KB since. Status lists, with the code of badges and Ed25519, are 67 KB of it. Lists of certificates
    /// and activity, admissions, register books and links of GS1 are 67 KB. Wallets, status tokens, backups and the answers of all isolates are
    /// 37 KB. Alarms about domains, payments on Stripe's page and merged files of domains are 12 KB.
    #[test]
    fn the_code_for_a_chain_does_not_fit_into_the_embedded_build() {
        let [embedded, evm] = Edition::ALL.map(Edition::limit);
        assert!(embedded <= 758_337 + 232_000 + 40_000);
        assert!(evm > embedded + 100_000);
    }

    #[test]
    fn builds_share_no_folder_and_no_step() {
        let [embedded, evm] = Edition::ALL;
        assert_ne!(embedded.folder(), evm.folder());
        for profile in [Profile::Release, Profile::Quick] {
            assert_ne!(embedded.step(profile).0, evm.step(profile).0);
        }
    }
}
