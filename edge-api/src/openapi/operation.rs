//! Writes a route as an OpenAPI operation.

use serde_json::{Map, Value, json};

use super::examples::Examples;
use super::parameters::{BOOKMARK, IDEMPOTENCY_KEY, in_query};
use super::schemas::Schemas;
use crate::api::{Failure, Meta, PageMeta, Ref, WebhookEvent};
use crate::web::{Access, Body, Data, Description, Needs, Route};

/// The member of a response with the media types that `content` does not have. Generators of clients do not support images, and
/// the files that the service hosts have several types.
pub(super) const MEDIA_TYPES: &str = "x-media-types";

impl Description {
    /// Returns the operation object for its path and method.
    pub(super) fn write(&self, route: &Route, schemas: &mut Schemas, examples: &Examples) -> Value {
        let accounts = || vec![json!({ "session": [] }), json!({ "cookie": [] })];
        let header = || json!({ "authorization": [] });
        let security = match route.access {
            Access::Public(_) | Access::Private(Needs::Message, _) => Vec::new(),
            Access::Private(Needs::Session, _) => accounts(),
            Access::Private(Needs::Account | Needs::Metrics, _) => {
                [vec![header()], accounts()].concat()
            }
            Access::Private(Needs::Key(scope), _) => {
                let key = json!({ "key": [scope.name()] });
                [vec![header()], accounts(), vec![key]].concat()
            }
        };
        let path = route.pattern.0;
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag.unwrap_or_else(|| path.split('/').nth(1).unwrap_or_default())],
            "summary": self.summary,
            "security": security,
            "responses": self.responses(route, schemas, examples),
        });
        if !self.details.is_empty() {
            operation["description"] = json!(self.details);
        }
        let parameters = self.parameters(route, schemas);
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if let Some(body) = self.body {
            let schema = schemas.body_of(body);
            // Routes with a JSON body also accept forms, which the introduction describes. With two media types, generated clients
            // choose the form.
            let content = if matches!(route.body, Body::File { .. }) {
                json!({ "multipart/form-data": { "schema": schema } })
            } else {
                json!({ "application/json": with_example(&schema, examples.request(self.id)) })
            };
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation
    }

    fn parameters(&self, route: &Route, schemas: &mut Schemas) -> Vec<Value> {
        let named = |name| json!({ "$ref": format!("#/components/parameters/{name}") });
        let segments = route.pattern.0.split('/');
        let in_path = segments.filter_map(|segment| segment.strip_prefix(':'));
        let key = route.takes_key().then_some(IDEMPOTENCY_KEY);
        let bookmark = route.copies.then_some(BOOKMARK);
        let query = route
            .parameters()
            .map(|parameter| in_query(parameter, schemas));
        in_path
            .map(named)
            .chain(query)
            .chain(key.into_iter().chain(bookmark).map(named))
            .collect()
    }

    fn responses(&self, route: &Route, schemas: &mut Schemas, examples: &Examples) -> Value {
        // All failures have this shape.
        schemas.answer::<Failure>();
        let mut responses = Map::new();
        for status in self.statuses {
            let mut response = self.success(*status, schemas, examples);
            if route.is_private() {
                response["headers"]["X-Bookmark"] =
                    json!({ "$ref": "#/components/headers/X-Bookmark" });
            }
            responses.insert(status.to_string(), response);
        }
        let failures = self.failures(route);
        for (status, _) in &failures {
            let codes = failures.iter().filter(|(of, _)| of == status);
            let codes: Vec<_> = codes.map(|(_, code)| *code).collect();
            let example = examples.answer(self.id, *status);
            responses.insert(status.to_string(), self.failure(&codes, example));
        }
        if let Some((shape, statuses)) = self.refusals {
            let refusal = schemas.answer_of(shape);
            for status in statuses {
                let mut response = match responses.remove(&status.to_string()) {
                    Some(failure) => failure,
                    None => json!({ "description": "The request is refused." }),
                };
                let content = &mut response["content"]["application/json"]["schema"];
                let shapes = [content.take(), refusal.clone()];
                let shapes: Vec<Value> = shapes
                    .into_iter()
                    .filter(|shape| !shape.is_null())
                    .collect();
                *content = json!({ "anyOf": shapes });
                responses.insert(status.to_string(), response);
            }
        }
        Value::Object(responses)
    }

    fn success(&self, status: u16, schemas: &mut Schemas, examples: &Examples) -> Value {
        let description = match status {
            201 => "Created.",
            302 | 303 | 307 => {
                let description = match status {
                    302 => "A redirect to a page for people.",
                    303 => "A redirect to the Open Badge.",
                    _ => "A redirect to the certificate.",
                };
                return json!({
                    "description": description,
                    "headers": { "Location": { "schema": { "type": "string" } } },
                });
            }
            404 => "There are no links.",
            _ => "Success.",
        };
        let envelope = match self.data {
            Data::Text => {
                return json!({ "description": description, "content": { "text/plain": {} } });
            }
            Data::Image(media) => {
                let description = format!("{description} The body is an image (`{media}`).");
                return json!({ "description": description, MEDIA_TYPES: [media] });
            }
            Data::Document(media) => {
                let schema = json!({ "type": "object" });
                let mut answer = json!({
                    "description": description,
                    "content": { media: { "schema": schema } },
                });
                if let Some(media) = self.also {
                    answer[MEDIA_TYPES] = json!([media]);
                }
                return answer;
            }
            Data::File => {
                let description = format!("{description} The body is the file: JSON or an image.");
                let types = ["application/json", "application/vc+ld+json", "image/*"];
                return json!({ "description": description, MEDIA_TYPES: types });
            }
            Data::One(shape) => {
                let data = schemas.answer_of(shape);
                self.envelope(status, data, schemas)
            }
            Data::List(item) => {
                let items = schemas.answer_of(item);
                let data = json!({ "type": "array", "items": items });
                self.envelope(status, data, schemas)
            }
        };
        let content = with_example(&envelope, examples.answer(self.id, status));
        json!({ "description": description, "content": { "application/json": content } })
    }

    /// Returns the schema of the envelope of a successful answer.
    fn envelope(&self, status: u16, data: Value, schemas: &mut Schemas) -> Value {
        let meta = match (self.meta, &self.data) {
            (Some(meta), _) => schemas.answer_of(meta),
            (None, Data::List(_)) => schemas.answer::<PageMeta>(),
            (None, _) => schemas.answer::<Meta>(),
        };
        let id = schemas.answer::<Ref>();
        json!({
            "type": "object",
            "properties": {
                "id": id,
                "status": { "type": "integer", "const": status },
                "data": data,
                "meta": meta,
            },
            "required": ["id", "status", "data", "meta"],
        })
    }
}

/// Returns the content of a JSON body: its schema, and its example if one is recorded.
pub(super) fn with_example(schema: &Value, example: Option<&Value>) -> Value {
    match example {
        Some(example) => json!({ "schema": schema, "example": example }),
        None => json!({ "schema": schema }),
    }
}

/// Returns the webhooks object: the event that the service sends to webhooks.
pub(super) fn webhooks(schemas: &mut Schemas, examples: &Examples) -> Value {
    let event = schemas.answer::<WebhookEvent>();
    json!({
        "event": {
            "post": {
                "operationId": "recordChanged",
                "summary": "A record or an asset has changed",
                "security": [],
                "requestBody": {
                    "required": true,
                    "content": {
                        "application/json": with_example(&event, examples.request("recordChanged")),
                    },
                },
                "responses": {
                    "200": { "description": "The receiver accepted the event. Any status from 200 to 299 has this meaning." },
                },
            },
        },
    })
}
