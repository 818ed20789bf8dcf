//! Checks the answers of the suite against the API description: the status, media type, error codes, and all fields of
//! the body. Fields that the description does not name are refused.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{Answer, Call};

/// Returns the API description.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(&edge_api::openapi::document()).expect("the description is JSON")
    });
    &DOCUMENT
}

/// The description, changed so that its schemas forbid all fields that they do not name.
static STRICT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = document().clone();
    close(&mut document);
    document
});

/// Validators by the JSON pointer of their schema.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Panics if the API description does not describe the answer to `call`. Skips pages, development routes and status 421.
pub fn check(call: &Call, answer: &Answer) {
    let path = call.target.split('?').next().unwrap_or_default();
    // Printed codes have the path of a certificate in capitals.
    let lower = path.to_ascii_lowercase();
    let path = if path.starts_with("/C/") {
        &lower
    } else {
        path
    };
    // Status 421 is not described, because only development instances answer with it.
    if path.starts_with("/development/") || answer.status == 421 || is_for_people(call, answer) {
        return;
    }
    if let Err(why) = described(&STRICT, call.method, path, answer) {
        panic!(
            "{} {} → {}: {why}\n{}",
            call.method,
            call.target,
            answer.status,
            String::from_utf8_lossy(&answer.body)
        );
    }
}

/// Returns true if the answer is a page for a browser, or a redirect from the link of a certificate with additional segments. The
/// description covers only answers for programs.
fn is_for_people(call: &Call, answer: &Answer) -> bool {
    let mut headers = call.headers.iter();
    let browser = headers.any(|(name, value)| name == "accept" && value.starts_with("text/html"));
    let is_redirect = answer.status == 302 && call.target.starts_with("/c/");
    browser && (media_type(answer) == "text/html" || is_redirect)
}

/// Returns the description of the operation that handles a request, or `None` if there is no such operation.
pub fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let (_, methods) = path_item(document(), method, path)?;
    methods.get(&method.to_ascii_lowercase())
}

/// Checks that the document describes the answer. `Err` says what the document does not describe.
pub fn described(
    document: &Value,
    method: &str,
    path: &str,
    answer: &Answer,
) -> Result<(), String> {
    if method == "OPTIONS" {
        return (answer.status == 204)
            .then_some(())
            .ok_or_else(|| "the answer to a preflight must have status 204".to_owned());
    }
    let asked = if method == "HEAD" { "GET" } else { method };
    let Some((template, methods)) = path_item(document, asked, path) else {
        return failure_without_operation(document, answer, 404, method);
    };
    let Some(operation) = methods.get(&asked.to_ascii_lowercase()) else {
        return failure_without_operation(document, answer, 405, method);
    };
    let response = &operation["responses"][answer.status.to_string()];
    if response.is_null() {
        return Err(format!("{template} does not describe this status"));
    }
    if method == "HEAD" {
        return answer
            .body
            .is_empty()
            .then_some(())
            .ok_or_else(|| "an answer to HEAD must not have a body".to_owned());
    }
    let media = media_type(answer);
    let types = response["x-media-types"].as_array();
    let types = types.into_iter().flatten().filter_map(Value::as_str);
    if types.into_iter().any(|range| covers(range, &media)) {
        return Ok(());
    }
    let Some(contents) = response["content"].as_object() else {
        let is_empty = answer.body.is_empty();
        return is_empty
            .then_some(())
            .ok_or_else(|| "the answer must not have a body".to_owned());
    };
    let (range, content) = contents
        .iter()
        .find(|(range, _)| covers(range, &media))
        .ok_or_else(|| format!("{template} does not describe the media type `{media}`"))?;
    if content.get("schema").is_none() {
        return Ok(());
    }
    let pointer = format!(
        "/paths/{}/{}/responses/{}/content/{}/schema",
        escape(template),
        asked.to_ascii_lowercase(),
        answer.status,
        escape(range)
    );
    let body = body(answer)?;
    fits(document, &pointer, &body)?;
    for error in body["errors"].as_array().unwrap_or(&vec![]) {
        let codes = response["x-error-codes"].as_array();
        if !codes.is_some_and(|codes| codes.contains(&error["code"])) {
            return Err(format!("{template} does not describe {}", error["code"]));
        }
    }
    Ok(())
}

/// Checks an answer to a path or a method that the document does not have.
fn failure_without_operation(
    document: &Value,
    answer: &Answer,
    status: u16,
    method: &str,
) -> Result<(), String> {
    if answer.status != status {
        return Err(format!(
            "the answer for an undescribed path or method must have status {status}"
        ));
    }
    if method == "HEAD" {
        return Ok(());
    }
    fits(document, "/components/schemas/Failure", &body(answer)?)
}

fn body(answer: &Answer) -> Result<Value, String> {
    serde_json::from_slice(&answer.body).map_err(|error| format!("the body is not JSON: {error}"))
}

fn fits(document: &Value, pointer: &str, body: &Value) -> Result<(), String> {
    let validator = Arc::clone(
        VALIDATORS
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .entry(pointer.to_owned())
            .or_insert_with(|| Arc::new(validator(document, pointer))),
    );
    let errors: Vec<String> = validator
        .iter_errors(body)
        .map(|error| format!("`{}`: {error}", error.instance_path()))
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join("; "))
    }
}

/// Returns a validator for the document's schema at a JSON pointer.
pub fn validator(document: &Value, pointer: &str) -> Validator {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/schema",
        "schema": document.pointer(pointer).expect("a schema"),
        "components": document["components"],
    });
    jsonschema::validator_for(&schema).expect("a schema of the document is a JSON Schema")
}

/// Returns the described path that matches a request, or `None`. Prefers paths that have the method, then paths with fewer
/// parameters.
fn path_item<'a>(
    document: &'a Value,
    method: &str,
    path: &str,
) -> Option<(&'a str, &'a Map<String, Value>)> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let paths = document["paths"].as_object().expect("paths");
    let matches = |template: &str| {
        let (expected, given): (Vec<_>, Vec<_>) =
            (template.split('/').collect(), path.split('/').collect());
        expected.len() == given.len()
            && expected.iter().zip(given).all(|(expected, given)| {
                *expected == given || (expected.starts_with('{') && !given.is_empty())
            })
    };
    paths
        .iter()
        .filter(|(template, _)| matches(template))
        .min_by_key(|(template, methods)| {
            let lacks_method = methods.get(method.to_ascii_lowercase()).is_none();
            (lacks_method, template.matches('{').count())
        })
        .map(|(template, item)| (template.as_str(), item.as_object().expect("a path item")))
}

fn media_type(answer: &Answer) -> String {
    let value = answer.header("content-type").unwrap_or_default();
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

fn covers(range: &str, media: &str) -> bool {
    range == media
        || range
            .strip_suffix('*')
            .is_some_and(|kind| media.starts_with(kind))
}

fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// Forbids all fields that a schema with `properties` does not name.
fn close(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            let is_schema = fields.get("type").is_some_and(|kind| kind == "object")
                && fields.get("properties").is_some_and(Value::is_object);
            if is_schema {
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
