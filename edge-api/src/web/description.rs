//! The description of a route in the description of the API: its id, its sentences, its shapes, and its own errors.

use order_core::Code;

/// A function that generates a shape's schema.
pub(super) type Schema = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// The shape of an answer's `data`.
#[derive(Clone, Copy)]
pub(crate) enum Data {
    One(Schema),
    /// A page of these items.
    List(Schema),
    /// Plain text, without an envelope.
    Text,
    /// An image of this media type, without an envelope.
    Image(&'static str),
    /// An object of this media type, without an envelope.
    Document(&'static str),
    /// A hosted file, without an envelope.
    File,
}

/// The description of a route.
pub(crate) struct Description {
    pub(crate) id: &'static str,
    /// The group of operations. If it is `None`, the first segment of the path.
    pub(crate) tag: Option<&'static str>,
    pub(crate) summary: &'static str,
    /// Further sentences, or an empty string.
    pub(crate) details: &'static str,
    pub(crate) body: Option<Schema>,
    pub(crate) data: Data,
    /// Another media type of the answer, which clients ask for by `Accept`.
    pub(crate) also: Option<&'static str>,
    /// The shape of `meta`. Defaults to `PageMeta` for lists, and to `Meta` for other answers.
    pub(crate) meta: Option<Schema>,
    /// The statuses of successful answers.
    pub(crate) statuses: &'static [u16],
    /// The shape of refusals that another specification demands, and their statuses.
    pub(crate) refusals: Option<(Schema, &'static [u16])>,
    /// Errors of the route itself. The errors of earlier phases are added to them.
    pub(crate) errors: &'static [Code],
    /// Further errors: the first and the last code of each group.
    pub(crate) groups: &'static [(Code, Code)],
}

impl Description {
    /// The description of a route that is not described. Routes of development instances have it.
    pub(super) const NONE: Self = Self {
        id: "",
        tag: None,
        summary: "",
        details: "",
        body: None,
        data: Data::Text,
        also: None,
        meta: None,
        statuses: &[200],
        refusals: None,
        errors: &[],
        groups: &[],
    };

    /// Returns the errors of the route itself. Leaves out reserved codes, which no answer has.
    pub(crate) fn own_errors(&self) -> impl Iterator<Item = Code> {
        let within = |code: &Code| {
            let mut groups = self.groups.iter();
            groups.any(|(first, last)| (first.number()..=last.number()).contains(&code.number()))
        };
        let grouped = Code::all().filter(move |code| within(code) && code.reserved().is_none());
        self.errors.iter().copied().chain(grouped)
    }
}
