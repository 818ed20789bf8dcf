//! Two processes index the same chain at the same time. Each can commit a step between two round trips of the other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::App;
use edge_api::ports::{Database, DatabaseError, Job, Rows, Statement};

use super::play::{Play, Random};
use super::{SETTINGS, Scene};
use crate::support::anvil::Anvil;
use crate::support::native::Service;
use crate::support::people::World;

/// A database of one process. Before some of its round trips, another process follows the chain.
struct Interleaved {
    inner: Rc<dyn Database>,
    other: RefCell<Option<Rc<App>>>,
    random: RefCell<Random>,
    is_other: Cell<bool>,
    turns: Cell<usize>,
}

#[async_trait(?Send)]
impl Database for Interleaved {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let other = self.other.borrow().clone();
        if let Some(other) = other
            && !self.is_other.get()
            && self.random.borrow_mut().below(4) == 0
        {
            self.is_other.set(true);
            let _conflict = other.on_message(&Job::Follow).await;
            self.is_other.set(false);
            self.turns.update(|turns| turns + 1);
        }
        self.inner.batch(statements).await
    }
}

/// Runs random transactions, reorganisations and interleaved processes, with honest providers. Returns the number of reorganisations that the
/// index found.
fn run(seed: u64, rounds: usize) -> usize {
    let anvil = Anvil::start();
    let interleaved = RefCell::new(None);
    let (service, providers) = Service::on_anvil_with(SETTINGS, &anvil, |inner| {
        let wrapped = Rc::new(Interleaved {
            inner,
            other: RefCell::default(),
            random: RefCell::new(Random::new(seed ^ 0x5eed)),
            is_other: Cell::new(false),
            turns: Cell::new(0),
        });
        interleaved.replace(Some(Rc::clone(&wrapped)));
        wrapped as Rc<dyn Database>
    });
    let interleaved = interleaved.take().unwrap();
    let service = Rc::new(RefCell::new(service));
    let world = World::on(Box::new(Rc::clone(&service)));
    let mut scene = Scene {
        service,
        providers,
        play: Play::new(&anvil, world, seed),
    };
    scene.index_all();
    let other = Rc::new(scene.service.borrow().another_app());
    interleaved.other.replace(Some(other));
    for _ in 0..rounds {
        for _ in 0..=scene.play.random.below(3) {
            scene.play.step();
        }
        scene.play.anvil.mine();
        if scene.play.random.below(8) == 0 {
            scene.play.reorganise(8);
        }
        if scene.play.random.below(3) == 0 {
            scene.look();
        }
        if scene.play.random.below(20) == 0 {
            scene.service.borrow_mut().restart();
            let other = Rc::new(scene.service.borrow().another_app());
            interleaved.other.replace(Some(other));
        }
    }
    interleaved.other.take();
    scene.play.anvil.mine();
    scene.index_all();
    assert!(interleaved.turns.get() > rounds / 3);
    // `chain.data-untrue` can appear: an owner can change the prefix of a new ledger before the block is final.
    for event in [
        "chain.index-gap",
        "chain.logs-untrue",
        "chain.log-malformed",
    ] {
        assert_eq!(scene.lines(event), 0, "{event} with the seed {seed}");
    }
    scene.check();
    scene.lines("chain.reorganised")
}

#[test]
fn two_processes_that_interleave_report_no_gap_in_an_honest_chain() {
    let found: usize = (1..=3).map(|seed| run(seed, 60)).sum();
    assert!(found > 3, "{found}");
}

/// Run it with `cargo test -p edge-api --test http honest_chain -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn an_honest_chain_shows_no_gap_in_a_long_run() {
    let found: usize = (100..120).map(|seed| run(seed, 150)).sum();
    assert!(found > 40, "{found}");
}
