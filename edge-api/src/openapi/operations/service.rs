//! The description of `/health`.

use http::Method;

use super::super::description::Operation;
use crate::api::Health;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Health>(
            Method::GET,
            "/health",
            "getHealth",
            "Get the state of the service",
        )
        .tag("service"),
    ]
}
