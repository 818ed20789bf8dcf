//! The local node that the other tests use.

use std::rc::Rc;

use edge_api::ports::Clock;
use serde_json::json;

use crate::support::Host;
use crate::support::anvil::{Anvil, Arg};
use crate::support::native::Service;
use crate::support::people::{Person, World};

fn balance(anvil: &Anvil, person: &Person) -> Vec<u8> {
    let token = anvil.contract("token");
    anvil
        .read(token, "balanceOf(address)", &[Arg::Account(person.id())])
        .unwrap()
}

#[test]
fn blocks_have_the_time_of_the_services_clock() {
    let anvil = Anvil::start();
    let (service, _) = Service::on_anvil(&[], &anvil);
    let (head, start) = (anvil.head(), anvil.time());
    service.advance(3_600_500);
    assert_eq!((anvil.head(), anvil.time()), (head + 1, start + 3_600));
    service.advance(400);
    assert_eq!(anvil.head(), head + 1);
    anvil.mine_many(2);
    assert_eq!((anvil.head(), anvil.time()), (head + 3, start + 3_602));
    assert_eq!(service.now(), (start + 3_602) * 1_000);
}

#[test]
fn a_node_forgets_the_chain_of_the_previous_test() {
    let anvil = Anvil::start();
    let person = World::credited(&anvil);
    assert_ne!(balance(&anvil, &person), [0; 32]);
    anvil.rpc(
        "eth_sendTransaction",
        json!([{ "from": anvil.owner(), "to": anvil.relayer() }]),
    );
    drop(anvil);
    // Other tests may take this node first, so the test checks several free nodes.
    let nodes: Vec<Rc<Anvil>> = (0..3).map(|_| Anvil::start()).collect();
    for anvil in nodes {
        assert_eq!(balance(&anvil, &person), [0; 32]);
        assert_eq!(anvil.clock.now_ms(), anvil.time() * 1_000);
        anvil.mine();
        let block = anvil.rpc("eth_getBlockByNumber", json!(["latest", false]));
        assert_eq!(
            (&block["transactions"], &block["baseFeePerGas"]),
            (&json!([]), &json!("0x3b9aca00"))
        );
    }
}
