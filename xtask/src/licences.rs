//! Checks that every crate comes from crates.io and has a licence compatible with this project's. `deny.toml` has the same rules for
//! cargo-deny, which also checks advisories and needs the internet for them.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, LicenseReq, ParseMode};

use crate::process;
use crate::wasm;
use crate::workspace::Workspace;

/// Licences that ask for no more than their notice: what a user of the packages has to do stays the same whichever crate is inside.
const ACCEPTED: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// The source of every crate outside the workspace. Crates of the workspace have none.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Fails with the crates, on this machine's target and in WebAssembly, that offer none of these licences.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut command = process::cargo(workspace.root());
    command.args(["metadata", "--format-version", "1", "--locked"]);
    let host = process::output(
        process::command("rustc", workspace.root()).args(["--print", "host-tuple"]),
    )?;
    for target in [host.trim(), wasm::TARGET] {
        command.args(["--filter-platform", target]);
    }
    let metadata: Value = serde_json::from_str(&process::output(&mut command)?)?;
    let packages = metadata
        .get("packages")
        .and_then(Value::as_array)
        .filter(|packages| !packages.is_empty())
        .context("cargo's description of the workspace has an unknown form")?;
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(accepted))
        .map(|package| {
            format!(
                "{} {}: {}",
                package["name"], package["version"], package["license"]
            )
        })
        .collect();
    if !refused.is_empty() {
        bail!(
            "crates whose licence is not among {}:\n  {}",
            ACCEPTED.join(", "),
            refused.join("\n  ")
        );
    }
    let elsewhere: Vec<_> = packages
        .iter()
        .filter(|package| {
            package["source"]
                .as_str()
                .is_some_and(|source| source != REGISTRY)
        })
        .map(|package| format!("{}: {}", package["name"], package["source"]))
        .collect();
    if !elsewhere.is_empty() {
        bail!(
            "crates that do not come from crates.io:\n  {}",
            elsewhere.join("\n  ")
        );
    }
    Ok(())
}

/// Whether an SPDX expression, in the older spelling with `/` too, can be met with accepted licences alone.
fn accepted(expression: &str) -> bool {
    let may = |need: &LicenseReq| {
        need.license
            .id()
            .is_some_and(|licence| ACCEPTED.contains(&licence.name))
    };
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|parsed| parsed.evaluate(may))
}

#[cfg(test)]
mod tests {
    use super::{ACCEPTED, REGISTRY, accepted};

    #[test]
    fn cargo_deny_is_told_the_same() {
        let file = include_str!("../../deny.toml");
        let (_, rest) = file.split_once("\nallow = [").expect("licences");
        let (list, _) = rest.split_once(']').expect("their end");
        let told: Vec<&str> = list
            .split(',')
            .map(|licence| licence.trim().trim_matches('"'))
            .filter(|licence| !licence.is_empty())
            .collect();
        assert_eq!(told, ACCEPTED);
        let registry = REGISTRY.trim_start_matches("registry+");
        assert!(file.contains(&format!("allow-registry = [\"{registry}\"]")));
    }

    #[test]
    fn one_alternative_is_enough_and_every_part_is_needed() {
        for fine in [
            "MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "GPL-3.0-only OR MIT",
            "(MIT OR GPL-2.0-only) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(accepted(fine), "{fine}");
        }
        for refused in [
            "",
            "GPL-3.0-only",
            "MIT AND AGPL-3.0-only",
            "Proprietary",
            "MIT OR",
        ] {
            assert!(!accepted(refused), "{refused}");
        }
    }
}
