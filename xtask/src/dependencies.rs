//! Every crate that a manifest names is used: each one is code to trust and to build.

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// Fails with the lines of manifests that can go.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let unused = unused(&workspace.texts()?);
    if !unused.is_empty() {
        bail!("crates that nothing uses:\n  {}", unused.join("\n  "));
    }
    Ok(())
}

/// The lines to remove, by the paths and texts of the workspace's files.
fn unused(files: &[(String, String)]) -> Vec<String> {
    let manifests = || {
        files.iter().filter_map(|(path, manifest)| {
            let folder = path.strip_suffix("Cargo.toml")?;
            Some((path, folder, manifest))
        })
    };
    let mut unused = Vec::new();
    for (path, folder, manifest) in manifests() {
        for entry in entries(manifest) {
            let why = if entry.section == "[workspace.dependencies]" {
                let taken = manifests()
                    .flat_map(|(_, _, member)| entries(member))
                    .any(|other| other.name == entry.name && other.is_of_workspace);
                (!taken).then_some("no member of the workspace takes it")
            } else {
                let krate = entry.name.replace('-', "_");
                let named = sources(files, folder).any(|source| names(source, &krate));
                (!named).then_some("no source of the package names it")
            };
            if let Some(why) = why {
                let (line, name) = (entry.line, entry.name);
                unused.push(format!("{path}:{line}: remove `{name}`, since {why}"));
            }
        }
    }
    unused
}

/// The Rust sources of a package, and those beside a file of another package that one of them takes in by its path.
fn sources<'f>(files: &'f [(String, String)], folder: &'f str) -> impl Iterator<Item = &'f str> {
    let below = move |folder: &'f str| {
        let files = files.iter();
        let own = files.filter(move |(path, _)| path.starts_with(folder) && path.ends_with(".rs"));
        own.map(|(_, source)| source.as_str())
    };
    let lines = below(folder).flat_map(str::lines);
    let taken_in = lines.filter_map(|line| {
        let path = line.strip_prefix("#[path = \"")?.strip_suffix("\"]")?;
        let (folder, _) = path.trim_start_matches("../").rsplit_once('/')?;
        Some(folder)
    });
    below(folder).chain(taken_in.flat_map(below))
}

/// A dependency in a manifest.
struct Entry<'m> {
    section: &'m str,
    line: usize,
    name: &'m str,
    /// Whether the workspace says which version.
    is_of_workspace: bool,
}

fn entries(manifest: &str) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut section = "";
    for (line, text) in (1_usize..).zip(manifest.lines()) {
        if text.starts_with('[') {
            section = text.trim_end();
        } else if section.ends_with("dependencies]")
            && !text.starts_with('#')
            && let Some((name, rest)) = text.split_once(['.', ' ', '='])
            && !name.is_empty()
        {
            entries.push(Entry {
                section,
                line,
                name,
                is_of_workspace: rest.contains("workspace = true"),
            });
        }
    }
    entries
}

/// Whether Rust source names something of a crate, in more than a comment.
fn names(source: &str, krate: &str) -> bool {
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.into_iter().any(|line| {
        let mut after = line.split(krate);
        let mut before = after.next();
        after.any(|after| {
            let before = before.replace(after).unwrap_or_default();
            let is_start =
                !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.'));
            let is_use = before.ends_with("use ") && after.starts_with([';', ' ']);
            is_start && after.starts_with("::") || is_use
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{names, unused};

    #[test]
    fn an_unused_crate_is_found() {
        let files = [
            (
                "Cargo.toml",
                "[workspace.dependencies]\n# A comment = 1\nused-one = \"1\"\nidle = \"1\"\nother = \"1\"\n\n[profile.dev]\ndebug = 1\n",
            ),
            (
                "a/Cargo.toml",
                "[package]\nname = \"a\"\n\n[dependencies]\nused-one.workspace = true\n[dev-dependencies]\nspare = { version = \"1\", features = [] }\n",
            ),
            (
                "b/Cargo.toml",
                "[target.'cfg(unix)'.dependencies]\nother = { workspace = true }\nidle = \"2\"\n",
            ),
            ("a/src/lib.rs", "// spare::Part\nuse used_one::Part;\n"),
            (
                "b/src/lib.rs",
                "#[path = \"../../c/part/mod.rs\"]\nmod part;\n",
            ),
            ("c/part/mod.rs", "mod inner;\n"),
            ("c/part/inner.rs", "use idle;\n"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(
            unused(&files),
            [
                "Cargo.toml:4: remove `idle`, since no member of the workspace takes it",
                "a/Cargo.toml:7: remove `spare`, since no source of the package names it",
                "b/Cargo.toml:2: remove `other`, since no source of the package names it",
            ]
        );
    }

    #[test]
    fn a_crate_is_named_as_a_path() {
        for used in [
            "use time::Date;",
            "let now = time::now();",
            "use {std::fmt, time::Date};",
            "use time;",
            "use time as clock;",
            "#[time::test]",
        ] {
            assert!(names(used, "time"), "{used}");
        }
        for unused in [
            "",
            "let time = 1;",
            "crate::time::now()",
            "lifetime::of()",
            "self.time::<u8>()",
            "use timer::Timer;",
            "    /// time::Date",
        ] {
            assert!(!names(unused, "time"), "{unused}");
        }
    }
}
