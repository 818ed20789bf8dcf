//! The quotas of bytes that unfunded accounts may store per day. These quotas do not affect funded accounts.

use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, Host, SETTINGS};

const DAY: u64 = 86_400_000;

/// Returns the longest information that an account may store, about fourteen kilobytes.
fn information() -> Value {
    let long = "\u{1d54f}".repeat(255);
    json!({
        "firstName": long, "lastName": long, "email": "ada@example.com", "streetAddress": long,
        "postalCode": long, "city": long, "country": long, "isCompany": true,
        "companyInformation": {
            "name": long, "streetAddress": long, "postalCode": long, "city": long, "country": long,
            "taxNumber": long, "phoneNumber": long,
        },
    })
}

fn says(person: &Person, address: &str) -> Call {
    person.put("/account", &information()).from(address)
}

/// Returns how often an account can write before the day's quota is used up, and the response that refuses the next write.
fn heard(service: &Service, person: &Person, address: &str) -> (usize, Answer) {
    for count in 0..2_000 {
        let answer = service.call(says(person, address));
        if answer.status != 200 {
            return (count, answer);
        }
    }
    panic!("the quota never ends");
}

fn sum(service: &Service, source: &str) -> u64 {
    let sql = "SELECT sum(used) AS bytes FROM quotas WHERE key LIKE ?1 AND (?1 = 'unfunded:log' OR key NOT LIKE 'unfunded:log%')";
    let key = match source {
        "" => "unfunded:%:network:%".to_owned(),
        source => format!("unfunded:{source}"),
    };
    let statement = Statement::new(sql).bind(key);
    let rows = service.database.run(&[statement]).expect("rows");
    rows[0].list[0]["bytes"].as_u64().unwrap_or(0)
}

#[test]
fn unfunded_accounts_of_one_address_share_a_days_bytes() {
    let service = Service::new(SETTINGS);
    let funded = Person::new();
    service
        .call(funded.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    let unfunded = Person::new();
    let (count, refusal) = heard(&service, &unfunded, "198.51.100.7");
    refusal.fails(429, &[429_000]);
    assert_eq!(refusal.header("retry-after"), Some("3600"));
    assert!((50..100).contains(&count), "{count}");
    let spent = sum(&service, "");
    assert!((980_000..=1_000_000).contains(&spent), "{spent}");
    // Another unfunded account has no quota left at this address, but has some at another address. Reading does not
    // count.
    let other = Person::new();
    assert_eq!(service.call(says(&other, "198.51.100.7")).status, 429);
    assert_eq!(service.call(says(&other, "198.51.100.8")).status, 200);
    assert_eq!(
        service
            .call(unfunded.get("/account").from("198.51.100.7"))
            .status,
        200
    );
    // The bytes of a funded account do not count against this quota.
    let before = sum(&service, "");
    assert_eq!(service.call(says(&funded, "198.51.100.7")).status, 200);
    assert_eq!(sum(&service, ""), before);
    // The next day starts at zero, and old sums are deleted.
    service.advance(DAY);
    assert_eq!(service.call(says(&unfunded, "198.51.100.7")).status, 200);
    service.advance(2 * DAY);
    service.settle();
    assert!(sum(&service, "") < 100_000);
}

#[test]
fn all_unfunded_accounts_together_have_a_quota() {
    let service = Service::new(SETTINGS);
    let unfunded = Person::new();
    let hook = json!({ "url": "https://hooks.assay.example/", "events": [] });
    let registers = |address: &str| {
        let call = unfunded.put("/account/webhook", &hook).from(address);
        service.call(call)
    };
    assert_eq!(registers("198.51.100.1").status, 200);
    assert_eq!(service.call(says(&unfunded, "198.51.100.1")).status, 200);
    // Simulates that other accounts have used the quota.
    let spent = |source: &str, bytes: u64| {
        let sql = format!("UPDATE quotas SET used = {bytes} WHERE key = 'unfunded:{source}'");
        service.database.execute(&sql).expect("an update");
    };
    spent("work", 99_999_999);
    registers("198.51.100.2").fails(429, &[429_000]);
    // The quota for work is used up. Sign-up has its own quota, so an account can still provide its information.
    assert_eq!(service.call(says(&unfunded, "198.51.100.2")).status, 200);
    spent("entrance", 29_999_999);
    let refusal = service.call(says(&unfunded, "198.51.100.3"));
    refusal.fails(429, &[429_000]);
    // The account becomes funded. Then the shared quotas do not apply to it.
    spent("entrance", 20_000_000);
    service
        .call(unfunded.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    spent("entrance", 29_999_999);
    assert_eq!(service.call(says(&unfunded, "198.51.100.2")).status, 200);
    assert_eq!(registers("198.51.100.2").status, 200);
}

#[test]
fn performed_requests_have_their_own_quota() {
    let service = Service::new(SETTINGS);
    let database = Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let unfunded = Person::new();
    // A transfer of zero needs no tokens and is performed.
    let send = || {
        let mut order = world.order(&[&unfunded], json!([world.payment(&unfunded, "0")]));
        world.sign(&mut order, &[&unfunded]);
        world.call(unfunded.post("/orders", &order))
    };
    assert_eq!(send().data()["status"], 7);
    database
        .execute("UPDATE quotas SET used = 19999999 WHERE key = 'unfunded:lasting'")
        .expect("an update");
    send().fails(429, &[429_000]);
    // Orders that wait for a signature count against another quota, so they are still accepted.
    let other = Person::new();
    let order = world.order(&[&unfunded, &other], json!([world.payment(&unfunded, "0")]));
    assert_eq!(
        world.call(unfunded.post("/orders", &order)).data()["status"],
        0
    );
}

#[test]
fn unfunded_accounts_can_send_requests_beyond_the_log_quota() {
    let service = Service::new(SETTINGS);
    let unfunded = Person::new();
    service.call(says(&unfunded, "198.51.100.1")).data();
    let logged = || {
        let rows = service
            .database
            .run(&[Statement::new("SELECT count(*) AS count FROM requests")]);
        rows.expect("rows")[0].list[0]["count"].as_u64()
    };
    assert_eq!(logged(), Some(1));
    // Requests that are not logged are not counted.
    let spent = sum(&service, "log");
    service.call(Person::new().get("/account"));
    assert_eq!(sum(&service, "log"), spent);
    service
        .database
        .execute("UPDATE quotas SET used = 19999999 WHERE key = 'unfunded:log'")
        .expect("an update");
    assert_eq!(service.call(unfunded.get("/account")).status, 200);
    assert_eq!(logged(), Some(1));
    let noted = |line: &Value| line["event"] == "request.not-logged";
    assert!(!service.log.lines().iter().any(|(_, line)| noted(line)));
}
