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

const LEDGER: &str = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";

/// Other programs write the `#` of a share link as `%23`, and add characters to its end.
#[test]
fn browsers_are_redirected_from_a_changed_link_of_a_certificate() {
    let host = support::service();
    for (rest, expected) in [
        ("1%231bZ-_x", "1#1bZ-_x"),
        ("1%25231bZ-_x%3E", "1#1bZ-_x"),
        ("1.", "1"),
        ("1)", "1"),
        ("1%20//evil.example", "1"),
    ] {
        let answer = host.call(open(&format!("/c/{LEDGER}/{rest}")));
        assert_eq!(answer.status, 302, "{rest}");
        let location = format!("/c/{LEDGER}/{expected}");
        assert_eq!(answer.header("location"), Some(location.as_str()), "{rest}");
    }
    let path = format!("/c/{LEDGER}/1%231bZ-_x");
    let answer = host.call(Call::get(path).header("accept", "application/json"));
    assert_eq!(answer.codes(), [422_116]);
}

#[test]
fn a_cut_link_of_a_certificate_shows_browsers_that_it_is_incomplete() {
    let host = support::service();
    for path in [
        "/c/".to_owned(),
        format!("/c/{}", &LEDGER[..20]),
        format!("/c/{LEDGER}/"),
        format!("/c/{}/1", &LEDGER[..41]),
        format!("/c/{LEDGER}/one."),
    ] {
        let answer = host.call(open(&path));
        let text = String::from_utf8(answer.body.clone()).unwrap();
        assert!(
            matches!(answer.status, 400 | 404 | 422),
            "{path}: {}",
            answer.status
        );
        assert!(text.contains(r#"data-text="incomplete.title""#), "{path}");
        assert!(!text.contains("/docs/#422"), "{path}: {text}");
    }
}
