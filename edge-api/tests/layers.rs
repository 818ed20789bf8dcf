//! Checks which files use each other. In the service, a module may use only itself and modules in earlier rows of [`LAYERS`]. In every
//! crate, circles of files are small.

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
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, ItemFn, ItemMod, ItemUse, Macro, UseTree, Visibility};

use sources::{sources, sources_of};

/// The top-level modules of the service, one layer a row. Modules of the same row may not use each other.
const LAYERS: &[&[&str]] = &[
    &["ports", "text", "network"],
    &["answers"],
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
    &["sessions", "admissions", "activity"],
    &["webhooks", "files", "links", "backups"],
    &["issuers"],
    &["assets", "books"],
    &["records", "statistics", "badge"],
    &["deposits", "status_lists", "wallet"],
    &["admin", "monitor"],
    &["jobs"],
    &["web"],
    &["routes"],
    &["openapi"],
    &["app"],
    &["entry", "native"],
];

/// The crates of the workspace.
const CRATES: [&str; 11] = [
    "sha256-lanes",
    "cert-core",
    "cert-badge",
    "cert-cli",
    "cert-pdf",
    "cert-tables",
    "cert-wasm",
    "order-core",
    "edge-api",
    "fuzz",
    "xtask",
];

/// The maximum number of files that use each other in a circle.
const CIRCLE_MAX: usize = 3;

/// The path of a module from the crate's root. The root's path is empty.
type Module = Vec<String>;

/// The paths that a file names.
#[derive(Default)]
struct Named {
    /// The paths of imports, each with a flag that is true if the file re-exports the name, and with the name that the import gives it.
    imports: Vec<(bool, Module, String)>,
    /// The other paths with at least two parts.
    paths: Vec<Module>,
    /// The number of modules inside the file around the current item.
    depth: usize,
}

impl Named {
    fn of(text: &str) -> Self {
        let mut named = Self::default();
        named.visit_file(&syn::parse_file(text).expect("a source file"));
        named
    }

    /// Adds the paths of an import.
    fn import(&mut self, is_public: bool, prefix: &[String], tree: &UseTree) {
        let with = |name: String| [prefix, &[name]].concat();
        match tree {
            UseTree::Path(path) => {
                self.import(is_public, &with(path.ident.to_string()), &path.tree);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(is_public, prefix, tree);
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = prefix.last().expect("a name").clone();
                self.imports
                    .push((is_public, self.outside(prefix.to_vec()), last));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let path = self.outside(with(name.clone()));
                self.imports.push((is_public, path, name));
            }
            UseTree::Rename(rename) => {
                let path = self.outside(with(rename.ident.to_string()));
                self.imports
                    .push((is_public, path, rename.rename.to_string()));
            }
            UseTree::Glob(_) => {
                let path = self.outside(prefix.to_vec());
                self.imports.push((is_public, path, "*".to_owned()));
            }
        }
    }

    /// Adds the paths in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Module = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if path.is_empty() || colons == 2 => {
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    match other {
                        TokenTree::Ident(name) => path.push(name.to_string()),
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                    }
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Module) {
        if path.len() > 1 {
            let path = self.outside(path);
            self.paths.push(path);
        }
    }

    /// Converts a path in a module inside the file to a path in the file.
    fn outside(&self, mut path: Module) -> Module {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let inside = ups.min(self.depth);
        path.splice(..inside, (inside > 0).then(|| "self".to_owned()));
        path
    }
}

/// Returns true if an item is compiled only for tests: `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string().replace(' ', "");
        text.starts_with("#[cfg(test)") || text.starts_with("#[cfg(all(test,")
    })
}

impl Visit<'_> for Named {
    fn visit_item_mod(&mut self, item: &ItemMod) {
        if !is_test(&item.attrs) {
            self.depth += 1;
            syn::visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        if !is_test(&item.attrs) {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            self.import(is_public, &[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let parts = path.segments.iter().map(|part| part.ident.to_string());
        self.path(parts.collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    /// The path in `pub(in …)` uses nothing.
    fn visit_visibility(&mut self, _: &Visibility) {}
}

/// Returns the paths that each file of a crate names, by the file's module.
fn modules(sources: Vec<(PathBuf, String)>) -> BTreeMap<Module, Named> {
    let named = |(path, text): (PathBuf, String)| {
        let path = path.with_extension("");
        let parts = path
            .iter()
            .map(|part| part.to_str().expect("UTF-8").to_owned());
        let mut module: Module = parts.collect();
        module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        (module, Named::of(&text))
    };
    sources.into_iter().map(named).collect()
}

/// The modules of a crate, with the names that they pass on.
struct Crate {
    modules: BTreeMap<Module, Named>,
    /// The path of each re-exported name, and the path of the item that it means.
    passed_on: BTreeMap<Module, Module>,
}

impl Crate {
    fn new(sources: Vec<(PathBuf, String)>) -> Self {
        let mut known = Self {
            modules: modules(sources),
            passed_on: BTreeMap::new(),
        };
        let mut passed_on = BTreeMap::new();
        for (module, named) in &known.modules {
            for (_, path, name) in named.imports.iter().filter(|(is_public, ..)| *is_public) {
                let alias = [module.as_slice(), std::slice::from_ref(name)].concat();
                if let Some(target) = known.absolute(module, path)
                    && target != alias
                {
                    passed_on.insert(alias, target);
                }
            }
        }
        known.passed_on = passed_on;
        known
    }

    /// Converts a path in `module` to a path from the crate's root. `None` for a path of another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Module> {
        let mut base = module.to_vec();
        let mut parts = path.iter().peekable();
        match parts.peek()?.as_str() {
            "crate" => {
                base.clear();
                parts.next();
            }
            "self" => drop(parts.next()),
            "super" => {
                while parts.next_if(|part| *part == "super").is_some() {
                    base.pop();
                }
            }
            first => {
                let child = [module, &[first.to_owned()]].concat();
                if !self.modules.contains_key(&child) {
                    let imports = &self.modules[module].imports;
                    let (_, path, _) = imports
                        .iter()
                        .find(|(_, path, name)| name == first && path.first() != Some(name))?;
                    base = self.absolute(module, path)?;
                    parts.next();
                }
            }
        }
        base.extend(parts.cloned());
        Some(base)
    }

    /// Returns the file that defines the item at a path. A re-exported name belongs to the file that defines it.
    fn file(&self, path: Module) -> Option<Module> {
        let mut path = path;
        // More than six re-exports of one name in a row would be a mistake.
        for _ in 0..6 {
            let alias = (1..=path.len()).rev().find(|length| {
                // If a re-exported function has the same name as a file, the path means the file.
                let path = &path[..*length];
                self.passed_on.contains_key(path) && !self.modules.contains_key(path)
            });
            let Some(length) = alias else { break };
            path = [&self.passed_on[&path[..length]], &path[length..]].concat();
        }
        let prefixes = (0..=path.len()).rev().map(|length| path[..length].to_vec());
        prefixes
            .into_iter()
            .find(|path| self.modules.contains_key(path))
    }

    /// Returns the files that each file uses.
    fn arrows(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let arrows = self.modules.iter().map(|(module, named)| {
            let imported = named.imports.iter().filter(|(is_public, ..)| !is_public);
            let paths = imported.map(|(_, path, _)| path).chain(&named.paths);
            let used = paths
                .filter_map(|path| self.file(self.absolute(module, path)?))
                .filter(|target| target != module);
            (module.clone(), used.collect())
        });
        arrows.collect()
    }
}

#[test]
fn modules_use_only_modules_of_earlier_layers() {
    let layer = |name: &str| LAYERS.iter().position(|row| row.contains(&name));
    let mut wrong = Vec::new();
    for (from, used) in Crate::new(sources()).arrows() {
        let Some(room) = from.first() else {
            continue;
        };
        let Some(own) = layer(room) else {
            wrong.push(format!("`{room}` is in no layer"));
            continue;
        };
        for target in used.iter().filter(|target| !target.is_empty()) {
            let other = layer(&target[0]).expect("a layer");
            if other > own || other == own && *room != target[0] {
                wrong.push(format!("{} uses {}", from.join("::"), target.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the largest circles of files that use each other.
fn circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Vec<Module>> {
    let reach = |from: &Module| {
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
    let reached: BTreeMap<_, _> = arrows.keys().map(|from| (from, reach(from))).collect();
    let circle = |(from, targets): (&&Module, &BTreeSet<Module>)| {
        let back = targets
            .iter()
            .filter(|target| reached[target].contains(*from));
        back.cloned().collect::<Vec<_>>()
    };
    reached.iter().map(circle).collect()
}

#[test]
fn circles_of_files_are_small_in_every_crate() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut large = Vec::new();
    for name in CRATES {
        let arrows = Crate::new(sources_of(&workspace.join(name).join("src"))).arrows();
        assert!(arrows.len() > 1 || name == "fuzz", "{name}");
        for circle in circles(&arrows) {
            if circle.len() > CIRCLE_MAX {
                let files: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                large.push(format!("{name}, {}: {files:?}", files.len()));
            }
        }
    }
    assert!(large.is_empty(), "{large:#?}");
}

#[test]
fn relative_paths_and_paths_in_macros_count_as_uses() {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let known = Crate::new(vec![
        file("lib.rs", "mod a; mod b;"),
        file(
            "a/mod.rs",
            "mod c; mod d; mod e; pub(super) use c::C as Renamed; fn f() { d::run(); }",
        ),
        file(
            "a/c.rs",
            "use super::d::{self, D}; mod inner { use super::super::d::D; } pub(in crate::b) struct C; fn f() { vec![(1, super::e::E)]; }",
        ),
        file(
            "a/d.rs",
            "use std::fmt::Debug; #[cfg(test)] mod tests { use crate::b::B; }",
        ),
        file("a/e.rs", "use crate::a; fn f() -> a::Renamed { loop {} }"),
        file("b.rs", "fn f(_: crate::a::Renamed) {}"),
    ]);
    let arrows = known.arrows().into_iter().map(|(module, used)| {
        let used: Vec<String> = used.iter().map(|target| target.join("::")).collect();
        (module.join("::"), used.join(" "))
    });
    let arrows: Vec<_> = arrows.collect();
    let expected = [
        ("", ""),
        ("a", "a::d"),
        ("a::c", "a::d a::e"),
        ("a::d", ""),
        ("a::e", "a a::c"),
        ("b", "a::c"),
    ];
    assert_eq!(
        arrows,
        expected.map(|(module, used)| (module.to_owned(), used.to_owned()))
    );
}

/// SQLite runs no trigger for a row that `REPLACE` deletes. Triggers record the changes for backups
/// (`docs/decisions/0049-backups.md`), so a backup would keep the deleted row.
#[test]
fn no_statement_replaces_rows() {
    for (path, text) in sources() {
        for statement in ["REPLACE INTO", "OR REPLACE"] {
            let is_used = text.contains(statement);
            assert!(
                !is_used,
                "{}: use ON CONFLICT … DO UPDATE instead of REPLACE",
                path.display()
            );
        }
    }
}
