//! Examples of shapes: of some their own, of others put together from the examples of their parts.

use serde_json::{Map, Value, json};

use super::write::in_order;

const REFERENCE: &str = "018bcfe5-6800-7000-8000-000000000000";
const MOMENT: &str = "2023-11-14T22:13:20.000Z";
const SIGNER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const RECEIVER: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

/// The example of a shape whose parts say too little.
pub(super) fn own(name: &str) -> Option<Value> {
    let creation = || {
        json!({
            "kind": 1,
            "ledgerId": "0x2b961E3959b79326A8e7F64Ef0d2d825707669b5",
            "assetId": "100",
            "assetImprint": "d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb",
            "receiverId": RECEIVER,
            "senderId": SIGNER,
        })
    };
    Some(match name {
        "Failure" => json!({
            "id": REFERENCE,
            "status": 422,
            "errors": [{ "code": 422_002, "message": "the order's seed is missing", "path": "order.seed" }],
        }),
        "ActionInput" | "Action" => creation(),
        "OrderRequest" => json!({
            "priority": 3,
            "automatedPerform": true,
            "wildcardSigner": false,
            "order": {
                "seed": 1_700_000_000_000_u64,
                "expiration": 1_700_172_800_000_u64,
                "signers": [{
                    "accountId": SIGNER,
                    "claim": "0:0xe4cbed4b0803f9a34a4fcf724a2017747532cbe63b961437ec3e56ab329f8b23356765bcfa0e9bfcc6418bc9331ea02fd024699b1a9fd1b88dee17a0515871481c",
                }],
                "actions": [creation(), {
                    "kind": 3,
                    "senderId": SIGNER,
                    "receiverId": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
                    "value": "3000000000000000000",
                    "ledgerId": "0x998abeb3E57409262aE5b751f60747921B33613E",
                }],
            },
        }),
        "DepositRequest" => json!({ "amount": 1000 }),
        "Deposit" => json!({
            "ref": REFERENCE,
            "amount": 1000,
            "currency": "eur",
            "tokens": "238095238095238095238",
            "status": "succeeded",
            "clientSecret": null,
            "livemode": false,
            "reclaimed": 0,
            "createdAt": MOMENT,
        }),
        "AccountInformationInput" => json!({
            "firstName": "Ada",
            "lastName": "Lovelace",
            "email": "ada@example.com",
            "streetAddress": "12 St James's Square",
            "postalCode": "SW1Y 4JH",
            "city": "London",
            "country": "United Kingdom",
        }),
        "WebhookRequest" => json!({ "url": "https://example.com/events", "events": [0, 1] }),
        "Webhook" => json!({
            "url": "https://example.com/events",
            "events": [0, 1],
            "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "state": "active",
            "stateReason": null,
        }),
        "WebhookEvent" => json!({
            "id": "018bcfe5-6800-7000-8000-000000000001",
            "kind": 0,
            "event": 0,
            "requestRef": REFERENCE,
            "requestKind": 0,
            "status": 7,
            "createdAt": MOMENT,
        }),
        "Ticker" => json!({
            "id": REFERENCE,
            "base": "TOKEN",
            "quote": "EUR",
            "price": "0.042",
            "createdAt": MOMENT,
        }),
        "RateLimits" => json!({ "address": "300/10", "account": "200/10" }),
        "Integrity" => json!("unchanged"),
        "Standing" => json!("inForce"),
        _ => return None,
    })
}

/// The example of a field whose type says too little, by its name.
fn of_field(name: &str) -> Option<Value> {
    Some(match name {
        "name" => json!("Math Course Certificate"),
        "symbol" => json!("MCC"),
        "uriPrefix" => json!("https://example.com/assets/"),
        "uriPostfix" => json!(".json"),
        "uri" => json!("https://example.com/assets/100.json"),
        "firstName" => json!("Ada"),
        "lastName" => json!("Lovelace"),
        "email" => json!("ada@example.com"),
        "streetAddress" => json!("12 St James's Square"),
        "postalCode" => json!("SW1Y 4JH"),
        "city" => json!("London"),
        "country" => json!("United Kingdom"),
        "taxNumber" => json!("GB123456789"),
        "phoneNumber" => json!("+44 20 7946 0000"),
        "backend" => json!("embedded"),
        "chainId" | "error" | "txHash" => Value::Null,
        "message" => json!("the order's seed is missing"),
        "path" => json!("/orders"),
        "method" => json!("GET"),
        "host" => json!("api.example.com"),
        "url" => json!("/orders?limit=25"),
        "errors" | "weakening" => json!([]),
        "status" => json!(200),
        "skip" => json!(0),
        "limit" => json!(25),
        "total" => json!(1),
        "next" => json!("018bcfe5-6800-7000-8000-000000000000.69ffcfc3"),
        "reason" => json!("not-covered"),
        "service" => json!("assay"),
        "version" => json!(env!("CARGO_PKG_VERSION")),
        "authorizationText" => json!("assay api"),
        "payments" => json!("on"),
        _ => return None,
    })
}

/// The example of a schema; `named` are those that it may refer to.
pub(super) fn of(schema: &Value, named: &Map<String, Value>) -> Value {
    if let Some(name) = reference(schema) {
        return named
            .get(name)
            .map_or(Value::Null, |schema| of(schema, named));
    }
    if let Some(example) = schema
        .pointer("/examples/0")
        .or_else(|| schema.get("const"))
    {
        return example.clone();
    }
    if let Some(first) = schema.pointer("/anyOf/0") {
        return of(first, named);
    }
    let kind = schema.pointer("/type/0").or_else(|| schema.get("type"));
    match kind.and_then(Value::as_str) {
        Some("object") => of_object(schema, named),
        Some("array") => json!([of(schema.get("items").unwrap_or(&Value::Null), named)]),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("string") => json!("text"),
        _ => Value::Null,
    }
}

fn of_object(schema: &Value, named: &Map<String, Value>) -> Value {
    let (Some(schema), Some(properties)) = (
        schema.as_object(),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return json!({});
    };
    let required = schema.get("required").and_then(Value::as_array);
    let mut example = Map::new();
    for (name, property) in in_order(schema, properties) {
        // Named types speak for themselves.
        let given = of_field(name).filter(|_| reference(property).is_none());
        let always = required.is_some_and(|names| names.iter().any(|one| one == name));
        match given {
            Some(value) => example.insert(name.clone(), value),
            None if always => example.insert(name.clone(), of(property, named)),
            None => None,
        };
    }
    Value::Object(example)
}

/// The name of the schema that this one refers to.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}
