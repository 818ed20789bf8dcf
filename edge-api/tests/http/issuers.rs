//! The domain of a test server confirms an account. The test runs in this process and in workerd.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::support::outside::{self, Reply};
use crate::support::people::{Person, World};
use crate::support::{Call, SETTINGS, in_workerd};

/// The path of the webhook at the domain's server.
const HOOK: &str = "/hook";
/// Milliseconds from a registration to its first challenge.
const FIRST_CHALLENGE: u64 = 10_000;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// Returns the host of a URL, with its port if the URL has one.
fn domain_of(resolver: &str) -> String {
    let host = resolver
        .split_once("://")
        .map_or(resolver, |(_, host)| host);
    host.split('/').next().unwrap_or_default().to_owned()
}

#[test]
fn a_domain_confirms_an_account_by_its_file_and_by_dns() {
    /// The file and the TXT records that the domain currently publishes, and the events that its webhook has received.
    #[derive(Default)]
    struct Published {
        base: String,
        file: Option<String>,
        records: Vec<String>,
        events: Vec<Value>,
    }
    let published = Arc::new(Mutex::new(Published::default()));
    let served = Arc::clone(&published);
    let handler = move |request: outside::Received| -> Reply {
        let mut published = served.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = request.header("host") {
            published.base = host.to_owned();
        }
        if request.target == "/.well-known/did.json" {
            return Some(match &published.file {
                Some(file) => (200, file.clone()),
                None => (404, "{}".to_owned()),
            });
        }
        if request.target == HOOK {
            let event: Value = serde_json::from_slice(&request.body).expect("JSON");
            if let Some(challenge) = event.get("challenge") {
                return Some((200, json!({ "challenge": challenge }).to_string()));
            }
            published.events.push(event);
            return Some((204, String::new()));
        }
        let answers = published
            .records
            .iter()
            .map(|data| json!({ "type": 16, "data": data }));
        let answers: Vec<Value> = answers.collect();
        Some((200, json!({ "Status": 0, "Answer": answers }).to_string()))
    };
    let vars = [SETTINGS, &[("DOH_URL", "{outside}/dns")]].concat();
    let world = World::on(outside::own(&vars, Arc::new(handler)));
    let person = world.funded();
    let check = |domain: &str, account: &Person| {
        let target = format!("/issuers/{domain}/check?account={}", account.id());
        world.call(Call::get(target)).data()
    };
    // This check makes the service query the resolver. The request shows the address at which workerd reaches the server.
    check("uni.example", &person);
    let learned = published.lock().expect("a lock").base.clone();
    let domain = if in_workerd() {
        learned
    } else {
        domain_of(outside::BASE)
    };
    let found = check(&domain, &person);
    assert_eq!(found["result"], "notConfirmed", "{found}");
    assert_eq!(found["file"]["problem"]["reason"], "missing", "{found}");
    assert_eq!(found["record"]["problem"]["reason"], "no-record", "{found}");

    let file = found["file"]["publish"]
        .as_str()
        .expect("a string")
        .to_owned();
    published.lock().expect("a lock").file = Some(file.clone());
    let body = json!({ "domain": domain });
    world.call(person.put("/account/domain", &body)).data();
    world.host.settle();
    let named = eventually(
        || world.call(person.get("/account/domain")).data(),
        |named| named["state"] != "pending",
    );
    assert_eq!(named["state"], "confirmed", "{named}");
    assert_eq!(named["checkedBy"], "didJson");
    assert_eq!(
        named["name"],
        Value::Null,
        "no example is published as a name"
    );

    // Another account is confirmed by DNS alone.
    let other = Person::new();
    let record = format!("\"did=did:pkh:eip155:1:{}\"", other.id());
    published.lock().expect("a lock").records.push(record);
    let found = check(&domain, &other);
    assert_eq!(found["result"], "confirmed", "{found}");
    assert_eq!(found["checkedBy"], "dns");

    // The file disappears, and appears again after the confirmation has ended. The account's webhook is told each time, first while the
    // confirmation still counts.
    let scheme = if in_workerd() { "http" } else { "https" };
    let hook = json!({ "url": format!("{scheme}://{domain}{HOOK}"), "events": [5] });
    world.call(person.put("/account/webhook", &hook)).data();
    let settled = |milliseconds| {
        world.host.advance(milliseconds);
        world.host.settle();
    };
    settled(FIRST_CHALLENGE);
    let active = eventually(
        || world.call(person.get("/account/webhook")).data(),
        |webhook| webhook["state"] == "active",
    );
    assert_eq!(active["state"], "active", "{active}");
    let mut told: Vec<[Value; 2]> = Vec::new();
    for (wait, file) in [(DAY, None), (DAY + HOUR, None), (DAY, Some(file))] {
        published.lock().expect("a lock").file = file;
        settled(wait);
        let events = eventually(
            || {
                world.host.settle();
                let published = published.lock().expect("a lock");
                published.events.clone()
            },
            |events| events.len() > told.len(),
        );
        let last = events.last().expect("an event");
        assert_eq!(last["domain"]["domain"], domain, "{last}");
        told.push(["state", "reason"].map(|name| last["domain"][name].clone()));
        assert_eq!(events.len(), told.len());
    }
    let expected = [
        ["confirmed", "missing"].map(Value::from),
        ["notConfirmed", "missing"].map(Value::from),
        [json!("confirmed"), Value::Null],
    ];
    assert_eq!(told, expected);
}

/// Looks until a value is as expected. In workerd, the queue does its work at an unknown time. Returns the last value.
fn eventually<T>(look: impl Fn() -> T, is_expected: impl Fn(&T) -> bool) -> T {
    let mut found = look();
    for _ in 0..100 {
        if is_expected(&found) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        found = look();
    }
    found
}
