//! Codes of `/ledgers`.

use super::Book;
use crate::support::people::{Person, World};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let get = |target: &str| world.call(Person::new().get(target));
    book.add(&[400_004], "GET /ledgers/none", &get("/ledgers/none"));
    let reference = ledger["ref"].as_str().expect("a reference");
    book.add(
        &[400_005],
        "GET /ledgers/:ledgerRef/assets/404",
        &get(&format!("/ledgers/{reference}/assets/404")),
    );
}
