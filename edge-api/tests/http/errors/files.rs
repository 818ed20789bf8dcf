//! Codes of `/files`.

use std::cell::RefCell;
use std::rc::Rc;

use super::Book;
use crate::files::{Archive, reference, settings, upload};
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, Call, in_workerd};

pub fn provoke(book: &mut Book) {
    let archive = Archive::on(support::shared(&settings()));
    let ledger = archive.world.ledger(&archive.owner, &[1]);
    let fields = [("ledgerRef", reference(&ledger))];
    let off = World::new();
    book.add(
        &[400_107],
        "POST /files while `FILES` is off",
        &off.call(upload(&Person::new(), &fields, b"{}")),
    );
    book.add(
        &[403_003],
        "POST /files by an account without abilities on the ledger",
        &archive.send(&Person::new(), &fields, b"{}"),
    );
    book.add(
        &[404_001],
        "GET /files/none",
        &archive.world.call(Call::get("/files/none")),
    );
    if !in_workerd() {
        let service = Rc::new(RefCell::new(Service::new(&settings())));
        let archive = Archive::on(Box::new(Rc::clone(&service)));
        let ledger = archive.world.ledger(&archive.owner, &[1]);
        let fields = [("ledgerRef", reference(&ledger))];
        archive.stored(&fields, b"{}");
        let full = "UPDATE file_totals SET files = 100000 WHERE key LIKE 'ledger:%'";
        service
            .borrow()
            .database
            .execute(full)
            .expect("full ledgers");
        book.add(
            &[429_002],
            "POST /files for a ledger with 100,000 files",
            &archive.send(&archive.owner, &fields, b"{\"one\":\"more\"}"),
        );
    }
}
