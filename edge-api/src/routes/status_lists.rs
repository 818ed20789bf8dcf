//! `/status`, `/ledgers/:ledgerRef/status-entries` and `/.well-known/did.json`: status lists for badges.

use http::{StatusCode, header};
use order_core::{Address, Code};

use super::badge::{cacheable, first_accepted, varied};
use crate::api;
use crate::status_lists::{self, Draft, Form};
use crate::web::{Handled, Input, Response, Route, Success, private, public, raw};

/// The media type of a status list, which is JSON-LD. Programs in use do not know `application/vc`.
const LIST: &str = "application/ld+json";
/// The media type of a status list as a token of the IETF.
const TOKEN: &str = "application/statuslist+jwt";
/// The media type of a DID document.
const DOCUMENT: &str = "application/did+json";
/// Seconds for which caches keep the DID document. A new key is known everywhere after this time.
const DOCUMENT_SECONDS: u64 = 300;

pub(super) const ROUTES: &[Route] = &[
    Route::post(
        "/ledgers/:ledgerRef/status-entries",
        private!(Orders, draw, LedgerRef),
    )
    .json::<api::bodies::StatusEntriesRequest>()
    .answers::<api::StatusEntries>(
        "createStatusEntries",
        "Get places of certificates in a status list",
    )
    .tag("status")
    .details(
        "For accounts with ability 16 or 512 (create assets), or 128 or 1024 (update assets). The \
         answer has the places in the order of the request. A certificate, which is an asset \
         with an imprint, always gets the same place, also before its asset exists. A list has \
         16,384 entries at random places among 131,072.",
    )
    .errors(&[
        Code::StatusListsOff,
        Code::LedgerNotFound,
        Code::PlacesNotAllowed,
        Code::FieldNotValid,
    ]),
    Route::get(
        "/status/:ledgerRef/:list",
        public!(get, LedgerRef, StatusList),
    )
    .served_by_copies()
    .answers_document(LIST, "getStatusList", "Get a status list")
    .also_answers(TOKEN)
    .details(
        "A `BitstringStatusListCredential`, signed with the key in `/.well-known/did.json`. A bit \
         is 1 if the certificate was withdrawn or replaced, or if it does not exist yet. The \
         ledger is named by its address. The answer may be a minute old. With `Accept: \
         application/statuslist+jwt`, the answer is a status list token with the same places, as \
         readers of SD-JWTs expect it.",
    )
    .errors(&[Code::StatusListsOff, Code::StatusListNotFound]),
    Route::get("/.well-known/did.json", public!(document))
        .answers_document(DOCUMENT, "getServiceDid", "Get the keys of the service")
        .tag("status")
        .details("The DID document of the service, with the key of its status lists.")
        .errors(&[Code::StatusListsOff]),
];

/// POST /ledgers/:ledgerRef/status-entries
pub(super) async fn draw(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    let draft = Draft::parse(&input.body)?;
    let decision = status_lists::draw(input.ctx, &caller, ledger, &draft).await?;
    decision.answered(|entries| Success::ok(entries))
}

/// GET /status/:ledgerRef/:list
pub(super) async fn get(input: &Input<'_>, ledger: &str, list: &str) -> Handled {
    let origin = &input.request.origin;
    let (form, media) = match first_accepted(input.request).eq_ignore_ascii_case(TOKEN) {
        true => (Form::Token, TOKEN),
        false => (Form::Credential, LIST),
    };
    let list = status_lists::published(&input.badge(), origin, ledger, list, form).await?;
    raw(varied(cacheable(
        text(media, list.text),
        list.fresh_seconds,
    )))
}

/// GET /.well-known/did.json
pub(super) async fn document(input: &Input<'_>) -> Handled {
    let key = status_lists::key(input.ctx)?;
    let document = status_lists::did_document(key, &input.request.origin);
    raw(cacheable(text(DOCUMENT, document), DOCUMENT_SECONDS))
}

fn text(media: &'static str, text: String) -> Response {
    let mut response = Response::empty(StatusCode::OK).with(header::CONTENT_TYPE, media);
    response.body = text.into_bytes();
    response
}
