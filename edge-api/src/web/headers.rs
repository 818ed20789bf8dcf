//! The headers that every answer has, and the answer to a browser's preflight request.

use http::{Method, StatusCode, header};

use super::{Request, Response, Table};

/// Sets the headers that every answer has, unless the answer already has them. Removes the body of an answer to HEAD.
pub(super) fn finish(table: &Table, request: &Request, id: &str, response: &mut Response) {
    let headers = &mut response.headers;
    let mut set = |name: http::HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(http::HeaderValue::from_static(value));
    };
    // Outside the development paths, any page may read any answer, because pages of other sites cannot request private data.
    // Browsers never add the Authorization header by themselves, and the session cookie works only for pages of this service.
    if !table.is_development(&request.path) {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            "x-request-id, x-replay-id, x-bookmark, x-asset-validity, idempotency-replayed, retry-after, ratelimit-policy, allow",
        );
    }
    set(header::CACHE_CONTROL, "no-store");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(
        http::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    if let Ok(id) = http::HeaderValue::from_str(id) {
        // A replayed answer keeps the id of the original request.
        headers.entry("x-request-id").or_insert(id);
    }
    if request.method == Method::HEAD {
        response.body.clear();
    }
}

/// Answers OPTIONS. Pages of any origin may send every request that the service accepts (Fetch standard, "CORS-preflight
/// request"), except requests to `/development`.
pub(super) fn preflight(table: &Table, request: &Request) -> Response {
    let response = Response::empty(StatusCode::NO_CONTENT);
    if table.is_development(&request.path) {
        return response;
    }
    response
        .with(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            "GET, POST, PUT, DELETE, HEAD, OPTIONS",
        )
        .with(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, idempotency-key, x-bookmark",
        )
        .with(header::ACCESS_CONTROL_MAX_AGE, "86400")
}
