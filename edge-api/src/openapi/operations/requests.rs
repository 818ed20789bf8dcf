//! Descriptions of the routes of the request log.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::Request;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::list::<Request>("/requests", "getRequests", "List requests")
            .text(
                "A request may take a second to appear. With `methods` or `status`, the service reads at most \
                 10,000 requests for a page. The page may then have fewer items than `limit`, or none, although \
                 there is a next page.",
            ),
        Operation::one::<Request>(
            Method::GET,
            "/requests/:requestRef",
            "getRequest",
            "Get a request",
        )
        .errors(&[Code::RequestNotFound]),
    ]
}
