//! The service on a real chain: a node on this machine, with the original contracts.

mod badge;
mod node;
mod reads;
mod settings;

use std::cell::RefCell;
use std::rc::Rc;

use order_core::Address;
use serde_json::Value;

use crate::support::anvil::{Anvil, Provider};
use crate::support::native::Service;
use crate::support::people::{Person, World};

/// A service on a chain, and the owner of a ledger there.
struct Scene {
    anvil: Rc<Anvil>,
    service: Rc<RefCell<Service>>,
    providers: [Rc<Provider>; 2],
    world: World,
    owner: Person,
    /// The ledger as `GET /ledgers/:ledgerRef` shows it.
    ledger: Value,
}

impl Scene {
    fn new(vars: &[(&str, &str)]) -> Self {
        let anvil = Anvil::start();
        let (service, providers) = Service::on_anvil(vars, &anvil);
        let service = Rc::new(RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = World::credited(&anvil);
        let ledger = world.ledger(&owner, &[1, 2, 3, 4]);
        Self {
            anvil,
            service,
            providers,
            world,
            owner,
            ledger,
        }
    }

    /// Returns the address of the ledger's contract.
    fn contract(&self) -> Address {
        self.ledger["id"].as_str().unwrap().parse().unwrap()
    }

    /// Breaks the connections to all providers.
    fn lose_providers(&self) {
        self.providers.each_ref().map(|provider| provider.go_down());
    }
}
