//! The status of an asset: in force, withdrawn, never issued, or on an unknown ledger.

use serde_json::{Value, json};

use super::certificate::Certificate;
use super::world::{HOST, ISSUER, LEDGER, World, badge};
use crate::support::Answer;

const IMG: &str = "image/avif,image/webp,*/*;q=0.8";
const PAGE: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Returns a world in which asset 1 is withdrawn and asset 2 was never issued.
fn world() -> World {
    let world = World::new();
    world.publish(1, &Certificate::new());
    world.destroy(1);
    world
}

fn report(world: &World, id: u64) -> (Answer, Value) {
    let answer = world.get(&format!("/badge.json?ledgerId={LEDGER}&assetId={id}"));
    let data = answer.json()["data"].clone();
    (answer, data)
}

#[test]
fn the_report_of_a_withdrawn_asset_has_the_withdrawal_date() {
    let world = world();
    let (answer, data) = report(&world, 1);
    assert_eq!(answer.says(), (200, "withdrawn"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        [
            &data["valid"],
            &data["integrity"],
            &data["status"],
            &data["headline"]
        ],
        [
            &json!(false),
            &json!("notChecked"),
            &json!({
                "kind": "withdrawn", "since": "2026-09-21T14:13:20.000Z", "reason": null, "reasonBy": null, "expiresAt": null,
            }),
            &json!({
                "code": "withdrawn", "look": "grey-red", "text": "Withdrawn on 2026-09-21",
                "parameters": { "date": "2026-09-21T14:13:20.000Z", "reason": null, "domain": null, "name": null },
            })
        ]
    );
    assert_eq!(
        data["asset"],
        json!({
            "id": "1", "imprint": null, "uri": format!("{HOST}/1.json"), "ownerId": null, "updatedAt": null,
            "createdAt": "1970-01-01T00:00:00.002Z", "withdrawnAt": "2026-09-21T14:13:20.000Z", "withdrawnBefore": null, "pastImprints": [],
        })
    );
    assert_eq!(data["ledger"]["name"], "University of Oxenford");
    assert_eq!(data["issuer"]["account"], ISSUER);
    assert_eq!(data["errors"][0]["code"], 400_016);
    assert_eq!(data["errors"][0]["reason"], "withdrawn");
    // No documents were fetched.
    assert_eq!(world.asked_for().len(), 0);
}

#[test]
fn a_withdrawn_asset_has_a_separate_image_and_the_specified_error() {
    let mut world = world();
    let answer = world.badge(1);
    let message = answer.refuses(400_016, "assetId");
    assert!(message.contains("withdrawn at 2026-09-21"), "{message}");
    assert_eq!(answer.says(), (400, "withdrawn"));
    let answer = world.get_accepting(&badge(1), IMG);
    answer.shows(200, "withdrawn", "withdrawn.svg");
    assert_eq!(answer.header("vary"), Some("accept"));
    // If the caller names images, the badge of a withdrawn asset is the image `invalidImg`.
    world.serve("https://a.example.net/no.png", 200, "image/png", "no");
    let target = format!(
        "{}&validImg=https://a.example.net/yes.png&invalidImg=https://a.example.net/no.png",
        badge(1)
    );
    let answer = world.get_accepting(&target, IMG);
    assert_eq!((answer.says(), answer.text()), ((200, "withdrawn"), "no"));
    world.new_isolate();
    world.asset(LEDGER, 1, &Certificate::new().imprint);
    world
        .get_accepting(&badge(1), IMG)
        .shows(200, "valid", "unconfirmed.svg");
    let data = report(&world, 1).1;
    assert_eq!(data["status"]["kind"], "inForce");
    // The asset was issued again. The report still has the time of the earlier withdrawal.
    assert_eq!(
        [
            &data["asset"]["withdrawnAt"],
            &data["asset"]["withdrawnBefore"]
        ],
        [&Value::Null, &json!("2026-09-21T14:13:20.000Z")]
    );
}

#[test]
fn assets_withdrawn_before_the_migration_have_no_issue_date() {
    let world = world();
    world.execute("UPDATE withdrawals SET issued_at = NULL");
    assert_eq!(report(&world, 1).1["asset"]["createdAt"], Value::Null);
}

#[test]
fn an_asset_that_was_never_issued_is_reported_as_such() {
    let world = world();
    let (answer, data) = report(&world, 2);
    assert_eq!(answer.says(), (200, "unknown"));
    assert_eq!(
        [
            &data["valid"],
            &data["status"]["kind"],
            &data["headline"]["code"],
            &data["asset"]["imprint"]
        ],
        [
            &Value::Null,
            &json!("neverIssued"),
            &json!("never-issued"),
            &Value::Null
        ]
    );
    assert_eq!(data["errors"][0]["code"], 400_016);
    assert_eq!(data["ledger"]["ownerId"], ISSUER);
    world
        .get_accepting(&badge(2), IMG)
        .shows(400, "unknown", "not-issued.svg");
    world.badge(2).refuses(400_016, "assetId");
}

#[test]
fn a_missing_ledger_is_reported_as_unknown() {
    let world = world();
    let query = "ledgerId=0x2222222222222222222222222222222222222222&assetId=1";
    let answer = world.get(&format!("/badge.json?{query}"));
    let data = answer.json()["data"].clone();
    assert_eq!(answer.says(), (200, "unknown"));
    assert_eq!(
        [
            &data["status"]["kind"],
            &data["ledger"],
            &data["asset"],
            &data["issuer"]
        ],
        [
            &json!("unknownLedger"),
            &Value::Null,
            &Value::Null,
            &Value::Null
        ]
    );
    world
        .get_accepting(&format!("/badge?{query}"), IMG)
        .shows(400, "unknown", "not-issued.svg");
}

#[test]
fn a_badge_opened_as_a_page_redirects_to_the_certificate() {
    let world = world();
    let answer = world.get_accepting(
        "/badge?ledgerId=0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED&assetId=0x64&validImg=https://a.example.net/i.png",
        PAGE,
    );
    assert_eq!(
        (
            answer.status,
            answer.header("location"),
            answer.header("vary")
        ),
        (
            302,
            Some("/c/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/100"),
            Some("accept")
        )
    );
    assert!(answer.body.is_empty());
    // The redirect needs no database query, and an invalid badge address still gets its error.
    assert_eq!(
        world.round_trips(|| drop(world.get_accepting(&badge(1), PAGE))),
        0
    );
    let refused = world.get_accepting("/badge?assetId=1", PAGE);
    assert_eq!(refused.says(), (400, "unknown"));
    assert!(refused.text().contains("422118"), "{}", refused.text());
}
