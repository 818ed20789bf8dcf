//! Builds the custom elements for npm and for pages without a bundler.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::common::licences;
use crate::node::Node;
use crate::stamp::{self, Stamp};
use crate::workspace::Workspace;
use crate::{process, report};

/// The maximum sizes of the elements' own modules, in bytes gzipped. Pages load these modules in addition to their own content, so a module
/// must not be larger than an icon.
const BADGE_LIMIT: usize = 6 * 1024;
const CERTIFICATE_LIMIT: usize = 10 * 1024;

/// The ways in which the modules import the certification library. Each variant has the folder of the modules, the tsconfig file that maps
/// the library's modules, the imports that the bundler leaves unchanged, and the module system.
const VARIANTS: [(&str, &str, &str, &str); 3] = [
    // For bundlers.
    ("dist", "bundled.json", "@assay/cert", "esm"),
    // For test runners that use CommonJS.
    ("dist", "bundled.json", "@assay/cert", "cjs"),
    // For pages without a bundler. The folder `cert` must be beside the folder of the modules, as `/cert/` is beside the service's
    // `/elements/`.
    ("dist/plain", "plain.json", "../cert/*", "esm"),
];

/// Builds the npm package of the custom elements. `check-here.js` is a separate module. The element for certificates loads it when there is a
/// document to check.
pub(crate) fn elements(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    let package = workspace.path("pkg/elements");
    let dist = package.join("dist");
    let outputs = [
        "badge.js",
        "certificate.js",
        "check-here.js",
        "index.js",
        "badge.cjs",
        "certificate.cjs",
        "check-here.cjs",
        "index.cjs",
        "index.d.cts",
        "plain/badge.js",
        "plain/certificate.js",
        "plain/check-here.js",
        "LICENSE-MIT",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, "elements").unless_fresh("custom elements for npm", &outputs, || {
        if dist.exists() {
            fs::remove_dir_all(&dist)?;
        }
        for (folder, paths, external, format) in VARIANTS {
            let mut esbuild = node.tool(workspace.root(), "esbuild");
            esbuild.args(
                ["badge", "certificate", "check-here"]
                    .map(|module| format!("pkg/elements/src/{module}.js")),
            );
            esbuild.args(["--bundle", "--minify", "--target=es2022"]);
            esbuild.arg(format!("--format={format}"));
            if format == "cjs" {
                esbuild.args([
                    "--out-extension:.js=.cjs",
                    "--supported:dynamic-import=false",
                ]);
            }
            esbuild.args([
                "--loader:.css=text",
                "--charset=utf8",
                "--legal-comments=none",
            ]);
            esbuild.args(["--log-level=warning", "--external:./check-here.js"]);
            esbuild.arg(format!("--external:{external}"));
            esbuild.arg(format!("--tsconfig=pkg/elements/src/{paths}"));
            esbuild.arg(format!("--outdir=pkg/elements/{folder}"));
            process::output(&mut esbuild)?;
        }
        fs::copy(package.join("src/index.js"), dist.join("index.js"))?;
        fs::write(
            dist.join("index.cjs"),
            "Object.assign(exports, require('./badge.cjs'), require('./certificate.cjs'));\n",
        )?;
        // `react.d.ts` and the types for other frameworks have no code.
        fs::write(dist.join("types.js"), "export {};\n")?;
        let certificate = dist.join("certificate.cjs");
        let text = fs::read_to_string(&certificate)?;
        fs::write(
            certificate,
            text.replace("./check-here.js", "./check-here.cjs"),
        )?;
        // Types for CommonJS.
        for name in ["attributes", "badge", "certificate", "index"] {
            let text = fs::read_to_string(package.join(format!("{name}.d.ts")))?;
            fs::write(
                dist.join(format!("{name}.d.cts")),
                text.replace(".js'", ".cjs'"),
            )?;
        }

        let mut inputs = stamp::tree(
            &["pkg/elements/src", "pkg/view", "xtask/src"].map(|folder| workspace.path(folder)),
        )?;
        inputs.extend(
            ["attributes", "badge", "certificate", "index"]
                .map(|name| package.join(format!("{name}.d.ts"))),
        );
        inputs.push(workspace.path("package-lock.json"));
        inputs.extend(licences(workspace, &dist)?);
        Ok(inputs)
    })?;
    Ok(dist)
}

/// Builds the custom elements and prints their sizes. Fails if an element exceeds its limit.
pub(crate) fn light_elements(workspace: &Workspace, node: &Node) -> Result<()> {
    let dist = elements(workspace, node)?;
    for (module, limit) in [
        ("badge.js", BADGE_LIMIT),
        ("certificate.js", CERTIFICATE_LIMIT),
        ("check-here.js", usize::MAX),
    ] {
        let size = report::sizes("custom elements", &[&dist.join(module)])?;
        if size > limit {
            bail!("{module}: {size} bytes gzipped, more than {limit}");
        }
    }
    Ok(())
}
