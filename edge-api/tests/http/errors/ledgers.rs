//! Codes of `/ledgers`.

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};

pub fn provoke(book: &mut Book) {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[1]);
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
    // Only the withdrawal of a destroyed asset can have a reason. The asset's last owner and the creator of the order that
    // destroyed it may give the reason.
    let path = format!("/ledgers/{reference}/assets/1/withdrawal");
    let shown = "PUT /ledgers/:ledgerRef/assets/:assetId/withdrawal";
    let give =
        |person: &Person| world.call(person.put(path.as_str(), &json!({ "reason": "lost" })));
    world.asset(&owner, &ledger, "1", &owner);
    book.add(
        &[400_106],
        &format!("{shown} for an asset in force"),
        &give(&owner),
    );
    let destroy =
        json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id() });
    let payment = world.payment(&owner, "3000000000000000000");
    let mut body = world.order(&[&owner], json!([destroy, payment]));
    world.sign(&mut body, &[&owner]);
    assert_eq!(world.performed(&owner, &body)["status"], 7);
    book.add(
        &[403_002],
        &format!("{shown} by another account"),
        &give(&Person::new()),
    );
}
