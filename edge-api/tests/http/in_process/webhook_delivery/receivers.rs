//! Receivers that misbehave, and the requests that owners make about their receivers.

use edge_api::ports::{FetchError, Fetched};
use serde_json::json;

use super::{DAY, HOUR, MINUTE, OTHER_URL, Scene, URL, answers};
use crate::support::people::Person;

#[test]
fn a_misbehaving_receiver_does_not_affect_others() {
    let redirect = |location: &str| {
        Ok(Fetched {
            status: 302,
            content_type: None,
            location: Some(location.to_owned()),
            allow_origin: None,
            body: Vec::new(),
        })
    };
    let broken = || Err(FetchError::Failed("10.0.0.7 refused by rule 12".to_owned()));
    for (answer, status, error) in [
        (answers(500), json!(500), "answered 500"),
        (answers(404), json!(404), "answered 404"),
        (answers(304), json!(304), "answered 304"),
        (answers(101), json!(101), "answered 101"),
        (redirect("http://127.0.0.1/"), json!(null), "redirects"),
        (redirect(OTHER_URL), json!(null), "redirects"),
        (Err(FetchError::Timeout), json!(null), "in time"),
        (broken(), json!(null), "could not be reached"),
    ] {
        let scene = Scene::registered(&[0]);
        let other = Person::new();
        scene.register(&other, OTHER_URL, &[0]);
        scene.answer(OTHER_URL, answers(200));
        scene.answer(URL, answer);
        for _ in 0..3 {
            scene.waiting_order();
        }
        scene.service.borrow().queue.lose();
        assert_eq!(scene.post(&other, "test").status, 201);
        scene.world.host.settle();
        let requests = scene.service.borrow().http.requests();
        // One request to each receiver: a turn ends at the first failure, and redirects are not followed.
        let count = |url: &str| requests.iter().filter(|asked| *asked == url).count();
        assert_eq!(
            (count(URL), count(OTHER_URL), requests.len()),
            (1, 1, 2),
            "{error}"
        );
        let deliveries = scene.deliveries(&scene.owner);
        let tried = &deliveries[0];
        assert_eq!(
            (
                &tried["state"],
                &tried["attempts"],
                &tried["responseStatus"]
            ),
            (&json!("waiting"), &json!(1), &status),
            "{tried}"
        );
        let sentence = tried["error"].as_str().unwrap();
        assert!(sentence.contains(error), "{sentence}");
        // An account must not learn details of the network in which the service runs.
        assert!(!sentence.contains("10.0.0.7"), "{sentence}");
        // The failures lose no event.
        scene.answer(URL, answers(200));
        for _ in 0..3 {
            scene.advance_and_settle(MINUTE);
        }
        let deliveries = scene.deliveries(&scene.owner);
        assert!(
            deliveries
                .iter()
                .all(|delivery| delivery["state"] == "delivered"),
            "{deliveries:?}"
        );
    }
}

/// Requests may go only to public addresses.
const PUBLIC: &[(&str, &str)] = &[("ALLOW_PRIVATE_FETCH", "false")];

#[test]
fn an_address_is_checked_again_before_every_attempt() {
    for url in [
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "https://service.localhost/account",
        "https://a.internal/",
        "gopher://hooks.assay.example/",
    ] {
        let scene = Scene::with(PUBLIC);
        scene.register(&scene.owner, URL, &[0]);
        // Simulates rules that became stricter after the registration.
        let sql = format!("UPDATE webhooks SET url = '{url}'");
        scene.service.borrow().database.execute(&sql).unwrap();
        scene.cause_event();
        assert_eq!(scene.delivered(), [], "{url}");
        let deliveries = scene.deliveries(&scene.owner);
        let error = deliveries[0]["error"].as_str().unwrap();
        assert!(error.contains(url), "{error}");
    }
}

#[test]
fn the_services_own_host_cannot_be_a_receiver() {
    let scene = Scene::with(PUBLIC);
    for url in [
        "https://service.localhost/account/webhook",
        "http://service.localhost./",
        "https://SERVICE.localhost:8443/",
    ] {
        let body = json!({ "url": url, "events": [] });
        let answer = scene.world.call(scene.owner.put("/account/webhook", &body));
        assert_eq!(answer.errors(), ["422114 url"], "{url}");
    }
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let scene = Scene::registered(&[0]);
    let old = scene.register(&scene.owner, URL, &[0]);
    let new = scene.post(&scene.owner, "rotate").data()["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    let signatures = |scene: &Scene| {
        assert_eq!(scene.post(&scene.owner, "test").status, 201);
        scene.world.host.settle();
        let sent = scene.sent().remove(0);
        let by = |secret: &str| sent.signatures.contains(&sent.signed_with(secret));
        (sent.signatures.len(), by(&new), by(&old))
    };
    assert_eq!(signatures(&scene), (2, true, true));
    scene.world.host.advance(DAY - 1);
    assert_eq!(signatures(&scene), (2, true, true));
    scene.world.host.advance(1);
    assert_eq!(signatures(&scene), (1, true, false));
    // A secret known to the previous server does not sign for the new server, even after a rotation.
    scene.post(&scene.owner, "rotate").data();
    scene.register(&scene.owner, OTHER_URL, &[0]);
    scene.answer(OTHER_URL, answers(200));
    assert_eq!(signatures(&scene), (1, false, false));
}

#[test]
fn a_test_event_is_marked_as_a_test_and_sent_once() {
    let scene = Scene::registered(&[3, 1]);
    scene.answer(URL, answers(500));
    let first = scene.post(&scene.owner, "test");
    assert_eq!(first.status, 201);
    scene.world.host.settle();
    let sent = scene.sent().remove(0);
    assert_eq!(
        (
            &sent.body["test"],
            &sent.body["kind"],
            &sent.body["requestRef"]
        ),
        (&json!(true), &json!(1), &json!(null))
    );
    // A waiting test event becomes due now. No second test event is created.
    let second = scene.post(&scene.owner, "test");
    assert_eq!(
        (second.status, &second.data()["ref"]),
        (200, &first.data()["ref"])
    );
    scene.answer(URL, answers(200));
    scene.world.host.settle();
    assert_eq!(scene.sent().remove(0).id, sent.id);
    assert_eq!(scene.post(&scene.owner, "test").status, 201);
}

#[test]
fn a_delivery_is_sent_again_as_the_same_event() {
    let scene = Scene::registered(&[0]);
    let order = scene.waiting_order();
    scene.world.host.settle();
    let first = scene.sent().remove(0);
    let delivery = scene.deliveries(&scene.owner).remove(0);
    let path = format!("deliveries/{}/redeliver", delivery["ref"].as_str().unwrap());
    let again = scene.post(&scene.owner, &path);
    assert_eq!(again.status, 201);
    assert_ne!(again.data()["ref"], delivery["ref"]);
    assert_eq!(again.data()["event"], delivery["event"]);
    // A second request before the delivery creates no second copy.
    assert_eq!(scene.post(&scene.owner, &path).status, 200);
    // The copy is the first delivery in the queue, and later deliveries follow it.
    let cancel = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(cancel)).data();
    scene.world.host.settle();
    let sent = scene.sent();
    let ids: Vec<_> = sent.iter().map(|sent| sent.kind_and_status()).collect();
    assert_eq!(ids, [(0, 0), (0, 6)]);
    assert_eq!((&sent[0].id, &sent[0].text), (&first.id, &first.text));
    let list = scene.deliveries(&scene.owner);
    assert_eq!(list.len(), 3, "{list:?}");
}

#[test]
fn deliveries_are_visible_only_to_their_account() {
    let scene = Scene::registered(&[0]);
    let other = Person::new();
    scene.register(&other, OTHER_URL, &[0]);
    let test = scene.post(&scene.owner, "test").data();
    let path = format!("deliveries/{}/redeliver", test["ref"].as_str().unwrap());
    scene.post(&other, &path).fails(404, &[400_000]);
    assert_eq!(scene.deliveries(&other), Vec::<serde_json::Value>::new());
}

#[test]
fn resending_a_waiting_delivery_sends_it_now() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(503));
    scene.cause_event();
    scene.advance_and_settle(20 * MINUTE);
    scene.sent();
    let delivery = scene.deliveries(&scene.owner).remove(0);
    let path = format!("deliveries/{}/redeliver", delivery["ref"].as_str().unwrap());
    scene.answer(URL, answers(200));
    let again = scene.post(&scene.owner, &path);
    assert_eq!(
        (again.status, &again.data()["ref"]),
        (200, &delivery["ref"])
    );
    scene.world.host.settle();
    assert_eq!(scene.delivered(), [(0, 0)]);
}

#[test]
fn a_removed_webhook_gets_no_more_deliveries() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(500));
    scene.cause_event();
    scene.sent();
    scene
        .world
        .call(scene.owner.delete("/account/webhook"))
        .data();
    scene.waiting_order();
    scene.advance_and_settle(HOUR);
    scene.register(&scene.owner, URL, &[0]);
    scene.advance_and_settle(HOUR);
    assert_eq!(scene.delivered(), []);
    let deliveries = scene.deliveries(&scene.owner);
    assert_eq!(deliveries.len(), 1);
    assert_eq!(deliveries[0]["state"], "canceled");
}

#[test]
fn deliveries_are_listed_in_pages_and_kept_90_days() {
    let scene = Scene::registered(&[0]);
    for _ in 0..5 {
        scene.waiting_order();
    }
    scene.world.host.settle();
    let all = scene.deliveries(&scene.owner);
    assert_eq!(all.len(), 5);
    let page = |query: &str| {
        let target = format!("/account/webhook/deliveries?limit=2{query}");
        scene.world.call(scene.owner.get(target))
    };
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let answer = page(&after);
        assert_eq!(answer.meta()["total"], 5);
        seen.extend(answer.data().as_array().unwrap().clone());
        match answer.meta()["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    seen.reverse();
    assert_eq!(seen, all);
    assert_eq!(page("&skip=4&sort=1").data(), json!([all[4]]));
    page("&sort=3").fails(400, &[400_101]);
    let oldest = page("&sort=1").meta();
    let next = oldest["next"].as_str().expect("a cursor");
    // The cursor gives another account no access to these deliveries.
    let other = scene.world.funded();
    for sort in [1, 2] {
        let target = format!("/account/webhook/deliveries?sort={sort}&after={next}");
        assert_eq!(scene.world.call(other.get(target)).data(), json!([]));
    }
    scene.advance_and_settle(90 * DAY - 1);
    assert!(scene.deliveries(&scene.owner).len() >= 5);
    scene.world.host.advance(2);
    scene.world.host.settle();
    // The remaining deliveries are newer: they are about orders that were canceled in the meantime.
    let kept = scene.deliveries(&scene.owner);
    assert!(kept.iter().all(|delivery| delivery["event"]["status"] == 6));
    // The next page starts after the position of the deleted deliveries.
    let rest = page(&format!("&sort=1&after={next}"));
    assert_eq!(rest.data(), json!(kept[..2]));
}
