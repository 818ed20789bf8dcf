//! Builds the API client for npm.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use super::cert::embed;
use super::common::{common_js, inputs, licences};
use crate::node::Node;
use crate::process;
use crate::stamp::{self, Stamp};
use crate::wasm::{self, Module, Profile};
use crate::workspace::Workspace;

/// Builds the npm package of the API client. The package has a WebAssembly file with the hashes and signatures of order-core. It has modules
/// and types for Node, browsers and workerd.
pub(crate) fn client(workspace: &Workspace, node: &Node) -> Result<PathBuf> {
    let package = workspace.path("pkg/client");
    let dist = package.join("dist");
    let outputs = [
        "index.js",
        "bundled.js",
        "embedded.js",
        "node.cjs",
        "workerd.js",
        "edge.js",
        "verdicts.js",
        "verdicts.cjs",
        "client_bg.wasm",
        "wasm.js",
        "types/index.d.ts",
        "cjs/index.d.ts",
        "LICENSE-MIT",
    ]
    .map(|file| dist.join(file));
    Stamp::of(workspace, "client").unless_fresh("API client for npm", &outputs, || {
        let compiled = wasm::compile(
            workspace,
            Profile::Release,
            &Module {
                package: "cert-wasm",
                features: &["claims"],
                ..Module::default()
            },
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
        // Checks types first, so that a type error stops the build.
        process::output(
            node.tool(workspace.root(), "tsc")
                .args(["--project", "pkg/client"]),
        )?;
        // A second copy of the types for CommonJS. Its separate package.json declares the module system for compilers.
        let types = dist.join("types");
        let common = dist.join("cjs");
        fs::create_dir_all(&common)?;
        for file in stamp::tree(std::slice::from_ref(&types))? {
            if let Some(name) = file.file_name().filter(|_| file.is_file()) {
                fs::copy(&file, common.join(name))?;
            }
        }
        fs::write(common.join("package.json"), "{ \"type\": \"commonjs\" }\n")?;

        fs::copy(bindings.join("client_bg.wasm"), dist.join("client_bg.wasm"))?;
        embed(
            &fs::read(dist.join("client_bg.wasm"))?,
            &dist.join("wasm.js"),
        )?;
        let shared = [
            format!("--alias:bindings={}", bindings.join("client.js").display()),
            format!(
                "--alias:bytes={}",
                workspace.path("pkg/cert/src/bytes.js").display()
            ),
            // Replaces variables that some hosts do not have.
            format!("--inject:{}", package.join("src/globals.js").display()),
        ];
        for (entry, platform, output) in [
            ("browser.ts", "browser", "index.js"),
            ("bundled.ts", "browser", "bundled.js"),
            ("embedded.ts", "neutral", "embedded.js"),
            ("workerd.ts", "neutral", "workerd.js"),
            ("edge.ts", "neutral", "edge.js"),
            ("verdicts.ts", "neutral", "verdicts.js"),
        ] {
            let mut esbuild = node.tool(workspace.root(), "esbuild");
            esbuild.arg(format!("pkg/client/src/{entry}"));
            esbuild.args(["--bundle", "--format=esm", "--target=es2022"]);
            esbuild.args(&shared).arg("--log-level=warning");
            // The WebAssembly stays outside the bundle, because some hosts, such as workerd, import the file and compile it themselves.
            esbuild.args(["--external:./client_bg.wasm*", "--external:./wasm.js"]);
            esbuild.arg(format!("--platform={platform}"));
            esbuild.arg(format!("--outfile=pkg/client/dist/{output}"));
            process::output(&mut esbuild)?;
        }
        for (module, output) in [("embedded.js", "node.cjs"), ("verdicts.js", "verdicts.cjs")] {
            let mut esbuild = common_js(workspace, node, &format!("pkg/client/dist/{module}"));
            esbuild.arg(format!("--outfile=pkg/client/dist/{output}"));
            process::output(&mut esbuild)?;
        }

        let mut own = stamp::tree(&[package.join("src")])?;
        own.extend(
            ["pkg/cert/src/bytes.js", "pkg/cert/src/text.js"].map(|file| workspace.path(file)),
        );
        own.push(package.join("tsconfig.json"));
        own.extend(licences(workspace, &dist)?);
        inputs(workspace, compiled, &own)
    })?;
    Ok(dist)
}
