//! A route: one method of a path, with its handler and the settings that the pipeline needs.

use std::future::Future;
use std::pin::Pin;

use http::Method;
use order_core::Address;
use serde_json::Value;

#[cfg(feature = "native")]
use super::description::Description;
use super::{
    BODY_LIMIT, Body, Handled, Input, Match, Param, Parameter, Parameters, Pattern, Request,
    Success,
};
use crate::api::{BodyShape, KeyScope};
use crate::context::Context;
use crate::failure::Failure;

/// A boxed future, as handlers return it.
pub(crate) type Computing<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The callers of a route, and its handler.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Any caller.
    Public(for<'a> fn(&'a Input<'_>, &'a Match) -> Computing<'a, Handled>),
    /// An account with one of the needed credentials.
    Private(
        Needs,
        for<'a> fn(&'a Input<'_>, &'a Match, Address) -> Computing<'a, Handled>,
    ),
}

/// The credentials that a private route accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A session, the signed header, or an API key with this scope.
    Key(KeyScope),
    /// A session or the signed header.
    Account,
    /// A session. The signed header never expires, so it must not create other credentials.
    Session,
    /// A signed message in the body, which starts a session.
    Message,
    /// A session, the signed header, or the operator's token for metrics.
    Metrics,
}

/// A secret in a route's answers. Answers are stored for an idempotency key without their secret.
#[derive(Clone, Copy)]
pub(crate) struct Secret {
    /// The secret's field in `data`.
    pub(crate) field: &'static str,
    /// Reads the caller's secret again when a stored answer is repeated. The last argument is the stored `data`. Returns null if there is
    /// no secret.
    pub(crate) read:
        for<'a> fn(&'a Context<'_>, Address, &'a Value) -> Computing<'a, Result<Value, Failure>>,
}

/// The text of the page that a browser gets instead of a route's JSON. The page also lists the fields of `data`.
#[derive(Clone, Copy)]
pub(crate) struct PageText {
    /// The group in `pkg/view/texts` with the page's `title` and `lead` in each language.
    pub(crate) key: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: &'static str,
}

/// A function that replaces the answer to a failure.
pub(crate) type OnFailure = fn(&Context<'_>, &Request, Failure) -> Result<Success, Failure>;

/// A method of a path, with its settings and its handler.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) pattern: Pattern,
    pub(crate) body: Body,
    /// The route's own query parameters, and groups of parameters that it shares with other routes. Private routes and lists refuse other
    /// names.
    query: &'static [Parameter],
    groups: &'static [&'static [Parameter]],
    /// True if the route answers with pages of a list.
    pub(crate) is_list: bool,
    pub(crate) access: Access,
    /// True if an instance may require an identified account (400014). This is the default for private routes.
    pub(crate) identified: bool,
    /// True if requests count against the limits of client address and account.
    pub(crate) limited: bool,
    /// True if only administrators may call the route.
    pub(crate) admin: bool,
    /// True if the route works while changes are paused, because it only ends a session or revokes a key.
    pub(crate) revokes: bool,
    /// True if a replica may answer. A replica can lack the most recent changes.
    pub(crate) copies: bool,
    pub(crate) secret: Option<Secret>,
    pub(crate) page: Option<PageText>,
    pub(crate) on_failure: Option<OnFailure>,
    #[cfg(feature = "native")]
    pub(crate) description: Description,
}

impl Route {
    pub(crate) const fn get(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::GET, path, handler)
    }

    pub(crate) const fn post(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::POST, path, handler)
    }

    pub(crate) const fn put(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::PUT, path, handler)
    }

    pub(crate) const fn delete(path: &'static str, handler: Handler) -> Self {
        Self::new(Method::DELETE, path, handler)
    }

    /// Creates a route without a body. The handler takes `params` as arguments.
    ///
    /// # Panics
    /// If `params` are not the parameters of the pattern. In a static table that is a compile error.
    const fn new(method: Method, pattern: &'static str, (access, params): Handler) -> Self {
        let pattern = Pattern(pattern);
        assert!(
            pattern.has_params(params),
            "the handler's parameters differ from the pattern's"
        );
        Self {
            method,
            pattern,
            body: Body::Ignored,
            query: &[],
            groups: &[],
            is_list: false,
            access,
            identified: matches!(access, Access::Private(..)),
            limited: true,
            admin: false,
            revokes: false,
            copies: false,
            secret: None,
            page: None,
            on_failure: None,
            #[cfg(feature = "native")]
            description: Description::NONE,
        }
    }

    /// Returns true if only accounts may call the route.
    pub(crate) const fn is_private(&self) -> bool {
        matches!(self.access, Access::Private(..))
    }

    /// Makes the route read a JSON body of this shape.
    pub(crate) const fn json<B: BodyShape>(self) -> Self {
        self.reads::<B>(Body::Json { fields: B::FIELDS })
    }

    /// Makes the route read a form of this shape, with a file.
    pub(crate) const fn file<B: BodyShape>(self) -> Self {
        self.file_up_to::<B>(BODY_LIMIT)
    }

    /// Like [`Route::file`], for a form of at most this number of bytes.
    pub(crate) const fn file_up_to<B: BodyShape>(self, most: usize) -> Self {
        self.reads::<B>(Body::File {
            fields: B::FIELDS,
            most,
        })
    }

    const fn reads<B: BodyShape>(mut self, body: Body) -> Self {
        self.body = body;
        #[cfg(feature = "native")]
        {
            self.description.body = Some(schemars::SchemaGenerator::subschema_for::<B>);
        }
        self
    }

    /// Gives the route these query parameters.
    pub(crate) const fn query<Q: Parameters>(mut self) -> Self {
        (self.query, self.groups) = (Q::OWN, Q::GROUPS);
        self.is_list = Q::IS_LIST;
        self
    }

    /// Returns all query parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        self.query
            .iter()
            .chain(self.groups.iter().copied().flatten())
    }

    /// Returns true if the route refuses unknown names. Public pages, badges, images and files ignore them, because other
    /// websites add tracking parameters to links.
    pub(crate) const fn is_strict(&self) -> bool {
        self.is_private() || self.is_list
    }

    /// Makes the route read a body as bytes.
    pub(crate) const fn bytes(mut self) -> Self {
        self.body = Body::Bytes;
        self
    }

    /// Lets unidentified accounts call the route on every instance.
    pub(crate) const fn unidentified(mut self) -> Self {
        self.identified = false;
        self
    }

    /// Lets only administrators call the route.
    pub(crate) const fn admin(mut self) -> Self {
        self.admin = true;
        self.identified = false;
        self
    }

    /// Makes the route work while changes are paused.
    pub(crate) const fn revokes(mut self) -> Self {
        self.revokes = true;
        self
    }

    /// Returns true if the route accepts an `Idempotency-Key`.
    pub(crate) fn takes_key(&self) -> bool {
        self.method == Method::POST
            && matches!(&self.access, Access::Private(needs, _) if *needs != Needs::Message)
    }

    /// Exempts the route from rate limits.
    pub(crate) const fn unlimited(mut self) -> Self {
        self.limited = false;
        self
    }

    /// Lets a replica of the database answer. On a private route, a replica answers only requests with a bookmark.
    pub(crate) const fn served_by_copies(mut self) -> Self {
        self.copies = true;
        self
    }

    /// Declares a secret in the route's answers.
    pub(crate) const fn secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// Shows the answer to browsers as a page.
    pub(crate) const fn page(mut self, page: PageText) -> Self {
        self.page = Some(page);
        self
    }

    /// Sets the function that replaces the answer to a failure.
    pub(crate) const fn on_failure(mut self, replace: OnFailure) -> Self {
        self.on_failure = Some(replace);
        self
    }
}

/// A handler, and the path parameters that it takes.
pub(crate) type Handler = (Access, &'static [Param]);

/// Wraps a handler that any caller may call: `async fn(&Input) -> Handled`, with a `&str` for each path parameter.
macro_rules! public {
    ($handler:path) => {
        (
            $crate::web::Access::Public(|input, _| Box::pin($handler(input))),
            &[],
        )
    };
    ($handler:path, $($param:ident),+) => {
        (
            $crate::web::Access::Public(|input, path| {
                Box::pin($handler(input, $(path.get($crate::web::Param::$param)),+))
            }),
            &[$($crate::web::Param::$param),+],
        )
    };
}
pub(crate) use public;

/// Wraps a handler for accounts. The first argument is the credential that the route needs: `Read`, `Orders` and `Webhooks` are
/// scopes of API keys, and other names are variants of [`Needs`]. The second argument is the handler,
/// `async fn(&Input, Address) -> Handled`, with a `&str` for each path parameter.
macro_rules! private {
    (@needs Read) => { $crate::web::Needs::Key($crate::api::KeyScope::Read) };
    (@needs Orders) => { $crate::web::Needs::Key($crate::api::KeyScope::Orders) };
    (@needs Webhooks) => { $crate::web::Needs::Key($crate::api::KeyScope::Webhooks) };
    (@needs $other:ident) => { $crate::web::Needs::$other };
    ($needs:ident, $handler:path) => {
        (
            $crate::web::Access::Private($crate::web::private!(@needs $needs), |input, _, caller| {
                Box::pin($handler(input, caller))
            }),
            &[],
        )
    };
    ($needs:ident, $handler:path, $($param:ident),+) => {
        (
            $crate::web::Access::Private($crate::web::private!(@needs $needs), |input, path, caller| {
                Box::pin($handler(input, caller, $(path.get($crate::web::Param::$param)),+))
            }),
            &[$($crate::web::Param::$param),+],
        )
    };
}
pub(crate) use private;
