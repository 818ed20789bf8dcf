//! Processes that stop at any step, connections that break at any request, and processes that work at the same time.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::join_all;

use super::Scene;
use crate::support::faults::{Mortal, Stop, at_every_step};
use crate::support::native::block_on;

/// Performs an order. After `mined` blocks, the process stops at `stop`. Then another process continues. Returns true if the first process was
/// stopped.
fn trial(scene: &Scene, mortal: &Mortal, mined: usize, stop: Stop) -> bool {
    let before = scene.nonce();
    let order = scene.order();
    for _ in 0..mined {
        scene.work();
        scene.anvil.mine();
    }
    let (app, queue) = {
        let service = scene.service.borrow();
        (service.app(), Rc::clone(&service.queue))
    };
    let was_stopped = mortal.stops(stop, async {
        while let Some(job) = queue.take() {
            app.on_message(&job).await.expect("work on a message");
        }
        app.on_schedule().await.expect("a sweep");
    });
    scene.service.borrow_mut().restart();
    scene.until(7, [&order]);
    scene.performed_once([&order]);
    assert_eq!(scene.signed(&order).len(), 1, "{mined} {stop:?}");
    assert_eq!(scene.nonce(), before + 1, "{mined} {stop:?}");
    was_stopped
}

/// Stops the process at each step of a [`trial`].
fn stop_at_every_step(mined: usize) {
    let mut mortal = None;
    let wrap = |inner| {
        let wrapped = Rc::new(Mortal::new(inner));
        mortal = Some(Rc::clone(&wrapped));
        wrapped as _
    };
    let scene = Scene::prepared(&[], wrap, |_, _| {});
    let mortal = mortal.expect("a database");
    let stops = at_every_step(200, |stop| trial(&scene, &mortal, mined, stop));
    assert!(stops > 10, "{stops}");
}

// Three tests, because they take long and can run in parallel.
#[test]
fn a_process_that_stops_before_the_first_block_causes_only_one_transaction() {
    stop_at_every_step(0);
}

#[test]
fn a_process_that_stops_after_a_block_causes_only_one_transaction() {
    stop_at_every_step(1);
}

#[test]
fn a_process_that_stops_after_four_blocks_causes_only_one_transaction() {
    stop_at_every_step(4);
}

#[test]
fn a_connection_that_breaks_at_any_request_causes_only_one_transaction() {
    let scene = Scene::new(&[]);
    for is_answer_lost in [false, true] {
        let mut broken = 0;
        for number in 0_usize.. {
            let before = scene.nonce();
            let order = scene.order();
            let count = Rc::new(Cell::new(0));
            for provider in &scene.providers {
                let count = Rc::clone(&count);
                provider.behave(move |calls, ask| {
                    let this = count.replace(count.get() + 1);
                    match (this == number, is_answer_lost) {
                        (false, _) => Some(ask(calls)),
                        (true, false) => None,
                        (true, true) => {
                            ask(calls);
                            None
                        }
                    }
                });
            }
            for _ in 0..3 {
                scene.try_work();
                scene.anvil.mine();
            }
            for provider in &scene.providers {
                provider.recover();
            }
            // For half a minute, a provider that failed is asked last.
            scene.world.host.advance(31_000);
            scene.until(7, [&order]);
            scene.performed_once([&order]);
            assert_eq!(scene.nonce(), before + 1, "{number}");
            if count.get() <= number {
                break;
            }
            broken += 1;
            assert!(number < 100);
        }
        assert!(broken > 10, "{broken}");
    }
}

#[test]
fn processes_that_work_at_the_same_time_take_different_nonces() {
    let scene = Scene::new(&[]);
    let before = scene.nonce();
    let orders: [String; 12] = scene.orders();
    scene.service.borrow().queue.lose();
    for _ in 0..40 {
        let apps: Vec<_> = (0..4)
            .map(|_| scene.service.borrow().another_app())
            .collect();
        let runs = block_on(join_all(apps.iter().map(|app| app.on_schedule())));
        for run in runs {
            run.expect("a sweep");
        }
        scene.anvil.mine();
    }
    scene.performed_once(&orders);
    assert_eq!(scene.nonce(), before + 12);
    for order in &orders {
        assert_eq!(scene.signed(order).len(), 1);
    }
}
