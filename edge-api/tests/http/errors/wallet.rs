//! Codes of offers to wallets.

use super::Book;
use crate::files::{Archive, reference, settings};
use crate::in_process::wallet::{Offer, fill};
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, in_workerd};

pub fn provoke(book: &mut Book) {
    let archive = Archive::on(support::shared(&settings()));
    let (world, owner) = (&archive.world, &archive.owner);
    let ledger = world.ledger(owner, &[]);
    let offer = Offer::badge(1);
    book.add(
        &[403_006],
        "POST /ledgers/{ledgerRef}/wallet-offers by an account without abilities",
        &world.call(offer.deposit(&Person::new(), &ledger)),
    );
    let path = format!(
        "/ledgers/{}/wallet-offers/{}",
        reference(&ledger),
        offer.hash()
    );
    book.add(
        &[404_009],
        "DELETE /ledgers/{ledgerRef}/wallet-offers/{codeHash} of an offer that does not exist",
        &world.call(owner.delete(path)),
    );
    if !in_workerd() {
        let service = std::rc::Rc::new(std::cell::RefCell::new(Service::new(&settings())));
        let world = World::on(Box::new(service.clone()));
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[]);
        fill(&world, &service.borrow(), &owner, &ledger);
        book.add(
            &[429_004],
            "POST /ledgers/{ledgerRef}/wallet-offers while 1,000 offers of the ledger wait",
            &world.call(offer.deposit(&owner, &ledger)),
        );
    }
}
