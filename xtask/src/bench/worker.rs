//! Measures the parts of the Worker's WebAssembly: bytes of code by crate, and by module in the crates of this workspace.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use rustc_demangle::demangle;
use serde_json::{Value, json};
use wasmparser::{KnownCustom, Name, Parser, Payload, TypeRef};

use super::options::WorkerOptions;
use super::table::Table;
use crate::build::{self, Edition};
use crate::node::Node;
use crate::report::gzipped;
use crate::wasm::Profile;
use crate::workspace::Workspace;

/// Crates whose modules are listed one by one.
const OWN: [&str; 3] = ["edge_api", "order_core", "cert_core"];
/// Parts below this number of gzipped bytes become one row.
const LISTED: usize = 1_000;

/// Builds the Worker and prints the parts of its code. Reads the module that rustc linked, because the deployed module has no names of
/// functions. Each part is compressed alone, so the parts add up to more than the whole.
pub(super) fn run(workspace: &Workspace, options: &WorkerOptions) -> Result<Value> {
    let node = Node::ready(workspace)?;
    let edition = Edition::on_chain(options.evm);
    build::worker(workspace, &node, edition, Profile::Release)?;
    let module = fs::read(edition.linked(workspace))?;
    let parts = parts(&module)?;

    let mut sizes = Vec::new();
    let (mut small, mut small_gzipped) = (0_usize, 0_usize);
    for (part, code) in &parts {
        let packed = gzipped(code)?;
        if packed < LISTED {
            small = small.saturating_add(code.len());
            small_gzipped = small_gzipped.saturating_add(packed);
        } else {
            sizes.push((part.as_str(), code.len(), packed));
        }
    }
    sizes.push(("smaller parts", small, small_gzipped));
    sizes.sort_by_key(|&(_, _, packed)| std::cmp::Reverse(packed));

    let mut table = Table::new(["part", "bytes", "gzipped alone"]);
    for (part, bytes, packed) in &sizes {
        table.row([(*part).to_owned(), bytes.to_string(), packed.to_string()]);
    }
    table.print();
    Ok(sizes
        .into_iter()
        .map(|(part, bytes, packed)| json!({ "part": part, "bytes": bytes, "gzipped": packed }))
        .collect())
}

/// Returns the code of each part, and the data section as one part.
fn parts(module: &[u8]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut imported = 0_usize;
    let mut bodies = Vec::new();
    let mut names = BTreeMap::new();
    let mut parts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if matches!(import?.ty, TypeRef::Func(_)) {
                        imported = imported.saturating_add(1);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            Payload::DataSection(data) => {
                let bytes = module
                    .get(data.range())
                    .context("the data section ends early")?;
                parts.insert("data".to_owned(), bytes.to_vec());
            }
            Payload::CustomSection(section) => {
                let KnownCustom::Name(subsections) = section.as_known() else {
                    continue;
                };
                for subsection in subsections {
                    if let Name::Function(functions) = subsection? {
                        for function in functions {
                            let function = function?;
                            names.insert(usize::try_from(function.index)?, function.name);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    for (at, body) in bodies.into_iter().enumerate() {
        let name = names.get(&at.saturating_add(imported)).copied();
        let part = part_of(&format!("{:#}", demangle(name.unwrap_or_default())));
        parts.entry(part).or_default().extend_from_slice(body);
    }
    Ok(parts)
}

/// Returns the part that a demangled function belongs to. The part is the first of the workspace's crates in the function's name, with its
/// module. If there is none, the part is the first crate in the name. The names of generic functions do not contain their type arguments.
/// An instance for a type of this workspace therefore often counts for the library of the function.
fn part_of(name: &str) -> String {
    for own in OWN {
        let inside = format!("{own}::");
        if let Some((_, rest)) = name.split_once(&inside) {
            let module = word(rest);
            return format!("{own}::{module}");
        }
    }
    let path = name
        .split(['<', '&', '*', '(', '[', ' '])
        .find(|path| path.contains("::"));
    match word(path.unwrap_or(name)) {
        "" => "unnamed".to_owned(),
        first => first.to_owned(),
    }
}

/// Returns the identifier that a text starts with.
fn word(text: &str) -> &str {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn functions_count_for_the_module_or_crate_that_they_name() {
        for (name, part) in [
            (
                "edge_api::badge::verify::verify::{{closure}}",
                "edge_api::badge",
            ),
            (
                "<edge_api::entry::d1::D1 as edge_api::ports::database::Database>::batch",
                "edge_api::entry",
            ),
            (
                "core::ptr::drop_in_place<order_core::request::Request>",
                "order_core::request",
            ),
            (
                "<&mut serde_json::de::Deserializer<R> as serde_core::de::Deserializer>::deserialize_any",
                "serde_json",
            ),
            ("k256::arithmetic::mul::lincomb", "k256"),
            ("", "unnamed"),
        ] {
            assert_eq!(part_of(name), part);
        }
    }
}
