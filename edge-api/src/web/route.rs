//! Routes: their callers, the body that they read, and their handlers.

use std::future::Future;
use std::pin::Pin;

use http::Method;
use order_core::Address;

use super::{Body, Handled, Input, Pattern};

/// A handler's decision in progress.
pub(crate) type Deciding<'a> = Pin<Box<dyn Future<Output = Handled> + 'a>>;

/// The callers of a route.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Any caller.
    Public(for<'a> fn(&'a Input<'_>) -> Deciding<'a>),
    /// Any caller. If an image is expected, errors are images too.
    Image(for<'a> fn(&'a Input<'_>) -> Deciding<'a>),
    /// The account that signed the Authorization header.
    Private {
        /// True if the contract lists 400014 for the route, so an instance may require an identified account.
        identified: bool,
        /// The handler, called with the caller's account.
        handler: for<'a> fn(&'a Input<'_>, Address) -> Deciding<'a>,
    },
}

/// A method of a path.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) pattern: Pattern,
    pub(crate) body: Body,
    pub(crate) access: Access,
    /// True if requests count against the limits of client address and account.
    pub(crate) limited: bool,
}
