//! Objects of hosted files: equal contents share one object, unused objects are deleted, and the number and size of
//! files are limited.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::files::{Archive, path_of, reference, settings, upload};
use crate::support::Host;
use crate::support::faults::RacingDatabase;
use crate::support::native::{Service, block_on};
use crate::support::people::{IMPRINT, Person};

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// Returns a service, and two archives with different owners on it.
fn two() -> (Rc<RefCell<Service>>, Archive, Archive) {
    let service = Rc::new(RefCell::new(Service::new(&settings())));
    let archive = || Archive::on(Box::new(Rc::clone(&service)));
    let (one, other) = (archive(), archive());
    (service, one, other)
}

fn objects(service: &Rc<RefCell<Service>>) -> usize {
    service.borrow().bucket.keys().len()
}

/// Returns the column `n` of the first row of a query.
fn rows(service: &Rc<RefCell<Service>>, sql: &'static str) -> Value {
    let service = service.borrow();
    let rows = service.database.run(&[Statement::new(sql)]).expect("rows");
    rows[0].list[0]["n"].clone()
}

#[test]
fn equal_contents_share_one_object_until_the_last_use_ends() {
    let (service, one, other) = two();
    // Both archives store the same file, so there is one object.
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
    // Concurrent uploads may have stored a second object of the same content, which is deleted after an hour.
    service.borrow().advance(HOUR);
    service.borrow().settle();
    assert_eq!(objects(&service), 2);
    one.destroy(&ledgers[0], "1");
    assert_eq!((one.status(&path_of(content)), objects(&service)), (200, 2));

    // The bucket fails during a sweep, after the file has been removed from the database. The next sweep deletes the object.
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
    // The asset is not created within 30 days, so its file is deleted.
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

/// A file that is sent again right before the sweep would delete it is kept for another 30 days.
#[test]
fn a_file_that_is_sent_again_before_its_asset_exists_stays() {
    let (service, one, _) = two();
    let ledger = one.ledger("c", None);
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "1"),
        ("name", "metadata"),
    ];
    let content = b"{\"v\":1}";
    for _ in 0..2 {
        one.stored(&fields, content);
        service.borrow().advance(30 * DAY - 1);
        service.borrow().settle();
        assert_eq!(one.status(&path_of(content)), 200);
    }
    // The asset is destroyed, and the file is sent again for the next asset with the same id.
    one.create(&ledger, "1", IMPRINT);
    let order = one.order(one.destruction(&ledger, "1"));
    service
        .borrow()
        .call(one.owner.post("/orders", &order))
        .data();
    while let Some(job) = service.borrow().queue.take() {
        block_on(service.borrow().app().on_message(&job)).expect("a destroyed asset");
    }
    one.stored(&fields, content);
    service.borrow().settle();
    assert_eq!(one.status(&path_of(content)), 200);
    service.borrow().advance(30 * DAY);
    service.borrow().settle();
    assert_eq!(one.status(&path_of(content)), 404);
}

/// Between the read and the commit of an upload, another request stores the same file for the same asset and name. The only
/// other use of the content, for asset 2, also ends.
#[test]
fn an_upload_is_retried_if_its_file_would_be_lost() {
    let mut racing = None;
    let service = Service::with_database(&settings(), |inner| {
        let wrapped = Rc::new(RacingDatabase::new(inner, "INSERT INTO file_uses"));
        racing = Some(Rc::clone(&wrapped));
        wrapped
    });
    let racing = racing.expect("wrapped");
    let service = Rc::new(RefCell::new(service));
    let one = Archive::on(Box::new(Rc::clone(&service)));
    let ledger = one.ledger("c", None);
    let fields = |asset| [("ledgerRef", reference(&ledger)), ("assetId", asset)];
    let named = |asset| [fields(asset)[0], fields(asset)[1], ("name", "metadata")];
    let content = b"{\"v\":2}";
    one.stored(&named("1"), b"{\"v\":1}");
    one.stored(&named("2"), content);
    let id = ledger["id"].as_str().expect("an address").to_lowercase();
    let of = |asset: &str| {
        format!("ledger_id = '{id}' AND asset_id = printf('%064d', {asset}) AND slot = 'metadata'")
    };
    let other = [
        format!("DELETE FROM file_uses WHERE {}", of("1")),
        format!(
            "INSERT INTO file_uses (ledger_id, asset_id, slot, hash, bytes, account_id, path, check_at) \
             SELECT ledger_id, printf('%064d', 1), slot, hash, bytes, account_id, rtrim(path, '2') || '1', check_at FROM file_uses WHERE {}",
            of("2")
        ),
        format!("DELETE FROM file_uses WHERE {}", of("2")),
    ];
    racing.arm(other.map(|sql| Statement::new(Box::leak(sql.into_boxed_str()))));
    one.stored(&named("1"), content);
    assert!(!racing.armed());
    assert_eq!(one.status(&path_of(content)), 200);
    let metadata = format!("/files/{}/c/1", one.owner.id());
    assert_eq!(one.get(&metadata).body, content);
}

#[test]
fn an_owner_deletes_the_files_of_an_account_without_issued_assets() {
    let (service, one, other) = two();
    let ledger = one.ledger("c", None);
    let files = |account: &Person| {
        format!(
            "/ledgers/{}/accounts/{}/files",
            reference(&ledger),
            account.id()
        )
    };
    let member = other.owner.clone();
    one.grant(&ledger, &member, json!([16, 128]));
    let of = |asset| [("ledgerRef", reference(&ledger)), ("assetId", asset)];
    assert_eq!(one.send(&member, &of("1"), b"{\"asset\":1}").status, 201);
    assert_eq!(one.send(&member, &of("2"), b"{\"asset\":2}").status, 201);
    assert_eq!(
        one.send(&member, &of("2")[..1], b"{\"asset\":0}").status,
        201
    );
    one.stored(&of("2")[..1], b"{\"schema\":1}");
    one.create(&ledger, "1", IMPRINT);
    // Adds more files than one request deletes.
    let many = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 600) \
         INSERT INTO file_uses (ledger_id, asset_id, slot, hash, bytes, account_id) \
         SELECT ledger_id, '', printf('%064x', n), hash, bytes, account_id FROM file_uses, n WHERE asset_id = printf('%064d', 2)";
    service.borrow().database.execute(many).expect("files");

    for person in [&member, &Person::new()] {
        let call = person.delete(files(&member));
        one.world.call(call).fails(403, &[403_001]);
    }
    let call = one
        .owner
        .delete(format!("/ledgers/{}/accounts/x/files", reference(&ledger)));
    assert_eq!(one.world.call(call).errors(), ["422900 accountId"]);
    let delete = || one.world.call(one.owner.delete(files(&member))).data();
    assert_eq!(delete(), json!({ "removed": 500, "more": true }));
    assert_eq!(delete(), json!({ "removed": 102, "more": false }));
    assert_eq!(delete(), json!({ "removed": 0, "more": false }));
    for (content, status) in [
        (&b"{\"asset\":1}"[..], 200),
        (b"{\"asset\":2}", 404),
        (b"{\"asset\":0}", 404),
        (b"{\"schema\":1}", 200),
    ] {
        assert_eq!(one.status(&path_of(content)), status);
    }
    service.borrow().settle();
    // The files of `two`, the schema, and the file of the issued asset count twice: for a ledger and for an account.
    assert_eq!(rows(&service, "SELECT sum(files) AS n FROM file_totals"), 8);
    // The owner also deletes the owner's files of this ledger. The member's file of the issued asset stays.
    assert_eq!(
        one.world.call(one.owner.delete(files(&one.owner))).data()["removed"],
        1
    );
    assert_eq!(one.status(&path_of(b"{\"asset\":1}")), 200);
}

#[test]
fn the_backlog_of_one_ledger_does_not_delay_another() {
    let (service, one, other) = two();
    let stored = [&one, &other].map(|archive| {
        let ledger = archive.ledger("c", None);
        let content = archive.owner.id().to_string();
        let content = format!("{{\"of\":\"{content}\"}}").into_bytes();
        let fields = [("ledgerRef", reference(&ledger)), ("assetId", "1")];
        archive.stored(&fields, &content);
        service.borrow().advance(1);
        (ledger, content)
    });
    let many = format!(
        "WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 2000) \
         INSERT INTO file_uses (ledger_id, asset_id, slot, hash, bytes, account_id, check_at) \
         SELECT ledger_id, printf('%064x', n), slot, hash, bytes, account_id, check_at - n FROM file_uses, n WHERE ledger_id = lower('{}') AND asset_id <> ''",
        stored[0].0["id"].as_str().expect("an address"),
    );
    service.borrow().database.execute(&many).expect("files");
    service.borrow().advance(30 * DAY);
    service.borrow().settle();
    assert_eq!(other.status(&path_of(&stored[1].1)), 404);
    assert_eq!(one.status(&path_of(&stored[0].1)), 200);
    for _ in 0..4 {
        service.borrow().settle();
    }
    assert_eq!(one.status(&path_of(&stored[0].1)), 404);
}

#[test]
fn rows_of_file_uses_cannot_be_updated() {
    let (service, ..) = two();
    for column in [
        "ledger_id",
        "asset_id",
        "slot",
        "hash",
        "bytes",
        "account_id",
    ] {
        let sql = format!("UPDATE file_uses SET {column} = {column}");
        assert!(service.borrow().database.execute(&sql).is_err(), "{column}");
    }
}

#[test]
fn a_bucket_that_hangs_does_not_hang_a_badge() {
    let (service, one, _) = two();
    let ledger = one.ledger("c", None);
    let fields = [
        ("ledgerRef", reference(&ledger)),
        ("assetId", "1"),
        ("name", "metadata"),
    ];
    one.stored(&fields, b"{}");
    one.create(&ledger, "1", IMPRINT);
    service.borrow().bucket.hang(true);
    let id = ledger["id"].as_str().expect("an address");
    let report = one
        .get(&format!("/badge.json?ledgerId={id}&assetId=1"))
        .data();
    assert_eq!(report["errors"][0]["reason"], "timeout", "{report}");
}

#[test]
fn a_failed_upload_leaves_no_object_behind() {
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
fn the_files_of_a_ledger_and_of_an_account_are_limited() {
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
        // At the limit, a file may still be replaced by a file of the same size or smaller.
        one.stored(&fields, b"{\"v\":3}");
        one.stored(&fields, b"{\"v\":1}");
        // Two concurrent uploads cannot both use the rest of the limit.
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
    // The limits of one owner do not affect another owner.
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
