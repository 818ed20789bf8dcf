//! The index of blocks: every row must be what the contracts answer, whatever the providers do.

mod play;
mod truth;

use std::cell::RefCell;
use std::rc::Rc;

use order_core::Address;

use crate::support::anvil::Anvil;
use crate::support::native::Service;
use crate::support::people::World;
use play::Play;
use truth::{Tables, indexed, rows, same, truth};

/// Verdicts and reorganisations of at most twelve blocks.
const SETTINGS: &[(&str, &str)] = &[("CONFIRMATIONS", "12")];

struct Scene {
    service: Rc<RefCell<Service>>,
    play: Play,
}

impl Scene {
    fn new(settings: &[(&str, &str)], seed: u64) -> Self {
        let anvil = Anvil::start();
        let (service, _) = Service::on_anvil(settings, &anvil);
        let service = Rc::new(RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        Self {
            service,
            play: Play::new(&anvil, world, seed),
        }
    }

    /// Returns all accounts that may have abilities or operators.
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

    fn lines(&self, event: &str) -> usize {
        let lines = self.service.borrow().log.lines();
        lines
            .iter()
            .filter(|(_, line)| line["event"] == event)
            .count()
    }

    fn check(&self) {
        let found = indexed(&self.service.borrow().database);
        same(&found, &self.truth());
    }
}

fn cursor(service: &Service) -> u64 {
    let row = rows(&service.database, "SELECT number FROM chain");
    row[0]["number"].as_u64().unwrap()
}

/// Lets a service index all blocks.
fn index_all(service: &Service, anvil: &Anvil) {
    for _ in 0..100 {
        // A process uses what it knows of the last block for a second.
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
    let mut scene = Scene::new(SETTINGS, 7);
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
            index_all(&scene.service.borrow(), &scene.play.anvil);
            scene.check();
        }
    }
    assert!(scene.lines("chain.reorganised") >= 4);
    assert_eq!(scene.lines("chain.index-gap"), 0);
    assert!(scene.play.sent > 200 && scene.play.reorganisations > 4);
    assert_eq!(scene.cursor(), scene.play.anvil.head());

    // An index that starts now reads the same blocks by ranges.
    scene.play.anvil.mine_many(13);
    index_all(&scene.service.borrow(), &scene.play.anvil);
    let (cold, _) = Service::on_anvil(SETTINGS, &scene.play.anvil);
    index_all(&cold, &scene.play.anvil);
    same(
        &indexed(&cold.database),
        &indexed(&scene.service.borrow().database),
    );
}
