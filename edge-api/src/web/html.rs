//! Small HTML pages in place of JSON, for browsers that open an address of the API.

use std::fmt::Write as _;

use http::{Method, StatusCode, header};
use serde_json::Value;

use super::{PageText, Request, Response, Success};
use crate::failure::Failure;

/// The page runs no scripts and cannot be framed.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the page for an outcome if a person opened the address: for a failure, or if the route has a page (`text`).
/// Programs get JSON. A page needs `text/html` as the first type in `Accept`, which only a browser's navigation sends,
/// and a path without a file extension.
pub(crate) fn page(
    request: &Request,
    id: &str,
    outcome: &Result<Success, Failure>,
    text: Option<PageText>,
) -> Option<Response> {
    if !wanted(request) {
        return None;
    }
    match outcome {
        Err(failure) => {
            let status = failure.http_status();
            let mut response = respond(status, &refusal(request, id, status, failure));
            for (name, value) in failure.headers.iter().cloned() {
                response.headers.insert(name, value);
            }
            Some(response)
        }
        Ok(Success::Data { status, data, .. }) => {
            let text = text?;
            let data: Value = serde_json::from_str(data).ok()?;
            Some(respond(*status, &fields(text, &data)))
        }
        Ok(_) => None,
    }
}

fn wanted(request: &Request) -> bool {
    let first = request
        .header(&header::ACCEPT)
        .and_then(|accept| accept.split([',', ';']).next())
        .map(str::trim);
    let of_a_file = request
        .path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'));
    matches!(request.method, Method::GET | Method::HEAD)
        && first.is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"))
        && !of_a_file
}

/// A page's heading and the content below it, as HTML.
struct Page {
    heading: String,
    content: String,
}

fn respond(status: StatusCode, page: &Page) -> Response {
    let Page { heading, content } = page;
    let mut response = Response::empty(status)
        .with(header::CONTENT_TYPE, "text/html; charset=utf-8")
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(header::REFERRER_POLICY, "no-referrer")
        .with(header::VARY, "Accept");
    response.body = format!(
        r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{heading} – Assay</title><link rel="icon" href="/logo.svg" type="image/svg+xml"><link rel="stylesheet" href="/style.css"></head>
<body>
<nav aria-label="Pages"><ul><li><a href="/"><img src="/logo.svg" alt="" width="22" height="22"> Assay</a></li><li><a href="/verify/">Verify</a></li><li><a href="/share/">Share</a></li><li><a href="/certify/">Certify</a></li><li><a href="/docs/">API</a></li></ul></nav>
<main>
<h1>{heading}</h1>
{content}</main>
</body>
</html>
"#
    )
    .into_bytes();
    response
}

fn refusal(request: &Request, id: &str, status: StatusCode, failure: &Failure) -> Page {
    let (heading, advice) = match status {
        StatusCode::NOT_FOUND => (
            "Page not found",
            "There is nothing at this address. Check it for mistakes, or start from <a href=\"/\">the first page</a>.",
        ),
        StatusCode::UNAUTHORIZED => (
            "This address is for programs",
            "It belongs to the API, and its requests are signed. <a href=\"/docs/\">The API reference</a> says how.",
        ),
        StatusCode::TOO_MANY_REQUESTS => (
            "Too many requests",
            "Wait a few seconds, then reload this page.",
        ),
        _ if status.is_server_error() => (
            "Something went wrong",
            "The service could not answer. Try again in a moment.",
        ),
        _ => (
            "Request refused",
            "This address belongs to the API. <a href=\"/docs/\">The API reference</a> says what it takes.",
        ),
    };
    let mut content = format!("<p>{advice}</p>\n<ul>\n");
    for error in &failure.errors {
        let code = error.code.number();
        let message = prose(&error.message);
        // Writing to a string cannot fail.
        let _ = writeln!(
            content,
            "<li><a href=\"/docs/#{code}\"><code>{code}</code></a> {message}</li>"
        );
    }
    let _ = writeln!(
        content,
        "</ul>\n<p class=\"hint\">{} <code>{}</code>, request <code>{}</code></p>",
        request.method,
        escape(&request.path),
        escape(id)
    );
    Page {
        heading: heading.to_owned(),
        content,
    }
}

/// Returns a page that lists the fields of `data` by their names in JSON.
fn fields(text: PageText, data: &Value) -> Page {
    let mut content = format!("<p>{}</p>\n<table>\n<tbody>\n", text.introduction);
    for (name, value) in data.as_object().into_iter().flatten() {
        let _ = writeln!(
            content,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            escape(name),
            escape(&shown(value))
        );
    }
    content.push_str("</tbody>\n</table>\n");
    Page {
        heading: text.heading.to_owned(),
        content,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| format!("{name}: {}", shown(field)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

/// Returns a sentence as HTML, with text in backticks as code.
fn prose(text: &str) -> String {
    let parts = text.split('`').map(escape).enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => part,
            _ => format!("<code>{part}</code>"),
        })
        .collect()
}

/// Escapes text for HTML content and for quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
