//! Order, leases and retries. If the service stops at any step, no event is lost or overtakes another event, and no two
//! attempts of an event overlap.

use std::collections::BTreeSet;

use edge_api::ports::Job;
use serde_json::Value;

use super::{MINUTE, Scene, Sent, URL, answers};
use crate::support::faults::at_every_step;
use crate::support::native::block_on;
use crate::support::people::Person;

#[test]
fn an_event_waits_only_for_events_of_its_record() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(500));
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
    scene.world.performed(&scene.owner, &body);
    for wait in [30_000, MINUTE, 5 * MINUTE] {
        assert!(
            scene
                .delivered()
                .iter()
                .all(|delivered| *delivered == (0, 1))
        );
        scene.world.host.advance(wait - 1);
        scene.world.host.settle();
        assert_eq!(scene.delivered(), [], "{wait}: sent too early");
        scene.advance_and_settle(1);
    }
    assert_eq!(scene.delivered(), [(0, 1)]);
    // An event of another record waits only until the receiver's backoff ends, not until the failing event is
    // delivered.
    scene.answer(URL, answers(200));
    scene.waiting_order();
    scene.advance_and_settle(5 * MINUTE);
    assert_eq!(scene.delivered(), [(0, 0)]);
    scene.advance_and_settle(10 * MINUTE);
    assert_eq!(scene.delivered(), [(0, 1), (0, 2), (0, 3), (0, 7)]);
}

/// The receiver accepts other events in the meantime. Without these, the receiver would be paused after a day.
#[test]
fn after_a_day_an_event_is_dropped_and_the_next_is_sent() {
    let scene = Scene::registered(&[0]);
    let order = scene.waiting_order();
    let reference = order["ref"].clone();
    scene.service.borrow().http.serve(URL, {
        let reference = reference.clone();
        move |request| {
            let body: Value = serde_json::from_slice(request.body.as_ref().unwrap()).unwrap();
            let refused = body["requestRef"] == reference && body["status"] == 0;
            answers(if refused { 500 } else { 200 })
        }
    });
    let path = format!("/orders/{}", reference.as_str().unwrap());
    // Lists are ordered by time.
    scene.world.host.advance(1);
    scene.world.call(scene.owner.delete(path)).data();
    let states = |scene: &Scene| -> Vec<Value> {
        let deliveries = scene.deliveries(&scene.owner);
        let of_order = deliveries
            .into_iter()
            .filter(|delivery| delivery["event"]["requestRef"] == reference);
        of_order.map(|delivery| delivery["state"].clone()).collect()
    };
    scene.world.host.settle();
    for _ in 0..47 {
        scene.waiting_order();
        scene.advance_and_settle(30 * MINUTE);
    }
    assert_eq!(states(&scene), ["waiting", "waiting"]);
    scene.advance_and_settle(30 * MINUTE);
    assert_eq!(states(&scene), ["failed", "waiting"]);
    scene.advance_and_settle(5 * MINUTE);
    assert_eq!(states(&scene), ["failed", "delivered"]);
}

#[test]
fn attempts_never_overlap() {
    let scene = Scene::registered(&[0]);
    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    let job = Job::Deliver {
        ordering_key: order["ref"].as_str().unwrap().to_owned(),
    };
    let service = scene.service.borrow();
    let apps: Vec<_> = (0..8).map(|_| service.app()).collect();
    let messages = apps.iter().map(|app| app.on_message(&job));
    let sweeps = apps.iter().map(edge_api::App::on_schedule);
    block_on(async {
        let (messages, sweeps) = futures_util::future::join(
            futures_util::future::join_all(messages),
            futures_util::future::join_all(sweeps),
        )
        .await;
        assert!(messages.iter().chain(&sweeps).all(Result::is_ok));
    });
    assert_eq!(service.http.most_at_once(), 1);
    drop(service);
    assert_eq!(scene.delivered(), [(0, 0), (0, 6)]);
}

#[test]
fn deliveries_to_different_receivers_run_concurrently() {
    let scene = Scene::new();
    let people: Vec<_> = (0..4)
        .map(|number| {
            let (person, url) = (
                Person::new(),
                format!("https://hooks{number}.assay.example/"),
            );
            scene.register(&person, &url, &[0]);
            scene.answer(&url, answers(200));
            person
        })
        .collect();
    for person in people {
        assert_eq!(scene.post(&person, "test").status, 201);
    }
    scene.service.borrow().queue.lose();
    scene.world.host.settle();
    assert_eq!(scene.sent().len(), 4);
    // Shows that the counter in `attempts_never_overlap` can exceed one.
    assert!(scene.service.borrow().http.most_at_once() > 1);
}

/// Stops the service before and after each round trip of creating an order and delivering its events, and restarts the service.
/// Every event must arrive, and the first deliveries must be in order. After a stop, only the deliveries of one lease may be sent again,
/// in the same order.
#[test]
fn no_event_is_lost_after_a_stop_at_any_step() {
    let stops = at_every_step(64, |stop| {
        let scene = Scene::registered(&[0]);
        let body = scene
            .world
            .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
        let call = scene.owner.post("/orders", &body);
        let service = scene.service.borrow();
        let died = scene.mortal.stops(stop, service.answer_and_follow(&call));
        drop(service);
        scene.service.borrow_mut().restart();
        scene.world.call(call).data();
        for _ in 0..2 {
            scene.world.host.settle();
            scene.world.host.advance(MINUTE);
        }
        scene.world.host.settle();
        let sent = scene.sent();
        let statuses: Vec<_> = sent.iter().map(Sent::kind_and_status).collect();
        let in_order = [(0, 1), (0, 2), (0, 3), (0, 7)];
        let again = statuses.len().checked_sub(in_order.len());
        let again = again.and_then(|count| in_order.get(..count));
        let repeated = again.map(|again| [again, &in_order].concat());
        assert_eq!(repeated.as_ref(), Some(&statuses), "{stop:?}");
        let ids: BTreeSet<_> = sent.iter().map(|one| &one.id).collect();
        assert_eq!(ids.len(), 4, "{stop:?}");
        let deliveries = scene.deliveries(&scene.owner);
        assert!(
            deliveries.len() == 4
                && deliveries
                    .iter()
                    .all(|delivery| delivery["state"] == "delivered"),
            "{stop:?} {deliveries:?}"
        );
        died
    });
    assert!(
        stops >= 20,
        "only {stops} stops: the trial ends before the steps under test"
    );
}
