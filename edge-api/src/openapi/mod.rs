//! The description of the API in OpenAPI 3.1, made from the routes that are served, the catalogue of errors, and two
//! sources beside this file: `operations.json` says what each route is for, `records.json` what it takes and gives.
//!
//! The test suite holds every answer against the document, so that it cannot say what the service does not do.

mod json;
mod operation;
mod schema;

use cert_core::{Object, Value};
use order_core::Code;

use crate::routes::Route;
use json::{Built, Fields, array, number, object_at, parse, text_at};
use operation::Sources;
use schema::Examples;

const RECORDS: &str = include_str!("records.json");
const OPERATIONS: &str = include_str!("operations.json");

const DESCRIPTION: &str = "Certifies assets and performs signed orders on their ledgers.

Every answer is an envelope: `id`, `status`, and `data` with `meta`, or `errors`. Errors carry a stable `code`, the `path` of \
what is wrong, and a `message`; all errors of one phase come at once. The header `x-request-id` repeats the envelope's `id`.

Lists take `skip` and `limit`, or `after` with `meta.next` of the page before. List parameters are accepted as `a,b`, repeated, \
or with `[]`. Totals are exact up to 10,000.

Requests are counted by client address and by account; beyond the limits, which `RateLimit-Policy` tells, the answer is 429 with \
`Retry-After`. Nothing of a refused request is kept: with the same `Idempotency-Key` it may be sent again.";

/// The document. `authorization` is what the Authorization header signs.
///
/// # Errors
/// What is wrong with a source; tests see to it that nothing is.
pub(crate) fn document<'a>(
    routes: impl IntoIterator<Item = &'a Route>,
    authorization: &str,
) -> Result<String, String> {
    let (records, operations) = (parse(RECORDS)?, parse(OPERATIONS)?);
    let sources = Sources {
        operations: &operations,
        examples: Examples {
            records: &records,
            by_name: object_at(&operations, "examples")?,
        },
    };
    let components = Fields::new()
        .with("securitySchemes", security(authorization)?)
        .with("parameters", parameters(&operations)?)
        .with("headers", headers(&operations)?)
        .with("schemas", schemas(&records)?)
        .build()?;
    let license = Fields::new()
        .with("name", env!("CARGO_PKG_LICENSE"))
        .with("identifier", env!("CARGO_PKG_LICENSE"))
        .build()?;
    let info = Fields::new()
        .with("title", "Assay API")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("description", DESCRIPTION)
        .with("license", license)
        .build()?;
    let server = Fields::new().with("url", "/").build()?;
    let document = Fields::new()
        .with("openapi", "3.1.1")
        .with("info", info)
        .with("servers", array([server])?)
        .with("tags", tags(&operations)?)
        .with("paths", paths(routes, &sources)?)
        .with("webhooks", webhooks(&sources)?)
        .with("components", components)
        .build()?;
    Ok(document.to_json())
}

fn security(authorization: &str) -> Built {
    let scheme = Fields::new()
        .with("type", "apiKey")
        .with("in", "header")
        .with("name", "Authorization")
        .with(
            "description",
            format!(
                "`{{type}}:{{signature}}`: the caller's Ethereum signature of the text `{authorization}`. Types: 0 ETH_SIGN, 3 \
                 PERSONAL_SIGN. The account is the one that signed."
            ),
        )
        .build()?;
    Fields::new().with("authorization", scheme).build()
}

fn tags(operations: &Object) -> Built {
    let tags = object_at(operations, "tags")?;
    let tag = |(name, text): (&str, &Value)| {
        Fields::new()
            .with("name", name)
            .with("description", text.clone())
            .build()
    };
    array(tags.iter().map(tag).collect::<Built<Vec<_>>>()?)
}

fn parameters(operations: &Object) -> Built {
    let mut parameters = Fields::new();
    for (key, source) in object_at(operations, "parameters")?.iter() {
        let source = source.as_object().ok_or("a parameter is no object")?;
        let place = text_at(source, "in");
        let name = match text_at(source, "name") {
            "" => key,
            name => name,
        };
        let (kind, list) = match source.get("schema") {
            Some(Value::String(kind)) => (schema::schema(kind)?, schema::list_item(kind).is_some()),
            Some(other) => {
                let list = other
                    .as_object()
                    .is_some_and(|schema| text_at(schema, "type") == "array");
                (other.clone(), list)
            }
            None => return Err(format!("the parameter `{key}` has no schema")),
        };
        let required = place == "path" || source.get("required").is_some();
        let mut parameter = Fields::new()
            .with("name", name)
            .with("in", place)
            .with("description", text_at(source, "description"))
            .with("required", required)
            .with("schema", kind);
        if list {
            parameter = parameter.with("style", "form").with("explode", false);
        }
        parameters.push(key, parameter.build()?);
    }
    parameters.build()
}

/// Headers of answers; each stands on every answer that refers to it.
fn headers(operations: &Object) -> Built {
    let mut headers = Fields::new();
    for (name, source) in object_at(operations, "headers")?.iter() {
        let source = source.as_object().ok_or("a header is no object")?;
        let header = Fields::new()
            .with("description", text_at(source, "description"))
            .with("required", true)
            .with_some("schema", source.get("schema").cloned());
        headers.push(name, header.build()?);
    }
    headers.build()
}

fn schemas(records: &Object) -> Built {
    let mut schemas = Fields::new();
    for (name, entry) in records.iter() {
        let schema = if name == "Code" {
            codes()?
        } else {
            schema::record(entry)?
        };
        schemas.push(name, schema);
    }
    schemas.build()
}

/// The catalogue of errors.
fn codes() -> Built {
    let answered = || Code::all().filter(|code| code.reserved().is_none());
    Fields::new()
        .with("type", "integer")
        .with(
            "description",
            "What is wrong, as a stable number; `x-enum-descriptions` says what each means.",
        )
        .with("enum", array(answered().map(|code| number(code.number())))?)
        .with(
            "x-enum-descriptions",
            array(answered().map(|code| Value::from(code.message())))?,
        )
        .build()
}

fn paths<'a>(routes: impl IntoIterator<Item = &'a Route>, sources: &Sources<'_>) -> Built {
    // Methods of one path stand together, in the order in which the table first names the path.
    let mut paths: Vec<(String, Fields)> = Vec::new();
    for route in routes {
        let path = template(route.pattern.0);
        let operation = sources
            .operation(route)
            .map_err(|why| format!("{} {}: {why}", route.method, route.pattern.0))?;
        let method = route.method.as_str().to_ascii_lowercase();
        match paths.iter_mut().find(|(known, _)| *known == path) {
            Some((_, methods)) => methods.push(method, operation),
            None => paths.push((path, Fields::new().with(method, operation))),
        }
    }
    let mut built = Fields::new();
    for (path, methods) in paths {
        built.push(path, methods.build()?);
    }
    built.build()
}

/// What the service sends by itself.
fn webhooks(sources: &Sources<'_>) -> Built {
    let ok = Fields::new()
        .with(
            "description",
            "The event was taken: any status from 200 to 299.",
        )
        .build()?;
    let post = Fields::new()
        .with("operationId", "recordChanged")
        .with("summary", "A record has changed")
        .with("security", array([])?)
        .with("requestBody", sources.body("WebhookEvent")?)
        .with("responses", Fields::new().with("200", ok).build()?)
        .build()?;
    let item = Fields::new().with("post", post).build()?;
    Fields::new().with("event", item).build()
}

/// `/orders/:orderRef` → `/orders/{orderRef}`
fn template(pattern: &str) -> String {
    let segments: Vec<String> = pattern
        .split('/')
        .map(|segment| match segment.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => segment.to_owned(),
        })
        .collect();
    segments.join("/")
}

#[cfg(test)]
mod tests;
