//! The index of blocks. Its final rows must agree with the contracts, even if providers fail or lie.

mod crashes;
mod faults;
mod large;
mod lies;
mod lying_views;
mod play;
mod races;
pub mod ranges;
mod states;
mod truth;
mod uris;

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Job;
use order_core::Address;

use crate::support::anvil::{Anvil, Provider};
use crate::support::native::{Service, block_on};
use crate::support::people::World;
use play::Play;
use truth::{Tables, indexed, rows, same, truth};

/// A block is final after twelve confirmations.
const SETTINGS: &[(&str, &str)] = &[("CONFIRMATIONS", "12")];

struct Scene {
    service: Rc<RefCell<Service>>,
    providers: [Rc<Provider>; 2],
    play: Play,
}

impl Scene {
    fn new(settings: &[(&str, &str)], seed: u64) -> Self {
        Self::prepared(settings, seed, |_, _| {})
    }

    /// Creates a scene, and prepares the service before its first request.
    fn prepared(
        settings: &[(&str, &str)],
        seed: u64,
        prepare: impl FnOnce(&Service, &Rc<Anvil>),
    ) -> Self {
        let anvil = Anvil::start();
        let (service, providers) = Service::on_anvil(settings, &anvil);
        prepare(&service, &anvil);
        let service = Rc::new(RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        Self {
            service,
            providers,
            play: Play::new(&anvil, world, seed),
        }
    }

    /// Returns all accounts that may have abilities.
    fn accounts(&self) -> Vec<Address> {
        let proxies = &self.play.world.gateways.proxies;
        let mut accounts: Vec<Address> = self.play.people.iter().map(|one| one.id()).collect();
        accounts.extend([
            proxies.create_asset,
            proxies.transfer_value,
            proxies.transfer_asset,
            proxies.safe_transfer_asset,
            proxies.update_asset,
            proxies.manage_abilities,
            proxies.destroy_asset,
            self.play.stranger,
        ]);
        accounts
    }

    fn truth(&self) -> Tables {
        truth(
            &self.play.anvil,
            &self.play.world.gateways,
            &self.accounts(),
        )
    }

    fn work(&self) {
        self.service.borrow().work();
    }

    /// Returns the number of the last indexed block.
    fn cursor(&self) -> u64 {
        cursor(&self.service.borrow())
    }

    /// Returns the number of the index's last final block.
    fn settled(&self) -> u64 {
        let row = rows(&self.service.borrow().database, "SELECT final FROM chain");
        row[0]["final"].as_u64().unwrap()
    }

    /// Returns how many times the service undid indexed blocks.
    fn undone(&self) -> u64 {
        let row = rows(&self.service.borrow().database, "SELECT undone FROM chain");
        row[0]["undone"].as_u64().unwrap()
    }

    /// Returns the number of log lines of an event.
    fn lines(&self, event: &str) -> usize {
        lines(&self.service.borrow(), event)
    }

    /// Lets the service index all blocks.
    fn index_all(&self) {
        index_all(&self.service.borrow(), &self.play.anvil);
    }

    /// Advances the clock by a second and delivers a message to follow the chain. Returns true if the message was handled without an error.
    fn look(&self) -> bool {
        let service = self.service.borrow();
        service.clock.advance(1_000);
        block_on(service.app().on_message(&Job::Follow)).is_ok()
    }

    /// Creates a ledger with two assets, in two blocks.
    fn stock(&mut self) {
        let ledger = self.play.new_ledger();
        let actions = (0..2).map(|_| self.play.creation(ledger)).collect();
        let request = self.play.order(actions);
        self.play.perform(&request);
        self.play.anvil.mine();
    }

    fn check(&self) {
        let found = indexed(&self.service.borrow().database);
        same(&found, &self.truth());
    }
}

fn lines(service: &Service, event: &str) -> usize {
    let lines = service.log.lines();
    lines
        .iter()
        .filter(|(_, line)| line["event"] == event)
        .count()
}

fn cursor(service: &Service) -> u64 {
    let row = rows(&service.database, "SELECT number FROM chain");
    row[0]["number"].as_u64().unwrap()
}

/// Lets a service index all blocks.
fn index_all(service: &Service, anvil: &Anvil) {
    for _ in 0..100 {
        // A process caches the last block for a second.
        service.clock.advance(1_000);
        service.work();
        if cursor(service) == anvil.head() {
            return;
        }
    }
    let lines = service.log.lines();
    let last: Vec<_> = lines.iter().rev().take(8).collect();
    panic!("the index does not reach the last block: {last:#?}");
}

#[test]
fn the_index_equals_the_contracts_after_random_reorganisations() {
    let mut scene = Scene::new(SETTINGS, 12);
    for round in 0..160 {
        for _ in 0..=scene.play.random.below(3) {
            scene.play.step();
        }
        scene.play.anvil.mine();
        if scene.play.random.below(10) == 0 {
            scene.play.reorganise(8);
        }
        if scene.play.random.below(4) == 0 {
            scene.work();
        }
        if round % 40 == 39 {
            scene.play.anvil.mine();
            scene.index_all();
            scene.check();
        }
    }
    assert!(scene.lines("chain.reorganised") >= 4);
    let found = indexed(&scene.service.borrow().database);
    assert!(found.values().all(|rows| rows.len() > 2), "{found:#?}");
    assert_eq!(scene.lines("chain.index-gap"), 0);

    // A new index reads the same blocks by range.
    scene.play.anvil.mine_many(13);
    scene.index_all();
    let (cold, _) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    index_all(&cold, &scene.play.anvil);
    same(
        &indexed(&cold.database),
        &indexed(&scene.service.borrow().database),
    );
}
