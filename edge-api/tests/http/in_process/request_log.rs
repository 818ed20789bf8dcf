//! The lines of the request log are written together.

use std::pin::Pin;
use std::task::{Context, Waker};

use edge_api::ports::Statement;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::native::{START, Service, block_on};
use crate::support::people::Person;
use crate::support::{Call, Host as _, SETTINGS};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Returns a service, and accounts that have a row in its database.
fn known(count: usize) -> (Service, Vec<Person>) {
    let service = Service::new(SETTINGS);
    let people: Vec<Person> = (0..count).map(|_| Person::new()).collect();
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    for person in &people {
        service.call(person.put("/account", &information)).data();
    }
    (service, people)
}

fn rows(service: &Service, sql: &'static str) -> Vec<Value> {
    let rows = service.database.run(&[Statement::new(sql)]);
    rows.expect("rows").remove(0).list
}

/// Returns the number of logged requests to a path.
fn logged(service: &Service, path: &str) -> usize {
    let all = rows(service, "SELECT path FROM requests");
    all.iter().filter(|row| row["path"] == path).count()
}

/// Polls a future. Returns true if it has ended.
fn poll_once<F: Future<Output = ()> + Unpin>(future: &mut F) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(future).poll(&mut context).is_ready()
}

#[test]
fn requests_at_the_same_time_are_logged_in_one_batch() {
    let (service, people) = known(2);
    let calls: Vec<Call> = (0..20)
        .map(|n| people[n % 2].get(format!("/orders/{n}")))
        .collect();
    let answers = block_on(join_all(calls.iter().map(|call| service.answer(call))));
    let before = service.database.round_trips();
    block_on(join_all(
        answers
            .into_iter()
            .map(|answer| service.finish(answer.after)),
    ));
    assert_eq!(service.database.round_trips(), before + 1);
    let traffic = rows(
        &service,
        "SELECT requests, queries, mutations, failures FROM traffic",
    );
    let sums = json!({ "requests": 11, "queries": 10, "mutations": 1, "failures": 10 });
    assert_eq!(traffic, [sums.clone(), sums]);
    assert_eq!(rows(&service, "SELECT ref FROM requests").len(), 22);
}

#[test]
fn a_hundred_lines_are_written_without_waiting() {
    let (service, people) = known(1);
    let call = people[0].get("/orders");
    let answers = block_on(join_all((0..100).map(|_| service.answer(&call))));
    // The first request waits to write the lines, and the last one finds enough of them.
    let app = service.app();
    let mut work = Vec::new();
    for answer in answers {
        let mut after = Box::pin(app.after(answer.after));
        let ended = (0..5).any(|_| poll_once(&mut after));
        work.push((ended, after));
    }
    assert_eq!(logged(&service, "/orders"), 100);
}

#[test]
fn lines_of_other_accounts_are_written_if_a_quota_is_used_up() {
    let (service, people) = known(3);
    // An ability makes an account funded, so it has a quota of its own.
    let account = people[0].id().to_string().to_lowercase();
    let used = format!(
        "INSERT INTO ledgers (id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, created_at) \
         VALUES ('l', 'r', '', '', '', '', '', '[]', 'o', 0); \
         INSERT INTO abilities (ledger_id, account_id, abilities, ledger_ref) VALUES ('l', '{account}', 1, 'r'); \
         INSERT INTO quotas (key, period, used, expires_at) VALUES ('account:{account}', {}, {}, {})",
        START / DAY,
        1_u64 << 28,
        START + DAY,
    );
    service.database.execute(&used).expect("a used quota");
    service.clock.advance(10_000);
    let calls: Vec<Call> = people.iter().map(|person| person.get("/orders")).collect();
    block_on(join_all(calls.iter().map(|call| service.whole(call))));
    assert_eq!(logged(&service, "/orders"), 2);
    let funded =
        format!("SELECT 1 FROM requests WHERE account_id = '{account}' AND path = '/orders'");
    let funded = Statement::new(Box::leak(funded.into_boxed_str()));
    assert!(service.database.run(&[funded]).expect("rows")[0].is_empty());
    // The answers of all accounts are counted, also without a line.
    let answers = rows(&service, "SELECT sum(requests) AS requests FROM answers");
    assert_eq!(answers, [json!({ "requests": 6 })]);
}

#[test]
fn another_request_writes_the_lines_of_one_that_died() {
    let (service, people) = known(1);
    let answer = block_on(service.answer(&people[0].get("/orders/lost")));
    let app = service.app();
    let mut dies = Box::pin(app.after(answer.after));
    assert!(!poll_once(&mut dies));
    // The runtime neither continues nor drops it.
    std::mem::forget(dies);
    service.call(people[0].get("/orders/early"));
    assert_eq!(logged(&service, "/orders/lost"), 0);
    service.clock.advance(1_000);
    service.call(people[0].get("/orders/late"));
    for path in ["/orders/lost", "/orders/early", "/orders/late"] {
        assert_eq!(logged(&service, path), 1, "{path}");
    }
}

#[test]
fn an_account_has_a_maximum_of_logged_requests_a_day() {
    let (service, people) = known(1);
    service
        .database
        .execute("UPDATE traffic SET requests = 49995")
        .expect("an update");
    let calls: Vec<Call> = (0..10).map(|_| people[0].get("/orders")).collect();
    block_on(join_all(calls.iter().map(|call| service.whole(call))));
    assert_eq!(logged(&service, "/orders"), 5);
    assert_eq!(
        rows(&service, "SELECT requests FROM traffic")[0]["requests"],
        50_005
    );
}
