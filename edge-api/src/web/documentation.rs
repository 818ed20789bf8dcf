//! The settings of a route that only the description of the API has. The Worker does not contain them.
#![cfg_attr(
    not(feature = "native"),
    expect(
        unused_mut,
        unused_variables,
        reason = "the Worker has no descriptions of its routes"
    )
)]

use order_core::Code;

use super::Route;
#[cfg(feature = "native")]
use super::description::Data;
use crate::api::Shape;

/// Each route of the API has an id and a summary: the arguments of the setting that names the shape of its answers.
impl Route {
    /// The route answers with a single object.
    pub(crate) const fn answers<T: Shape>(
        mut self,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.data = Data::One(schemars::SchemaGenerator::subschema_for::<T>);
        }
        self.named(id, summary)
    }

    /// The route answers with a page of a list.
    pub(crate) const fn lists<T: Shape>(mut self, id: &'static str, summary: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.data = Data::List(schemars::SchemaGenerator::subschema_for::<T>);
        }
        self.named(id, summary)
    }

    /// The route answers with plain text.
    pub(crate) const fn answers_text(self, id: &'static str, summary: &'static str) -> Self {
        self.named(id, summary)
    }

    /// The route answers with an image of this media type.
    pub(crate) const fn answers_image(
        mut self,
        media: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.data = Data::Image(media);
        }
        self.named(id, summary).tag("badge")
    }

    /// The route answers with a JSON object of this media type, without an envelope.
    pub(crate) const fn answers_document(
        mut self,
        media: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.data = Data::Document(media);
        }
        self.named(id, summary)
    }

    /// The route also answers with this media type, without an envelope.
    pub(crate) const fn also_answers(mut self, media: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.also = Some(media);
        }
        self
    }

    /// The route answers with a hosted file.
    pub(crate) const fn answers_file(mut self, id: &'static str, summary: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.data = Data::File;
        }
        self.named(id, summary)
    }

    const fn named(mut self, id: &'static str, summary: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            (self.description.id, self.description.summary) = (id, summary);
        }
        self
    }

    /// The group of operations. By default, the first segment of the path.
    pub(crate) const fn tag(mut self, tag: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.tag = Some(tag);
        }
        self
    }

    /// Sentences after the summary.
    pub(crate) const fn details(mut self, details: &'static str) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.details = details;
        }
        self
    }

    /// The shape of `meta`, if it is not the usual one.
    pub(crate) const fn meta<T: Shape>(mut self) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.meta = Some(schemars::SchemaGenerator::subschema_for::<T>);
        }
        self
    }

    /// The statuses of successful answers, if not only 200.
    pub(crate) const fn statuses(mut self, statuses: &'static [u16]) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.statuses = statuses;
        }
        self
    }

    /// The shape of refusals that another specification demands, and their statuses.
    pub(crate) const fn refuses_with<T: Shape>(mut self, statuses: &'static [u16]) -> Self {
        #[cfg(feature = "native")]
        {
            let shape: super::description::Schema = schemars::SchemaGenerator::subschema_for::<T>;
            self.description.refusals = Some((shape, statuses));
        }
        self
    }

    /// The route's own errors. The errors of the phases before the handler are added to them.
    pub(crate) const fn errors(mut self, errors: &'static [Code]) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.errors = errors;
        }
        self
    }

    /// Further errors of the route: all codes from the first to the last of each pair.
    pub(crate) const fn errors_between(mut self, groups: &'static [(Code, Code)]) -> Self {
        #[cfg(feature = "native")]
        {
            self.description.groups = groups;
        }
        self
    }
}
