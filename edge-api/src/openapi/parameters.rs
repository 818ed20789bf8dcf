//! The parameters of operations and the headers of answers. Operations refer to them by name.

use order_core::{Address, AssetId, Status};
use serde_json::{Map, Value, json};

use super::schemas::Schemas;
use crate::web::Route;

/// The name of the header parameter with the idempotency key.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// The name of the header parameter with the bookmark, for operations that a replica of the database may answer.
pub(super) const BOOKMARK: &str = "bookmark";

/// The form of a bookmark, see `web/copies.rs`.
const BOOKMARK_PATTERN: &str = "^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$";

/// Returns the name of the component that describes a query parameter of a route. The name differs from the parameter's if a path
/// parameter has the same name.
pub(super) fn component(route: &Route, name: &'static str) -> &'static str {
    match (route.pattern.0, name) {
        ("/badge" | "/badge.json", "assetId") => "badgeAsset",
        ("/badge" | "/badge.json", "ledgerId") => "badgeLedger",
        _ => name,
    }
}

/// Returns `components.parameters`.
pub(super) fn parameters(schemas: &mut Schemas) -> Map<String, Value> {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let some_of =
        |names: &[&str]| json!({ "type": "array", "items": { "type": "string", "enum": names } });
    let moment = || {
        json!({ "type": "string", "anyOf": [
            { "format": "date-time" },
            { "format": "date" },
            { "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+)?$" },
        ] })
    };
    let statuses = json!({ "type": "array", "items": schemas.answer::<Status>() });
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
            "The asset's id, followed by the ledger's `uriPostfix`. The evidence has `.evidence` after it.",
        ),
        ("ref", "The delivery's reference."),
        ("accountId", "The account's address."),
        ("recordRef", "The reference of a stuck record."),
        ("letterRef", "The dead letter's reference."),
        ("ledgerRef", "The ledger's reference, or its address."),
        ("assetId", "The asset's id, in decimal or as `0x` and hex."),
        (
            "sessionRef",
            "The session's reference, or `current` for the session of the request.",
        ),
        ("keyRef", "The API key's reference."),
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
    let in_query = [
        (
            "skip",
            "The number of items to skip. To go further, use `after`.",
            json!({ "type": "integer", "minimum": 0, "maximum": 10_000, "default": 0 }),
        ),
        (
            "limit",
            "The maximum number of items. Values above 100 are reduced to 100.",
            json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX, "default": 25 }),
        ),
        (
            "after",
            "`meta.next` of an earlier page of this list, unchanged. The page starts after the earlier page. A page far from the start costs no more than the first.",
            text(),
        ),
        (
            "sort",
            "1: oldest first. 2: newest first.",
            json!({ "type": "integer", "enum": [1, 2], "default": 2 }),
        ),
        (
            "filterIds",
            "Only items with one of these references or ids.",
            texts(),
        ),
        ("filterAccountIds", "Only these accounts.", texts()),
        (
            "statuses",
            "Only items with one of these statuses.",
            statuses,
        ),
        (
            "roles",
            "Only orders in which the caller has one of these roles. `creator`: created the order. `signer`: signed \
             or canceled an order of another account. `invited`: the order waits for the caller's signature. Defaults to `creator` and `signer`, unless `filterIds` is given.",
            some_of(&["creator", "signer", "invited"]),
        ),
        (
            "methods",
            "Only requests with one of these methods.",
            some_of(&["GET", "POST", "PUT", "DELETE"]),
        ),
        (
            "status",
            "Only requests with this HTTP status.",
            json!({ "type": "integer", "minimum": 100, "maximum": 999 }),
        ),
        ("from", "`next` of the previous page, unchanged.", text()),
        (
            "fromDate",
            "Only items later than this ISO 8601 date, or date and time. The offset defaults to UTC.",
            moment(),
        ),
        (
            "toDate",
            "Only items earlier than this ISO 8601 date, or date and time. The offset defaults to UTC.",
            moment(),
        ),
        (
            "validImg",
            "The image for a valid asset: an https address of an `image/*` of at most 512 KiB. Defaults to the service's own image, \
             such as `/images/trusted.svg` if the issuer is confirmed.",
            json!({ "type": "string", "format": "uri" }),
        ),
        (
            "invalidImg",
            "The image for an asset that is not valid. Defaults to the service's own image, such as `/images/untrusted.svg`.",
            json!({ "type": "string", "format": "uri" }),
        ),
    ];
    let in_query = in_query.map(|(name, description, schema)| {
        let mut parameter = json!({
            "name": name,
            "in": "query",
            "description": description,
            "required": false,
            "schema": schema,
        });
        if parameter["schema"]["type"] == "array" {
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
        }
        (name.to_owned(), parameter)
    });
    let badge = [
        (
            "badgeAsset",
            "assetId",
            "The asset's id.",
            schemas.answer::<AssetId>(),
        ),
        (
            "badgeLedger",
            "ledgerId",
            "The ledger's address.",
            schemas.answer::<Address>(),
        ),
    ];
    let badge = badge.map(|(key, name, description, schema)| {
        let parameter = json!({
            "name": name,
            "in": "query",
            "description": description,
            "required": true,
            "schema": schema,
        });
        (key.to_owned(), parameter)
    });
    let account = json!({
        "name": "account",
        "in": "query",
        "description": "The account's address.",
        "required": true,
        "schema": schemas.answer::<Address>(),
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
        .chain(in_query)
        .chain(badge)
        .chain([("account".to_owned(), account)])
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
