//! API addresses opened in a browser: browsers get a page, other clients get JSON.

use crate::support::{self, Answer, Call};

/// The `Accept` header of a browser's navigation.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

fn open(path: &str) -> Call {
    Call::get(path).header("accept", BROWSER)
}

#[track_caller]
fn page(answer: &Answer, status: u16) -> String {
    let text = String::from_utf8(answer.body.clone()).expect("text");
    assert_eq!(answer.status, status, "{text}");
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{text}"
    );
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';")
            && policy.ends_with("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(text.starts_with("<!doctype html>"), "{text}");
    // The only script loads the texts in the visitor's language.
    let scripts: Vec<&str> = text.split("<script").skip(1).collect();
    assert!(
        scripts.len() == 1 && scripts[0].starts_with(" type=\"module\" src=\"/lib/translated.js\""),
        "{text}"
    );
    assert!(!text.contains("<!-- part:") && !text.contains("{content}"));
    text
}

#[test]
fn a_refusal_is_a_page_with_the_reason() {
    let host = support::service();
    let missing = page(&host.call(open("/nothing")), 404);
    assert!(missing.contains(">Page not found</h1>"), "{missing}");
    page(&host.call(open("/nothing.html")), 404);
    assert!(missing.contains("href=\"/docs/#400000\""), "{missing}");
    let unsigned = page(&host.call(open("/orders")), 401);
    assert!(
        unsigned.contains(">This address is for programs</h1>"),
        "{unsigned}"
    );
    assert!(
        unsigned.contains("<code>Authorization</code>"),
        "{unsigned}"
    );
    let refused = host.call(open("/stats/tickers?fromDate=never"));
    assert!(page(&refused, refused.status).contains(">Request refused</h1>"));
    let head = host.call(Call::new("HEAD", "/nothing").header("accept", BROWSER));
    assert_eq!((head.status, head.body.len()), (404, 0));
}

#[test]
fn health_is_a_page_for_browsers() {
    let health = page(&support::service().call(open("/health")), 200);
    assert!(
        health.contains("<th scope=\"row\">Version</th>")
            && health.contains("<th scope=\"row\">Rate limits</th>"),
        "{health}"
    );
    assert!(health.contains("ENVIRONMENT=development"), "{health}");
}

#[test]
fn programs_get_json() {
    let host = support::service();
    for accept in [
        "",
        "*/*",
        "application/json",
        "application/json, text/html",
        "image/*",
    ] {
        host.call(Call::get("/nothing").header("accept", accept))
            .fails(404, &[400_000]);
        assert!(
            host.call(Call::get("/health").header("accept", accept))
                .data()
                .is_object()
        );
    }
    host.call(Call::get("/nothing")).fails(404, &[400_000]);
    host.call(open("/nothing.json")).fails(404, &[400_000]);
    host.call(Call::new("POST", "/nothing").header("accept", BROWSER))
        .fails(404, &[400_000]);
}

#[test]
fn untrusted_text_is_escaped() {
    let host = support::service();
    let path = page(&host.call(open("/&lt;'x'")), 404);
    assert!(path.contains("/&amp;lt;&#39;x&#39;"), "{path}");
    let query = host.call(open("/stats/tickers?fromDate=%3Cimg%20src%3Dx%3E"));
    assert!(!page(&query, query.status).contains("<img src=x"));
}

#[test]
fn answers_have_an_opener_policy_and_only_production_answers_have_hsts() {
    let development = support::service().call(Call::get("/health"));
    assert_eq!(
        development.header("cross-origin-opener-policy"),
        Some("same-origin")
    );
    assert_eq!(development.header("strict-transport-security"), None);
    let production = support::shared(support::PRODUCTION).call(Call::get("/nothing"));
    assert_eq!(
        production.header("strict-transport-security"),
        Some("max-age=31536000")
    );
}
