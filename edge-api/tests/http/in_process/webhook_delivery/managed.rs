//! Rotating the secret, testing and resending with an `Idempotency-Key`. If the service stops at any step, the change
//! happens once, and a repeated request gets the same response.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{MINUTE, Scene, URL};
use crate::support::faults::at_every_step;
use crate::support::people::Person;
use crate::support::{Answer, Call};

/// A POST request to a path below `/account/webhook`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Rotate,
    Test,
    Redeliver,
}

impl Act {
    /// Returns the request for a scene in which one event was delivered.
    fn call(self, scene: &Scene) -> Call {
        let path = match self {
            Self::Rotate => "rotate".to_owned(),
            Self::Test => "test".to_owned(),
            Self::Redeliver => {
                let deliveries = scene.deliveries(&scene.owner);
                format!(
                    "deliveries/{}/redeliver",
                    deliveries[0]["ref"].as_str().unwrap()
                )
            }
        };
        let path = format!("/account/webhook/{path}");
        scene
            .owner
            .post(path, &json!({}))
            .header("idempotency-key", "once")
    }

    fn status(self) -> u16 {
        if self == Self::Rotate { 200 } else { 201 }
    }
}

fn scene() -> Scene {
    let scene = Scene::registered(&[0]);
    scene.cause_event();
    assert_eq!(scene.delivered(), [(0, 0)]);
    // Lists are ordered by time.
    scene.world.host.advance(1);
    scene
}

#[track_caller]
fn assert_same(one: &Answer, two: &Answer, why: &str) {
    assert_eq!((two.status, &two.body), (one.status, &one.body), "{why}");
    assert_eq!(two.header("idempotency-replayed"), Some("true"), "{why}");
}

#[test]
fn a_call_that_is_stopped_at_any_step_happens_once() {
    for act in [Act::Rotate, Act::Test, Act::Redeliver] {
        let stops = at_every_step(64, |stop| {
            let scene = scene();
            let call = act.call(&scene);
            let secret =
                scene.world.call(scene.owner.get("/account/webhook")).data()["secret"].clone();
            if !scene
                .mortal
                .stops(stop, scene.service.borrow().answer(&call))
            {
                return false;
            }
            let why = format!("{act:?} {stop:?}");
            scene.service.borrow_mut().restart();
            // Queued work continues before the client retries.
            scene.world.host.settle();
            let soon = scene.world.call(call.clone());
            assert!([act.status(), 409].contains(&soon.status), "{why}");
            scene.advance_and_settle(MINUTE);
            let later = scene.world.call(call.clone());
            assert_eq!(later.status, act.status(), "{why}");
            if soon.status != 409 {
                assert_eq!(soon.body, later.body, "{why}");
            }
            assert_same(&later, &scene.world.call(call), &why);
            scene.world.host.settle();
            assert_once(&scene, act, &later.data(), &secret, &why);
            true
        });
        // Each of the four database round trips (clock, lease, read and transaction) causes two stops: before and after it.
        assert!(stops >= 8, "{act:?}: {stops}");
    }
}

fn assert_once(scene: &Scene, act: Act, answer: &Value, old_secret: &Value, why: &str) {
    let deliveries = scene.deliveries(&scene.owner);
    let sent = scene.sent();
    match act {
        Act::Rotate => {
            let now = scene.world.call(scene.owner.get("/account/webhook")).data();
            assert_eq!(&now, answer, "{why}");
            // After one rotation, the old secret still signs, next to the new one.
            scene.post(&scene.owner, "test").data();
            scene.world.host.settle();
            let [test] = scene.sent().try_into().ok().expect("one test event");
            let secrets = [&answer["secret"], old_secret]
                .map(|secret| test.signed_with(secret.as_str().unwrap()));
            assert_eq!(test.signatures, secrets, "{why}");
        }
        Act::Test | Act::Redeliver => {
            assert_eq!((deliveries.len(), sent.len()), (2, 1), "{why}");
            assert_eq!(deliveries[1]["ref"], answer["ref"], "{why}");
            let events: BTreeSet<_> = deliveries
                .iter()
                .map(|delivery| delivery["event"]["id"].as_str())
                .collect();
            assert_eq!(events.len(), if act == Act::Test { 2 } else { 1 }, "{why}");
            assert!(
                deliveries
                    .iter()
                    .all(|delivery| delivery["state"] == "delivered"),
                "{why}"
            );
        }
    }
}

#[test]
fn concurrent_calls_have_consistent_results() {
    let scene = scene();
    let many = |path: &str| {
        let calls = (0..8).map(|_| {
            scene
                .owner
                .post(format!("/account/webhook/{path}"), &json!({}))
        });
        scene.world.host.call_all(calls.collect())
    };
    let first = scene.deliveries(&scene.owner)[0]["ref"].clone();
    for path in [
        "test".to_owned(),
        format!("deliveries/{}/redeliver", first.as_str().unwrap()),
    ] {
        let answers = many(&path);
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        let shown = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!((made, shown), (1, 7), "{path}");
        assert!(
            answers
                .iter()
                .all(|answer| answer.data()["ref"] == answers[0].data()["ref"]),
            "{path}"
        );
    }
    let secrets: Vec<Value> = many("rotate")
        .iter()
        .map(|answer| answer.data()["secret"].clone())
        .collect();
    let now = scene.world.call(scene.owner.get("/account/webhook")).data();
    assert!(secrets.contains(&now["secret"]));
    scene.world.host.settle();
    assert_eq!(scene.sent().len(), 2);
}

/// The answer must equal the stored delivery, although the service computes the answer before it stores the delivery.
#[test]
fn the_answer_equals_the_stored_delivery() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, super::answers(500));
    scene.waiting_order();
    let shown = |answer: &Answer| {
        let data = answer.data();
        let deliveries = scene.deliveries(&scene.owner);
        let found = deliveries
            .iter()
            .find(|delivery| delivery["ref"] == data["ref"]);
        assert_eq!(found, Some(&data));
        (answer.status, data["nextAttemptAt"].is_string())
    };
    let waits = scene.deliveries(&scene.owner)[0]["ref"]
        .as_str()
        .unwrap()
        .to_owned();
    let again = format!("deliveries/{waits}/redeliver");
    // A resent delivery is due immediately, before and after a failed attempt. So is a test event, whether new or
    // waiting.
    assert_eq!(shown(&scene.post(&scene.owner, &again)), (200, true));
    scene.world.host.settle();
    assert_eq!(shown(&scene.post(&scene.owner, &again)), (200, true));
    assert_eq!(shown(&scene.post(&scene.owner, "test")), (201, true));
    assert_eq!(shown(&scene.post(&scene.owner, "test")), (200, true));
    scene.world.host.settle();
    assert_eq!(shown(&scene.post(&scene.owner, "test")), (200, true));
    // A copy that is queued behind a waiting delivery is not due yet.
    scene.answer(URL, super::answers(200));
    scene.advance_and_settle(10 * MINUTE);
    scene.advance_and_settle(10 * MINUTE);
    assert_eq!(scene.deliveries(&scene.owner)[0]["state"], "delivered");
    scene.answer(URL, super::answers(500));
    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.advance_and_settle(1);
    scene.world.call(scene.owner.delete(path)).data();
    let second = scene.deliveries(&scene.owner).last().unwrap()["ref"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        shown(&scene.post(&scene.owner, &format!("deliveries/{second}/redeliver"))),
        (200, false)
    );
    // After the webhook is deleted, no operation finds it.
    scene
        .world
        .call(scene.owner.delete("/account/webhook"))
        .data();
    scene.post(&scene.owner, "test").fails(422, &[422_067]);
    scene.post(&Person::new(), "rotate").fails(422, &[422_067]);
}
