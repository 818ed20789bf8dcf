//! Verdicts: valid assets, invalid assets, and assets that could not be checked.

use cert_core::{identify, identify_sorted};
use serde_json::{Value, json};

use super::certificate::{self, Certificate};
use super::world::{HOLDER, HOST, ISSUER, LEDGER, World, badge};
use crate::support::own_image;

#[test]
fn a_certified_asset_is_valid() {
    let world = World::new();
    world.publish(1, &Certificate::new());
    let answer = world.badge(1);
    assert_eq!(answer.says(), (200, "valid"));
    assert_eq!(answer.body, own_image("unconfirmed.svg"));
    for (name, value) in [
        ("content-type", "image/svg+xml"),
        ("cache-control", "public, max-age=60"),
        ("x-content-type-options", "nosniff"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ),
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    assert_eq!(answer.header("x-request-id").map(str::len), Some(36));
    assert_eq!(world.faults(), 0);
}

#[test]
fn every_form_of_an_id_is_accepted() {
    let world = World::new();
    world.ledger(
        "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        &Certificate::new().schema_id(),
        &format!("{HOST}/"),
    );
    let certificate = Certificate::new();
    world.publish(100, &certificate);
    world.asset(
        "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        100,
        &certificate.imprint,
    );
    for ledger in [
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
        "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
    ] {
        for asset in ["100", "0x64", "0100", "0x0064"] {
            let answer = world.get(&format!("/badge?ledgerId={ledger}&assetId={asset}"));
            assert_eq!(
                answer.says(),
                (200, "valid"),
                "{ledger} {asset} {}",
                answer.text()
            );
        }
    }
    // All of these ids name the same asset, so it is verified once.
    assert_eq!(world.asked_for().len(), 3);
}

#[test]
fn an_invalid_query_is_400_with_all_errors() {
    let world = World::new();
    let ledger = format!("ledgerId={LEDGER}");
    for (query, errors) in [
        ("", vec!["422116 assetId", "422118 ledgerId"]),
        (
            "assetId=&ledgerId=",
            vec!["422116 assetId", "422118 ledgerId"],
        ),
        ("assetId=1", vec!["422118 ledgerId"]),
        (&ledger, vec!["422116 assetId"]),
        ("assetId=1&ledgerId=0x12", vec!["422117 ledgerId"]),
        (
            "assetId=1&ledgerId=0x0000000000000000000000000000000000000000",
            vec!["422117 ledgerId"],
        ),
        (
            "assetId=1&ledgerId=0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            vec!["422117 ledgerId"],
        ),
        (
            "assetId=-1&ledgerId=me",
            vec!["422116 assetId", "422117 ledgerId"],
        ),
        (&format!("{ledger}&assetId=1.5"), vec!["422116 assetId"]),
        (
            &format!("{ledger}&assetId=0x{}", "f".repeat(65)),
            vec!["422116 assetId"],
        ),
    ] {
        for path in ["/badge", "/badge.json"] {
            let answer = world.get(&format!("{path}?{query}"));
            assert_eq!(
                (answer.status, answer.listed_errors()),
                (400, errors.iter().map(ToString::to_string).collect()),
                "{path} {query}"
            );
        }
        assert_eq!(
            world
                .get(&format!("/badge?{query}"))
                .header("x-asset-validity"),
            Some("unknown")
        );
    }
    assert_eq!(world.round_trips(|| drop(world.get("/badge?assetId=1"))), 0);
}

#[test]
fn a_missing_asset_or_uri_is_refused_with_400016() {
    let world = World::new();
    world.publish(1, &Certificate::new());
    world.badge(2).refuses(400_016, "assetId");
    let other = "0x2222222222222222222222222222222222222222";
    world
        .get(&format!("/badge?assetId=1&ledgerId={other}"))
        .refuses(400_016, "ledgerId");
    world.ledger(other, &Certificate::new().schema_id(), " ");
    world.asset(other, 1, &"0".repeat(64));
    world
        .get(&format!("/badge?assetId=1&ledgerId={other}"))
        .refuses(400_016, "ledgerId");
    assert_eq!(world.badge(2).header("x-asset-validity"), Some("unknown"));
    assert_eq!(world.asked_for().len(), 0);
}

#[test]
fn a_badge_makes_one_database_round_trip() {
    let world = World::new();
    world.publish(1, &Certificate::new());
    assert_eq!(world.round_trips(|| drop(world.badge(1))), 1);
    assert_eq!(world.round_trips(|| drop(world.badge(2))), 1);
}

#[test]
fn a_report_contains_all_data_needed_to_verify_again() {
    let world = World::new();
    let certificate = Certificate::new();
    world.publish(7, &certificate);
    let answer = world.get(&format!("/badge.json?ledgerId={LEDGER}&assetId=0x7"));
    assert_eq!(answer.says(), (200, "valid"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let envelope = answer.json();
    assert_eq!(
        (&envelope["id"], &envelope["status"], &envelope["meta"]),
        (
            &json!(answer.header("x-request-id")),
            &json!(200),
            &json!({})
        )
    );
    let data = &envelope["data"];
    assert_eq!(
        (&data["valid"], &data["errors"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(
        data["ledger"],
        json!({
            "id": LEDGER, "name": "University of Oxenford", "symbol": "UOX", "schemaId": certificate.schema_id(),
            "capabilities": [], "ownerId": ISSUER, "createdAt": "1970-01-01T00:00:00.001Z",
        })
    );
    assert_eq!(
        data["asset"],
        json!({
            "id": "7", "imprint": certificate.imprint, "uri": format!("{HOST}/7.json"), "ownerId": HOLDER,
            "createdAt": "1970-01-01T00:00:00.002Z", "updatedAt": "1970-01-01T00:00:00.003Z", "withdrawnAt": null, "withdrawnBefore": null, "pastImprints": [],
        })
    );
    assert_eq!(
        (
            &data["integrity"],
            &data["status"],
            &data["issuer"],
            &data["headline"]
        ),
        (
            &json!("unchanged"),
            &json!({
                "kind": "inForce", "since": "1970-01-01T00:00:00.002Z", "reason": null, "reasonBy": null, "expiresAt": null,
            }),
            &json!({
                "account": ISSUER, "kind": "notConfirmed", "confirmed": false, "domain": null, "otherDomain": null, "name": null, "logo": null,
                "firstSeen": null, "lastSeen": null, "checkedBy": null,
            }),
            &json!({
                "code": "issuer-not-confirmed", "look": "amber", "text": "Unchanged. Issuer not confirmed",
                "parameters": { "date": null, "reason": null, "domain": null, "name": null },
            })
        )
    );
    for (key, document) in [
        ("metadata", &certificate.metadata),
        ("evidence", &certificate.evidence),
        ("schema", &certificate.schema),
    ] {
        assert_eq!(
            &cert_core::Value::try_from(&data[key]).unwrap(),
            document,
            "{key}"
        );
    }
    // The id of the schema in the report equals the ledger's schema id, so the order of the schema's keys was kept.
    let whole = certificate::json(answer.text());
    let schema = whole
        .as_object()
        .unwrap()
        .get("data")
        .unwrap()
        .as_object()
        .unwrap()
        .get("schema")
        .unwrap();
    assert_eq!(identify(schema), certificate.schema_id());
    assert_ne!(identify(schema), identify_sorted(schema));
}

#[test]
fn a_report_without_a_verdict_contains_the_readable_documents() {
    let world = World::new();
    let certificate = Certificate::new();
    world.publish(1, &certificate);
    world.serve(&format!("{HOST}/evidence.json"), 404, "text/html", "gone");
    let answer = world.get(&format!("/badge.json?ledgerId={LEDGER}&assetId=1"));
    assert_eq!(
        (answer.says(), answer.header("cache-control")),
        ((200, "unknown"), Some("no-store"))
    );
    let report = answer.json()["data"].clone();
    assert_eq!(
        (&report["valid"], &report["evidence"]),
        (&Value::Null, &Value::Null)
    );
    let message =
        "the evidence could not be read: the server answered with status 404 instead of 200";
    let error =
        json!({ "code": 400_017, "reason": "status", "path": "evidence", "message": message });
    assert_eq!(report["errors"], json!([error]));
    assert_eq!(
        (&report["metadata"]["name"], &report["schema"]["title"]),
        (&json!("Ada"), &json!("Person"))
    );
    assert_eq!(report["asset"]["imprint"], certificate.imprint);
    assert_eq!(
        (&report["integrity"], &report["status"]["kind"]),
        (&json!("notChecked"), &json!("inForce"))
    );

    world.serve(&format!("{HOST}/2.json"), 500, "", "");
    world.asset(LEDGER, 2, &certificate.imprint);
    let report = world.report(2);
    assert_eq!(
        [
            &report["valid"],
            &report["metadata"],
            &report["evidence"],
            &report["schema"]
        ],
        [&Value::Null; 4]
    );
}

#[test]
fn head_is_get_without_a_body() {
    let world = World::new();
    world.publish(1, &Certificate::new());
    let answer = world.head(&badge(1));
    assert_eq!((answer.says(), answer.body.len()), ((200, "valid"), 0));
}

#[test]
fn a_database_fault_is_answered_with_503_and_logged() {
    let world = World::new();
    world.execute("ALTER TABLE assets RENAME TO lost");
    let answer = world.badge(1);
    assert_eq!(
        (answer.says(), answer.listed_errors()),
        ((503, "unknown"), vec!["503001 ".to_owned()])
    );
    assert_eq!(world.faults(), 1);
}
