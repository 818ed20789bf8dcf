//! Calls the service in the same way on both hosts. One host is this process, with SQLite and a movable clock. The
//! other host is workerd behind a real socket (`ASSAY_HOST=workerd`).
//!
//! In this process, the suite can also run on a chain with the original contracts (`ASSAY_LEDGER=anvil`). `on_chain.txt` lists the tests
//! that run only on the embedded ledger.

pub mod anvil;
pub mod approvals;
pub mod faults;
pub mod native;
pub mod openapi;
pub mod outside;
pub mod people;
pub mod plans;
pub mod stripe;
pub mod time;
pub mod workerd;

use serde_json::{Value, json};

use people::Person;

const CLIENT_ADDRESS: &str = "cf-connecting-ip";

/// A request that a test makes.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Call {
    pub fn new(method: &'static str, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub fn get(target: impl Into<String>) -> Self {
        Self::new("GET", target)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json; charset=utf-8")
    }

    /// Sets the client address in the platform's header. The local runtime accepts this header from any client.
    pub fn from(self, address: &str) -> Self {
        self.header(CLIENT_ADDRESS, address)
    }

    /// Returns the client address that the platform would provide. It defaults to 192.0.2.1. An empty header means that the
    /// platform provides no address (`None`).
    pub fn client_address(&self) -> Option<String> {
        let mut headers = self.headers.iter();
        let given = headers.find(|(name, _)| name == CLIENT_ADDRESS);
        match given.map(|(_, value)| value.as_str()) {
            Some("") => None,
            given => Some(given.unwrap_or("192.0.2.1").to_owned()),
        }
    }

    pub fn raw(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }
}

/// Returns a copy of a body in which the object member at a JSON pointer is set (`Some`) or removed (`None`).
pub fn with(body: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut body = body.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let object = body.pointer_mut(parent).expect("a parent").as_object_mut();
    let object = object.expect("an object");
    match value {
        Some(value) => object.insert(key.to_owned(), value),
        None => object.remove(key),
    };
    body
}

/// The service's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!(
                "not JSON ({error}): {}",
                String::from_utf8_lossy(&self.body)
            )
        })
    }

    /// Returns `data` of a successful answer.
    #[track_caller]
    pub fn data(&self) -> Value {
        assert!(
            self.status < 300,
            "{} {}",
            self.status,
            String::from_utf8_lossy(&self.body)
        );
        self.json()["data"].clone()
    }

    pub fn meta(&self) -> Value {
        self.json()["meta"].clone()
    }

    /// Returns `code path` for each error, sorted. An error with an empty path is only its code.
    pub fn errors(&self) -> Vec<String> {
        let mut errors: Vec<String> = self.json()["errors"]
            .as_array()
            .unwrap_or(&vec![])
            .iter()
            .map(|error| {
                format!(
                    "{} {}",
                    error["code"],
                    error["path"].as_str().unwrap_or("?")
                )
                .trim_end()
                .to_owned()
            })
            .collect();
        errors.sort();
        errors
    }

    /// Returns the error codes, sorted.
    pub fn codes(&self) -> Vec<u64> {
        let mut codes: Vec<u64> = self.json()["errors"]
            .as_array()
            .unwrap_or(&vec![])
            .iter()
            .map(|error| error["code"].as_u64().expect("a code"))
            .collect();
        codes.sort_unstable();
        codes
    }

    /// Asserts that the answer is a failure with this status, these sorted codes and a complete envelope.
    #[track_caller]
    pub fn fails(&self, status: u16, codes: &[u64]) {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(
            (self.status, self.codes().as_slice()),
            (status, codes),
            "{text}"
        );
        let envelope = self.json();
        assert_eq!(envelope["status"], status, "{text}");
        assert_eq!(
            envelope["id"].as_str(),
            self.header("x-request-id"),
            "{text}"
        );
        assert!(envelope.get("data").is_none(), "{text}");
        for error in envelope["errors"].as_array().expect("errors") {
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|message| !message.is_empty()),
                "{text}"
            );
            assert!(error["path"].is_string(), "{text}");
        }
    }
}

/// Returns an image file from the service's assets.
pub fn own_image(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(name);
    std::fs::read(path).expect("an image")
}

/// The service on a host.
pub trait Host {
    /// Sends a request.
    fn call(&self, call: Call) -> Answer {
        self.call_all(vec![call]).pop().expect("an answer")
    }

    /// Sends many requests at the same time.
    fn call_all(&self, calls: Vec<Call>) -> Vec<Answer>;

    /// Runs the work that requests have left to do: queue messages and the sweep. In workerd, runs only the sweep, because the
    /// runtime delivers queue messages by itself.
    fn settle(&self);

    /// Moves the service's clock forward. Only for a service that no other test uses.
    fn advance(&self, milliseconds: u64);

    /// Returns the service's time in milliseconds.
    fn now(&self) -> u64;

    /// Allows an account to receive tokens. A no-op on the embedded ledger, which allows all accounts.
    fn allow(&self, _: &Person) {}

    /// Gives an account the tokens that a deposit of this number of cents buys, and allows the account to receive tokens.
    fn credit(&self, person: &Person, cents: u64) {
        deposit(self, person, cents);
    }
}

/// Makes a test deposit, which succeeds at once.
fn deposit(host: &(impl Host + ?Sized), person: &Person, cents: u64) {
    host.call(person.post("/deposits", &json!({ "amount": cents })))
        .data();
}

pub fn in_workerd() -> bool {
    std::env::var("ASSAY_HOST").is_ok_and(|host| host == "workerd")
}

/// Returns true if the suite runs on a chain instead of the embedded ledger.
pub fn on_chain() -> bool {
    std::env::var("ASSAY_LEDGER").is_ok_and(|ledger| ledger == "anvil")
}

/// The status in the answer to a request that meets all conditions to be performed: Finalized on the embedded ledger, Pending on a chain.
pub fn ready() -> u64 {
    if on_chain() { 1 } else { 7 }
}

/// The tests that run only on the embedded ledger. `cargo xtask test chain` skips them.
const ON_CHAIN: &str = include_str!("../on_chain.txt");

#[test]
fn every_name_in_the_list_of_skipped_tests_is_a_test() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http");
    let names = ON_CHAIN.lines().filter(|line| !line.starts_with('#'));
    for line in names {
        let (name, reason) = line.split_once(' ').expect("a name and a reason");
        assert!(!reason.trim().is_empty(), "{name}");
        let (module, test) = name.rsplit_once("::").expect("a module");
        let file = root.join(module.replace("::", "/"));
        let text = [file.with_extension("rs"), file.join("mod.rs")]
            .iter()
            .find_map(|path| std::fs::read_to_string(path).ok())
            .unwrap_or_else(|| panic!("no module `{module}`"));
        assert!(
            test.is_empty() || text.contains(&format!("fn {test}")),
            "{name}"
        );
    }
}

/// Returns a service with these settings. Other tests may use it at the same time.
pub fn shared(vars: &[(&str, &str)]) -> Box<dyn Host> {
    if in_workerd() {
        Box::new(workerd::Server::shared(vars))
    } else {
        in_this_process(vars)
    }
}

/// Returns a service in this process. On a chain, ignores the settings for deposits and for the addresses of contracts. Deposits are then
/// off, and the chain provides the addresses.
fn in_this_process(vars: &[(&str, &str)]) -> Box<dyn Host> {
    const EMBEDDED: [&str; 5] = [
        "DEPOSITS",
        "GATEWAY_ACTIONS",
        "GATEWAY_DEPLOY",
        "PAYMENT_RECEIVER",
        "TOKEN_ADDRESS",
    ];
    if !on_chain() {
        return Box::new(native::Service::new(vars));
    }
    let mut vars = vars.to_vec();
    vars.retain(|(name, _)| !EMBEDDED.contains(name));
    if !vars.iter().any(|(name, _)| *name == "ENVIRONMENT") {
        vars.push(("ENVIRONMENT", "production"));
    }
    let (service, _) = native::Service::on_anvil(&vars, &anvil::Anvil::start());
    Box::new(service)
}

/// Returns a service with these settings that no other test uses.
pub fn own(vars: &[(&str, &str)]) -> Box<dyn Host> {
    if in_workerd() {
        Box::new(workerd::Server::own(vars))
    } else {
        in_this_process(vars)
    }
}

/// A webhook secret. The service sends the challenge immediately if the registration gives the secret.
pub const WEBHOOK_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The settings of a development instance, for most tests.
pub const SETTINGS: &[(&str, &str)] = &[
    ("ENVIRONMENT", "development"),
    ("DEPOSITS", "test"),
    ("MOVABLE_CLOCK", "true"),
    ("ALLOW_PRIVATE_FETCH", "true"),
];

/// The settings of a deployed instance without costs.
pub const PRODUCTION: &[(&str, &str)] = &[("PAYMENTS", "off"), ("SERVICE_NAME", "ours")];

/// Returns a development instance that other tests may use at the same time.
pub fn service() -> Box<dyn Host> {
    shared(SETTINGS)
}
