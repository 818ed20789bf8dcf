//! Codes of register books.

use super::Book;
use crate::books::Version;
use crate::files::{Archive, settings};
use crate::support;
use crate::support::people::Person;

pub fn provoke(book: &mut Book) {
    let archive = Archive::on(support::shared(&settings()));
    let (world, owner) = (&archive.world, &archive.owner);
    let ledger = world.ledger(owner, &[]);
    let path = format!(
        "/ledgers/{}/book",
        ledger["ref"].as_str().expect("a reference")
    );
    book.add(
        &[403_005],
        "GET /ledgers/:ledgerRef/book by an account without abilities on the ledger",
        &world.call(Person::new().get(&path)),
    );
    book.add(
        &[404_008],
        "GET /ledgers/:ledgerRef/book of a ledger without a book",
        &world.call(owner.get(&path)),
    );
    let third = Version {
        number: 3,
        readers: vec![owner.id()],
        content: b"cipher text",
    };
    book.add(
        &[409_002],
        "PUT /ledgers/:ledgerRef/book with `version` = `3` for a ledger without a book",
        &third.store(world, owner, &ledger),
    );
}
