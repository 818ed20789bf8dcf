//! The description of a route.

use http::Method;
use order_core::Code;
use schemars::{JsonSchema, SchemaGenerator};

use super::schemas::Shape;

/// The shape of an answer's `data`.
#[derive(Clone, Copy)]
pub(super) enum Data {
    One(Shape),
    /// A page of these items.
    List(Shape),
    /// Plain text, without an envelope.
    Text,
    /// An image of this media type, without an envelope.
    Image(&'static str),
    /// A hosted file, without an envelope.
    File,
}

/// The description of a route.
pub(super) struct Operation {
    pub(super) method: Method,
    /// The route's pattern.
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    /// Further sentences, or an empty string.
    pub(super) description: &'static str,
    pub(super) body: Option<Shape>,
    pub(super) data: Data,
    /// The shape of `meta`. Defaults to `PageMeta` for lists, and to `Meta` for other answers.
    pub(super) meta: Option<Shape>,
    /// The statuses of successful answers.
    pub(super) statuses: &'static [u16],
    /// Errors of the route itself. The errors of earlier phases are added to them.
    pub(super) errors: Vec<Code>,
}

impl Operation {
    pub(super) fn new(
        (method, path): (Method, &'static str),
        (id, summary): (&'static str, &'static str),
        data: Data,
    ) -> Self {
        Self {
            method,
            path,
            id,
            tag: path.split('/').nth(1).unwrap_or_default(),
            summary,
            description: "",
            body: None,
            data,
            meta: None,
            statuses: &[200],
            errors: Vec::new(),
        }
    }

    /// Creates an operation that answers with a single object.
    pub(super) fn one<T: JsonSchema>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        let data = Data::One(SchemaGenerator::subschema_for::<T>);
        Self::new((method, path), (id, summary), data)
    }

    /// Creates an operation that answers with a page of a list.
    pub(super) fn list<T: JsonSchema>(
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        let data = Data::List(SchemaGenerator::subschema_for::<T>);
        Self::new((Method::GET, path), (id, summary), data)
    }

    /// Creates an operation that answers with plain text.
    pub(super) fn plain_text(path: &'static str, id: &'static str, summary: &'static str) -> Self {
        Self::new((Method::GET, path), (id, summary), Data::Text)
    }

    /// Creates an operation that answers with an image of this media type. Its tag is `badge`.
    pub(super) fn image(
        path: &'static str,
        media: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        Self::new((Method::GET, path), (id, summary), Data::Image(media)).tag("badge")
    }

    pub(super) fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    pub(super) fn text(self, description: &'static str) -> Self {
        Self {
            description,
            ..self
        }
    }

    pub(super) fn body<T: JsonSchema>(self) -> Self {
        let body = Some(SchemaGenerator::subschema_for::<T> as Shape);
        Self { body, ..self }
    }

    pub(super) fn meta<T: JsonSchema>(self) -> Self {
        let meta = Some(SchemaGenerator::subschema_for::<T> as Shape);
        Self { meta, ..self }
    }

    pub(super) fn statuses(self, statuses: &'static [u16]) -> Self {
        Self { statuses, ..self }
    }

    pub(super) fn errors(mut self, codes: &[Code]) -> Self {
        self.errors.extend_from_slice(codes);
        self
    }

    /// Adds the codes from `first` to `last`, except reserved codes, which no answer has.
    pub(super) fn errors_between(mut self, first: Code, last: Code) -> Self {
        let bounds = first.number()..=last.number();
        let between = Code::all().filter(|code| bounds.contains(&code.number()));
        self.errors
            .extend(between.filter(|code| code.reserved().is_none()));
        self
    }
}
