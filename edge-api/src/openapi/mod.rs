//! Builds the description of the API in OpenAPI 3.1.
//!
//! The sources are the table of routes with the description of each route, the shapes in `api`, recorded
//! examples, and the catalogue of errors. `cargo xtask docs` writes the description to a file, which the Worker serves
//! as an asset. This module itself is not compiled into the Worker.
//!
//! The test suite checks every answer against the document.
#![expect(
    clippy::indexing_slicing,
    reason = "only a developer's task runs this code, and it reads only parts that the document has"
)]

mod examples;
mod failures;
mod operation;
mod parameters;
mod schemas;
mod write;

use serde_json::{Map, Value, json};

use crate::routes::TABLE;
use crate::web::{Route, SESSION_COOKIE};
use examples::Examples;
use schemas::Schemas;

const DESCRIPTION: &str = "Certifies assets and performs signed orders on their ledgers.

Except for hosted files, every JSON answer is an envelope with `id` and `status`. A success also has `data` and `meta`, and a failure has `errors`. \
Each error has a stable `code` with a `name`, the `path` of the wrong value, a `message`, and the address `docs` of the code's documentation. An answer lists all errors of the first phase that fails. \
The header `x-request-id` repeats the envelope's `id`.

A list takes `skip` and `limit`, or `after` with `meta.next` of the previous page. A parameter with several values \
is written as `name=a,b`, as `name=a&name=b`, or as `name[]=a&name[]=b`. Totals are exact up to 10,000.

Every JSON body may also be sent as `multipart/form-data`, with a part for each field. A part that is valid JSON becomes this JSON value, unless the \
field is a string.

A private route or a list refuses names of parameters and fields that it does not have, and suggests the nearest name. Public pages, badges and images ignore them.

Requests are counted by client address and by account. The header `RateLimit-Policy` has the limits. Beyond a limit, \
the answer is 429 with `Retry-After`. The service stores nothing of such a request, so the client may send it again \
with the same `Idempotency-Key`.

An answer to an account has the header `X-Bookmark`. The bookmark names the state of the database that the answer comes from. Send the \
latest bookmark with the next read. The answer then shows at least this state, even if a replica of the database answers.

Accounts agree to an order, a deployment or an approval by signing its hash, which has 32 bytes. The key signs these bytes as an \
Ethereum message (EIP-191; wallets call it `personal_sign`). A claim is `3:`, then `0x`, then the 65 bytes of the signature in hex: \
r, s and v. In JavaScript with ethers it is `\"3:\" + await wallet.signMessage(getBytes(hash))`.

The service returns the hash. An order may be created without claims. Its record then has the `hash`, and PUT sign \
adds each claim. A deployment without `claim` is refused with 422008, and an approval without `claim` with 422122. This answer has \
the `hash`. The service has stored nothing. Send the same request again, with the claim.

A claim is an agreement to everything that its hash covers. Sign a hash from the service only if you trust the service. `@assay/client` \
computes each hash itself.";

const AUTHORIZATION: &str = "`{type}:{signature}`: the caller's Ethereum signature of the `authorizationText` that \
`GET /health` returns. The text is `assay api`, unless the operator has chosen another name. Types: 0 ETH_SIGN, 3 \
PERSONAL_SIGN. The signer's account is the caller.";

const SESSION: &str = "The token of a session, which POST /sessions starts. A session ends after 12 hours without use, and at the latest after 30 days.";

const KEY: &str = "An API key, which POST /account/keys creates. The list in an operation's security names the scope that the key needs. \
A key does not sign: orders, deployments and approvals still need the claims of their accounts.";

const COOKIE: &str = "The session cookie of a page of this service. A request that changes something needs the header `Origin` with the service's own origin.";

const TAGS: [(&str, &str); 22] = [
    (
        "orders",
        "Actions orders: create, transfer, update, destroy and revoke assets, transfer value, set abilities.",
    ),
    ("deployments", "Deployment orders: new asset ledgers."),
    (
        "approvals",
        "Approval orders: for operators of assets and spenders of tokens.",
    ),
    ("deposits", "Payments that buy platform tokens."),
    ("account", "The caller's account."),
    (
        "sessions",
        "Signing in with an Ethereum account (EIP-4361), and the account's sessions.",
    ),
    (
        "ledgers",
        "Ledgers and their assets, readable by every account.",
    ),
    (
        "certificates",
        "Certificates of all ledgers of the caller, with their number by month.",
    ),
    (
        "activity",
        "What happened in the caller's account and on the ledgers that it manages.",
    ),
    (
        "admission",
        "Requests to the operator to let an account deploy ledgers.",
    ),
    ("issuers", "Domains that confirm the accounts of issuers."),
    (
        "files",
        "Metadata, evidence, schemas and pictures that the service hosts, if its operator has switched that on.",
    ),
    (
        "wallet",
        "Credentials that wallets pick up by OpenID4VCI 1.0.",
    ),
    (
        "books",
        "Register books of offices: cipher text that the service keeps for the members of a ledger.",
    ),
    (
        "links",
        "Short links to what a holder shows. The service keeps them encrypted, without their keys.",
    ),
    (
        "status",
        "Status lists, in which the software of others sees that a certificate was withdrawn, if the service's operator has switched that on.",
    ),
    (
        "gs1",
        "The addresses in the codes of products (GS1 Digital Link), which lead to certificates.",
    ),
    ("requests", "The log of the caller's requests."),
    (
        "stats",
        "Daily sums of payments and requests, and prices of the platform token.",
    ),
    (
        "badge",
        "The public verdict on an asset. Images have no `content` in this document, because generators of clients do not support them. \
         Their media types are in `x-media-types`.",
    ),
    (
        "admin",
        "Administration, for the accounts in `ADMIN_ACCOUNTS`. Every call that succeeds, except `GET /metrics`, is recorded in an audit log.",
    ),
    ("service", "The service itself."),
];

/// Returns the document as a JSON string.
#[must_use]
pub fn document() -> String {
    let mut order = Vec::new();
    let value = build(&mut order);
    write::text(&value, &order)
}

/// Builds the document. Appends its paths to `order`, in the order of the table.
fn build(order: &mut Vec<String>) -> Value {
    let mut schemas = Schemas::default();
    let examples = Examples::default();
    let mut paths = Map::new();
    for route in documented() {
        let operation = route.description.write(route, &mut schemas, &examples);
        let path = template(route.pattern.0);
        let item = paths.entry(path.clone()).or_insert_with(|| json!({}));
        if let Value::Object(methods) = item {
            methods.insert(route.method.as_str().to_ascii_lowercase(), operation);
        }
        order.push(path);
    }
    let webhooks = operation::webhooks(&mut schemas, &examples);
    let parameters = parameters::parameters();
    let mut schemas = schemas.finish();
    if let Some(failure) = examples.answer("createOrder", 422) {
        schemas["Failure"]["examples"] = json!([failure]);
    }
    let license = env!("CARGO_PKG_LICENSE");
    let tags = TAGS.map(|(name, description)| json!({ "name": name, "description": description }));
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Assay API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "license": { "name": license, "identifier": license },
        },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "securitySchemes": {
                "authorization": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": AUTHORIZATION,
                },
                "session": { "type": "http", "scheme": "bearer", "description": SESSION },
                "key": { "type": "http", "scheme": "bearer", "description": KEY },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": SESSION_COOKIE,
                    "description": COOKIE,
                },
            },
            "parameters": parameters,
            "headers": parameters::headers(),
            "schemas": schemas,
        },
    })
}

/// Returns all routes except those of development instances.
fn documented() -> impl Iterator<Item = &'static Route> {
    TABLE
        .routes()
        .filter(|route| !TABLE.is_development(route.pattern.0))
}

/// Converts a route's pattern: `/orders/:orderRef` → `/orders/{orderRef}`.
fn template(pattern: &str) -> String {
    let segments: Vec<String> = pattern
        .split('/')
        .map(|segment| match segment.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => segment.to_owned(),
        })
        .collect();
    segments.join("/")
}

#[cfg(test)]
mod tests;
