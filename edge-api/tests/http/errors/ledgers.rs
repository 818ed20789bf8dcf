//! Codes of `/ledgers`.

use serde_json::json;

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
    let path = format!("/ledgers/{reference}/domain");
    let put = |person: &Person, domain: &str| {
        let body = json!({ "domain": domain });
        world.call(person.put(&path, &body))
    };
    book.add(
        &[403_001],
        "PUT /ledgers/:ledgerRef/domain by another account",
        &put(&Person::new(), "uni.example"),
    );
    book.add(
        &[422_930],
        "PUT /ledgers/:ledgerRef/domain with `domain` = `\"intranet\"`",
        &put(&owner, "intranet"),
    );
}
