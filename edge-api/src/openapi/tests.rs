use std::collections::{BTreeMap, BTreeSet};

use order_core::Code;
use serde_json::Value;

use super::*;
use crate::routes::documented;
use crate::web::Body;

fn served() -> Value {
    serde_json::from_str(&document()).unwrap()
}

fn described(document: &Value) -> Vec<(String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, methods)| {
            methods
                .as_object()
                .unwrap()
                .iter()
                .map(move |(method, operation)| (format!("{method} {path}"), operation.clone()))
        })
        .collect()
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let routes: BTreeSet<String> = documented()
        .map(|route| format!("{} {}", route.method, route.pattern.0))
        .collect();
    let named: BTreeSet<String> = operations()
        .iter()
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    assert_eq!(
        routes, named,
        "the table of routes and openapi/operations differ"
    );
    assert_eq!(described(&served()).len(), routes.len());
}

#[test]
fn operations_have_unique_names_known_tags_and_a_summary() {
    let document = served();
    let tags: Vec<&Value> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    let mut names = BTreeSet::new();
    for (name, operation) in described(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(
            !id.is_empty() && names.insert(id.to_owned()),
            "{name}: `{id}`"
        );
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{name}");
        assert!(tags.contains(&&operation["tags"][0]), "{name}");
    }
}

#[test]
fn every_code_belongs_to_an_operation() {
    // `MethodNotAllowed` belongs to a path, not to an operation.
    let mut missing: BTreeMap<u64, &str> = Code::all()
        .filter(|code| code.reserved().is_none() && *code != Code::MethodNotAllowed)
        .map(|code| (u64::from(code.number()), code.message()))
        .collect();
    for (_, operation) in described(&served()) {
        for response in operation["responses"].as_object().unwrap().values() {
            for code in response["x-error-codes"].as_array().unwrap_or(&vec![]) {
                missing.remove(&code.as_u64().unwrap());
            }
        }
    }
    assert_eq!(missing, BTreeMap::new());
}

#[test]
fn references_resolve_and_every_schema_is_used() {
    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value.as_str() {
                        Some(target) if key == "$ref" => {
                            found.insert(target);
                        }
                        _ => references(value, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let document = served();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for target in &found {
        let pointer = target.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
    for part in ["schemas", "parameters", "headers"] {
        for name in document["components"][part].as_object().unwrap().keys() {
            let target = format!("#/components/{part}/{name}");
            assert!(found.contains(target.as_str()), "{target} is not used");
        }
    }
}

/// A form transmits every value as text. The service must therefore know which fields are strings, and which are numbers.
#[test]
fn forms_keep_text_fields_as_text() {
    let document = served();
    let text = |schema: &Value| {
        let named = schema["$ref"]
            .as_str()
            .and_then(|name| document.pointer(name.trim_start_matches('#')));
        let kind = &named.unwrap_or(schema)["type"];
        *kind == "string" || *kind == json!(["string", "null"])
    };
    for operation in operations() {
        let route = route_of(&operation).unwrap();
        // Every field of a form with a file is a string.
        if route.body == Body::File {
            continue;
        }
        let Body::Json { text_fields } = route.body else {
            assert!(operation.body.is_none(), "{} reads no body", operation.path);
            continue;
        };
        let method = operation.method.as_str().to_ascii_lowercase();
        let content =
            &document["paths"][template(operation.path)][&method]["requestBody"]["content"];
        let body = &content["multipart/form-data"]["schema"]["$ref"];
        let body = body.as_str().unwrap().trim_start_matches('#');
        let properties = &document.pointer(body).unwrap()["properties"];
        let properties = properties.as_object().unwrap();
        let texts = properties.iter().filter(|(_, schema)| text(schema));
        let texts: BTreeSet<&str> = texts.map(|(name, _)| name.as_str()).collect();
        let known: BTreeSet<&str> = text_fields.iter().copied().collect();
        assert_eq!(known, texts, "{method} {}", operation.path);
    }
}

/// Compares the committed document with the code. Pages and client types are generated from the committed document.
#[test]
fn the_committed_file_is_current() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/openapi.json");
    let text = document();
    if std::env::var_os("ASSAY_WRITE_DOCS").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        kept == text,
        "www/openapi.json is outdated: run `cargo xtask docs` and check the difference"
    );
}
