//! Objects of hosted files: one object for each content, no objects left behind, and bounds on their number and size.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::Value;

use crate::files::{Archive, path_of, reference, settings, upload};
use crate::support::Host;
use crate::support::native::{Service, block_on};
use crate::support::people::IMPRINT;

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// Returns two owners of ledgers on one service.
fn two() -> (Rc<RefCell<Service>>, Archive, Archive) {
    let service = Rc::new(RefCell::new(Service::new(&settings())));
    let archive = || Archive::on(Box::new(Rc::clone(&service)));
    let (one, other) = (archive(), archive());
    (service, one, other)
}

fn objects(service: &Rc<RefCell<Service>>) -> usize {
    service.borrow().bucket.keys().len()
}

/// Returns the number of rows of a table of files.
fn rows(service: &Rc<RefCell<Service>>, sql: &'static str) -> Value {
    let service = service.borrow();
    let rows = service.database.run(&[Statement::new(sql)]).expect("rows");
    rows[0].list[0]["n"].clone()
}

#[test]
fn one_content_is_one_object_and_stays_until_its_last_use_ends() {
    let (service, one, other) = two();
    // The file that `Archive` stores.
    assert_eq!(objects(&service), 1);
    let content = b"{\"name\":\"shared\"}";
    let ledgers = [&one, &other].map(|archive| {
        let ledger = archive.ledger("c", None);
        let fields = [("ledgerRef", reference(&ledger)), ("assetId", "1")];
        let answers = service.borrow().call_all(vec![
            upload(&archive.owner, &fields, content),
            upload(&archive.owner, &fields, content),
        ]);
        assert_eq!([answers[0].status, answers[1].status], [201, 201]);
        archive.create(&ledger, "1", IMPRINT);
        ledger
    });
    // Concurrent uploads may have stored a second object, which is deleted after an hour.
    service.borrow().advance(HOUR);
    service.borrow().settle();
    assert_eq!(objects(&service), 2);
    one.destroy(&ledgers[0], "1");
    assert_eq!((one.status(&path_of(content)), objects(&service)), (200, 2));

    // A sweep that stopped between two steps is repeated.
    let order = other.order(other.destruction(&ledgers[1], "1"));
    service
        .borrow()
        .call(other.owner.post("/orders", &order))
        .data();
    while let Some(job) = service.borrow().queue.take() {
        block_on(service.borrow().app().on_message(&job)).expect("a destroyed asset");
    }
    assert_eq!(other.status(&path_of(content)), 200);
    service.borrow().bucket.fail(true);
    assert!(block_on(service.borrow().app().on_schedule()).is_err());
    assert_eq!(other.status(&path_of(content)), 404);
    service.borrow().bucket.fail(false);
    assert_eq!(objects(&service), 2);
    service.borrow().settle();
    assert_eq!(objects(&service), 1);
    assert_eq!(
        rows(&service, "SELECT count(*) AS n FROM file_deletions"),
        0
    );
    assert_eq!(rows(&service, "SELECT sum(files) AS n FROM file_totals"), 4);
}

#[test]
fn replaced_and_abandoned_files_are_deleted() {
    let (service, one, _) = two();
    let ledger = one.ledger("c", None);
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "1"),
        ("name", "metadata"),
    ];
    for version in ["{\"v\":1}", "{\"v\":2}", "{\"v\":1}"] {
        one.stored(&fields, version.as_bytes());
        service.borrow().settle();
        assert_eq!(objects(&service), 2);
    }
    assert_eq!(one.status(&path_of(b"{\"v\":2}")), 404);
    // The asset is never created.
    service.borrow().advance(30 * DAY - 1);
    service.borrow().settle();
    assert_eq!(one.status(&path_of(b"{\"v\":1}")), 200);
    service.borrow().advance(1);
    service.borrow().settle();
    assert_eq!(
        (one.status(&path_of(b"{\"v\":1}")), objects(&service)),
        (404, 1)
    );
    // The files of an existing asset stay.
    one.create(&ledger, "1", IMPRINT);
    one.stored(&fields, b"{\"v\":3}");
    service.borrow().settle();
    service.borrow().advance(31 * DAY);
    service.borrow().settle();
    assert_eq!(one.status(&path_of(b"{\"v\":3}")), 200);
}

#[test]
fn an_upload_that_fails_leaves_nothing() {
    let (service, one, _) = two();
    let ledger = one.ledger("c", None);
    let fields = [("ledgerRef", reference(&ledger))];
    let content = b"{\"lost\":true}";
    service.borrow().bucket.fail(true);
    one.send(&one.owner, &fields, content)
        .fails(500, &[500_000]);
    service.borrow().bucket.fail(false);
    assert_eq!(
        rows(&service, "SELECT count(*) AS n FROM file_deletions"),
        1
    );
    one.get(&path_of(content)).fails(404, &[404_001]);
    service.borrow().advance(HOUR);
    service.borrow().settle();
    assert_eq!(
        rows(&service, "SELECT count(*) AS n FROM file_deletions"),
        0
    );
    assert_eq!(objects(&service), 1);
    one.stored(&fields, content);
}

#[test]
fn files_of_a_ledger_and_of_an_account_are_bounded() {
    let (service, one, other) = two();
    let ledger = one.ledger("c", None);
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "1"),
        ("name", "metadata"),
    ];
    one.stored(&fields, b"{\"v\":1}");
    let fill = |start: &str, column: &str, left: u64, most: u64| {
        let sql =
            format!("UPDATE file_totals SET {column} = {most} - {left} WHERE key LIKE '{start}:%'");
        service.borrow().database.execute(&sql).expect("an update");
    };
    for (start, column, most) in [
        ("ledger", "files", 100_000),
        ("ledger", "bytes", 1_000_000_000),
        ("account", "files", 200_000),
        ("account", "bytes", 2_000_000_000),
    ] {
        fill(start, column, 0, most);
        let answer = one.send(&one.owner, &fields[..2], b"{\"v\":2}");
        answer.fails(429, &[429_002]);
        // A file may still be replaced by a file of the same size or smaller.
        one.stored(&fields, b"{\"v\":3}");
        one.stored(&fields, b"{\"v\":1}");
        // Two concurrent uploads cannot both take the last place.
        let left = if column == "files" { 1 } else { 8 };
        fill(start, column, left, most);
        let calls = ["{\"v\":10}", "{\"v\":11}"];
        let answers = service.borrow().call_all(
            calls
                .map(|text| upload(&one.owner, &fields[..2], text.as_bytes()))
                .to_vec(),
        );
        let mut statuses = [answers[0].status, answers[1].status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 429], "{start} {column}");
        service
            .borrow()
            .database
            .execute("DELETE FROM file_uses WHERE slot NOT IN ('metadata')")
            .expect("a deletion");
        fill(start, column, 0, 10);
    }
    // The other owner has bounds of its own.
    let ledger = other.world.ledger(&other.owner, &[]);
    other.stored(&[("ledgerRef", reference(&ledger))], b"{\"v\":4}");
    let used = rows(
        &service,
        "SELECT max(used) AS n FROM quotas WHERE key LIKE 'account:%'",
    );
    one.stored(
        &fields,
        &[b"{\"v\":\"", "x".repeat(900_000).as_bytes(), b"\"}"].concat(),
    );
    let now = rows(
        &service,
        "SELECT max(used) AS n FROM quotas WHERE key LIKE 'account:%'",
    );
    assert!(
        now.as_u64() > used.as_u64().map(|used| used + 900_000),
        "{used} {now}"
    );
}

#[test]
fn the_service_does_not_fetch_from_itself() {
    let (service, one, _) = two();
    let ledger = one.ledger("c", None);
    one.create(&ledger, "1", IMPRINT);
    let id = ledger["id"].as_str().expect("an address");
    let report = one
        .get(&format!("/badge.json?ledgerId={id}&assetId=1"))
        .data();
    assert_eq!(report["errors"][0]["reason"], "status", "{report}");
    let origin = &one.origin;
    assert!(
        service
            .borrow()
            .http
            .requests()
            .iter()
            .all(|url| !url.starts_with(origin))
    );
}
