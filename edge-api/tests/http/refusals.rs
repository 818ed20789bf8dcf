//! Refusals are small, repeat only a part of the request, and are not stored for an idempotency key. The file also has tests
//! of stored answers and of the log.

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::outside;
use crate::support::people::{Person, World};
use crate::support::stripe::{FakeStripe, payer, settings};
use crate::support::{self, Answer, Call, Host, SETTINGS};

/// Returns an order with a hundred completely invalid actions.
fn wrong_everywhere() -> Value {
    let action = json!({ "kind": 1, "ledgerId": "x".repeat(400), "assetId": "y".repeat(400) });
    json!({ "priority": 9, "order": { "actions": vec![action; 100] } })
}

fn list(answer: &Answer) -> Vec<Value> {
    answer.json()["errors"].as_array().expect("errors").clone()
}

fn keyed(call: Call, key: &str) -> Call {
    call.header("idempotency-key", key)
}

/// Returns the number in the first column of the first row, or 0 if this column is null.
fn number(service: &Service, sql: &'static str) -> u64 {
    let rows = service.database.run(&[Statement::new(sql)]).expect("rows");
    let row = rows[0].list[0].as_object().expect("a row");
    row.values().next().and_then(Value::as_u64).unwrap_or(0)
}

/// Creates an account with tokens.
fn funded(service: &Service) -> Person {
    let person = Person::new();
    service
        .call(person.post("/deposits", &json!({ "amount": 100_000 })))
        .data();
    person
}

#[test]
fn an_answer_lists_twenty_errors_and_counts_the_rest() {
    let host = support::service();
    let person = Person::new();
    let answer = host.call(person.post("/orders", &wrong_everywhere()));
    assert_eq!(answer.status, 422);
    let errors = list(&answer);
    assert_eq!(errors.len(), 21);
    let last = &errors[20];
    let more = last["message"].as_str().unwrap().split(' ').nth(2).unwrap();
    assert!(more.parse::<u32>().is_ok_and(|more| more >= 280), "{last}");
    assert_eq!(last["path"], "");
    assert!(answer.body.len() < 8 << 10, "{}", answer.body.len());
    // If there are at most twenty errors, the answer lists all of them.
    let few = host.call(person.post("/orders", &json!({ "order": { "actions": [{}] } })));
    assert!(list(&few).iter().all(|error| error["path"] != ""));
}

#[test]
fn errors_repeat_only_part_of_a_request() {
    let host = support::service();
    let person = Person::new();
    let post = |media: &str, body: String| {
        let call = Call::new("POST", "/orders").header("authorization", &person.authorization());
        host.call(call.raw(media, body))
    };
    let media = format!("text/{}", "x".repeat(6_000));
    let name = "n".repeat(100_000);
    let part = format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n1\r\n");
    for (answer, status) in [
        (post(&media, String::new()), 415),
        (
            post(
                "multipart/form-data; boundary=b",
                format!("{part}{part}--b--"),
            ),
            400,
        ),
    ] {
        assert_eq!(answer.status, status);
        assert!(answer.body.len() < 400, "{}", answer.body.len());
    }
}

#[test]
fn large_answers_without_changes_are_not_stored_for_their_key() {
    let service = Service::new(SETTINGS);
    let database = std::rc::Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let owner = world.funded();
    // The last action is the payment for the order.
    let mut actions: Vec<Value> = (0..60).map(|_| world.payment(&owner, "1")).collect();
    actions.push(world.payment(&owner, "60000000000000000000"));
    let mut order = world.order(&[&owner], json!(actions));
    world.sign(&mut order, &[&owner]);
    assert_eq!(world.call(owner.post("/orders", &order)).status, 201);
    for key in ["a", "b"] {
        let answer = world.call(keyed(owner.post("/orders", &order), key));
        assert_eq!(answer.status, 200);
        assert!(answer.body.len() > 8 << 10);
        // The key is still free, so a repeated request is handled again.
        let again = world.call(keyed(owner.post("/orders", &order), key));
        assert_eq!(
            (again.status, again.header("idempotency-replayed")),
            (200, None)
        );
    }
    let kept = "SELECT count(*) AS count FROM idempotency_keys";
    let rows = database.run(&[Statement::new(kept)]).expect("rows");
    assert_eq!(rows[0].list[0]["count"], 0);
}

#[test]
fn refusals_are_not_stored_for_their_key() {
    let service = Service::new(SETTINGS);
    let unfunded = Person::new();
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    service.call(unfunded.put("/account", &information)).data();
    let funded_account = funded(&service);
    for person in [&unfunded, &funded_account] {
        let answer = service.call(keyed(person.post("/orders", &json!({})), "a"));
        assert_eq!(answer.status, 422);
        let count = "SELECT count(*) FROM idempotency_keys";
        assert_eq!(number(&service, count), 0);
    }
}

#[test]
fn the_log_has_codes_and_paths_but_no_messages() {
    let service = Service::new(SETTINGS);
    let person = funded(&service);
    let target = format!("/orders?{}", "q".repeat(5_000));
    service.call(person.post(target, &wrong_everywhere()));
    service.call(person.get(format!("/orders/{}", "p".repeat(5_000))));
    let largest =
        "SELECT max(length(host) + length(path) + length(url) + length(errors)) FROM requests";
    assert!(number(&service, largest) < 2_000);
    let count = "SELECT count(*) FROM requests WHERE errors LIKE '%message%'";
    assert_eq!(number(&service, count), 0);
    let listed = service.call(person.get("/requests?status=422")).data();
    let errors = listed[0]["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 21);
    assert!(
        errors.iter().all(|error| error["message"] != ""),
        "{listed}"
    );
    // Rows of older versions contain sentences, which are returned unchanged.
    let older = "UPDATE requests SET errors = '[{\"code\":422002,\"message\":\"of before\",\"path\":\"order.seed\"}]'";
    service.database.execute(older).expect("an update");
    let listed = service.call(person.get("/requests?status=422")).data();
    assert_eq!(
        listed[0]["errors"],
        json!([{
            "code": 422_002, "name": "OrderSeedMissing", "docs": "http://service.localhost/docs/#422002", "message": "of before", "path": "order.seed",
        }])
    );
}

#[test]
fn a_replayed_answer_is_logged_under_its_own_id() {
    let service = Service::new(SETTINGS);
    let person = funded(&service);
    let call = keyed(person.post("/deposits", &json!({ "amount": 1000 })), "a");
    let (first, second) = (service.call(call.clone()), service.call(call));
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.header("x-replay-id"), None);
    let logged = |id: &str| {
        let answer = service.call(person.get(format!("/requests/{id}")));
        answer.data()
    };
    let replay = second.header("x-replay-id").expect("an id").to_owned();
    let (first, again) = (
        logged(first.header("x-request-id").unwrap()),
        logged(&replay),
    );
    assert_ne!(first["ref"], again["ref"]);
    assert_eq!(
        (&again["errors"], &again["status"]),
        (&first["errors"], &first["status"])
    );
    assert_eq!(again["status"], 201);
}

#[test]
fn accounts_that_only_sign_have_a_request_log() {
    let world = World::new();
    let (owner, signer) = (world.funded(), Person::new());
    let actions = json!([world.payment(&owner, "1")]);
    let mut order = world.order(&[&owner, &signer], actions);
    world.sign(&mut order, &[&owner]);
    let made = world.call(owner.post("/orders", &order)).data();
    let claim = signer.claim(&world.order_hash(&order));
    let path = format!("/orders/{}/sign", made["ref"].as_str().unwrap());
    world
        .call(signer.put(path.as_str(), &json!({ "claim": claim })))
        .data();
    let account = world.call(signer.get("/account")).data();
    assert!(account["createdAt"].is_string(), "{account}");
    let seen = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(25));
        let list = world.call(signer.get("/requests?methods=PUT")).data();
        list[0]["path"] == path
    });
    assert!(seen, "the signature is not in the signer's log");
}

#[test]
fn a_failed_commit_looks_up_no_deliveries() {
    let service = Service::new(SETTINGS);
    let database = std::rc::Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    let owner = world.funded();
    let order = world.order(&[&owner], json!([world.payment(&owner, "1")]));
    // The trigger refuses new records, so the commit fails.
    database
        .execute("CREATE TRIGGER no_records BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'no'); END")
        .expect("a trigger");
    let before = database.round_trips();
    assert_eq!(world.call(owner.post("/orders", &order)).status, 503);
    // The round trips are for the clock, the hash, the snapshot, the batch and the log. None of them looks up deliveries.
    assert_eq!(database.round_trips() - before, 5);
}

#[test]
fn secrets_are_not_stored_with_answers() {
    let stripe = FakeStripe::default();
    let vars = outside::native_vars(&settings());
    let service = Service::new(&outside::borrowed(&vars));
    outside::attach(&service, stripe.handler());
    let person = payer(&service);
    let call = keyed(person.post("/deposits", &json!({ "amount": 4_200 })), "a");
    let (first, second) = (service.call(call.clone()), service.call(call));
    let secret = first.data()["clientSecret"].as_str().unwrap().to_owned();
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.body, second.body);
    let url = json!({ "url": "https://hooks.assay.example/", "events": [] });
    service.call(person.put("/account/webhook", &url)).data();
    let call = keyed(person.post("/account/webhook/rotate", &json!({})), "b");
    let (first, second) = (service.call(call.clone()), service.call(call));
    let rotated = first.data()["secret"].as_str().unwrap().to_owned();
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.body, second.body);
    let kept = Statement::new("SELECT body FROM idempotency_keys");
    let kept = format!("{:?}", service.database.run(&[kept]).expect("rows"));
    assert!(kept.contains("clientSecret"), "{kept}");
    assert!(
        !kept.contains(&secret) && !kept.contains(&rotated),
        "{kept}"
    );
    // A secret that is no longer in use is left out of the replayed answer.
    service.call(person.delete("/account/webhook")).data();
    let call = keyed(person.post("/account/webhook/rotate", &json!({})), "b");
    let third = service.call(call);
    assert_eq!(third.header("idempotency-replayed"), Some("true"));
    assert_eq!(third.data()["secret"], Value::Null);
}
