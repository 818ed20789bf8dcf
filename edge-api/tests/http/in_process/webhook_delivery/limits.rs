//! Limits on challenges and events for each host and account, and the order in which receivers take turns.

use std::rc::Rc;

use edge_api::ports::FetchError;
use serde_json::json;

use super::{DAY, HOUR, MINUTE, OTHER_URL, Scene, URL, answers};
use crate::support::WEBHOOK_SECRET;
use crate::support::people::Person;

/// Registers receivers that do not confirm. Each receiver belongs to a new unfunded account at its own client address.
/// Returns the number of challenges that the service sends.
fn asked(scene: &Scene, urls: impl Iterator<Item = String>) -> usize {
    for (number, url) in urls.enumerate() {
        let address = format!("198.{}.{}.1", number / 250, number % 250);
        registers_at(scene, &Person::new(), &url, &address);
    }
    scene.world.host.settle();
    scene.service.borrow().http.take_sent().len()
}

fn registers_at(scene: &Scene, person: &Person, url: &str, address: &str) {
    let body = json!({ "url": url, "events": [], "secret": WEBHOOK_SECRET });
    let call = person.put("/account/webhook", &body).from(address);
    scene.world.call(call).data();
}

fn unconfirming() -> Scene {
    let scene = Scene::new();
    scene.service.borrow().http.leave_challenges();
    // Starts at a full hour, so the period of the hourly quotas does not end in the middle of a test.
    let now = scene.world.host.now();
    scene.world.host.advance(HOUR - now % HOUR);
    scene
}

#[test]
fn a_host_gets_twenty_challenges_an_hour() {
    let scene = unconfirming();
    let urls = || (0..30).map(|number| format!("https://victim.example/{number}"));
    assert_eq!(asked(&scene, urls()), 20);
    // Other ports belong to the same host.
    let ports = (0..5).map(|number| format!("https://victim.example:{}/", 8000 + number));
    assert_eq!(asked(&scene, ports), 0);
    scene.advance_and_settle(HOUR);
    assert_eq!(scene.service.borrow().http.take_sent().len(), 20);
    // Other hosts still get challenges.
    let other = ["https://other.example/".to_owned()].into_iter();
    assert_eq!(asked(&scene, other), 1);
}

/// Names below a public suffix such as `co.uk` may belong to different people.
#[test]
fn names_below_one_public_suffix_do_not_block_each_other() {
    let scene = unconfirming();
    let urls = (0..230).map(|number| format!("https://h{number}.co.uk/"));
    assert_eq!(asked(&scene, urls), 230);
    let shop = ["https://shop.co.uk/".to_owned()].into_iter();
    assert_eq!(asked(&scene, shop), 1);
}

#[test]
fn all_unfunded_accounts_share_a_thousand_challenges_an_hour() {
    let scene = unconfirming();
    assert_eq!(
        asked(&scene, ["https://one.example/".to_owned()].into_iter()),
        1
    );
    let sql = "UPDATE quotas SET used = 999 WHERE key = 'challenges:unfunded'";
    scene.service.borrow().database.execute(sql).unwrap();
    let urls = (0..3).map(|number| format!("https://h{number}.example/"));
    assert_eq!(asked(&scene, urls), 1);
    // The quota of unfunded accounts does not apply to funded accounts.
    let funded = scene.world.funded();
    scene.register(&funded, "https://funded.example/", &[]);
    assert_eq!(scene.service.borrow().http.take_sent().len(), 1);
}

#[test]
fn a_client_address_has_four_hourly_challenges_per_host_and_twenty_overall() {
    let scene = unconfirming();
    for number in 0..10 {
        let url = format!("https://victim.example/{number}");
        registers_at(&scene, &Person::new(), &url, "198.51.100.1");
    }
    scene.world.host.settle();
    let sent = || scene.service.borrow().http.take_sent().len();
    assert_eq!(sent(), 4);
    // An account at another client address can still register the same host.
    registers_at(
        &scene,
        &Person::new(),
        "https://victim.example/",
        "198.51.100.2",
    );
    scene.world.host.settle();
    assert_eq!(sent(), 1);
    for number in 0..30 {
        let url = format!("https://h{number}.example/");
        registers_at(&scene, &Person::new(), &url, "198.51.100.1");
    }
    scene.world.host.settle();
    assert_eq!(sent(), 16);
}

#[test]
fn unfunded_accounts_cannot_block_a_host_for_funded_accounts() {
    let scene = unconfirming();
    let urls = (0..25).map(|number| format!("https://victim.example/{number}"));
    assert_eq!(asked(&scene, urls), 20);
    scene.register(&scene.owner, "https://victim.example/owner", &[]);
    assert_eq!(scene.service.borrow().http.take_sent().len(), 1);
    // A funded account has its own limit, which does not affect other funded accounts.
    for number in 0..15 {
        let url = format!("https://victim.example/owner/{number}");
        scene.register(&scene.owner, &url, &[]);
    }
    assert_eq!(scene.service.borrow().http.take_sent().len(), 9);
    let other = scene.world.funded();
    scene.register(&other, "https://victim.example/other", &[]);
    assert_eq!(scene.service.borrow().http.take_sent().len(), 1);
}

#[test]
fn an_account_has_fifty_challenges_a_day() {
    let scene = unconfirming();
    let now = scene.world.host.now();
    scene.world.host.advance(DAY - now % DAY);
    for number in 0..60 {
        let url = format!("https://h{number}.example/");
        registers_at(&scene, &scene.owner, &url, "198.51.100.1");
        scene.world.host.settle();
    }
    assert_eq!(scene.service.borrow().http.take_sent().len(), 50);
    scene.advance_and_settle(DAY);
    assert_eq!(scene.service.borrow().http.take_sent().len(), 1);
}

#[test]
fn receivers_that_confirm_are_not_limited() {
    let scene = Scene::new();
    for _ in 0..30 {
        let person = Person::new();
        scene.register(&person, URL, &[]);
        let webhook = scene.world.call(person.get("/account/webhook")).data();
        assert_eq!(webhook["state"], "active");
    }
}

#[test]
fn events_have_daily_limits_for_each_account_and_host() {
    for (key, limit, what) in [
        ("events:host:hooks.assay.example", 50_000, "50000"),
        ("events:{account}", 10_000, "10000"),
    ] {
        let scene = Scene::registered(&[0]);
        scene.cause_event();
        assert_eq!(scene.delivered().len(), 1);
        let account = scene.owner.id().to_string().to_lowercase();
        let key = key.replace("{account}", &account);
        // One event is counted already. Counting `limit - 2` more leaves room for one event.
        let count = |count: u32| {
            let sql = format!("UPDATE quotas SET used = used + {count} WHERE key = '{key}'");
            scene.service.borrow().database.execute(&sql).unwrap();
        };
        count(limit - 2);
        for _ in 0..3 {
            scene.waiting_order();
        }
        scene.world.host.settle();
        assert_eq!(scene.delivered().len(), 1, "{key}");
        let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
        assert_eq!(webhook["state"], "active");
        let reason = webhook["stateReason"].as_str().unwrap();
        assert!(reason.contains(what), "{reason}");
        scene.advance_and_settle(DAY);
        scene.delivered();
        scene.cause_event();
        assert_eq!(scene.delivered().len(), 1, "{key}");
        let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
        assert!(webhook["stateReason"].is_null());
    }
}

#[test]
fn unfunded_accounts_share_a_daily_event_limit() {
    let scene = Scene::registered(&[0]);
    let unfunded = Person::new();
    scene.register(&unfunded, OTHER_URL, &[0]);
    scene.answer(OTHER_URL, answers(200));
    let pay_nothing = || {
        let payment = scene.world.payment(&unfunded, "0");
        let mut body = scene
            .world
            .order(&[&scene.owner, &unfunded], json!([payment]));
        scene.world.sign(&mut body, &[&scene.owner, &unfunded]);
        body["automatedPerform"] = json!(false);
        scene.world.call(scene.owner.post("/orders", &body)).data();
        scene.world.host.settle();
        let sent = scene.sent();
        let to = |url: &str| sent.iter().filter(|sent| sent.url == url).count();
        (to(URL), to(OTHER_URL))
    };
    assert_eq!(pay_nothing(), (1, 1));
    let sql = "UPDATE quotas SET used = used + 19999 WHERE key = 'events:unfunded'";
    scene.service.borrow().database.execute(sql).unwrap();
    assert_eq!(pay_nothing(), (1, 0));
    let webhook = scene.world.call(unfunded.get("/account/webhook")).data();
    let reason = webhook["stateReason"].as_str().unwrap();
    assert!(reason.contains("20000"), "{reason}");
    let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
    assert!(webhook["stateReason"].is_null());
}

/// A receiver that does not answer occupies a turn of the sweep for five seconds, which delays later receivers.
#[test]
fn failing_receivers_are_tried_last() {
    let scene = Scene::registered(&[0]);
    let dead = |number: u32| format!("https://dead{number}.assay.example/");
    for number in 0..50 {
        let person = Person::new();
        scene.register(&person, &dead(number), &[0]);
        scene.answer(&dead(number), Err(FetchError::Timeout));
        scene.post(&person, "test").data();
    }
    for wait in [0, MINUTE, MINUTE, 5 * MINUTE] {
        scene.advance_and_settle(wait);
    }
    scene.answer(URL, answers(503));
    scene.cause_event();
    scene.answer(URL, answers(200));
    let _before = scene.service.borrow().http.take_sent();
    scene.advance_and_settle(20 * MINUTE);
    let asked = scene.service.borrow().http.requests();
    assert!(asked.len() > 50, "{}", asked.len());
    assert_eq!(asked.iter().position(|url| url == URL), Some(0));
}

/// One receiver has failed once, and sixty other receivers time out. At most two requests to the sixty receivers precede
/// the retry of the first receiver.
#[test]
fn slow_receivers_do_not_delay_the_retries_of_others() {
    let scene = Scene::registered(&[0]);
    let dead = |number: u32| format!("https://dead{number}.assay.example/");
    for number in 0..60 {
        let person = Person::new();
        scene.register(&person, &dead(number), &[0]);
        let clock = Rc::clone(&scene.service.borrow().clock);
        scene.service.borrow().http.serve(&dead(number), move |_| {
            clock.advance(5_000);
            Err(FetchError::Timeout)
        });
        scene.post(&person, "test").data();
    }
    scene.world.host.settle();
    scene.answer(URL, answers(503));
    scene.cause_event();
    scene.answer(URL, answers(200));
    scene.advance_and_settle(0);
    let _before = scene.service.borrow().http.take_sent();
    // All accounts are due, and the accounts with slow receivers have been due for longer.
    scene.advance_and_settle(10 * MINUTE);
    let asked = scene.service.borrow().http.requests();
    let place = asked.iter().position(|url| url == URL);
    assert!(
        place.is_some_and(|place| place <= 2),
        "{place:?} of {}",
        asked.len()
    );
}

/// Nineteen receivers have timed out once. The last retry has been due for the shortest time, and is among the first two requests.
/// This holds for a funded account at the same host, and for an unfunded account at another host.
#[test]
fn many_dead_receivers_do_not_delay_the_retry_of_one_account() {
    for (is_funded, url) in [(true, "https://dead.assay.example/owner"), (false, URL)] {
        let scene = Scene::new();
        let dead = |number: u32| format!("https://dead.assay.example/{number}");
        let people: Vec<Person> = (0..18).map(|_| Person::new()).collect();
        let other = Person::new();
        let last = if is_funded { &scene.owner } else { &other };
        let urls = (0..18).map(dead).chain([url.to_owned()]);
        for (person, url) in people.iter().chain([last]).zip(urls) {
            scene.register(person, &url, &[0]);
            let clock = Rc::clone(&scene.service.borrow().clock);
            scene.service.borrow().http.serve(&url, move |_| {
                clock.advance(5_000);
                Err(FetchError::Timeout)
            });
            scene.post(person, "test").data();
            scene.world.host.settle();
        }
        let _before = scene.service.borrow().http.take_sent();
        scene.advance_and_settle(10 * MINUTE);
        let asked = scene.service.borrow().http.requests();
        assert!(asked.len() > 6, "{}", asked.len());
        let place = asked.iter().position(|asked| asked == url);
        assert!(place.is_some_and(|place| place <= 1), "{place:?}");
    }
}

/// The backoff belongs to the receiver, not to the event.
#[test]
fn a_new_event_does_not_shorten_a_retry_delay() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(500));
    scene.cause_event();
    assert_eq!(scene.delivered().len(), 1);
    for _ in 0..5 {
        scene.cause_event();
    }
    assert_eq!(scene.delivered().len(), 0);
    scene.advance_and_settle(MINUTE / 2);
    assert_eq!(scene.delivered().len(), 1);
    // The second delay of the backoff is longer.
    scene.waiting_order();
    scene.advance_and_settle(MINUTE / 2);
    assert_eq!(scene.delivered().len(), 0);
    scene.advance_and_settle(MINUTE / 2);
    assert_eq!(scene.delivered().len(), 1);
}
