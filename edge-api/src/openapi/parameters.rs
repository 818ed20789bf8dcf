//! The parameters of operations and the headers of answers. Operations refer to path parameters and headers by name.

use serde_json::{Map, Value, json};

use super::schemas::Schemas;
use crate::web::Parameter;

/// The name of the header parameter with the idempotency key.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// The name of the header parameter with the bookmark, for operations that a replica of the database may answer.
pub(super) const BOOKMARK: &str = "bookmark";

/// The form of a bookmark, see `web/copies.rs`.
const BOOKMARK_PATTERN: &str = "^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$";

/// Returns a query parameter as its operation describes it.
pub(super) fn in_query(parameter: &Parameter, schemas: &mut Schemas) -> Value {
    let mut described = json!({
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "required": parameter.is_required,
        "schema": schemas.answer_of(parameter.schema),
    });
    if described["schema"]["type"] == "array" {
        described["style"] = json!("form");
        described["explode"] = json!(false);
    }
    described
}

/// Returns `components.parameters`: path parameters and headers.
pub(super) fn parameters() -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let in_path = [
        ("orderRef", "The order's reference."),
        ("deploymentRef", "The deployment's reference."),
        ("approvalRef", "The approval's reference."),
        ("depositRef", "The deposit's reference."),
        ("domain", "A public host name, such as `uni.example`."),
        ("hash", "SHA-256 of the content, 64 hex digits."),
        ("owner", "The address of the ledger's owner."),
        (
            "collection",
            "The last part of the path of the ledger's `uriPrefix`.",
        ),
        (
            "document",
            "The asset's id, followed by the ledger's `uriPostfix`. The evidence has `.evidence` after it, and the badge `.badge`.",
        ),
        ("ref", "The delivery's reference."),
        ("accountId", "The account's address."),
        ("recordRef", "The reference of a stuck record."),
        ("letterRef", "The dead letter's reference."),
        ("admissionRef", "The reference of a request for admission."),
        ("ledgerRef", "The ledger's reference, or its address."),
        ("assetId", "The asset's id, in decimal or as `0x` and hex."),
        (
            "sessionRef",
            "The session's reference, or `current` for the session of the request.",
        ),
        ("keyRef", "The API key's reference."),
        ("list", "The number of the list, from 0."),
        ("gtin", "The product's GTIN, 14 digits."),
        (
            "qualifier",
            "The application identifier of a serial number, `21`.",
        ),
        ("serial", "The serial number, 1 to 20 characters."),
        ("version", "The number of the version, from 1."),
        ("codeHash", "SHA-256 of the offer's code: 64 hex digits."),
        ("linkId", "The link's id: 16 characters of base64url."),
        (
            "requestRef",
            "The request's reference: the `id` of its answer.",
        ),
    ];
    let in_path = in_path.map(|(name, description)| {
        let parameter = json!({
            "name": name,
            "in": "path",
            "description": description,
            "required": true,
            "schema": text(),
        });
        (name.to_owned(), parameter)
    });
    let key = json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "1 to 255 printable ASCII characters, different for each request. If the same request is \
                        sent again with the same key within 24 hours, the service returns the first answer again. A refused request is handled again.",
        "required": false,
        "schema": { "type": "string", "pattern": "^[\\x20-\\x7e]{1,255}$" },
    });
    let bookmark = json!({
        "name": "X-Bookmark",
        "in": "header",
        "description": "The bookmark of an earlier answer. A replica of the database may then answer, if it has all changes up to the \
                        bookmark. A value that is not a bookmark is ignored.",
        "required": false,
        "schema": { "type": "string", "pattern": BOOKMARK_PATTERN },
    });
    in_path
        .into_iter()
        .chain([(IDEMPOTENCY_KEY.to_owned(), key)])
        .chain([(BOOKMARK.to_owned(), bookmark)])
        .collect()
}

/// Returns `components.headers`: the headers for rate limits and bookmarks.
pub(super) fn headers() -> Value {
    let policy = "\"address\";q=300;w=10, \"account\";q=200;w=10";
    json!({
        "Retry-After": {
            "description": "Seconds to wait before the next request.",
            "required": true,
            "schema": { "type": "integer", "enum": [1, 10, 60, 3600] },
        },
        "RateLimit-Policy": {
            "description": format!(
                "The number of requests (`q`) that a client address and an account may send in a window (`w`, in seconds), such as \
                 `{policy}`. Each of the service's locations counts separately."
            ),
            "required": true,
            "schema": {
                "type": "string",
                "pattern": "^\"(address|account)\";q=[0-9]+;w=[0-9]+(, \"account\";q=[0-9]+;w=[0-9]+)?$",
                "examples": [policy],
            },
        },
        "X-Bookmark": {
            "description": "The state of the database that the answer comes from. A later request with this header sees at least \
                            this state.",
            "required": false,
            "schema": { "type": "string", "pattern": BOOKMARK_PATTERN },
        },
    })
}
