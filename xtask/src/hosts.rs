//! Checks that no file names the host of a package registry, because each machine sets its own registry. Files that git ignores are not
//! checked.

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// The hosts. Each is split into two halves, so that this file passes its own check.
const HOSTS: [(&str, &str); 8] = [
    ("registry.npm", "js.org"),
    ("registry.yarn", "pkg.com"),
    ("npm", "js.com"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("proxy.golang", ".org"),
];

/// Fails with a list of the lines that name one of these hosts.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut places = Vec::new();
    for (file, text) in workspace.texts()? {
        for (number, line) in (1_usize..).zip(text.lines()) {
            if let Some(host) = named(line) {
                places.push(format!("{file}:{number} names {host}"));
            }
        }
    }
    if !places.is_empty() {
        bail!(
            "these files name the host of a package registry; leave the host to the machine's configuration:\n  {}",
            places.join("\n  ")
        );
    }
    Ok(())
}

fn named(line: &str) -> Option<String> {
    let line = line.to_ascii_lowercase();
    HOSTS
        .iter()
        .map(|(start, end)| [*start, *end].concat())
        .find(|host| line.contains(host))
}

#[cfg(test)]
mod tests {
    use super::{HOSTS, named};

    #[test]
    fn every_host_is_found_and_cargos_own_source_is_allowed() {
        for (start, end) in HOSTS {
            assert!(named(&format!("see HTTPS://{start}{end}/x")).is_some());
        }
        assert_eq!(
            named("source = \"registry+https://github.com/rust-lang/crates.io-index\""),
            None
        );
    }
}
