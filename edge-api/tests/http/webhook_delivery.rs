//! Webhooks on their way: none lost, none out of order, never two attempts at once, whatever the receiver does.

use std::cell::RefCell;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge_api::ports::{Fetch, FetchError, Fetched, Job};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::faults::{Mortal, Stop};
use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};
use crate::support::{Answer, SETTINGS};

const URL: &str = "https://hooks.assay.example/a";
const OTHER_URL: &str = "https://other.assay.example/b";
const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

fn answers(status: u16) -> Result<Fetched, FetchError> {
    Ok(Fetched {
        status,
        content_type: None,
        location: None,
        body: vec![b'x'; 1 << 20],
    })
}

/// One attempt as the receiver sees it.
struct Sent {
    url: String,
    id: String,
    seconds: u64,
    signatures: Vec<String>,
    text: String,
    body: Value,
}

impl Sent {
    fn new(fetch: Fetch) -> Self {
        let header = |name: &str| {
            let mut values = fetch.headers.iter().filter(|(key, _)| key == name);
            let value = values.next().map(|(_, value)| value.clone());
            assert!(values.next().is_none(), "{name} is there twice");
            value.unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(header("content-type"), "application/json");
        assert_eq!((fetch.limit, fetch.timeout_ms), (0, 5000));
        let text = String::from_utf8(fetch.body.clone().expect("a POST")).expect("UTF-8");
        let body: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(body["id"], header("webhook-id"));
        assert_eq!(body["event"], body["kind"]);
        Self {
            id: header("webhook-id"),
            seconds: header("webhook-timestamp").parse().expect("seconds"),
            signatures: header("webhook-signature")
                .split(' ')
                .map(str::to_owned)
                .collect(),
            url: fetch.url,
            text,
            body,
        }
    }

    /// The signature that this secret makes, by RFC 2104 from the hash alone.
    fn signed_with(&self, secret: &str) -> String {
        let key = STANDARD
            .decode(secret.strip_prefix("whsec_").expect("a secret"))
            .expect("base64");
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        let content = format!("{}.{}.{}", self.id, self.seconds, self.text);
        let inner = Sha256::new()
            .chain_update(block.map(|byte| byte ^ 0x36))
            .chain_update(content)
            .finalize();
        let outer = Sha256::new()
            .chain_update(block.map(|byte| byte ^ 0x5c))
            .chain_update(inner)
            .finalize();
        format!("v1,{}", STANDARD.encode(outer))
    }

    fn kind_and_status(&self) -> (u64, u64) {
        let number = |name: &str| self.body[name].as_u64().expect("a number");
        (number("kind"), number("status"))
    }
}

struct Scene {
    service: Rc<RefCell<Service>>,
    mortal: Rc<Mortal>,
    world: World,
    owner: Person,
    ledger: Value,
}

impl Scene {
    /// A funded owner with a ledger and without a webhook.
    fn new() -> Self {
        let mut mortal = None;
        let service = Service::with_database(SETTINGS, |inner| {
            let wrapped = Rc::new(Mortal::new(inner));
            mortal = Some(Rc::clone(&wrapped));
            wrapped
        });
        let service = Rc::new(RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[]);
        Self {
            service,
            mortal: mortal.expect("wrapped"),
            world,
            owner,
            ledger,
        }
    }

    /// The same, with a webhook for those kinds whose receiver answers 200.
    fn registered(kinds: &[u8]) -> Self {
        let scene = Self::new();
        scene.register(&scene.owner, URL, kinds);
        scene.answer(URL, answers(200));
        scene
    }

    fn register(&self, person: &Person, url: &str, kinds: &[u8]) -> String {
        let body = json!({ "url": url, "events": kinds });
        let made = self.world.call(person.put("/account/webhook", &body));
        made.data()["secret"].as_str().expect("a secret").to_owned()
    }

    fn answer(&self, url: &str, answer: Result<Fetched, FetchError>) {
        self.service.borrow().http.set(url, answer);
    }

    fn sent(&self) -> Vec<Sent> {
        let sent = self.service.borrow().http.take_sent();
        sent.into_iter().map(Sent::new).collect()
    }

    /// Kind and status of what was sent since the last time.
    fn told(&self) -> Vec<(u64, u64)> {
        self.sent().iter().map(Sent::kind_and_status).collect()
    }

    fn advance_and_settle(&self, milliseconds: u64) {
        self.world.host.advance(milliseconds);
        self.world.host.settle();
    }

    fn deliveries(&self, person: &Person) -> Vec<Value> {
        let answer = self
            .world
            .call(person.get("/account/webhook/deliveries?sort=1"));
        answer.data().as_array().expect("a list").clone()
    }

    /// An order that waits for the signature of its creator.
    fn waiting_order(&self) -> Value {
        let mut body = self
            .world
            .creation(&self.owner, &self.ledger, "99", &self.owner);
        body["order"]["signers"][0]["claim"] = json!("");
        self.world.call(self.owner.post("/orders", &body)).data()
    }

    fn post(&self, person: &Person, path: &str) -> Answer {
        let path = format!("/account/webhook/{path}");
        self.world.call(person.post(path, &json!({})))
    }
}

#[test]
fn an_order_is_told_state_by_state_and_signed() {
    let scene = Scene::registered(&[0, 1, 2, 3]);
    let secret = scene.register(&scene.owner, URL, &[]);
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
    let order = scene.world.performed(&scene.owner, &body);
    let sent = scene.sent();
    let told: Vec<_> = sent.iter().map(Sent::kind_and_status).collect();
    assert_eq!(told, [(0, 1), (0, 2), (0, 3), (0, 7)]);
    for sent in &sent {
        assert_eq!(sent.url, URL);
        assert_eq!(sent.signatures, [sent.signed_with(&secret)]);
        assert_eq!(sent.seconds, scene.world.host.now() / 1000);
        assert_eq!(
            (&sent.body["requestRef"], &sent.body["requestKind"]),
            (&order["ref"], &json!(0))
        );
        assert_eq!(sent.body["createdAt"], order["createdAt"]);
    }
    let states: Vec<_> = scene.deliveries(&scene.owner);
    assert!(
        states
            .iter()
            .all(|delivery| delivery["state"] == "delivered"
                && delivery["responseStatus"] == 200
                && delivery["attempts"] == 1),
        "{states:?}"
    );
    // What was received is not sent again.
    scene.advance_and_settle(DAY);
    assert_eq!(scene.told(), []);
}

#[test]
fn deployments_failures_and_cancellations_are_told_by_kind() {
    let scene = Scene::registered(&[]);
    let deployment = scene.world.deployment(&scene.owner, &[]);
    scene
        .world
        .call(scene.owner.post("/deployments", &deployment))
        .data();
    scene.world.host.settle();
    assert_eq!(scene.told(), [(2, 1), (2, 2), (2, 3), (2, 7)]);

    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    scene.world.host.settle();
    assert_eq!(scene.told(), [(0, 0), (0, 6)]);

    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    scene.told();
    let mut late = scene
        .world
        .creation(&scene.owner, &scene.ledger, "2", &scene.owner);
    late["order"]["expiration"] = json!(scene.world.host.now() + 2 * MINUTE);
    scene.world.sign(&mut late, &[&scene.owner]);
    scene.world.call(scene.owner.post("/orders", &late)).data();
    scene.service.borrow().queue.lose();
    scene.advance_and_settle(3 * MINUTE);
    assert_eq!(scene.told(), [(0, 1), (0, 2), (0, 4), (1, 4)]);
}

#[test]
fn kinds_that_were_not_registered_are_not_told() {
    for (kinds, told) in [
        (&[0][..], vec![(0, 1), (0, 2), (0, 4)]),
        (&[1], vec![(1, 4)]),
        (&[0, 1], vec![(0, 1), (0, 2), (0, 4), (1, 4)]),
        (&[2, 3], vec![]),
    ] {
        let scene = Scene::registered(kinds);
        let mut late = scene
            .world
            .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
        late["order"]["expiration"] = json!(scene.world.host.now() + MINUTE);
        scene.world.sign(&mut late, &[&scene.owner]);
        scene.world.call(scene.owner.post("/orders", &late)).data();
        scene.service.borrow().queue.lose();
        scene.advance_and_settle(2 * MINUTE);
        assert_eq!(scene.told(), told, "{kinds:?}");
    }
}

#[test]
fn creators_and_accounts_that_have_signed_are_told() {
    let scene = Scene::registered(&[0]);
    let (signer, stranger) = (Person::new(), Person::new());
    for (person, url) in [
        (&signer, OTHER_URL),
        (&stranger, "https://stranger.assay.example/"),
    ] {
        scene.register(person, url, &[]);
        scene.answer(url, answers(204));
    }
    let payment = scene.world.payment(&scene.owner, "1");
    let mut body = scene
        .world
        .order(&[&scene.owner, &signer], json!([payment]));
    scene.world.sign(&mut body, &[&scene.owner]);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    scene.world.host.settle();
    let told = |scene: &Scene| -> Vec<(String, u64)> {
        let mut told: Vec<_> = scene
            .sent()
            .into_iter()
            .map(|sent| (sent.url.clone(), sent.kind_and_status().1))
            .collect();
        // The order between accounts is nobody's promise.
        told.sort_by(|one, two| one.0.cmp(&two.0));
        told
    };
    // Who is only asked to sign has not signed.
    assert_eq!(told(&scene), [(URL.to_owned(), 0)]);
    let hash = order["hash"].as_str().unwrap().parse().unwrap();
    let path = format!("/orders/{}/sign", order["ref"].as_str().unwrap());
    let claim = json!({ "claim": signer.claim(&hash) });
    scene.world.call(signer.put(path, &claim)).data();
    scene.world.host.settle();
    let all = [1, 2, 3, 7].into_iter();
    let expected: Vec<_> = all
        .clone()
        .map(|status| (URL.to_owned(), status))
        .chain(all.map(|status| (OTHER_URL.to_owned(), status)))
        .collect();
    assert_eq!(told(&scene), expected);
}

#[test]
fn what_happened_before_a_webhook_is_not_told_later() {
    let scene = Scene::new();
    let order = scene.waiting_order();
    scene.register(&scene.owner, URL, &[]);
    scene.answer(URL, answers(200));
    scene.world.host.settle();
    assert_eq!(scene.told(), []);
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    scene.world.host.settle();
    assert_eq!(scene.told(), [(0, 6)]);
}

#[test]
fn a_later_event_waits_for_an_earlier_one_of_its_record_alone() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(500));
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
    scene.world.performed(&scene.owner, &body);
    for wait in [30_000, MINUTE, 5 * MINUTE] {
        assert!(scene.told().iter().all(|told| *told == (0, 1)));
        scene.world.host.advance(wait - 1);
        scene.world.host.settle();
        assert_eq!(scene.told(), [], "{wait}: not before its time");
        scene.advance_and_settle(1);
    }
    assert_eq!(scene.told(), [(0, 1)]);
    // Another record of the same account does not wait behind it.
    scene.answer(URL, answers(200));
    scene.waiting_order();
    scene.world.host.settle();
    assert_eq!(scene.told(), [(0, 0)]);
    scene.advance_and_settle(15 * MINUTE);
    assert_eq!(scene.told(), [(0, 1), (0, 2), (0, 3), (0, 7)]);
}

#[test]
fn after_a_day_an_event_is_given_up_and_the_next_goes_on() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, Err(FetchError::Timeout));
    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    let states = |scene: &Scene| -> Vec<String> {
        scene
            .deliveries(&scene.owner)
            .iter()
            .map(|delivery| delivery["state"].as_str().unwrap().to_owned())
            .collect()
    };
    scene.world.host.settle();
    scene.advance_and_settle(DAY - 1);
    assert_eq!(states(&scene), ["waiting", "waiting"]);
    // As soon as it has rested.
    scene.advance_and_settle(MINUTE / 2);
    assert_eq!(states(&scene), ["failed", "waiting"]);
    assert!(scene.told().iter().all(|told| *told == (0, 0)));
    // The next has a day of its own.
    scene.advance_and_settle(MINUTE);
    assert_eq!(scene.told(), [(0, 6)]);
    scene.answer(URL, answers(200));
    scene.advance_and_settle(DAY - 2 * MINUTE);
    assert_eq!(states(&scene), ["failed", "delivered"]);
}

#[test]
fn whatever_a_receiver_does_hurts_nobody() {
    let redirect = |location: &str| {
        Ok(Fetched {
            status: 302,
            content_type: None,
            location: Some(location.to_owned()),
            body: Vec::new(),
        })
    };
    let broken = || Err(FetchError::Failed("10.0.0.7 refused by rule 12".to_owned()));
    for (answer, status, error) in [
        (answers(500), json!(500), "answered 500"),
        (answers(410), json!(410), "answered 410"),
        (answers(404), json!(404), "answered 404"),
        (answers(304), json!(304), "answered 304"),
        (answers(101), json!(101), "answered 101"),
        (redirect("http://127.0.0.1/"), json!(null), "redirects"),
        (redirect(OTHER_URL), json!(null), "redirects"),
        (Err(FetchError::Timeout), json!(null), "in time"),
        (broken(), json!(null), "could not be reached"),
    ] {
        let scene = Scene::registered(&[0]);
        let other = Person::new();
        scene.register(&other, OTHER_URL, &[0]);
        scene.answer(OTHER_URL, answers(200));
        scene.answer(URL, answer);
        for _ in 0..3 {
            scene.waiting_order();
        }
        scene.service.borrow().queue.lose();
        assert_eq!(scene.post(&other, "test").status, 201);
        scene.world.host.settle();
        let requests = scene.service.borrow().http.requests();
        // A turn ends at the first failure, and redirects lead nowhere.
        let count = |url: &str| requests.iter().filter(|asked| *asked == url).count();
        assert_eq!(
            (count(URL), count(OTHER_URL), requests.len()),
            (1, 1, 2),
            "{error}"
        );
        let deliveries = scene.deliveries(&scene.owner);
        let tried = &deliveries[0];
        assert_eq!(
            (
                &tried["state"],
                &tried["attempts"],
                &tried["responseStatus"]
            ),
            (&json!("waiting"), &json!(1), &status),
            "{tried}"
        );
        let sentence = tried["error"].as_str().unwrap();
        assert!(sentence.contains(error), "{sentence}");
        // What the host saw inside its network is not the account's to know.
        assert!(!sentence.contains("10.0.0.7"), "{sentence}");
        // Nothing is lost by it.
        scene.answer(URL, answers(200));
        for _ in 0..3 {
            scene.advance_and_settle(MINUTE);
        }
        let deliveries = scene.deliveries(&scene.owner);
        assert!(
            deliveries
                .iter()
                .all(|delivery| delivery["state"] == "delivered"),
            "{deliveries:?}"
        );
    }
}

#[test]
fn an_address_is_checked_again_before_every_attempt() {
    for url in [
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "https://service.example/account",
        "https://a.internal/",
        "gopher://hooks.assay.example/",
    ] {
        let scene = Scene::registered(&[0]);
        // As if the rules had become stricter since it was registered.
        let sql = format!("UPDATE webhooks SET url = '{url}'");
        scene.service.borrow().database.execute(&sql).unwrap();
        scene.waiting_order();
        scene.world.host.settle();
        assert_eq!(scene.told(), [], "{url}");
        let deliveries = scene.deliveries(&scene.owner);
        let error = deliveries[0]["error"].as_str().unwrap();
        assert!(error.contains(url), "{error}");
    }
}

#[test]
fn the_services_own_host_is_no_receiver() {
    let scene = Scene::new();
    for url in [
        "https://service.example/account/webhook",
        "http://service.example./",
        "https://SERVICE.example:8443/",
    ] {
        let body = json!({ "url": url, "events": [] });
        let answer = scene.world.call(scene.owner.put("/account/webhook", &body));
        assert_eq!(answer.errors(), ["422114 url"], "{url}");
    }
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let scene = Scene::registered(&[0]);
    let old = scene.register(&scene.owner, URL, &[0]);
    let new = scene.post(&scene.owner, "rotate").data()["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    let signatures = |scene: &Scene| {
        assert_eq!(scene.post(&scene.owner, "test").status, 201);
        scene.world.host.settle();
        let sent = scene.sent().remove(0);
        let by = |secret: &str| sent.signatures.contains(&sent.signed_with(secret));
        (sent.signatures.len(), by(&new), by(&old))
    };
    assert_eq!(signatures(&scene), (2, true, true));
    scene.world.host.advance(DAY - 1);
    assert_eq!(signatures(&scene), (2, true, true));
    scene.world.host.advance(1);
    assert_eq!(signatures(&scene), (1, true, false));
    // What another server knew does not sign for a new one, rotated or not.
    scene.post(&scene.owner, "rotate").data();
    scene.register(&scene.owner, OTHER_URL, &[0]);
    scene.answer(OTHER_URL, answers(200));
    assert_eq!(signatures(&scene), (1, false, false));
}

#[test]
fn a_test_event_says_that_it_is_one() {
    let scene = Scene::registered(&[3, 1]);
    scene.answer(URL, answers(500));
    let first = scene.post(&scene.owner, "test");
    assert_eq!(first.status, 201);
    scene.world.host.settle();
    let sent = scene.sent().remove(0);
    assert_eq!(
        (
            &sent.body["test"],
            &sent.body["kind"],
            &sent.body["requestRef"]
        ),
        (&json!(true), &json!(1), &json!(null))
    );
    // One that waits is tried now instead of a second one.
    let second = scene.post(&scene.owner, "test");
    assert_eq!(
        (second.status, &second.data()["ref"]),
        (200, &first.data()["ref"])
    );
    scene.answer(URL, answers(200));
    scene.world.host.settle();
    assert_eq!(scene.sent().remove(0).id, sent.id);
    assert_eq!(scene.post(&scene.owner, "test").status, 201);
}

#[test]
fn a_delivery_is_sent_again_as_the_same_event() {
    let scene = Scene::registered(&[0]);
    let order = scene.waiting_order();
    scene.world.host.settle();
    let first = scene.sent().remove(0);
    let delivery = scene.deliveries(&scene.owner).remove(0);
    let path = format!("deliveries/{}/redeliver", delivery["ref"].as_str().unwrap());
    let again = scene.post(&scene.owner, &path);
    assert_eq!(again.status, 201);
    assert_ne!(again.data()["ref"], delivery["ref"]);
    assert_eq!(again.data()["event"], delivery["event"]);
    // Asked twice before it went: one copy.
    assert_eq!(scene.post(&scene.owner, &path).status, 200);
    // It goes behind nothing and before what comes later.
    let cancel = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(cancel)).data();
    scene.world.host.settle();
    let sent = scene.sent();
    let ids: Vec<_> = sent.iter().map(|sent| sent.kind_and_status()).collect();
    assert_eq!(ids, [(0, 0), (0, 6)]);
    assert_eq!((&sent[0].id, &sent[0].text), (&first.id, &first.text));
    let list = scene.deliveries(&scene.owner);
    assert_eq!(list.len(), 3, "{list:?}");
}

#[test]
fn a_delivery_that_waits_is_tried_now() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(503));
    scene.waiting_order();
    scene.world.host.settle();
    scene.advance_and_settle(20 * MINUTE);
    scene.sent();
    let delivery = scene.deliveries(&scene.owner).remove(0);
    let path = format!("deliveries/{}/redeliver", delivery["ref"].as_str().unwrap());
    scene.answer(URL, answers(200));
    let again = scene.post(&scene.owner, &path);
    assert_eq!(
        (again.status, &again.data()["ref"]),
        (200, &delivery["ref"])
    );
    scene.world.host.settle();
    assert_eq!(scene.told(), [(0, 0)]);
}

#[test]
fn without_its_webhook_nothing_more_is_sent() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, answers(500));
    scene.waiting_order();
    scene.world.host.settle();
    scene.sent();
    scene
        .world
        .call(scene.owner.delete("/account/webhook"))
        .data();
    scene.waiting_order();
    scene.advance_and_settle(HOUR);
    scene.register(&scene.owner, URL, &[0]);
    scene.advance_and_settle(HOUR);
    assert_eq!(scene.told(), []);
    let deliveries = scene.deliveries(&scene.owner);
    assert_eq!(deliveries.len(), 1);
    assert_eq!(deliveries[0]["state"], "canceled");
}

#[test]
fn deliveries_are_listed_in_pages_and_kept_90_days() {
    let scene = Scene::registered(&[0]);
    for _ in 0..5 {
        scene.waiting_order();
    }
    scene.world.host.settle();
    let all = scene.deliveries(&scene.owner);
    assert_eq!(all.len(), 5);
    let page = |query: &str| {
        let target = format!("/account/webhook/deliveries?limit=2{query}");
        scene.world.call(scene.owner.get(target))
    };
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let answer = page(&after);
        assert_eq!(answer.meta()["total"], 5);
        seen.extend(answer.data().as_array().unwrap().clone());
        match answer.meta()["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    seen.reverse();
    assert_eq!(seen, all);
    assert_eq!(page("&skip=4&sort=1").data(), json!([all[4]]));
    page("&sort=3").fails(400, &[400_101]);
    scene.advance_and_settle(90 * DAY - 1);
    assert!(scene.deliveries(&scene.owner).len() >= 5);
    scene.world.host.advance(2);
    scene.world.host.settle();
    // What the expiry of the orders told in between is younger.
    let kept = scene.deliveries(&scene.owner);
    assert!(kept.iter().all(|delivery| delivery["event"]["status"] == 6));
}

#[test]
fn attempts_never_overlap() {
    let scene = Scene::registered(&[0]);
    let order = scene.waiting_order();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    let job = Job::Deliver {
        stream: order["ref"].as_str().unwrap().to_owned(),
    };
    let service = scene.service.borrow();
    let apps: Vec<_> = (0..8).map(|_| service.app()).collect();
    let messages = apps.iter().map(|app| app.on_message(&job));
    let sweeps = apps.iter().map(edge_api::App::on_schedule);
    block_on(async {
        let (messages, sweeps) = futures_util::future::join(
            futures_util::future::join_all(messages),
            futures_util::future::join_all(sweeps),
        )
        .await;
        assert!(messages.iter().chain(&sweeps).all(Result::is_ok));
    });
    assert_eq!(service.http.most_at_once(), 1);
    drop(service);
    assert_eq!(scene.told(), [(0, 0), (0, 6)]);
}

#[test]
fn receivers_of_many_accounts_are_told_side_by_side() {
    let scene = Scene::new();
    for number in 0..4 {
        let (person, url) = (
            Person::new(),
            format!("https://hooks{number}.assay.example/"),
        );
        scene.register(&person, &url, &[0]);
        scene.answer(&url, answers(200));
        assert_eq!(scene.post(&person, "test").status, 201);
    }
    scene.service.borrow().queue.lose();
    scene.world.host.settle();
    assert_eq!(scene.sent().len(), 4);
    // The counter of the test before this one can count.
    assert!(scene.service.borrow().http.most_at_once() > 1);
}

/// Stops the service right before and right after every round trip of an order and of telling about it, and starts it
/// again: every event arrives, the first time in order, and what is repeated is repeated at once.
#[test]
fn stopped_between_any_two_steps_no_webhook_is_lost() {
    let mut stops = 0;
    for number in 0..64 {
        let mut survived = true;
        for stop in [Stop::Before(number), Stop::After(number)] {
            let scene = Scene::registered(&[0]);
            let body = scene
                .world
                .creation(&scene.owner, &scene.ledger, "1", &scene.owner);
            let call = scene.owner.post("/orders", &body);
            scene.mortal.arm(Some(stop));
            let service = scene.service.borrow();
            let ended = scene.mortal.run(async {
                let answer = service.answer(&call).await;
                let app = service.app();
                app.after(answer.after).await;
                while let Some(job) = service.queue.take() {
                    app.on_message(&job).await.unwrap();
                }
                app.on_schedule().await.unwrap();
            });
            drop(service);
            survived &= ended.is_some();
            stops += usize::from(ended.is_none());
            scene.mortal.arm(None);
            scene.service.borrow_mut().restart();
            scene.world.call(call).data();
            for _ in 0..2 {
                scene.world.host.settle();
                scene.world.host.advance(MINUTE);
            }
            scene.world.host.settle();
            let mut sent = scene.sent();
            let attempts = sent.len();
            sent.dedup_by(|two, one| one.id == two.id);
            let told: Vec<_> = sent.iter().map(Sent::kind_and_status).collect();
            assert_eq!(told, [(0, 1), (0, 2), (0, 3), (0, 7)], "{stop:?}");
            assert!(attempts <= 5, "{stop:?}: one stop repeats one attempt");
            let deliveries = scene.deliveries(&scene.owner);
            assert!(
                deliveries.len() == 4
                    && deliveries
                        .iter()
                        .all(|delivery| delivery["state"] == "delivered"),
                "{stop:?} {deliveries:?}"
            );
        }
        if survived {
            break;
        }
    }
    assert!(
        stops >= 20,
        "only {stops} stops: the loop does not reach the steps it is for"
    );
}
