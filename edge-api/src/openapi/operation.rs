//! One route as an OpenAPI operation.

use cert_core::{Object, Value};
use order_core::Code;

use super::json::{Built, Fields, array, number, object_at, text_at};
use super::schema::{Examples, list_item, schema};
use crate::routes::{Access, Route};
use crate::web::Body;

/// What every list takes.
const PAGE: [&str; 4] = ["skip", "limit", "after", "sort"];

/// `operations.json`, and the examples.
pub(super) struct Sources<'a> {
    pub(super) operations: &'a Object,
    pub(super) examples: Examples<'a>,
}

impl Sources<'_> {
    /// The operation of a route, from its entry `METHOD /path`.
    pub(super) fn operation(&self, route: &Route) -> Built {
        let name = format!("{} {}", route.method, route.pattern.0);
        let entry = object_at(object_at(self.operations, "operations")?, &name)?;
        let tag = match text_at(entry, "tag") {
            "" => first_segment(route.pattern.0),
            tag => tag,
        };
        let security = match route.access {
            Access::Public(_) | Access::Image(_) => array([])?,
            Access::Private { .. } => {
                array([Fields::new().with("authorization", array([])?).build()?])?
            }
        };
        let parameters = self.parameters(entry, route)?;
        Fields::new()
            .with("operationId", text_at(entry, "id"))
            .with("tags", array([Value::from(tag)])?)
            .with("summary", text_at(entry, "summary"))
            .with_some("description", entry.get("description").cloned())
            .with("security", security)
            .with_some("parameters", parameters)
            .with_some("requestBody", self.request_body(entry)?)
            .with("responses", self.responses(entry, route)?)
            .build()
    }

    fn parameters(&self, entry: &Object, route: &Route) -> Built<Option<Value>> {
        let in_path = route
            .pattern
            .0
            .split('/')
            .filter_map(|segment| segment.strip_prefix(':'));
        let page = PAGE.into_iter().filter(|_| is_list(entry));
        let query = text_at(entry, "query").split_whitespace();
        let key = takes_key(route).then_some("idempotencyKey");
        let known = object_at(self.operations, "parameters")?;
        let names: Vec<&str> = in_path.chain(page).chain(query).chain(key).collect();
        if let Some(unknown) = names.iter().find(|name| known.get(name).is_none()) {
            return Err(format!("there is no parameter `{unknown}`"));
        }
        if names.is_empty() {
            return Ok(None);
        }
        let references = names.into_iter().map(|name| {
            Fields::new()
                .with("$ref", ["#/components/parameters/", name].concat())
                .build()
        });
        array(references.collect::<Built<Vec<_>>>()?).map(Some)
    }

    fn request_body(&self, entry: &Object) -> Built<Option<Value>> {
        let kind = text_at(entry, "body");
        if kind.is_empty() {
            return Ok(None);
        }
        // Each part is a top-level field, and JSON where it is JSON.
        let form = Fields::new().with("schema", schema(kind)?).build()?;
        let content = Fields::new()
            .with("application/json", self.json_content(kind)?)
            .with("multipart/form-data", form);
        required_body(content).map(Some)
    }

    /// A body that is JSON.
    pub(super) fn body(&self, kind: &str) -> Built {
        required_body(Fields::new().with("application/json", self.json_content(kind)?))
    }

    fn json_content(&self, kind: &str) -> Built {
        Fields::new()
            .with("schema", schema(kind)?)
            .with("example", self.examples.of(kind)?)
            .build()
    }

    fn responses(&self, entry: &Object, route: &Route) -> Built {
        let mut responses = Fields::new();
        let statuses = match text_at(entry, "status") {
            "" => "200",
            statuses => statuses,
        };
        for status in statuses.split_whitespace() {
            responses.push(status, self.success(entry, status)?);
        }
        let failures = failures(entry, route)?;
        let mut statuses: Vec<u16> = failures.iter().map(|(status, _)| *status).collect();
        statuses.sort_unstable();
        statuses.dedup();
        for status in statuses {
            let codes = failures
                .iter()
                .filter(|(of, _)| *of == status)
                .map(|(_, code)| *code);
            responses.push(status.to_string(), failure(entry, codes.collect())?);
        }
        responses.build()
    }

    fn success(&self, entry: &Object, status: &str) -> Built {
        let description = match status {
            "201" => "Created.",
            "302" => return redirect(),
            _ => "Success.",
        };
        let (media, content) = match text_at(entry, "content") {
            "" => ("application/json", self.envelope(entry, status)?),
            "application/json" => ("application/json", any_object()?),
            media => (media, Fields::new().build()?),
        };
        Fields::new()
            .with("description", description)
            .with("content", Fields::new().with(media, content).build()?)
            .build()
    }

    /// The schema and an example of a success's envelope.
    fn envelope(&self, entry: &Object, status: &str) -> Built {
        let status: u16 = status.parse().map_err(|_| "a status is no number")?;
        let data = text_at(entry, "data");
        let meta = match text_at(entry, "meta") {
            "" if is_list(entry) => "PageMeta",
            "" => "Meta",
            meta => meta,
        };
        let properties = Fields::new()
            .with("id", schema("Ref")?)
            .with("status", schema(&status.to_string())?)
            .with("data", schema(data)?)
            .with("meta", schema(meta)?)
            .build()?;
        let required = array(["id", "status", "data", "meta"].map(Value::from))?;
        let schema = Fields::new()
            .with("type", "object")
            .with("properties", properties)
            .with("required", required)
            .build()?;
        let example = Fields::new()
            .with("id", self.examples.of("Ref")?)
            .with("status", number(status))
            .with("data", self.examples.of(data)?)
            .with("meta", self.examples.of(meta)?)
            .build()?;
        Fields::new()
            .with("schema", schema)
            .with("example", example)
            .build()
    }
}

/// An answer without a body.
fn redirect() -> Built {
    let location = Fields::new().with("schema", schema("string")?).build()?;
    Fields::new()
        .with("description", "A page for people.")
        .with("headers", Fields::new().with("Location", location).build()?)
        .build()
}

/// Whether an `Idempotency-Key` means anything to the route.
fn takes_key(route: &Route) -> bool {
    route.method == http::Method::POST && matches!(route.access, Access::Private { .. })
}

fn required_body(content: Fields) -> Built {
    Fields::new()
        .with("required", true)
        .with("content", content.build()?)
        .build()
}

fn first_segment(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

fn is_list(entry: &Object) -> bool {
    list_item(text_at(entry, "data")).is_some()
}

fn any_object() -> Built {
    let object = Fields::new().with("type", "object").build()?;
    Fields::new().with("schema", object).build()
}

/// Codes of the status 400 that are found together with codes of the status 422.
const AMONG_OTHERS: [Code; 3] = [
    Code::AssetNotFound,
    Code::DeployCreationFailed,
    Code::ApproveCreationFailed,
];

/// Every error that the route answers with, by status: its own, and those of the phases before it.
fn failures(entry: &Object, route: &Route) -> Built<Vec<(u16, Code)>> {
    let mut failures = vec![(500, Code::Unhandled)];
    let mut with = |code: Code| failures.push((code.http_status(), code));
    if route.body == Body::Json {
        with(Code::BodyNotValid);
        with(Code::BodyTooLarge);
        with(Code::MediaTypeNotSupported);
    }
    if is_list(entry) {
        with(Code::QueryNotValid);
    }
    if route.limited {
        with(Code::RateLimited);
    }
    if takes_key(route) {
        with(Code::IdempotencyKeyReused);
        with(Code::FieldNotValid);
    }
    for range in text_at(entry, "errors").split_whitespace() {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let bounds = |text: &str| {
            text.parse::<u32>()
                .map_err(|_| format!("`{range}` is no error code"))
        };
        let (first, last) = (bounds(first)?, bounds(last)?);
        Code::all()
            .filter(|code| (first..=last).contains(&code.number()) && code.reserved().is_none())
            .for_each(&mut with);
    }
    if let Access::Private { identified, .. } = route.access {
        if identified {
            with(Code::AccountNotIdentified);
        }
        failures.push((401, Code::SignatureNotValid));
    }
    // These stand among a request's other errors too, whose status is then said.
    if failures.iter().any(|(status, _)| *status == 422) {
        let among = failures
            .iter()
            .filter(|(_, code)| AMONG_OTHERS.contains(code));
        let among: Vec<(u16, Code)> = among.map(|(_, code)| (422, *code)).collect();
        failures.extend(among);
    }
    failures.sort_unstable();
    failures.dedup();
    Ok(failures)
}

/// The answer of a status with these codes. The catalogue says what they mean, once.
fn failure(entry: &Object, codes: Vec<Code>) -> Built {
    let list: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let description = match codes.as_slice() {
        [code] => format!("{code}: {}", code.message()),
        _ => format!("One of {}.", list.join(", ")),
    };
    let json = Fields::new().with("schema", schema("Failure")?).build()?;
    let mut content = Fields::new().with("application/json", json);
    if text_at(entry, "content").starts_with("image/*") {
        content.push("image/svg+xml", Fields::new().build()?);
    }
    let headers = codes
        .contains(&Code::RateLimited)
        .then(rate_limit_headers)
        .transpose()?;
    let codes = codes.into_iter().map(|code| number(code.number()));
    Fields::new()
        .with("description", description)
        .with_some("headers", headers)
        .with("x-error-codes", array(codes)?)
        .with("content", content.build()?)
        .build()
}

/// What says how long to wait.
fn rate_limit_headers() -> Built {
    let mut headers = Fields::new();
    for name in ["Retry-After", "RateLimit-Policy"] {
        let reference = ["#/components/headers/", name].concat();
        headers.push(name, Fields::new().with("$ref", reference).build()?);
    }
    headers.build()
}
