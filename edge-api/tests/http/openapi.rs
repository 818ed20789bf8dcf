//! Tests of the API description. In addition, `support/openapi.rs` compares the answers of this suite with the description.

use serde_json::{Value, json};

use crate::support::openapi::{described, document, validator};
use crate::support::{Answer, Call, service};

/// Returns every example, after the pointer to its schema.
fn examples(document: &Value) -> Vec<(String, Value)> {
    fn collect(value: &Value, pointer: &str, found: &mut Vec<(String, Value)>) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => {
                if let (Some(example), true) =
                    (fields.get("example"), fields.contains_key("schema"))
                {
                    found.push((format!("{pointer}/schema"), example.clone()));
                }
                if let Some(Value::Array(examples)) = fields.get("examples") {
                    let pointer = pointer.to_owned();
                    found.extend(
                        examples
                            .iter()
                            .map(|example| (pointer.clone(), example.clone())),
                    );
                }
                fields
                    .iter()
                    .filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"))
                    .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
                    .collect()
            }
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, value)| (index.to_string(), value))
                .collect(),
            _ => Vec::new(),
        };
        for (name, value) in children {
            collect(value, &format!("{pointer}/{name}"), found);
        }
    }
    let mut found = Vec::new();
    collect(document, "", &mut found);
    found
}

#[test]
fn every_example_matches_its_schema() {
    let document = document();
    let examples = examples(document);
    assert!(examples.len() > 60, "{}", examples.len());
    for (pointer, example) in examples {
        let errors: Vec<String> = validator(document, &pointer)
            .iter_errors(&example)
            .map(|error| format!("`{}`: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{pointer}: {example}");
    }
}

#[test]
fn the_description_marks_private_routes() {
    let host = service();
    let document = document();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let target = path
                .split('/')
                .map(|part| if part.starts_with('{') { "1" } else { part })
                .collect::<Vec<_>>()
                .join("/");
            let method: &'static str = match method.as_str() {
                "get" => "GET",
                "post" => "POST",
                "put" => "PUT",
                "delete" => "DELETE",
                other => panic!("{other}"),
            };
            let answer = host.call(Call::new(method, target.as_str()));
            let private = operation["security"] != json!([]);
            assert_eq!(answer.status == 401, private, "{method} {target}");
        }
    }
}

#[test]
fn the_comparison_finds_answers_that_are_not_described() {
    let document = document();
    let id = "018bcfe5-6800-7000-8000-000000000000";
    let answer = |status: u16, media: &str, body: Value| Answer {
        status,
        headers: vec![("content-type".to_owned(), media.to_owned())],
        body: body.to_string().into_bytes(),
    };
    let success = |data: Value| json!({ "id": id, "status": 200, "data": data, "meta": {} });
    let failure = |status: u16, code: u32| json!({ "id": id, "status": status, "errors": [{ "code": code, "name": "OrderNotFound", "docs": "https://assay.example/docs/#400011", "message": "…", "path": "" }] });
    let json = "application/json; charset=utf-8";
    let health = json!({ "service": "assay", "version": "0", "versionId": null, "authorizationText": "", "legacyAuth": "on", "weakening": [], "ledger": "embedded", "chain": null, "payments": "on", "rateLimits": { "address": null, "account": "200/10" }, "files": null, "statusLists": "off", "pause": null });
    let fits = |method: &str, path: &str, answer: &Answer| {
        described(document, method, path, answer).is_ok()
    };
    assert!(fits(
        "GET",
        "/health",
        &answer(200, json, success(health.clone()))
    ));
    assert!(fits(
        "GET",
        "/orders/1",
        &answer(400, json, failure(400, 400_011))
    ));
    for (why, method, path, answer) in [
        (
            "status",
            "GET",
            "/health",
            answer(201, json, success(health.clone())),
        ),
        (
            "media type",
            "GET",
            "/health",
            answer(200, "text/html", success(health)),
        ),
        (
            "field missing",
            "GET",
            "/health",
            answer(200, json, success(json!({}))),
        ),
        (
            "no envelope",
            "GET",
            "/health",
            answer(200, json, json!({})),
        ),
        (
            "code of another route",
            "GET",
            "/orders/1",
            answer(400, json, failure(400, 400_003)),
        ),
        (
            "unknown code",
            "GET",
            "/orders/1",
            answer(400, json, failure(400, 499_999)),
        ),
        (
            "status without such a code",
            "GET",
            "/orders/1",
            answer(422, json, failure(422, 422_001)),
        ),
        (
            "no such path",
            "GET",
            "/nothing",
            answer(200, json, success(json!({}))),
        ),
        (
            "no such method",
            "PUT",
            "/health",
            answer(200, json, success(json!({}))),
        ),
        (
            "preflight",
            "OPTIONS",
            "/health",
            answer(200, json, json!({})),
        ),
    ] {
        assert!(!fits(method, path, &answer), "{why}");
    }
}
