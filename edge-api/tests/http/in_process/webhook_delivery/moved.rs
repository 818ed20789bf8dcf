//! Ended deliveries move to the database of logs.

use serde_json::Value;

use super::{DAY, Scene, URL, answers};
use crate::support::faults::at_every_step;
use crate::support::people::Person;

/// The number of delivered events in a scene.
const EVENTS: usize = 5;

impl Scene {
    /// Creates a scene with a database of logs, [`EVENTS`] delivered events that are a day old, and one waiting event.
    fn with_ended_events() -> Self {
        let scene = Self::with(&[("LOG_DATABASE", "on")]);
        scene.register(&scene.owner, URL, &[0]);
        scene.answer(URL, answers(200));
        for _ in 0..EVENTS {
            scene.post(&scene.owner, "test").data();
            scene.world.host.settle();
        }
        scene.world.host.advance(DAY);
        scene.answer(URL, answers(500));
        scene.post(&scene.owner, "test").data();
        scene
    }

    /// Returns the references of deliveries in the main database and in the database of logs, oldest first.
    fn stored(&self) -> [Vec<String>; 2] {
        let service = self.service.borrow();
        [&service.database, &service.logs.rows].map(|database| {
            let all = edge_api::ports::Statement::new(
                "SELECT ref FROM webhook_deliveries WHERE account_id > '' ORDER BY id",
            );
            let rows = database.run(&[all]).expect("rows").remove(0).list;
            rows.iter().map(reference).collect()
        })
    }

    /// Returns the references on a page of the list, the list's total, and the cursor of the next page.
    fn page(&self, person: &Person, query: &str) -> (Vec<String>, u64, Option<String>) {
        let target = format!("/account/webhook/deliveries?{query}");
        let answer = self.world.call(person.get(target)).json();
        let list = answer["data"].as_array().expect("a list");
        let meta = &answer["meta"];
        (
            list.iter().map(reference).collect(),
            meta["total"].as_u64().expect("a total"),
            meta["next"].as_str().map(str::to_owned),
        )
    }
}

fn reference(row: &Value) -> String {
    row["ref"].as_str().expect("a reference").to_owned()
}

#[test]
fn lists_show_moved_and_waiting_deliveries_in_one_order() {
    let scene = Scene::with_ended_events();
    let before = scene.page(&scene.owner, "sort=1").0;
    assert_eq!(before.len(), EVENTS + 1);
    assert_eq!(scene.stored(), [before.clone(), Vec::new()]);
    scene.world.host.settle();
    let (moved, waiting) = before.split_at(EVENTS);
    assert_eq!(scene.stored(), [waiting.to_vec(), moved.to_vec()]);
    for (sort, order) in [
        ("1", before.clone()),
        ("2", before.iter().rev().cloned().collect()),
    ] {
        let (all, total, _) = scene.page(&scene.owner, &format!("sort={sort}"));
        assert_eq!((&all, total), (&order, 6));
        let mut seen = Vec::new();
        let mut after = String::new();
        loop {
            let query = format!("sort={sort}&limit=2{after}");
            let (page, total, next) = scene.page(&scene.owner, &query);
            assert_eq!(total, 6);
            seen.extend(page);
            match next {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(seen, order);
        let (page, ..) = scene.page(&scene.owner, &format!("sort={sort}&skip=3&limit=2"));
        assert_eq!(page, order[3..5]);
    }
    assert!(scene.page(&Person::new(), "sort=1").0.is_empty());
}

#[test]
fn a_moved_event_can_be_sent_again() {
    let scene = Scene::with_ended_events();
    scene.answer(URL, answers(200));
    scene.world.host.settle();
    let [_, moved] = scene.stored();
    scene.sent();
    let answer = scene.post(&scene.owner, &format!("deliveries/{}/redeliver", moved[0]));
    assert_eq!(answer.status, 201);
    scene.world.host.settle();
    assert_eq!(scene.sent().len(), 1);
    let stranger = scene.post(
        &Person::new(),
        &format!("deliveries/{}/redeliver", moved[0]),
    );
    stranger.fails(404, &[400_000]);
}

#[test]
fn a_move_that_stops_at_any_step_loses_no_delivery() {
    let stops = at_every_step(300, |stop| {
        let scene = Scene::with_ended_events();
        let before = scene.page(&scene.owner, "sort=1").0;
        let app = scene.service.borrow().app();
        let stopped = scene.mortal.stops(stop, app.on_schedule());
        assert_eq!(scene.page(&scene.owner, "sort=1").0, before, "{stop:?}");
        scene.world.host.settle();
        let (moved, waiting) = before.split_at(EVENTS);
        let [here, there] = scene.stored();
        assert_eq!(
            (here.as_slice(), there.as_slice()),
            (waiting, moved),
            "{stop:?}"
        );
        stopped
    });
    assert!(stops > 10, "{stops}");
}

#[test]
fn deliveries_stay_while_the_database_of_logs_is_unavailable() {
    let scene = Scene::with_ended_events();
    let before = scene.page(&scene.owner, "sort=1").0;
    let away = |is_away| scene.service.borrow().logs.is_away.set(is_away);
    away(true);
    let app = scene.service.borrow().app();
    assert!(crate::support::native::block_on(app.on_schedule()).is_err());
    assert_eq!(scene.stored()[0], before);
    // The list fails. If it left out the moved deliveries, clients would skip them.
    let list = scene.owner.get("/account/webhook/deliveries");
    scene.world.call(list).fails(503, &[503_001]);
    away(false);
    scene.world.host.settle();
    assert_eq!(scene.stored()[1], before[..EVENTS]);
    assert_eq!(scene.page(&scene.owner, "sort=1").0, before);
}

#[test]
fn moved_deliveries_are_deleted_after_their_retention_time() {
    let scene = Scene::with_ended_events();
    scene.world.host.settle();
    scene.advance_and_settle(90 * DAY);
    assert_eq!(scene.stored()[1].len(), 0);
}
