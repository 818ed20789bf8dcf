//! `/c/:ledgerRef/:assetId`: a certificate as a page for people, and its data for programs.

use http::{HeaderValue, StatusCode, header};
use order_core::Code;

use super::badge::{accepts_first, report_on, subject_of, varied};
use crate::api;
use crate::badge::Subject;
use crate::web::{Handled, Input, Response, Route, public, raw, with_parts};

/// The page, with the placeholders `{ledger}` and `{asset}` for the certificate's ids. Its scripts fetch the data.
const PAGE: &str = include_str!("../../assets/certificate.html");

/// The content policy of the page. Scripts and requests are limited to the service's own origin. Pictures may come from other
/// hosts: the page shows the logo of a confirmed domain, and other pictures if the visitor asks for them.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The content policy of the embedded page. The page has no forms and takes no secrets, so other sites may frame it.
const EMBEDDED_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/// Seconds for which caches keep the page. The page itself contains no verdict.
const FRESH_SECONDS: u32 = 300;

pub(super) const ROUTES: &[Route] =
    &[
        Route::get("/c/:ledgerRef/:assetId", public!(show, LedgerRef, AssetId))
            .served_by_copies()
            .answers::<api::Report>("getCertificate", "Show a certificate")
            .tag("badge")
            .details(
                "The certificate's link. A request that prefers `text/html` gets a page that \
             verifies the asset in the browser. All other requests get the data of \
             `/badge.json`. With the query parameter `embed`, pages of other sites may \
             frame the page. Browsers with a link that another program changed are \
             redirected to the repaired link. Printed codes have the path in capitals, which \
             is accepted, too.",
            )
            .statuses(&[200, 302])
            .errors(&[Code::BadgeDataUnavailable])
            .errors_between(&[(Code::BadgeAssetIdMissing, Code::BadgeLedgerMissing)]),
    ];

/// GET /c/:ledgerRef/:assetId
pub(super) async fn show(input: &Input<'_>, ledger: &str, asset: &str) -> Handled {
    let subject = subject_of(Some(ledger), Some(asset))?;
    if accepts_first(input.request, "text/html") {
        return raw(page(&subject, is_embedded(&input.request.query)));
    }
    raw(varied(report_on(input, &subject).await?))
}

/// Returns true if a query has the parameter `embed`, with any value or none.
fn is_embedded(query: &str) -> bool {
    query
        .split('&')
        .any(|part| part == "embed" || part.starts_with("embed="))
}

fn page(subject: &Subject, is_embedded: bool) -> Response {
    let policy = if is_embedded { EMBEDDED_POLICY } else { POLICY };
    let mut response = Response::empty(StatusCode::OK)
        .with(header::CONTENT_TYPE, "text/html; charset=utf-8")
        .with(header::CONTENT_SECURITY_POLICY, policy)
        .with(header::REFERRER_POLICY, "no-referrer")
        .with_text(
            header::CACHE_CONTROL,
            &format!("public, max-age={FRESH_SECONDS}"),
        );
    response
        .headers
        .insert(header::VARY, HeaderValue::from_static("accept"));
    response.body = with_parts(PAGE)
        .replace("{ledger}", &subject.ledger.to_string())
        .replace("{asset}", &subject.asset.to_string())
        .into_bytes();
    response
}
