//! Random faults of processes, providers, nodes and blocks, combined in one run.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::json;

use super::{Scene, swallow};
use crate::support::faults::{Mortal, Stop};
use crate::support::people::Person;

/// A generator of reproducible random numbers.
struct Dice(Cell<u64>);

impl Dice {
    /// Returns a number below `limit`.
    fn below(&self, limit: u64) -> u64 {
        // The generator of Knuth's MMIX.
        let state = self.0.get();
        let next = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0.set(next);
        (next >> 33) % limit
    }
}

/// Runs orders through random faults. Then asserts that each order was performed once.
fn trial(seed: u64) {
    let dice = Dice(Cell::new(seed));
    let mut mortal = None;
    let wrap = |inner| {
        let wrapped = Rc::new(Mortal::new(inner));
        mortal = Some(Rc::clone(&wrapped));
        wrapped as _
    };
    let scene = Scene::prepared(
        &[("CONFIRMATIONS", "6"), ("INFLIGHT", "4")],
        wrap,
        |_, _| {},
    );
    let mortal = mortal.expect("a database");
    let mut orders = Vec::new();
    let mut events = Vec::new();
    for _ in 0..60 {
        let event = dice.below(14);
        events.push(event);
        match event {
            0 | 1 if orders.len() < 12 => {
                for provider in &scene.providers {
                    provider.recover();
                }
                scene.world.host.advance(31_000);
                let body = scene.creation();
                orders.push((scene.post("/orders", &body), body));
            }
            2 => {
                let app = scene.service.borrow().app();
                let stop = usize::try_from(dice.below(40)).expect("a small number");
                let stop = [Stop::Before(stop), Stop::After(stop)][usize::from(dice.below(2) == 0)];
                mortal.stops(stop, app.on_schedule());
                scene.service.borrow_mut().restart();
            }
            3 => {
                let depth = 1 + dice.below(3);
                scene.anvil.rpc("anvil_reorg", json!([depth, []]));
            }
            4 => {
                let gwei = 1 + dice.below(40);
                scene.anvil.set_base_fee(gwei * 1_000_000_000);
            }
            5 => {
                if let Some((order, _)) = orders.last() {
                    scene.drop_from_pool(order);
                }
            }
            6 => {
                let provider = usize::from(dice.below(2) == 0);
                scene.providers[provider].go_down();
            }
            7 => {
                let provider = usize::from(dice.below(2) == 0);
                scene.providers[provider].behave(|calls, ask| Some(swallow(calls, ask)));
            }
            8 => {
                for provider in &scene.providers {
                    provider.recover();
                }
            }
            9 if dice.below(3) == 0 => scene.use_key_elsewhere(),
            10 => {
                if let Some((order, body)) = orders.last()
                    && scene.performances(order) == 0
                {
                    scene.send_first(Person::new().id(), &scene.call(body));
                }
            }
            _ => {
                scene.anvil.mine();
                scene.try_work();
            }
        }
    }
    for provider in &scene.providers {
        provider.recover();
    }
    scene.anvil.set_base_fee(1_000_000_000);
    scene.world.host.advance(31_000);
    let references: Vec<String> = orders.into_iter().map(|(order, _)| order).collect();
    for _ in 0..80 {
        scene.anvil.mine();
        scene.try_work();
    }
    for order in &references {
        let end = (scene.status(order), scene.performances(order));
        assert_eq!(
            end,
            (7, 1),
            "{seed} {:?} {:?} {events:?}",
            scene.path(order),
            scene.warnings()
        );
    }
    let open = scene.rows("SELECT * FROM relay_slots WHERE closed = 0 AND ?1 = ''", "");
    assert_eq!(open.len(), 0, "{seed} {open:#?} {events:?}");
    assert_eq!(
        scene.relayer()["next_nonce"],
        scene.nonce(),
        "{seed} {events:?}"
    );
}

#[test]
fn orders_are_performed_once_through_random_faults() {
    let seeds = std::env::var("ASSAY_CHAOS")
        .ok()
        .and_then(|count| count.parse().ok());
    (1..=seeds.unwrap_or(4)).for_each(trial);
}
