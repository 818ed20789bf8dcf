//! A scene that several modules share: a ledger on a chain.

use std::cell::RefCell;
use std::rc::Rc;

use order_core::Address;
use serde_json::Value;

use crate::support::anvil::{Anvil, Provider};
use crate::support::native::Service;
use crate::support::people::{Person, World};

/// A service on a chain, and the owner of a ledger there.
pub struct Scene {
    pub anvil: Rc<Anvil>,
    pub service: Rc<RefCell<Service>>,
    pub providers: [Rc<Provider>; 2],
    pub world: World,
    pub owner: Person,
    /// The ledger as `GET /ledgers/:ledgerRef` returns it.
    pub ledger: Value,
}

impl Scene {
    pub fn new(vars: &[(&str, &str)]) -> Self {
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
    pub fn contract(&self) -> Address {
        self.ledger["id"].as_str().unwrap().parse().unwrap()
    }

    /// Breaks the connections to all providers.
    pub fn lose_providers(&self) {
        self.providers
            .iter()
            .for_each(|provider| provider.go_down());
    }
}
