//! Orders, deployments and approvals as records: their bounds, their lists, and how they end.

mod boundaries;
mod lists;
mod open;
mod resent;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};

pub(crate) fn target(order: &Value) -> String {
    format!("/orders/{}", order["ref"].as_str().expect("a reference"))
}

/// Returns an unsigned order by which `payer` pays the payment receiver an amount in base units.
pub(crate) fn payment(world: &World, signers: &[&Person], payer: &Person, value: &str) -> Value {
    world.order(signers, json!([world.payment(payer, value)]))
}

/// Returns a world together with its service.
pub(crate) fn reachable(vars: &[(&str, &str)]) -> (World, Rc<RefCell<Service>>) {
    let service = Rc::new(RefCell::new(Service::new(vars).queueing()));
    (World::on(Box::new(Rc::clone(&service))), service)
}

/// Returns the references of the orders that a person lists.
pub(crate) fn listed(world: &World, person: &Person, query: &str) -> Vec<String> {
    let answer = world.call(person.get(format!("/orders?{query}"))).data();
    let orders = answer.as_array().expect("a list").iter();
    orders
        .map(|order| order["ref"].as_str().expect("a reference").to_owned())
        .collect()
}
