//! Caching: which data is cached, for how long, and for which callers.

use super::certificate::Certificate;
use super::world::{HOST, ISSUER, LEDGER, ORIGIN, World, badge};
use crate::support::native::START;
use crate::support::own_image;

const MINUTE: u64 = 60_000;

/// Returns a world in which asset 1 is valid, asset 2 is invalid, and asset 3 cannot be checked.
fn world() -> World {
    world_with(&[])
}

fn world_with(vars: &[(&str, &str)]) -> World {
    let world = World::with(vars);
    world.publish(1, &Certificate::new());
    world.publish(2, &Certificate::new().altered("Ada", "Eva"));
    world.asset(LEDGER, 3, &Certificate::new().imprint);
    world
}

/// Makes all assets valid.
fn repair(world: &World) {
    let certificate = Certificate::new();
    for id in [2, 3] {
        world.serve_json(
            &format!("{HOST}/{id}.json"),
            &certificate.metadata.to_json(),
        );
    }
}

#[test]
fn documents_are_checked_once_a_minute_but_the_ledger_every_time() {
    for (id, validity) in [(1, "valid"), (2, "invalid")] {
        let world = world();
        assert_eq!(world.badge(id).says(), (200, validity));
        assert_eq!(world.asked_for().len(), 3);
        world.clock.advance(MINUTE - 1);
        assert_eq!(
            world.round_trips(|| assert_eq!(world.badge(id).says(), (200, validity))),
            1
        );
        assert!(world.asked_for().is_empty());
        world.clock.advance(1);
        assert_eq!(world.badge(id).says(), (200, validity));
        assert_eq!(world.asked_for().len(), 3);
    }
}

#[test]
fn a_new_imprint_and_a_withdrawal_are_seen_at_once() {
    let world = world_with(&[("BADGE_CACHE_SECONDS", "3600")]);
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert_eq!(world.report(1)["valid"], true);
    world.execute(&format!(
        "UPDATE assets SET imprint = '{}', updated_at = 4 WHERE id = '{:064x}'",
        "ab".repeat(32),
        1
    ));
    assert_eq!(world.badge(1).says(), (200, "invalid"));
    let report = world.report(1);
    assert_eq!(report["asset"]["imprint"], "ab".repeat(32));
    assert_eq!(report["integrity"], "changed");
    world.destroy(1);
    world.badge(1).refuses(400_016, "assetId");
    assert_eq!(world.badge(1).says(), (400, "withdrawn"));
    assert_eq!(world.report(1)["status"]["kind"], "withdrawn");
}

#[test]
fn a_new_holder_is_seen_at_once_without_a_new_check() {
    let world = world();
    assert_eq!(world.report(1)["valid"], true);
    world.asked();
    world.execute(&format!("UPDATE assets SET owner_id = '{ISSUER}'"));
    assert_eq!(world.report(1)["asset"]["ownerId"], ISSUER);
    assert!(world.asked_for().is_empty());
}

#[test]
fn max_age_is_the_remaining_cache_time_but_at_most_a_minute() {
    let world = world_with(&[("BADGE_CACHE_SECONDS", "90")]);
    // Reading the metadata takes five seconds. The service reads the ledger first, and the response's age counts from the
    // time of that read.
    world.slow(&format!("{HOST}/1.json"), 5_000);
    let report = format!("/badge.json?ledgerId={LEDGER}&assetId=1");
    let left = |seconds: u64| {
        for answer in [world.badge(1), world.get(&report)] {
            assert_eq!(
                answer.header("cache-control"),
                Some(format!("public, max-age={seconds}").as_str())
            );
        }
    };
    assert_eq!(
        world.get(&report).header("cache-control"),
        Some("public, max-age=55")
    );
    left(60);
    world.clock.advance(45_000);
    left(40);
    world.clock.advance(39_999);
    left(1);
}

#[test]
fn a_failed_check_is_retried_after_ten_seconds() {
    let world = world();
    world.badge(3).refuses(400_017, "metadata");
    repair(&world);
    world.clock.advance(9_999);
    assert_eq!(
        world.round_trips(|| assert_eq!(world.badge(3).says(), (400, "unknown"))),
        1
    );
    world.clock.advance(1);
    assert_eq!(world.badge(3).says(), (200, "valid"));
}

#[test]
fn a_missing_asset_is_looked_up_every_time() {
    let world = world();
    world.badge(9).refuses(400_016, "assetId");
    world.publish(9, &Certificate::new());
    assert_eq!(world.badge(9).says(), (200, "valid"));
}

#[test]
fn the_setting_shortens_caching_and_zero_disables_it() {
    let world = world_with(&[("BADGE_CACHE_SECONDS", "5")]);
    assert_eq!(
        world.badge(2).header("cache-control"),
        Some("public, max-age=5")
    );
    world.badge(3).refuses(400_017, "metadata");
    repair(&world);
    world.clock.advance(4_999);
    assert_eq!(world.badge(2).says(), (200, "invalid"));
    world.clock.advance(1);
    assert_eq!(
        (world.badge(2).says(), world.badge(3).says()),
        ((200, "valid"), (200, "valid"))
    );

    let world = world_with(&[("BADGE_CACHE_SECONDS", "0")]);
    assert_eq!(world.badge(2).says(), (200, "invalid"));
    repair(&world);
    assert_eq!(world.badge(2).says(), (200, "valid"));
    // A longer setting does not extend the caching of failures.
    let world = world_with(&[("BADGE_CACHE_SECONDS", "600")]);
    world.badge(3).refuses(400_017, "metadata");
    repair(&world);
    world.clock.advance(10_000);
    assert_eq!(world.badge(3).says(), (200, "valid"));
}

#[test]
fn isolates_share_the_cache_and_respect_each_entrys_expiry() {
    let mut world = world();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    world.asked();
    world.new_isolate();
    assert_eq!(
        world.round_trips(|| assert_eq!(world.badge(1).says(), (200, "valid"))),
        1
    );
    assert!(world.asked_for().is_empty());
    // The fake cache never drops an entry, so the service must check each entry's expiry itself.
    world.new_isolate();
    world.clock.advance(MINUTE);
    assert_eq!(
        world.round_trips(|| assert_eq!(world.badge(1).says(), (200, "valid"))),
        1
    );
    // If the shared cache loses all entries, the isolate still has the entry in its own memory.
    world.cache.forget();
    world.asked();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert!(world.asked_for().is_empty());
    world.new_isolate();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert_eq!(world.asked_for().len(), 3);
}

#[test]
fn verdicts_and_reports_are_cached_separately() {
    let world = world();
    let report = format!("/badge.json?ledgerId={LEDGER}&assetId=1");
    let first = world.get(&report);
    world.asked();
    // A report also caches the verdict.
    assert_eq!(world.badge(1).says(), (200, "valid"));
    let second = world.get(&report);
    assert!(world.asked_for().is_empty());
    assert_eq!(first.json()["data"], second.json()["data"]);
    assert_ne!(first.json()["id"], second.json()["id"]);
    // Computing only a verdict does not cache a report.
    assert_eq!(world.badge(2).says(), (200, "invalid"));
    world.asked();
    assert_eq!(world.report(2)["valid"], false);
    assert_eq!(world.asked_for().len(), 3);
}

#[test]
fn a_large_report_is_cached_only_in_the_shared_cache() {
    let mut world = world();
    let text = Certificate::new().metadata.to_json();
    let padding = "x".repeat((1 << 20) - text.len() - 20);
    world.serve_json(
        &format!("{HOST}/1.json"),
        &text.replacen('{', &format!(r#"{{"note":"{padding}","#), 1),
    );
    assert_eq!(world.report(1)["valid"], true);
    world.asked();
    assert_eq!(world.report(1)["metadata"]["note"], padding);
    world.new_isolate();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert!(world.asked_for().is_empty());
    world.cache.forget();
    assert_eq!(world.report(1)["valid"], true);
    assert_eq!(world.asked_for().len(), 3);
}

#[test]
fn a_callers_image_is_never_shown_for_another_caller() {
    let mut world = world();
    world.serve("https://a.example.net/i.png", 200, "image/png", "a");
    world.serve("https://b.example.net/i.png", 200, "image/gif", "b");
    world.serve("https://a.example.net/i.png?x", 200, "image/webp", "c");
    let with = |address: &str| format!("{}&validImg={address}", badge(1));
    for isolate in 0..2 {
        assert_eq!(world.get(&with("https://a.example.net/i.png")).text(), "a");
        assert_eq!(world.badge(1).body, own_image("unconfirmed.svg"));
        let answer = world.get(&with("https://b.example.net/i.png"));
        assert_eq!(
            (answer.text(), answer.header("content-type")),
            ("b", Some("image/gif"))
        );
        assert_eq!(
            world.get(&with("https://a.example.net/i.png%3Fx")).text(),
            "c"
        );
        world
            .get(&with("https://c.example.net/gone.png"))
            .refuses(400_019, "validImg");
        assert_eq!(world.badge(1).body, own_image("unconfirmed.svg"));
        // Isolates share verdicts, but each isolate fetches and caches images for itself.
        assert_eq!(world.asked_for().len(), if isolate == 0 { 7 } else { 4 });
        world.new_isolate();
    }
}

#[test]
fn the_origin_and_unknown_parameters_do_not_change_a_verdict() {
    let mut world = world();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    world.asked();
    for origin in ["https://other.example.com", "http://assets.example.org"] {
        origin.clone_into(&mut world.service.origin);
        assert_eq!(
            world.get(&format!("{}&x=1&valid=false", badge(1))).says(),
            (200, "valid")
        );
    }
    assert!(world.asked_for().is_empty());
}

#[test]
fn a_caller_cannot_choose_the_services_own_host() {
    let mut world = world();
    world.serve("https://a.example.net/i.png", 200, "image/png", "a");
    world.redirect(
        "https://b.example.net/i.png",
        302,
        "https://a.example.net/i.png",
    );
    let image = format!("{}&validImg=https://b.example.net/i.png", badge(1));
    // The host name comes from the client, unless a proxy in front of the service checks it.
    world.service.origin = HOST.to_owned();
    world.badge(1).refuses(400_017, "metadata");
    assert_eq!(world.finding(1).1, "own-host metadata");
    world.service.origin = ORIGIN.to_owned();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    "https://a.example.net".clone_into(&mut world.service.origin);
    world.get(&image).refuses(400_019, "validImg");
    world.service.origin = ORIGIN.to_owned();
    assert_eq!(world.get(&image).text(), "a");
}

#[test]
fn images_are_cached_for_a_minute_and_failures_for_ten_seconds() {
    let world = world();
    let (good, bad) = (
        "https://a.example.net/good.png",
        "https://a.example.net/bad.png",
    );
    let get = |address: &str| world.get(&format!("{}&validImg={address}", badge(1)));
    world.serve(good, 200, "image/png", "old");
    assert_eq!(get(good).text(), "old");
    get(bad).refuses(400_019, "validImg");
    world.serve(good, 200, "image/png", "new");
    world.serve(bad, 200, "image/png", "found");
    world.clock.advance(9_999);
    get(bad).refuses(400_019, "validImg");
    world.clock.advance(1);
    assert_eq!(get(bad).text(), "found");
    world.clock.advance(49_999);
    assert_eq!(get(good).text(), "old");
    world.clock.advance(1);
    assert_eq!(get(good).text(), "new");
}

#[test]
fn an_images_address_is_checked_before_the_cache_is_read() {
    // An isolate caches images for all callers, whichever host name of the service they use.
    let mut world = World::new();
    world.publish(1, &Certificate::new());
    world.serve("https://a.example.net/i.png", 200, "image/png", "a");
    let target = format!("{}&validImg=https://a.example.net/i.png", badge(1));
    assert_eq!(world.get(&target).text(), "a");
    // If the service is called under this host name, the image is on the service's own host, and the service must not
    // fetch from itself.
    "https://a.example.net".clone_into(&mut world.service.origin);
    world.get(&target).refuses(400_019, "validImg");
}

#[test]
fn an_asset_has_one_verification_at_a_time() {
    let world = world();
    for file in ["1.json", "evidence.json", "schema.json", "2.json"] {
        world.slow(&format!("{HOST}/{file}"), 1_000);
    }
    let (one, two) = (badge(1), badge(2));
    let mut targets = vec![one.as_str(); 50];
    targets.extend(vec![two.as_str(); 50]);
    let answers = world.get_all(&targets);
    assert!(
        answers[..50]
            .iter()
            .all(|answer| answer.says() == (200, "valid"))
    );
    assert!(
        answers[50..]
            .iter()
            .all(|answer| answer.says() == (200, "invalid"))
    );
    assert_eq!(world.asked_for().len(), 6);
    assert_eq!(world.service.database.round_trips(), 100);
    assert!(world.clock.now() <= START + 2_050);
    // Waiting requests do not query the shared cache repeatedly.
    assert!(world.cache.gets.get() <= 200, "{}", world.cache.gets.get());
}

#[test]
fn waiting_requests_receive_the_failure_of_the_running_check() {
    let world = world();
    world.slow(&format!("{HOST}/3.json"), 1_000);
    let target = badge(3);
    let answers = world.get_all(&[target.as_str(); 20]);
    assert!(
        answers
            .iter()
            .all(|answer| answer.says() == (400, "unknown"))
    );
    assert_eq!(world.asked_for().len(), 1);
    // Concurrent requests for a missing asset all receive the error.
    let target = badge(9);
    let answers = world.get_all(&[target.as_str(); 20]);
    assert!(
        answers
            .iter()
            .all(|answer| answer.listed_errors() == ["400016 assetId"])
    );
}

#[test]
fn a_report_request_that_waited_for_a_verdict_makes_a_report() {
    let world = world();
    world.slow(&format!("{HOST}/1.json"), 1_000);
    let report = format!("/badge.json?ledgerId={LEDGER}&assetId=1");
    let (badge, report) = (badge(1), report.as_str());
    let answers = world.get_all(&[&badge, report, report, report]);
    assert!(answers.iter().all(|answer| answer.says() == (200, "valid")));
    assert_eq!(world.asked_for().len(), 6);
}

#[test]
fn a_request_that_ends_early_releases_its_permit() {
    let world = world();
    world.slow(&format!("{HOST}/1.json"), 1_000);
    // This request is dropped after half a second. The next request starts its own check immediately.
    assert!(
        world
            .clock
            .run_until(START + 500, world.request(&badge(1)))
            .is_none()
    );
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert_eq!(world.clock.now(), START + 1_500);
}

#[test]
fn waiters_take_over_from_a_dead_request() {
    let world = world();
    world.slow(&format!("{HOST}/1.json"), 1_000);
    // Simulates a request whose client disconnected: the runtime never resumes or drops it.
    let target = badge(1);
    let mut lost = Box::pin(world.request(&target));
    assert!(world.clock.run_until(START + 500, lost.as_mut()).is_none());
    std::mem::forget(lost);
    let answers = world.get_all(&[target.as_str(); 5]);
    assert!(answers.iter().all(|answer| answer.says() == (200, "valid")));
    // A waiting request took over.
    assert_eq!(world.asked_for().len(), 4);
    let now = world.clock.now();
    assert!(
        (START + 11_000..START + 12_100).contains(&now),
        "{}",
        now - START
    );
}
