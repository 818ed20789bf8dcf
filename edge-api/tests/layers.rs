//! Checks the direction of the layers: a module may use only itself and modules in earlier rows of [`LAYERS`].

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use sources::sources;

/// The top-level modules of the service, one layer a row. Modules of the same row may not use each other.
const LAYERS: &[&[&str]] = &[
    &["ports", "text", "network"],
    &[
        "backoff",
        "budget",
        "single_flight",
        "config",
        "failure",
        "api",
    ],
    &["context"],
    &["db"],
    &["ledger", "outbound", "accounts"],
    &["sessions"],
    &["webhooks", "issuers", "files"],
    &["assets"],
    &["records", "statistics", "badge"],
    &["deposits"],
    &["admin", "monitor"],
    &["jobs"],
    &["web"],
    &["routes"],
    &["openapi"],
    &["app"],
    &["entry", "native"],
];

/// The maximum number of files that use each other in a cycle.
const CIRCLE_MAX: usize = 3;

/// Returns the content of each source file, without its tests, by the file's module path.
fn modules() -> BTreeMap<Vec<String>, String> {
    let named = |(path, text): (PathBuf, String)| {
        let path = path.with_extension("");
        let mut name: Vec<String> = path
            .iter()
            .map(|part| part.to_str().expect("UTF-8").to_owned())
            .collect();
        name.pop_if(|last| last == "mod");
        (name, text)
    };
    sources().into_iter().map(named).collect()
}

/// Returns the imports of a file, each with a flag that is true if the file re-exports the name.
fn imports(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (visibility, mut tree) = match line.trim_start().split_once("use ") {
            // Not an import: the text before `use ` ends with a letter, as in `struct Pause {`.
            Some((before, _)) if before.ends_with(char::is_alphanumeric) => continue,
            Some((visibility, tree)) => (visibility.trim(), tree.to_owned()),
            None => continue,
        };
        if !visibility.is_empty() && !visibility.starts_with("pub") {
            continue;
        }
        while !tree.contains(';') {
            tree.push_str(lines.next().expect("the end of an import"));
        }
        let mut paths = Vec::new();
        expand("", tree.split(';').next().unwrap(), &mut paths);
        found.extend(paths.into_iter().map(|path| (!visibility.is_empty(), path)));
    }
    found
}

/// Returns the paths in a file's code that start with `crate::`.
fn named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
    {
        for (at, _) in line.match_indices("crate::") {
            let is_part =
                |character: &char| character.is_alphanumeric() || "_:".contains(*character);
            let path: String = line[at..].chars().take_while(is_part).collect();
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
    found
}

/// Collects the paths that a use tree such as `a::{b, c::d}` imports.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((start, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        found.push(format!("{prefix}{path}"));
        return;
    };
    let inner = rest.rsplit_once('}').expect("a closing brace").0;
    let (mut depth, mut part) = (0, String::new());
    for character in inner.chars().chain([',']) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !part.trim().is_empty() {
                    expand(&format!("{prefix}{}", start.trim()), &part, found);
                }
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(character);
    }
}

/// Converts the path of an import in `module` to a path from the crate's root. If `is_room` is true, a path without
/// `crate`, `self` or `super` starts at `module`. Otherwise, such a path belongs to another crate, and the result is
/// `None`.
fn absolute(module: &[String], is_room: bool, path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
    let mut base = module.to_vec();
    match parts.first()?.as_str() {
        "crate" => return Some(parts.split_off(1)),
        "self" => drop(parts.remove(0)),
        "super" => {
            while parts.first().is_some_and(|part| part == "super") {
                parts.remove(0);
                base.pop();
            }
        }
        _ if is_room => {}
        _ => return None,
    }
    Some([base, parts].concat())
}

/// Returns the files that each file uses. The use of a re-exported name counts as a use of the file that defines the
/// name.
fn arrows(modules: &BTreeMap<Vec<String>, String>) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let file = |path: &[String]| {
        (1..=path.len())
            .rev()
            .map(|length| path[..length].to_vec())
            .find(|path| modules.contains_key(path))
    };
    let mut passed_on: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for (module, text) in modules {
        for (_, path) in imports(text)
            .into_iter()
            .filter(|(is_public, _)| *is_public)
        {
            if let Some(target) = absolute(module, true, &path)
                && let Some(name) = target.last()
            {
                let alias = [module.as_slice(), std::slice::from_ref(name)].concat();
                if alias != target {
                    passed_on.insert(alias, target);
                }
            }
        }
    }
    let mut arrows = BTreeMap::new();
    for (module, text) in modules {
        let mut used = BTreeSet::new();
        let imported = imports(text)
            .into_iter()
            .filter(|(is_public, _)| !is_public);
        let imported = imported.map(|(_, path)| path);
        for path in imported.chain(named(text)) {
            let Some(mut target) = absolute(module, false, &path) else {
                continue;
            };
            for _ in 0..6 {
                let alias = (1..=target.len()).rev().find(|length| {
                    // If a re-exported function has the same name as a file, the path means the file.
                    let path = &target[..*length];
                    passed_on.contains_key(path) && !modules.contains_key(path)
                });
                let Some(length) = alias else { break };
                target = [passed_on[&target[..length]].as_slice(), &target[length..]].concat();
            }
            used.extend(file(&target).filter(|target| target != module));
        }
        arrows.insert(module.clone(), used);
    }
    arrows
}

#[test]
fn modules_use_only_modules_of_earlier_layers() {
    let modules = modules();
    let layer = |name: &str| LAYERS.iter().position(|row| row.contains(&name));
    let mut wrong = Vec::new();
    for (from, used) in arrows(&modules) {
        let Some(room) = from.first().filter(|room| *room != "lib") else {
            continue;
        };
        let Some(own) = layer(room) else {
            wrong.push(format!("`{room}` is in no layer"));
            continue;
        };
        for target in used {
            let other = layer(&target[0]).expect("a layer");
            if other > own || other == own && *room != target[0] {
                wrong.push(format!("{} uses {}", from.join("::"), target.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn cycles_of_files_are_small() {
    let arrows = arrows(&modules());
    let reach = |from: &Vec<String>| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.clone()];
        while let Some(module) = next.pop() {
            for target in &arrows[&module] {
                if seen.insert(target.clone()) {
                    next.push(target.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = arrows
        .keys()
        .map(|from| (from.clone(), reach(from)))
        .collect();
    for (from, targets) in &reached {
        let circle: Vec<String> = targets
            .iter()
            .filter(|target| reached[*target].contains(from))
            .map(|target| target.join("::"))
            .collect();
        assert!(circle.len() <= CIRCLE_MAX, "{circle:#?}");
    }
}

#[test]
fn every_form_of_use_is_parsed() {
    let text = "use crate::db::{\n    Decision, quota::{self, Budget},\n};\npub(crate) use super::list::Page;\n\
        // use crate::nothing;\nfn f() { crate::accounts::ensure(1); }\n";
    let imported = imports(text);
    let expected = [
        (false, "crate::db::Decision"),
        (false, "crate::db::quota::self"),
        (false, "crate::db::quota::Budget"),
        (true, "super::list::Page"),
    ];
    assert_eq!(
        imported,
        expected.map(|(is_public, path)| (is_public, path.to_owned()))
    );
    assert!(named(text).contains(&"crate::accounts::ensure".to_owned()));
}

/// SQLite runs no trigger for a row that `REPLACE` deletes. Triggers record the changes for backups
/// (`docs/decisions/0049-backups.md`), so a backup would keep the deleted row.
#[test]
fn no_statement_replaces_rows() {
    for (module, text) in modules() {
        for statement in ["REPLACE INTO", "OR REPLACE"] {
            let is_used = text.contains(statement);
            assert!(
                !is_used,
                "{}: use ON CONFLICT … DO UPDATE instead of REPLACE",
                module.join("::")
            );
        }
    }
}
