//! Small HTML pages instead of JSON, for browsers that open an address of the API.

use std::fmt::Write as _;

use http::{Method, StatusCode, header};
use serde_json::Value;

use super::{PageText, Request, Response, Success, link};
use crate::config::{Contact, Operator};
use crate::failure::Failure;

/// The template of the pages, with the placeholders `{heading}`, `{key}`, `{lead}` and `{content}`.
const PAGE: &str = include_str!("../../assets/page.html");

/// The parts that all pages share, such as head and navigation. The build inserts the same files into the pages of
/// `www`.
const PARTS: [(&str, &str); 3] = [
    (
        "<!-- part: head -->",
        include_str!("../../../www/parts/head.html"),
    ),
    (
        "<!-- part: nav -->",
        include_str!("../../../www/parts/nav.html"),
    ),
    (
        "<!-- part: languages -->",
        include_str!("../../../www/parts/languages.html"),
    ),
];

/// The content policy of the pages. No site can frame a page. The only script of a page loads the texts in the visitor's language.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The place of the line about the operator. In the pages of `www`, a script fills it.
const OPERATOR: &str = "<!-- part: operator -->";

/// Returns a page with its shared parts and the line about the operator.
pub(crate) fn with_parts(page: &str, operator: &Operator) -> String {
    let page = PARTS.iter().fold(page.to_owned(), |page, (mark, part)| {
        page.replace(mark, part.trim_end())
    });
    page.replace(OPERATOR, &operator_line(operator))
}

/// Returns the line about the operator. `data-known` tells the page's script that nothing has to be fetched.
fn operator_line(operator: &Operator) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &operator.name {
        parts.push(format!(
            r#"<span data-text="operator.runBy">Run by</span> <bdi translate="no">{}</bdi>"#,
            escape(name)
        ));
    }
    let contact = operator.contact.as_ref().map(Contact::link);
    let links = [
        (
            contact,
            r#"rel="noopener" data-text="operator.contact">Contact<"#,
        ),
        (
            operator.imprint_url.clone(),
            r#"rel="noopener" data-text="operator.legal">Legal notice<"#,
        ),
        (
            operator.privacy_url.clone(),
            r#"rel="noopener" data-text="operator.privacy">Privacy<"#,
        ),
    ];
    for (address, text) in links {
        if let Some(address) = address {
            parts.push(format!(r#"<a href="{}" {text}/a>"#, escape(&address)));
        }
    }
    format!(
        r#"<p class="operator" id="operator" data-known>{}</p>"#,
        parts.join(" · ")
    )
}

/// Returns the page for an outcome if a person opened the address in a browser. Otherwise returns `None`, and the client gets JSON.
/// Every failure has a page. A success has a page only if `text` is set.
///
/// A request comes from a person if `text/html` is the first type in `Accept`, because only browsers send this. The method must be GET
/// or HEAD, and the path must have no file extension other than `.html`. The link of a certificate may end with a full stop.
pub(crate) fn page(
    request: &Request,
    operator: &Operator,
    id: &str,
    outcome: &Result<Success, Failure>,
    text: Option<PageText>,
) -> Option<Response> {
    if !wanted(request) {
        return None;
    }
    match outcome {
        Err(failure) => {
            if let Some(location) = repaired(request, failure) {
                return Some(redirect(&location));
            }
            let status = failure.http_status();
            let page = if is_cut(request, status) {
                incomplete()
            } else {
                refusal(request, id, status, failure)
            };
            let mut response = respond(status, operator, &page);
            for (name, value) in failure.headers.iter().cloned() {
                response.headers.insert(name, value);
            }
            Some(response)
        }
        Ok(Success::Data { status, data, .. }) => {
            let text = text?;
            let data: Value = serde_json::from_str(data).ok()?;
            Some(respond(*status, operator, &fields(text, &data)))
        }
        Ok(_) => None,
    }
}

/// Returns the right address of a certificate's page, if the request failed because another program changed the link.
fn repaired(request: &Request, failure: &Failure) -> Option<String> {
    let location = link::repaired(&request.path)?;
    is_cut(request, failure.http_status()).then_some(location)
}

/// Returns true if a request failed because a certificate's link lacks a part or has too much.
fn is_cut(request: &Request, status: StatusCode) -> bool {
    let is_wrong = matches!(
        status,
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY
    );
    is_wrong && link::is_link(&request.path)
}

fn redirect(location: &str) -> Response {
    Response::empty(StatusCode::FOUND)
        .with_text(header::LOCATION, location)
        .with(header::CACHE_CONTROL, "no-store")
        .with(header::REFERRER_POLICY, "no-referrer")
        .with(header::VARY, "Accept")
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
        .is_some_and(|name| name.contains('.') && !name.ends_with(".html"));
    matches!(request.method, Method::GET | Method::HEAD)
        && first.is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"))
        && (!of_a_file || link::is_link(&request.path))
}

/// A page for people. `pkg/view/texts` has the translations of heading and lead, as `title` and `lead` in the group `key`.
struct Page {
    text: PageText,
    /// HTML, with the indentation of the page.
    content: String,
}

fn respond(status: StatusCode, operator: &Operator, page: &Page) -> Response {
    let mut response = Response::empty(status)
        .with(header::CONTENT_TYPE, "text/html; charset=utf-8")
        .with(header::CONTENT_SECURITY_POLICY, POLICY)
        .with(header::REFERRER_POLICY, "no-referrer")
        .with(header::VARY, "Accept");
    // The content is inserted last, so placeholders in untrusted text are not replaced.
    response.body = with_parts(PAGE, operator)
        .replace("{key}", page.text.key)
        .replace("{heading}", page.text.heading)
        .replace("{lead}", page.text.lead)
        .replace("{content}", &page.content)
        .into_bytes();
    response
}

const fn text(key: &'static str, heading: &'static str, lead: &'static str) -> PageText {
    PageText { key, heading, lead }
}

/// Returns the page for the link of a certificate that lacks a part. The error's details would not help a visitor.
fn incomplete() -> Page {
    let text = text(
        "incomplete",
        "This link is incomplete",
        "A part of the link is missing. Ask the sender for the link again, and copy all of it.",
    );
    let content = r#"      <ul>
        <li><a href="/verify/" data-text="error.verify">Verify a certificate that you were shown</a></li>
      </ul>
"#;
    Page {
        text,
        content: content.to_owned(),
    }
}

/// Links for a visitor whose request was refused, and the start of the list of errors.
const WAYS_ON: &str = r#"      <ul>
        <li><a href="/" data-text="error.home">Home: about these certificates</a></li>
        <li><a href="/verify/" data-text="error.verify">Verify a certificate that you were shown</a></li>
        <li><a href="/docs/" data-text="error.docs">API reference, for programmers</a></li>
      </ul>
      <h2 data-text="error.details">Technical details</h2>
      <ul lang="en">
"#;

fn refusal(request: &Request, id: &str, status: StatusCode, failure: &Failure) -> Page {
    let text = match status {
        StatusCode::NOT_FOUND => text(
            "error.notFound",
            "Page not found",
            "There is nothing at this address. Check it for mistakes.",
        ),
        StatusCode::UNAUTHORIZED => text(
            "error.unsigned",
            "This address is for programs",
            "It belongs to the API, and its requests are signed.",
        ),
        StatusCode::TOO_MANY_REQUESTS => text(
            "error.busy",
            "Too many requests",
            "Wait a few seconds, then reload this page.",
        ),
        _ if status.is_server_error() => text(
            "error.failed",
            "Something went wrong",
            "The service could not answer. Try again in a moment.",
        ),
        _ => text(
            "error.refused",
            "Request refused",
            "This address belongs to the API, which does not accept this request.",
        ),
    };
    let mut content = WAYS_ON.to_owned();
    for error in &failure.errors {
        let code = error.code.number();
        let message = prose(&error.message);
        // Writing to a string cannot fail.
        let _ = writeln!(
            content,
            "        <li><a href=\"/docs/#{code}\"><code>{code}</code></a> {message}</li>"
        );
    }
    let _ = writeln!(
        content,
        "      </ul>\n      <p class=\"hint\" lang=\"en\">{} <code>{}</code>, request <code>{}</code></p>",
        request.method,
        escape(&request.path),
        escape(id)
    );
    Page { text, content }
}

/// Returns a page that lists the fields of `data`. The names and values of the fields are in English.
fn fields(text: PageText, data: &Value) -> Page {
    let mut content = "      <table lang=\"en\">\n        <tbody>\n".to_owned();
    for (name, value) in data.as_object().into_iter().flatten() {
        let _ = writeln!(
            content,
            "          <tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            escape(&words(name)),
            escape(&shown(value))
        );
    }
    content.push_str("        </tbody>\n      </table>\n");
    Page { text, content }
}

/// Returns a camel-case name as words: `Rate limits` for `rateLimits`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for (index, letter) in name.char_indices() {
        match letter {
            _ if index == 0 => words.push(letter.to_ascii_uppercase()),
            'A'..='Z' => words.extend([' ', letter.to_ascii_lowercase()]),
            _ => words.push(letter),
        }
    }
    words
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

/// Returns a sentence as HTML. Text in backticks becomes code.
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
pub(crate) fn escape(text: &str) -> String {
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
