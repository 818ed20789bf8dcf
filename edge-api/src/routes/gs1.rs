//! `/gs1` and `/.well-known/gs1resolver`: the addresses in the codes of products (`docs/spec/product.md`).
//!
//! The address of an item leads to its certificate without a table, because the asset's id is computed from the code. The ledger is in the path, so nobody
//! can claim the code of another brand.

use http::{StatusCode, header};
use order_core::{Address, Code, ProductError, ProductItem};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::badge::{cacheable, first_accepted, varied};
use crate::failure::Failure;
use crate::ledger::projection;
use crate::text::{account_key, shortened};
use crate::web::{Handled, Input, Response, Route, Text, public, query, raw};

/// The media type of a linkset (RFC 9264).
const LINKSET: &str = "application/linkset+json";
/// The namespace of GS1's types of links.
const VOCABULARY: &str = "https://ref.gs1.org/voc/";
/// The types of the link to the certificate.
const TYPES: [&str; 2] = ["defaultLink", "certificationInfo"];
/// The prefix of these types in queries.
const PREFIX: &str = "gs1:";
/// The values of `linkType` that ask for the linkset. GS1 used `all` in its first versions.
const ALL: [&str; 2] = ["linkset", "all"];
/// The application identifier of serial numbers.
const SERIAL: &str = "21";
/// Seconds for which caches keep an answer.
const SECONDS: u64 = 300;
/// Maximum bytes of a wrong text that an error repeats.
const SHOWN: usize = 60;
/// The characters of a serial number that an address escapes: all that RFC 3986 does not call unreserved.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

query! {
    /// The parameters of a product's address. All others are passed on to the certificate's page.
    pub(super) struct LinkQuery {
        /// `linkset` asks for all links as JSON, instead of a redirect. `gs1:defaultLink` and `gs1:certificationInfo` name the link to the certificate.
        link_type ("linkType"): Text,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/gs1/:ledgerRef/01/:gtin/:qualifier/:serial",
        public!(item, LedgerRef, Gtin, Qualifier, Serial),
    )
    .query::<LinkQuery>()
    .served_by_copies()
    .answers_document(LINKSET, "getProductItem", "Open the certificate of an item of a product")
    .details(
        "A GS1 Digital Link. The ledger is named by its address, the qualifier is `21`, and the \
         GTIN has 14 digits. Redirects to the link of the certificate and keeps the query. With \
         `linkType=linkset`, or if the request prefers `application/linkset+json`, the answer is \
         a linkset (RFC 9264).",
    )
    .statuses(&[200, 307])
    .errors(&[
        Code::ProductNotValid,
        Code::LedgerNotFound,
        Code::LinkTypeNotFound,
    ]),
    Route::get("/gs1/:ledgerRef/01/:gtin", public!(product, LedgerRef, Gtin))
        .served_by_copies()
        .answers_document(LINKSET, "getProduct", "Name the ledger of a product")
        .details(
            "A GTIN without a serial number has no certificate. The status is 404, and the \
             answer is a linkset with the ledger's name only.",
        )
        .statuses(&[404])
        .errors(&[Code::ProductNotValid, Code::LedgerNotFound]),
    Route::get("/.well-known/gs1resolver", public!(resolver))
        .answers_document(
            "application/json",
            "getProductResolver",
            "Describe the addresses of products",
        )
        .tag("gs1")
        .details("The description that GS1 defines for resolvers. Each ledger is a root below `resolverRoot`."),
];

/// GET /gs1/:ledgerRef/01/:gtin/:qualifier/:serial
pub(super) async fn item(
    input: &Input<'_>,
    ledger: &str,
    gtin: &str,
    qualifier: &str,
    serial: &str,
) -> Handled {
    let ledger = address(ledger)?;
    if qualifier != SERIAL {
        let why = format!(
            "`{}` is no qualifier of a product here: only {SERIAL}, the serial number, is",
            shortened(qualifier, SHOWN)
        );
        return Err(Failure::one(Code::ProductNotValid, "qualifier", why));
    }
    let item = ProductItem::new(gtin, serial).map_err(refused)?;
    let origin = &input.request.origin;
    let key = account_key(&ledger);
    let anchor = format!(
        "{origin}/gs1/{key}/01/{}/{SERIAL}/{}",
        item.gtin(),
        utf8_percent_encode(item.serial(), ESCAPED)
    );
    let page = format!("{origin}/c/{key}/{}", item.asset());
    let response = match wants_linkset(input)? {
        true => {
            let link = json!([{ "href": page, "title": "Certificate", "type": "text/html" }]);
            let mut set = linkset(&anchor, name_of(input, &ledger).await?);
            let links = TYPES.map(|kind| (format!("{VOCABULARY}{kind}"), link.clone()));
            set.extend(links);
            document(StatusCode::OK, set)
        }
        false => {
            let query = match input.request.query.as_str() {
                "" => String::new(),
                query => format!("?{query}"),
            };
            Response::empty(StatusCode::TEMPORARY_REDIRECT)
                .with_text(header::LOCATION, &format!("{page}{query}"))
        }
    };
    let link = format!("<{anchor}?linkType=linkset>; rel=\"linkset\"; type=\"{LINKSET}\"");
    let response = response
        .with_text(header::LINK, &link)
        .with(header::ACCESS_CONTROL_EXPOSE_HEADERS, "link, x-request-id");
    raw(cacheable(varied(response), SECONDS))
}

/// GET /gs1/:ledgerRef/01/:gtin
pub(super) async fn product(input: &Input<'_>, ledger: &str, gtin: &str) -> Handled {
    let ledger = address(ledger)?;
    // Every item of the product has the same GTIN.
    let item = ProductItem::new(gtin, "0").map_err(refused)?;
    let origin = &input.request.origin;
    let anchor = format!("{origin}/gs1/{}/01/{}", account_key(&ledger), item.gtin());
    let set = linkset(&anchor, name_of(input, &ledger).await?);
    raw(varied(document(StatusCode::NOT_FOUND, set)))
}

/// GET /.well-known/gs1resolver
pub(super) async fn resolver(input: &Input<'_>) -> Handled {
    let description = json!({
        "name": input.ctx.config().service_name,
        "resolverRoot": format!("{}/gs1", input.request.origin),
        "supportedPrimaryKeys": ["01"],
        "supportedLinkType": [{ "namespace": VOCABULARY, "prefix": PREFIX }],
        "linkTypeDefaultCanBeLinkset": false,
    });
    let mut response =
        Response::empty(StatusCode::OK).with(header::CONTENT_TYPE, "application/json");
    response.body = description.to_string().into_bytes();
    raw(cacheable(response, SECONDS))
}

fn address(ledger: &str) -> Result<Address, Failure> {
    ledger.parse().map_err(|why| {
        Failure::one(
            Code::ProductNotValid,
            "ledgerRef",
            format!("`ledgerRef` {why}"),
        )
    })
}

fn refused(error: ProductError) -> Failure {
    let path = if error.is_gtin() { "gtin" } else { "serial" };
    Failure::one(Code::ProductNotValid, path, error.to_string())
}

/// Returns true if the request asks for the linkset, and false if it asks for the certificate.
fn wants_linkset(input: &Input<'_>) -> Result<bool, Failure> {
    let Some(asked) = input.query.parsed::<LinkQuery>()?.link_type else {
        return Ok(first_accepted(input.request).eq_ignore_ascii_case(LINKSET));
    };
    if ALL.contains(&asked.as_str()) {
        return Ok(true);
    }
    let name = [PREFIX, VOCABULARY]
        .into_iter()
        .find_map(|start| asked.strip_prefix(start));
    match name {
        Some(name) if TYPES.contains(&name) => Ok(false),
        _ => Err(Failure::code(Code::LinkTypeNotFound)),
    }
}

/// Returns the name of a ledger.
async fn name_of(input: &Input<'_>, ledger: &Address) -> Result<String, Failure> {
    let found = projection::find(input.ctx.db(), &account_key(ledger)).await?;
    let found = found.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    Ok(found.name)
}

/// Returns the links of an address, without any link yet.
fn linkset(anchor: &str, description: String) -> Map<String, Value> {
    let members = [("anchor", anchor.to_owned()), ("description", description)];
    let members = members.map(|(name, text)| (name.to_owned(), Value::from(text)));
    members.into_iter().collect()
}

fn document(status: StatusCode, set: Map<String, Value>) -> Response {
    let mut response = Response::empty(status).with(header::CONTENT_TYPE, LINKSET);
    response.body = json!({ "linkset": [set] }).to_string().into_bytes();
    response
}
