//! Status lists: how long they are cached, the work that strangers cause, full lists, and concurrent requests for places.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};
use serde_json::Value;

use crate::files::Archive;
use crate::status_lists::{address, drawing, settings};
use crate::support::native::Service;
use crate::support::people::IMPRINT;
use crate::support::{Answer, Call, Host};

/// Returns the settings with the usual time of caching.
fn cached() -> Vec<(&'static str, &'static str)> {
    let settings = settings().into_iter();
    settings
        .filter(|(name, _)| *name != "BADGE_CACHE_SECONDS")
        .collect()
}

fn get(host: &dyn Host, ledger: &Value, number: u32) -> Answer {
    host.call(Call::get(format!("/status/{}/{number}", address(ledger))))
}

fn place(answer: &Answer) -> (u64, u64) {
    let entry = answer.data()["entries"][0].clone();
    let number = |name: &str| entry[name].as_u64().expect("a number");
    (number("list"), number("index"))
}

/// Returns the bit at a place. The signature is the subject of other tests.
fn is_revoked(answer: &Answer, index: u64) -> bool {
    let list = cert_badge::read_status_list(answer.text()).unwrap();
    let index = u32::try_from(index).expect("a place");
    list.is_revoked(index).expect("a bit")
}

/// A service that the test can inspect, with an archive on it.
fn inspected(settings: &[(&str, &str)]) -> (Rc<RefCell<Service>>, Archive) {
    let service = Rc::new(RefCell::new(Service::new(settings)));
    let archive = Archive::on(Box::new(Rc::clone(&service)));
    (service, archive)
}

/// Returns the first column of the first row.
fn number(service: &Service, sql: &'static str) -> u64 {
    let rows = service.database.run(&[Statement::new(sql)]).expect("rows");
    rows[0].list[0]["number"].as_u64().expect("a number")
}

#[test]
fn a_withdrawal_is_seen_after_a_minute_and_a_list_is_computed_once_a_minute() {
    let (service, archive) = inspected(&cached());
    let ledger = archive.ledger("cached", None);
    archive.create(&ledger, "1", IMPRINT);
    let host = archive.world.host.as_ref();
    let (_, index) = place(&host.call(drawing(&archive.owner, &ledger, &[("1", IMPRINT)])));
    let first = get(host, &ledger, 0);
    assert!(!is_revoked(&first, index));
    assert_eq!(first.header("cache-control"), Some("public, max-age=60"));
    archive.destroy(&ledger, "1");

    let passed = 59_000;
    host.advance(passed);
    let before = service.borrow().database.statements();
    let again = get(host, &ledger, 0);
    let reads = service.borrow().database.statements() - before;
    // Only the time of a development instance is read.
    assert_eq!(reads, 1);
    assert_eq!(again.body, first.body);
    host.advance(60_000 - passed);
    let next = get(host, &ledger, 0);
    assert!(is_revoked(&next, index));
    let times = |answer: &Answer| {
        let list = answer.json();
        [list["validFrom"].clone(), list["validUntil"].clone()]
    };
    assert_ne!(times(&first), times(&next));
    let [from, until] = times(&next).map(|time| time.as_str().expect("a time").to_owned());
    assert!(from.ends_with(":00Z"), "{from}");
    assert_eq!(from[11..], until[11..]);
    assert_ne!(from[..11], until[..11]);
}

#[test]
fn an_unknown_list_costs_one_query_and_is_not_cached() {
    let (service, archive) = inspected(&cached());
    let ledger = archive.ledger("hostile", None);
    let host = archive.world.host.as_ref();
    for number in 0..20 {
        let before = service.borrow().database.statements();
        get(host, &ledger, number).fails(404, &[404_006]);
        let reads = service.borrow().database.statements() - before;
        assert_eq!(reads, 2, "the list, and the time of a development instance");
    }
    host.call(drawing(&archive.owner, &ledger, &[("1", IMPRINT)]))
        .data();
    assert_eq!(get(host, &ledger, 0).status, 200);
}

#[test]
fn a_full_list_is_followed_by_the_next_one() {
    let (service, archive) = inspected(&settings());
    let ledger = archive.ledger("full", None);
    let host = archive.world.host.as_ref();
    let size = "SELECT page_count * page_size AS number FROM pragma_page_count, pragma_page_size";
    let before = number(&service.borrow(), size);
    // All entries but one of a list, as if they had been drawn.
    let fill = Statement::new(
        "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 16382) \
         INSERT INTO status_entries (ledger_id, list, position, place, asset_id, imprint) \
         SELECT ?1, 0, n, n * 7 % 131072, printf('%064x', n * 7919 % 16384 + 100), printf('%064x', n * 104729) FROM numbers",
    );
    let fill = fill.bind(address(&ledger));
    service.borrow().database.run(&[fill]).expect("rows");
    let grown = number(&service.borrow(), size) - before;
    assert!(grown / 16_383 <= 500, "{} bytes an entry", grown / 16_383);

    let certificates = [("1", IMPRINT), ("2", IMPRINT), ("3", IMPRINT)];
    let drawn = host.call(drawing(&archive.owner, &ledger, &certificates));
    let entries = drawn.data()["entries"].clone();
    let lists: Vec<&Value> = entries
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| &entry["list"])
        .collect();
    assert_eq!(lists, [0, 1, 1]);
    let positions = "SELECT count(DISTINCT list * 16384 + position) AS number FROM status_entries";
    assert_eq!(number(&service.borrow(), positions), 16_386);
    let places = "SELECT count(DISTINCT list * 131072 + place) AS number FROM status_entries";
    assert_eq!(number(&service.borrow(), places), 16_386);
    // A list with 16,384 revoked certificates at random places.
    let full = get(host, &ledger, 0);
    assert!(is_revoked(&full, 7) && !is_revoked(&full, 131_071));
    assert!(full.body.len() < 30_000, "{} bytes", full.body.len());
    assert!(get(host, &ledger, 1).body.len() < 1_500);
}

#[test]
fn places_count_in_the_daily_quota_of_the_account() {
    let (service, archive) = inspected(&settings());
    let ledger = archive.ledger("quota", None);
    let used = "SELECT coalesce(sum(used), 0) AS number FROM quotas WHERE key GLOB 'account:*'";
    let ids: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
    let certificates: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), IMPRINT)).collect();
    let draw = || {
        let before = number(&service.borrow(), used);
        let call = drawing(&archive.owner, &ledger, &certificates);
        assert_eq!(archive.world.call(call).status, 200);
        number(&service.borrow(), used) - before
    };
    let first = draw();
    assert!((500_000..510_000).contains(&first), "{first}");
    assert!(draw() < 1_000);
}

/// A database in which another request takes the first position of a list just before a request stores its entries.
struct Overtaken {
    inner: Rc<dyn Database>,
    times: Cell<usize>,
}

#[async_trait(?Send)]
impl Database for Overtaken {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let insert = statements
            .iter()
            .find(|statement| statement.sql.starts_with("INSERT INTO status_entries"));
        if let Some(insert) = insert
            && let Some(left) = self.times.get().checked_sub(1)
        {
            self.times.set(left);
            let mut other = insert.clone();
            // Other places and other certificates, at the same positions.
            other.sql = "INSERT INTO status_entries (ledger_id, list, position, place, asset_id, imprint) \
                 SELECT ?1, 0, e.value ->> 'position', 131071 - (e.value ->> 'position'), printf('%064x', 100 + (e.value ->> 'position')), \
                 e.value ->> 'imprint' FROM json_each(?2) e LIMIT 1"
                .into();
            self.inner.batch(vec![other]).await?;
        }
        self.inner.batch(statements).await
    }
}

#[test]
fn concurrent_requests_never_share_a_place() {
    let mut overtaken = None;
    let service = Service::with_database(&settings(), |inner| {
        let times = Cell::default();
        let database = Rc::new(Overtaken { inner, times });
        overtaken = Some(Rc::clone(&database));
        database
    });
    let overtaken = overtaken.expect("a database");
    let service = Rc::new(RefCell::new(service));
    let archive = Archive::on(Box::new(Rc::clone(&service)));
    let ledger = archive.ledger("contended", None);
    overtaken.times.set(3);
    let certificates = [("1", IMPRINT), ("2", IMPRINT)];
    let call = drawing(&archive.owner, &ledger, &certificates);
    let first = archive.world.call(call);
    assert_eq!(overtaken.times.get(), 0);
    let again = archive
        .world
        .call(drawing(&archive.owner, &ledger, &certificates));
    assert_eq!(first.data(), again.data());
    let count = "SELECT count(DISTINCT place) AS number FROM status_entries";
    assert_eq!(number(&service.borrow(), count), 5);
}
