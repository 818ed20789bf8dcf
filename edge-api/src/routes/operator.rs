//! `/operator`: the operator of the service, for the foot of each page.

use http::header;

use super::badge::{accepts_first, varied};
use crate::api;
use crate::config::{Config, Contact, Deployers};
use crate::failure::Failure;
use crate::web::{Handled, Input, PageText, Route, Success, ok, public, raw, respond};

/// The text of the page for browsers.
pub(super) const PAGE: PageText = PageText {
    key: "operator",
    heading: "Who runs this service",
    lead: "The operator of this service states this.",
};

/// The `Cache-Control` of the answer. Each page reads it, so a visitor reads it once for several pages.
const CACHED: &str = "public, max-age=300";

pub(super) const ROUTES: &[Route] = &[Route::get("/operator", public!(get))
    .page(PAGE)
    .answers::<api::Operator>("getOperator", "Get the operator of the service")
    .tag("service")
    .details(
        "The operator's name, contact, imprint and privacy notice, as the settings state \
         them. Does not query the database. Caches keep the answer for five minutes.",
    )];

/// GET /operator
pub(super) async fn get(input: &Input<'_>) -> Handled {
    let data = view(input.ctx.config());
    if accepts_first(input.request, "text/html") {
        return ok(data);
    }
    let answer: Result<Success, Failure> = Success::ok(data);
    let response = respond(&input.ctx.id, &input.request.origin, &answer);
    raw(varied(response).with(header::CACHE_CONTROL, CACHED))
}

fn view(config: &Config) -> api::Operator {
    let operator = &config.operator;
    api::Operator {
        name: operator.name.clone(),
        contact: operator
            .contact
            .as_ref()
            .map(|contact| contact.as_str().to_owned()),
        contact_url: operator.contact.as_ref().map(Contact::link),
        imprint_url: operator.imprint_url.clone(),
        privacy_url: operator.privacy_url.clone(),
        deployers: match config.deployers {
            Deployers::Anyone => "anyone",
            Deployers::Only(_) => "chosen",
        },
        short_links: if config.files { "on" } else { "off" },
        status_lists: config.status_lists(),
    }
}
