//! The page of a certificate as the service sends it, before any script has run.

use serde_json::Value;

use super::certificate::Certificate;
use super::world::{HOST, ISSUER, LEDGER, ORIGIN, World};
use crate::support::Answer;

const BROWSER: &str = "text/html,*/*;q=0.8";

fn world() -> World {
    let world = World::with(&[(
        "CONFIRMED_ACCOUNTS",
        &format!("{ISSUER} University </title> of {{report}}"),
    )]);
    world.publish(1, &Certificate::new());
    world
}

fn open(world: &World, id: u64) -> Answer {
    let answer = world.get_accepting(&format!("/c/{LEDGER}/{id}"), BROWSER);
    assert_eq!(answer.status, 200);
    answer
}

/// Returns the text between two strings.
#[track_caller]
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).expect("an end").0
}

/// Returns the page's title, the preview's title and picture, the look and classes of the box, and the statement in the box.
#[track_caller]
fn says(answer: &Answer) -> [String; 5] {
    let page = answer.text();
    assert!(
        !page.contains("{ledger}") && !page.contains("{headline}") && !page.contains("<!-- part:")
    );
    let picture = between(page, "property=\"og:image\" content=\"", "\"");
    let class = between(page, "<section class=\"verdict served", "\"").trim();
    let look = between(page, " data-look=\"", "\"");
    let statement = match class {
        "" => "",
        _ => between(page, "<p class=\"headline\" lang=\"en\">", "</p>"),
    };
    [
        between(page, "<title>", " – Assay</title>").to_owned(),
        between(page, "property=\"og:title\" content=\"", " – Assay\"").to_owned(),
        picture
            .strip_prefix(ORIGIN)
            .expect("an absolute address")
            .to_owned(),
        format!("{look} {class}").trim().to_owned(),
        statement.to_owned(),
    ]
}

/// Returns the data of `/badge.json` in the page, if the page has it.
fn report(answer: &Answer) -> Option<Value> {
    let page = answer.text();
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"report\">")?;
    let (json, _) = rest.split_once("</script>").expect("an end");
    Some(serde_json::from_str(json).expect("JSON"))
}

#[test]
fn a_favourable_verdict_is_grey_and_says_who_states_it() {
    let world = world();
    let answer = open(&world, 1);
    assert_eq!(
        says(&answer),
        [
            "Certificate",
            "A certificate",
            "/preview.png",
            "grey stated said",
            "assay.example.com says: Valid. Issued by University &lt;/title&gt; of {report}, confirmed by assay.example.com"
        ]
    );
    let page = answer.text();
    assert!(!page.contains("data-look=\"green\""), "{page}");
    assert_eq!(report(&answer), Some(world.report(1)));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    assert_eq!(answer.header("vary"), Some("accept"));
}

#[test]
fn the_page_and_its_data_take_one_statement_together() {
    let world = world();
    open(&world, 1);
    assert_eq!(world.round_trips(|| drop(open(&world, 1))), 1);
}

#[test]
fn a_warning_has_its_look_and_only_some_hold_for_copies() {
    let world = world();
    world.publish(2, &Certificate::new().altered("Ada", "<i>Eva"));
    let changed = open(&world, 2);
    assert_eq!(
        says(&changed),
        [
            "Changed",
            "Changed",
            "/preview-red.png",
            "red stated said",
            "Changed"
        ]
    );
    let data = report(&changed).expect("the data");
    assert_eq!(data["metadata"]["name"], "<i>Eva");
    assert!(!changed.text().contains("<i>Eva"));
    let unknown = world.get_accepting("/c/0x9999999999999999999999999999999999999999/1", BROWSER);
    assert_eq!(
        says(&unknown)[3..],
        ["red stated", "Never issued: no such ledger"]
    );
}

#[test]
fn a_withdrawal_is_shown_at_once_without_its_reason() {
    let world = world();
    world.destroy(1);
    world.execute("UPDATE withdrawals SET reason = 'see {report} <b>: ', reason_by = owner_id");
    let answer = open(&world, 1);
    assert_eq!(
        says(&answer),
        [
            "Withdrawn on 2026-09-21",
            "Withdrawn on 2026-09-21",
            "/preview-gone.png",
            "grey-red stated",
            "Withdrawn on 2026-09-21"
        ]
    );
    assert!(!answer.text().contains("<b>"));
    // The asset may be issued again at any moment, so the browser asks again.
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(report(&answer), None);
    assert!(answer.text().contains("rel=\"preload\""));
}

#[test]
fn an_asset_that_was_never_issued_accuses_nobody() {
    let world = world();
    let answer = open(&world, 7);
    assert_eq!(
        says(&answer)[1..],
        [
            "No certificate at this address",
            "/preview.png",
            "grey stated said",
            "No certificate at this address"
        ]
    );
}

#[test]
fn a_slow_or_failed_check_leaves_the_page_without_a_statement() {
    let mut world = world();
    world.slow(&format!("{HOST}/evidence.json"), 1_500);
    let slow = open(&world, 1);
    let neutral = ["Certificate", "A certificate", "/preview.png", "grey", ""];
    assert_eq!(says(&slow), neutral);
    assert_eq!(slow.header("cache-control"), Some("no-store"));
    // The check that the page gave up does not stand in the way of the next one.
    assert_eq!(world.report(1)["valid"], true);
    assert_eq!(says(&open(&world, 1))[3], "grey stated said");
    world.new_isolate();
    world.cache.forget();
    world.serve(&format!("{HOST}/evidence.json"), 404, "", "");
    assert_eq!(says(&open(&world, 1)), neutral);
    world.execute("ALTER TABLE assets RENAME TO gone");
    assert_eq!(says(&open(&world, 1)), neutral);
}
