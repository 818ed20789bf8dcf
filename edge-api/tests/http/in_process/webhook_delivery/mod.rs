//! Webhook delivery: a receiver cannot cause lost or reordered events, or overlapping attempts.

mod assets;
mod consent;
mod events;
mod limits;
mod managed;
mod outbox;
mod receivers;

use std::cell::RefCell;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge_api::ports::{Fetch, FetchError, Fetched};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::faults::Mortal;
use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Answer, SETTINGS};

const URL: &str = "https://hooks.assay.example/a";
const OTHER_URL: &str = "https://other.assay.example/b";
/// Milliseconds from a registration to its first challenge.
const FIRST_CHALLENGE: u64 = 10_000;
const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

fn answers(status: u16) -> Result<Fetched, FetchError> {
    Ok(Fetched {
        status,
        content_type: None,
        location: None,
        allow_origin: None,
        body: vec![b'x'; 1 << 20],
    })
}

/// A delivery attempt as the receiver sees it.
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
            assert!(values.next().is_none(), "{name} occurs twice");
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

    /// Returns the signature with a secret. HMAC is computed here from SHA-256 (RFC 2104), independently of the
    /// service's code.
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
    /// Creates a funded owner with a ledger and without a webhook.
    fn new() -> Self {
        Self::with(&[])
    }

    /// Like [`Self::new`], with settings that replace or extend the usual ones.
    fn with(vars: &[(&str, &str)]) -> Self {
        let mut mortal = None;
        let service = Service::with_database(&[vars, SETTINGS].concat(), |inner| {
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

    /// Creates the scene with a webhook for these kinds, whose receiver answers 200.
    fn registered(kinds: &[u8]) -> Self {
        let scene = Self::new();
        scene.register(&scene.owner, URL, kinds);
        scene.answer(URL, answers(200));
        scene
    }

    /// Registers a webhook, and lets the service challenge the receiver. Returns the secret.
    fn register(&self, person: &Person, url: &str, kinds: &[u8]) -> String {
        let body = json!({ "url": url, "events": kinds });
        let made = self.world.call(person.put("/account/webhook", &body));
        self.advance_and_settle(FIRST_CHALLENGE);
        made.data()["secret"].as_str().expect("a secret").to_owned()
    }

    fn answer(&self, url: &str, answer: Result<Fetched, FetchError>) {
        self.service.borrow().http.set(url, answer);
    }

    fn sent(&self) -> Vec<Sent> {
        let sent = self.service.borrow().http.take_sent();
        sent.into_iter().map(Sent::new).collect()
    }

    /// Returns the kinds and the statuses of the events that were sent since the last call.
    fn delivered(&self) -> Vec<(u64, u64)> {
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

    /// Creates an order that waits for its creator's signature.
    fn waiting_order(&self) -> Value {
        let mut body = self
            .world
            .creation(&self.owner, &self.ledger, "99", &self.owner);
        body["order"]["signers"][0]["claim"] = json!("");
        self.world.call(self.owner.post("/orders", &body)).data()
    }

    /// Causes an event of kind 0, and sends it if the receiver is active.
    fn cause_event(&self) {
        self.waiting_order();
        self.world.host.settle();
    }

    fn post(&self, person: &Person, path: &str) -> Answer {
        let path = format!("/account/webhook/{path}");
        self.world.call(person.post(path, &json!({})))
    }
}
