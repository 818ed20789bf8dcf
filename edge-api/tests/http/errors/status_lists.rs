//! Codes of status lists.

use super::Book;
use crate::files::Archive;
use crate::status_lists::{address, drawing, settings};
use crate::support::people::{IMPRINT, Person, World};
use crate::support::{self, Call};

pub fn provoke(book: &mut Book) {
    let archive = Archive::on(support::shared(&settings()));
    let ledger = archive.ledger("codes", None);
    let stranger = drawing(&Person::new(), &ledger, &[("1", IMPRINT)]);
    book.add(
        &[403_004],
        "POST /ledgers/{ledgerRef}/status-entries by an account without abilities",
        &archive.world.call(stranger),
    );
    let list = format!("/status/{}/0", address(&ledger));
    book.add(
        &[404_006],
        "GET /status/{ledgerRef}/0 before any certificate has a place",
        &archive.get(&list),
    );
    book.add(
        &[404_005],
        "GET /.well-known/did.json while `STATUS_KEY` is not set",
        &World::new().call(Call::get("/.well-known/did.json")),
    );
}
