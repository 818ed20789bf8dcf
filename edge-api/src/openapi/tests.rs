use std::collections::{BTreeMap, BTreeSet};

use order_core::Code;
use serde_json::Value;

use super::*;
use crate::api::{BodyField, FieldKind};

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
fn every_route_except_those_of_development_is_described() {
    for route in TABLE.routes() {
        let path = route.pattern.0;
        let is_described = !route.description.id.is_empty();
        assert_ne!(is_described, TABLE.is_development(path), "{path}");
    }
    assert_eq!(described(&served()).len(), documented().count());
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

/// Compares the names that the pipeline accepts with the described fields. Forms keep the described strings as strings.
#[test]
fn every_body_accepts_exactly_the_fields_that_are_described() {
    let document = served();
    for route in documented() {
        let Some(fields) = route.body.fields() else {
            continue;
        };
        let method = route.method.as_str().to_ascii_lowercase();
        let path = format!("{method} {}", route.pattern.0);
        let content =
            &document["paths"][template(route.pattern.0)][&method]["requestBody"]["content"];
        let media = content.as_object().unwrap().values().next().unwrap();
        compare(&document, &path, fields, &[&media["schema"]]);
    }
}

/// Returns a schema, or the schema to which it refers.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let target = schema["$ref"].as_str();
    target.map_or(schema, |target| {
        document.pointer(target.trim_start_matches('#')).unwrap()
    })
}

/// Returns the alternatives of a schema, or the schema itself.
fn alternatives<'d>(document: &'d Value, schema: &'d Value) -> Vec<&'d Value> {
    let schema = resolved(document, schema);
    let listed = ["oneOf", "anyOf", "allOf"]
        .iter()
        .filter_map(|key| schema[*key].as_array());
    let listed = listed.flatten().map(|schema| resolved(document, schema));
    listed.chain([schema]).collect()
}

/// Compares fields with the properties of the schemas that describe them.
fn compare(document: &Value, path: &str, fields: &[BodyField], schemas: &[&Value]) {
    let mut described: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for schema in schemas
        .iter()
        .flat_map(|schema| alternatives(document, schema))
    {
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            described.entry(name).or_default().push(schema);
        }
    }
    let mut names: BTreeSet<&str> = fields.iter().map(|field| field.name).collect();
    // The approval's other name is described in a sentence.
    if described.contains_key("approval") {
        assert!(names.remove("approve"));
    }
    assert_eq!(names, described.keys().copied().collect(), "{path}");
    for field in fields.iter().filter(|field| field.name != "approve") {
        let path = format!("{path} {}", field.name);
        let schemas = &described[field.name];
        let kinds = schemas
            .iter()
            .map(|schema| &resolved(document, schema)["type"]);
        let is_text = |kind: &Value| *kind == "string" || *kind == json!(["string", "null"]);
        let is_text = kinds.clone().all(is_text);
        match field.kind {
            FieldKind::Text => assert!(is_text, "{path}"),
            FieldKind::Value => assert!(!is_text, "{path}"),
            FieldKind::Object(fields) => compare(document, &path, fields, schemas),
            FieldKind::List(fields) => {
                let items = schemas
                    .iter()
                    .map(|schema| &resolved(document, schema)["items"]);
                compare(document, &path, fields, &items.collect::<Vec<_>>());
            }
        }
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
