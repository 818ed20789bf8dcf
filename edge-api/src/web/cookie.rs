//! The cookie of a session, for pages of this service.
//!
//! Browsers accept a cookie with the prefix `__Host-` only from the host itself, not from another host of its domain. They
//! also require https. For plain http, Chromium makes an exception for names of the local machine, which a development
//! instance uses.

use http::{HeaderName, Method, header};
use order_core::Code;

use super::Request;
use crate::failure::Failure;

/// The name of the cookie.
pub(crate) const SESSION_COOKIE: &str = "__Host-session";

/// The header in which a browser states how the site of the requesting page relates to this service (Fetch Metadata).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns the value of `Set-Cookie` that makes a browser keep the token for this many milliseconds.
pub(crate) fn set(token: &str, milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    format!(
        "{SESSION_COOKIE}={token}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Strict"
    )
}

/// Returns the token in a request's session cookie, if the request has the cookie.
///
/// # Errors
/// 401001 if the request has more than one session cookie, because another page may have added one of them.
pub(super) fn token(request: &Request) -> Result<Option<&str>, Failure> {
    let values = request.headers.get_all(header::COOKIE).iter();
    let mut tokens = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == SESSION_COOKIE)
        .map(|(_, token)| token);
    match (tokens.next(), tokens.next()) {
        (token, None) => Ok(token),
        (_, Some(_)) => Err(Failure::one(
            Code::CredentialNotValid,
            "cookie",
            format!("the request has more than one cookie `{SESSION_COOKIE}`"),
        )),
    }
}

/// Checks that no page of another origin sent the request. A request other than GET and HEAD must have the header `Origin`, which
/// browsers always send with such a request.
///
/// # Errors
/// 403022 if a page of another origin sent the request, or if the required `Origin` is missing.
pub(crate) fn from_own_page(request: &Request) -> Result<(), Failure> {
    let changes = !matches!(request.method, Method::GET | Method::HEAD);
    let mut origins = request.headers.get_all(header::ORIGIN).iter();
    let is_own_origin = match (origins.next(), origins.next()) {
        (None, _) => !changes,
        (Some(origin), None) => origin.as_bytes() == request.origin.as_bytes(),
        (Some(_), Some(_)) => false,
    };
    // A page of another site may send a GET without `Origin`, for example as an image.
    let site = request.header(&SEC_FETCH_SITE);
    let is_own_site = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
    if is_own_origin && is_own_site {
        return Ok(());
    }
    Err(Failure::one(
        Code::OriginNotAllowed,
        "origin",
        Code::OriginNotAllowed.message(),
    ))
}
