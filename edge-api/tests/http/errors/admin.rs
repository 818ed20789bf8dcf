//! Codes of administrators and their restrictions.

use std::time::Duration;

use serde_json::json;

use super::Book;
use crate::support::people::{Person, World};
use crate::support::{self, SETTINGS};

pub fn provoke(book: &mut Book) {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let settings = [SETTINGS, &[("ADMIN_ACCOUNTS", admins.as_str())]].concat();
    let world = World::on(support::own(&settings));
    let (owner, blocked) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let answer = world.call(owner.get("/admin/audit"));
    book.add(&[403_010], "GET /admin/audit by another account", &answer);

    let block = |address| json!({ "address": address, "reason": "Stolen key" });
    let of_account = block(json!(blocked.id()));
    world.call(admin.post("/admin/blocks", &of_account)).data();
    world
        .call(admin.post("/admin/blocks", &block(ledger["id"].clone())))
        .data();
    let creation = world.creation(&owner, &ledger, "1", &owner);
    book.add(
        &[403_012],
        "POST /orders with an action on a blocked ledger",
        &world.call(owner.post("/orders", &creation)),
    );
    let pause = json!({ "message": "Back at noon", "reason": "Upgrade" });
    world.call(admin.post("/admin/pause", &pause)).data();
    // An isolate caches restrictions for five seconds. In workerd, the test has to wait in real time.
    world.host.advance(5_000);
    if support::in_workerd() {
        std::thread::sleep(Duration::from_millis(5_100));
    }
    book.add(
        &[403_011],
        "GET /orders by a blocked account",
        &world.call(blocked.get("/orders")),
    );
    book.add(
        &[503_000],
        "POST /orders while changes are paused",
        &world.call(owner.post("/orders", &creation)),
    );
}
