//! `/links` and `/s/:linkId`: short links to what a holder shows.

use http::{StatusCode, header};
use order_core::Code;

use super::badge::{accepts_first, varied};
use crate::api;
use crate::failure::Failure;
use crate::ledger::identify_client;
use crate::links::{self, Draft};
use crate::web::{Handled, Input, Response, Route, Success, ok, public, raw, with_parts};

/// The page that opens a link. Its script reads the key from the address's fragment.
const PAGE: &str = include_str!("../../assets/link.html");

/// The content policy of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) const ROUTES: &[Route] = &[
    Route::post("/links", public!(create))
        .json::<api::bodies::LinkRequest>()
        .answers::<api::NewLink>("createLink", "Keep an encrypted link")
        .details(
            "For holders, who have no account. The cipher text is the path and fragment of a \
             certificate's address, `/c/<ledger>/<asset>#<fragment>`, encrypted with \
             AES-128-GCM under a new random key, with twelve zero bytes as nonce. The key is \
             never sent: it is the fragment of the short link. All links together may store \
             20 MB a day, and those of one client network 200 kB. Only for services that host \
             files.",
        )
        .statuses(&[201])
        .errors(&[Code::FilesNotHosted, Code::FieldNotValid]),
    Route::get("/s/:linkId", public!(open, LinkId))
        .answers::<api::SharedLink>("getLink", "Open an encrypted link")
        .tag("links")
        .details(
            "A request that prefers `text/html` gets a page that decrypts the link in the \
             browser and opens the certificate. All other requests get the cipher text.",
        )
        .errors(&[Code::LinkNotFound]),
    Route::put("/links/:linkId/end", public!(end, LinkId))
        .json::<api::bodies::EndLinkRequest>()
        .revokes()
        .answers::<api::EndedLink>("endLink", "End an encrypted link")
        .details("Works while changes are paused.")
        .errors(&[Code::LinkNotFound, Code::FieldNotValid]),
];

/// POST /links
pub(super) async fn create(input: &Input<'_>) -> Handled {
    let ctx = input.ctx;
    if !ctx.config().files {
        return Err(Failure::code(Code::FilesNotHosted));
    }
    let draft = Draft::parse(&input.body)?;
    identify_client(ctx, input.ledger).await?;
    let decision = links::create(ctx, &input.request.origin, draft)?;
    decision.answered(|link| Success::created(link))
}

/// GET /s/:linkId
pub(super) async fn open(input: &Input<'_>, id: &str) -> Handled {
    if accepts_first(input.request, "text/html") {
        let mut response = varied(Response::empty(StatusCode::OK))
            .with(header::CONTENT_TYPE, "text/html; charset=utf-8")
            .with(header::CONTENT_SECURITY_POLICY, POLICY)
            .with(header::REFERRER_POLICY, "no-referrer");
        response.body = with_parts(PAGE, &input.ctx.config().operator).into_bytes();
        return raw(response);
    }
    let found = links::find(input.ctx, id).await?;
    ok(found.ok_or_else(|| Failure::code(Code::LinkNotFound))?)
}

/// PUT /links/:linkId/end
pub(super) async fn end(input: &Input<'_>, id: &str) -> Handled {
    let ended = api::EndedLink { id: id.to_owned() };
    // The answer is the same if the key is another one and if there is no such link.
    links::end(id, &input.body)?.answered_from_rows(move |rows| {
        if rows.iter().all(|rows| rows.list.is_empty()) {
            return Err(Failure::code(Code::LinkNotFound));
        }
        Success::ok(ended)
    })
}
