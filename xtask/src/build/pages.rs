//! Builds the pages that the Worker serves: bundles their scripts and styles, and copies all files into the folder of the Worker's assets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::parts::Parts;
use crate::node::Node;
use crate::wasm::Profile;
use crate::workspace::Workspace;
use crate::{process, stamp};

/// The files that are served as they are, with their places in the folder of assets. The elements for pages without a bundler load the
/// certification library from `/cert/`. The licences belong to packages in the bundles.
const COPIED: [(&str, &str); 22] = [
    ("www", "."),
    ("pkg/cert/src", "cert/src"),
    ("pkg/cert/dist", "cert/dist"),
    ("pkg/cert/verify/src", "cert/verify/src"),
    ("pkg/cert/verify/dist", "cert/verify/dist"),
    ("pkg/elements/dist/plain", "elements"),
    ("cert-pdf/fonts/OFL.txt", "licenses/noto.txt"),
    ("node_modules/qr/LICENSE-MIT", "licenses/qr.txt"),
    ("node_modules/lean-qr/LICENSE", "licenses/lean-qr.txt"),
    (
        "node_modules/@levischuck/tiny-cbor/LICENSE",
        "licenses/tiny-cbor.txt",
    ),
    ("node_modules/fflate/LICENSE", "licenses/fflate.txt"),
    ("node_modules/preact/LICENSE", "licenses/preact.txt"),
    (
        "node_modules/age-encryption/LICENSE",
        "licenses/age-encryption.txt",
    ),
    (
        "node_modules/@noble/ciphers/LICENSE",
        "licenses/noble-ciphers.txt",
    ),
    (
        "node_modules/@noble/curves/LICENSE",
        "licenses/noble-curves.txt",
    ),
    (
        "node_modules/@noble/hashes/LICENSE",
        "licenses/noble-hashes.txt",
    ),
    (
        "node_modules/@noble/post-quantum/LICENSE",
        "licenses/noble-post-quantum.txt",
    ),
    (
        "node_modules/@scure/base/LICENSE",
        "licenses/scure-base.txt",
    ),
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
];

/// Files that only Node, compilers and development servers read.
const FOR_OTHERS: [&str; 6] = [
    "dist/embedded.js",
    "src/embedded.js",
    "src/development.js",
    "src/bundled.js",
    "src/edge.js",
    "src/workerd.js",
];

/// Writes the pages into the folder `assets` of `dist`. Inserts the shared parts into HTML. Writes only files that differ, and removes files
/// that are no longer built.
pub(super) fn pages(
    workspace: &Workspace,
    node: &Node,
    dist: &Path,
    profile: Profile,
) -> Result<()> {
    let _lock = stamp::lock(&workspace.cache(), "pages")?;
    let bundles = workspace.cache().join("pages");
    bundle(workspace, node, &bundles, profile)?;

    let sources = workspace.path("www");
    let shared = Parts::read(&sources.join("parts"))?;
    let into = dist.join("assets");
    let mut wanted = Vec::new();
    let copied = COPIED.map(|(from, to)| (workspace.path(from), to));
    for (from, to) in copied.into_iter().chain([(bundles, ".")]) {
        let is_source = from == sources;
        for file in files_below(&from)? {
            let path = file.strip_prefix(&from)?;
            let is_left_out = if is_source {
                is_bundled(path)
            } else {
                is_for_others(&file)
            };
            if is_left_out {
                continue;
            }
            let target: PathBuf = into.join(to).join(path).components().collect();
            let mut content = fs::read(&file)?;
            if path.extension().is_some_and(|end| end == "html") {
                content = shared
                    .insert(&String::from_utf8(content)?, &address_of(path))?
                    .into_bytes();
            }
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

/// Bundles the scripts and styles of the pages into a folder.
fn bundle(workspace: &Workspace, node: &Node, into: &Path, profile: Profile) -> Result<()> {
    let script = workspace.path("xtask/tools/pages.mjs");
    let mut command = node.script(workspace.root(), &script);
    command.arg("--out").arg(into);
    if profile != Profile::Quick {
        command.arg("--minify");
    }
    process::output(&mut command).map(drop)
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let all = stamp::tree(&[folder.to_owned()])?;
    let files: Vec<_> = all.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() {
        bail!("there is nothing for the pages in `{}`", folder.display());
    }
    Ok(files)
}

/// Returns true for a file of `www` that is not served itself, because a bundle or a page contains it.
fn is_bundled(path: &Path) -> bool {
    let is_code = path
        .extension()
        .is_some_and(|end| end == "ts" || end == "tsx" || end == "css");
    is_code || path.starts_with("parts") || path.ends_with("tsconfig.json")
}

fn is_for_others(path: &Path) -> bool {
    let is_common = path
        .extension()
        .is_some_and(|end| end == "cjs" || end == "cts");
    is_common || FOR_OTHERS.iter().any(|name| path.ends_with(name))
}

/// Returns the path at which the service serves a page of `www`: `/verify/` for `verify/index.html`.
fn address_of(page: &Path) -> String {
    let path = page.to_string_lossy().replace('\\', "/");
    format!("/{}", path.strip_suffix("index.html").unwrap_or(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_bundles_are_not_served() {
        for path in [
            "lib/page.ts",
            "globals.d.ts",
            "issue/many/many.tsx",
            "style.css",
            "parts/nav.html",
            "tsconfig.json",
        ] {
            assert!(is_bundled(Path::new(path)), "{path}");
        }
        for path in [
            "_headers",
            "index.html",
            "logo.svg",
            "openapi.json",
            "verify/example.json",
        ] {
            assert!(!is_bundled(Path::new(path)), "{path}");
        }
    }
}
