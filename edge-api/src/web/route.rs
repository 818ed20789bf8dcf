//! Routes: who may call one, what it reads of the body, and its handler.

use std::future::Future;
use std::pin::Pin;

use http::Method;
use order_core::Address;

use super::{Body, Handled, Input, Pattern};

/// The decision of a handler, when it is made.
pub(crate) type Deciding<'a> = Pin<Box<dyn Future<Output = Handled> + 'a>>;

/// The callers of a route.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Everybody.
    Public(for<'a> fn(&'a Input<'_>) -> Deciding<'a>),
    /// Everybody; what is wrong is shown as an image too, where an image is expected.
    Image(for<'a> fn(&'a Input<'_>) -> Deciding<'a>),
    /// The account that signs the Authorization header.
    Private {
        /// Whether the contract lists 400014 for it.
        identified: bool,
        /// Gets the caller's account.
        handler: for<'a> fn(&'a Input<'_>, Address) -> Deciding<'a>,
    },
}

/// One method of one path.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) pattern: Pattern,
    pub(crate) body: Body,
    pub(crate) access: Access,
    /// Whether requests are counted, by client address and account.
    pub(crate) limited: bool,
}
