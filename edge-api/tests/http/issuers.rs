//! The domain of a test server confirms an account. The test runs in this process and in workerd.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::support::outside::{self, Reply};
use crate::support::people::{Person, World};
use crate::support::{Call, SETTINGS, in_workerd};

/// Returns the host of a URL, with its port if the URL has one.
fn domain_of(resolver: &str) -> String {
    let host = resolver
        .split_once("://")
        .map_or(resolver, |(_, host)| host);
    host.split('/').next().unwrap_or_default().to_owned()
}

#[test]
fn a_domain_confirms_an_account_by_its_file_and_by_dns() {
    /// The file and the TXT records that the domain currently publishes.
    #[derive(Default)]
    struct Published {
        base: String,
        file: Option<String>,
        records: Vec<String>,
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
        let answers = published
            .records
            .iter()
            .map(|data| json!({ "type": 16, "data": data }));
        let answers: Vec<Value> = answers.collect();
        Some((200, json!({ "Status": 0, "Answer": answers }).to_string()))
    };
    let vars = [SETTINGS, &[("DOH_URL", "{outside}/dns")]].concat();
    let world = World::on(outside::own(&vars, Arc::new(handler)));
    let person = Person::new();
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
    published.lock().expect("a lock").file = Some(file);
    let body = json!({ "domain": domain });
    world.call(person.put("/account/domain", &body)).data();
    world.host.settle();
    let mut named = world.call(person.get("/account/domain")).data();
    // In workerd, the queue delivers the check at an unknown time, so the test polls.
    for _ in 0..100 {
        if named["state"] != "pending" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        named = world.call(person.get("/account/domain")).data();
    }
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
}
