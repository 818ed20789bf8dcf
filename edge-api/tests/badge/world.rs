//! The service with a ledger in its database and fake servers around it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::native::{
    FakeCache, FakeClock, FakeHttp, FakeQueue, FakeRateLimiter, MemoryLog, SeededRandom, Sqlite,
};
use edge_api::ports::{
    Cache, Clock, Database, Fetch, FetchError, Fetched, Http, Level, Ports, Url,
};
use edge_api::web::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use edge_api::{App, Config, Isolate};
use futures_util::future::join_all;
use serde_json::Value;

use crate::certificate::Certificate;
use crate::time::VirtualClock;

/// 2023-11-14T22:13:20Z.
pub const START: u64 = 1_700_000_000_000;
/// The address under which the service is called.
pub const ORIGIN: &str = "https://assay.example.com";
/// The ledger of most assets.
pub const LEDGER: &str = "0x1111111111111111111111111111111111111111";
/// The owner of the ledgers and of the assets.
pub const ISSUER: &str = "0x3333333333333333333333333333333333333333";
pub const HOLDER: &str = "0x4444444444444444444444444444444444444444";
/// The server of the metadata of [`LEDGER`].
pub const HOST: &str = "https://assets.example.org";

/// Other servers: [`FakeHttp`] with a delay for each address.
pub struct Servers {
    answers: FakeHttp,
    takes: RefCell<BTreeMap<String, u64>>,
    asked: RefCell<Vec<Fetch>>,
    clock: Rc<VirtualClock>,
}

#[async_trait(?Send)]
impl Http for Servers {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        self.answers.parse(address, base)
    }

    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        // The recorded request must not hold bytes of the service's memory budget after the service has dropped the
        // request.
        self.asked.borrow_mut().push(Fetch {
            budget: None,
            ..request.clone()
        });
        let takes = self.takes.borrow().get(&request.url).copied().unwrap_or(0);
        // The answer takes memory from the budget before the delay, as a real transfer does for bytes that have arrived.
        let answer = self.answers.fetch(request.clone()).await;
        self.clock.sleep(takes.min(request.timeout_ms)).await;
        if takes > request.timeout_ms {
            Err(FetchError::Timeout)
        } else {
            answer
        }
    }
}

/// A cache that can be emptied and that counts its reads.
pub struct Counted {
    inner: RefCell<FakeCache>,
    pub gets: Cell<usize>,
    /// A substring of the keys whose writes the cache loses.
    pub loses: Cell<Option<&'static str>>,
    /// The keys that were written.
    pub keys: RefCell<Vec<String>>,
}

impl Counted {
    /// Creates a cache that keeps every entry, because its clock stands still.
    fn new() -> Self {
        Self {
            inner: RefCell::new(Self::empty()),
            gets: Cell::new(0),
            loses: Cell::default(),
            keys: RefCell::default(),
        }
    }

    fn empty() -> FakeCache {
        FakeCache::new(Rc::new(FakeClock::at(0)))
    }

    pub fn forget(&self) {
        *self.inner.borrow_mut() = Self::empty();
    }
}

#[async_trait(?Send)]
impl Cache for Counted {
    #[expect(
        clippy::await_holding_refcell_ref,
        reason = "the fake is never pending"
    )]
    async fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.gets.set(self.gets.get() + 1);
        self.inner.borrow().get(key).await
    }
    #[expect(
        clippy::await_holding_refcell_ref,
        reason = "the fake is never pending"
    )]
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64) {
        if self.loses.get().is_some_and(|part| key.contains(part)) {
            return;
        }
        self.keys.borrow_mut().push(key.to_owned());
        self.inner.borrow().put(key, value, seconds).await;
    }
}

/// The service's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("text"))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(self.text())
            .unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.text()))
    }

    /// Returns the status, and the validity that the image shows.
    pub fn says(&self) -> (u16, &str) {
        (self.status, self.header("x-asset-validity"))
    }

    /// Asserts that this is one of the service's own images.
    #[track_caller]
    pub fn shows(&self, status: u16, validity: &str, image: &str) {
        assert_eq!(self.says(), (status, validity));
        assert!(self.body == own(image), "not {image}: {}", self.text());
    }

    /// Returns `code path` of every error in an envelope.
    #[track_caller]
    pub fn errors(&self) -> Vec<String> {
        let envelope = self.json();
        assert_eq!(envelope["status"], self.status, "{envelope}");
        assert_eq!(envelope["id"], self.header("x-request-id"), "{envelope}");
        assert_eq!(self.header("cache-control"), "no-store");
        let errors = envelope["errors"].as_array().expect("errors");
        errors
            .iter()
            .map(|error| {
                format!(
                    "{} {}",
                    error["code"],
                    error["path"].as_str().expect("a path")
                )
            })
            .collect()
    }

    /// Asserts that this is an envelope with one error, and returns the error's message.
    #[track_caller]
    pub fn fails(&self, code: u32, path: &str) -> String {
        assert_eq!(
            (self.status, self.errors()),
            (400, vec![format!("{code} {path}")]),
            "{}",
            self.text()
        );
        self.json()["errors"][0]["message"]
            .as_str()
            .expect("a message")
            .to_owned()
    }
}

pub struct World {
    config: Rc<Config>,
    isolate: Rc<Isolate>,
    pub database: Rc<Sqlite>,
    pub clock: Rc<VirtualClock>,
    pub cache: Rc<Counted>,
    pub log: Rc<MemoryLog>,
    pub origin: String,
    pub client_address: Option<String>,
    servers: Rc<Servers>,
    ports: Ports,
}

impl World {
    /// Creates a production instance.
    pub fn new() -> Self {
        Self::with(&[])
    }

    pub fn with(vars: &[(&str, &str)]) -> Self {
        let read = |name: &str| {
            vars.iter()
                .chain(&[("PAYMENTS", "off"), ("SERVICE_NAME", "ours")])
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let config = Rc::new(Config::read(read).expect("settings"));
        let (database, clock) = (
            Rc::new(Sqlite::new().expect("a database")),
            Rc::new(VirtualClock::at(START)),
        );
        let servers = Rc::new(Servers {
            answers: FakeHttp::default(),
            takes: RefCell::default(),
            asked: RefCell::default(),
            clock: Rc::clone(&clock),
        });
        let (cache, log) = (Rc::new(Counted::new()), Rc::new(MemoryLog::default()));
        let ports = Ports {
            database: Rc::clone(&database) as Rc<dyn Database>,
            objects: None,
            cache: Rc::clone(&cache) as _,
            queue: Rc::new(FakeQueue::new(Rc::clone(&clock) as _)),
            limiter: Rc::new(FakeRateLimiter::new(Rc::clone(&clock) as _, config.limits)),
            http: Rc::clone(&servers) as _,
            clock: Rc::clone(&clock) as _,
            random: Rc::new(SeededRandom::new(1)),
            log: Rc::clone(&log) as _,
            log_database: None,
            analytics: None,
        };
        let origin = ORIGIN.to_owned();
        Self {
            isolate: Rc::new(Isolate::new(&config)),
            config,
            database,
            clock,
            cache,
            log,
            origin,
            client_address: None,
            servers,
            ports,
        }
    }

    /// Replaces the isolate: stored data remains, memory is lost.
    pub fn new_isolate(&mut self) {
        self.isolate = Rc::new(Isolate::new(&self.config));
    }

    pub fn ledger(&self, id: &str, schema_id: &str, prefix: &str) {
        self.execute(&format!(
            "INSERT INTO ledgers (id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, \
             created_at) VALUES ('{id}', 'ref-{id}', 'University of Oxenford', 'UOX', '{prefix}', '.json', '{schema_id}', '[]', '{ISSUER}', 1)"
        ));
    }

    pub fn asset(&self, ledger: &str, id: u64, imprint: &str) {
        self.execute(&format!(
            "INSERT INTO assets (ledger_id, id, owner_id, imprint, created_at, updated_at) \
             VALUES ('{ledger}', '{id:064x}', '{HOLDER}', '{imprint}', 2, 3)"
        ));
    }

    /// Destroys an asset of [`LEDGER`].
    pub fn destroy(&self, id: u64) {
        self.execute(&format!(
            "INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref, owner_id) \
             SELECT ledger_id, id, created_at, 1790000000000, 'ref', owner_id FROM assets WHERE id = '{id:064x}'; \
             DELETE FROM assets WHERE id = '{id:064x}'"
        ));
    }

    pub fn execute(&self, sql: &str) {
        self.database.execute(sql).expect("the statement runs");
    }

    /// Puts an asset on [`LEDGER`], and serves the documents that its verification needs.
    pub fn publish(&self, id: u64, certificate: &Certificate) {
        if !self.has_ledger() {
            self.ledger(LEDGER, &certificate.schema_id(), &format!("{HOST}/"));
        }
        self.asset(LEDGER, id, &certificate.imprint);
        self.serve_json(
            &format!("{HOST}/{id}.json"),
            &certificate.metadata.to_json(),
        );
        self.serve_json(
            &format!("{HOST}/evidence.json"),
            &certificate.evidence.to_json(),
        );
        self.serve_json(
            &format!("{HOST}/schema.json"),
            &certificate.schema.to_json(),
        );
    }

    fn has_ledger(&self) -> bool {
        self.database.execute(&format!("INSERT INTO guards SELECT 0 WHERE EXISTS (SELECT 1 FROM ledgers WHERE id = '{LEDGER}')")).is_err()
    }

    pub fn serve(&self, url: &str, status: u16, content_type: &str, body: impl Into<Vec<u8>>) {
        let content_type = Some(content_type.to_owned()).filter(|text| !text.is_empty());
        self.servers.answers.set(
            url,
            Ok(Fetched {
                status,
                content_type,
                location: None,
                allow_origin: None,
                body: body.into(),
            }),
        );
    }

    pub fn serve_json(&self, url: &str, text: &str) {
        self.serve(url, 200, "application/json", text);
    }

    pub fn redirect(&self, url: &str, status: u16, location: &str) {
        let location = Some(location.to_owned());
        self.servers.answers.set(
            url,
            Ok(Fetched {
                status,
                content_type: None,
                location,
                allow_origin: None,
                body: vec![],
            }),
        );
    }

    pub fn fail(&self, url: &str, error: FetchError) {
        self.servers.answers.set(url, Err(error));
    }

    pub fn slow(&self, url: &str, milliseconds: u64) {
        self.servers
            .takes
            .borrow_mut()
            .insert(url.to_owned(), milliseconds);
    }

    /// Returns the requests that other servers got since the last call of this function.
    pub fn asked(&self) -> Vec<Fetch> {
        self.servers.asked.take()
    }

    /// Like [`Self::asked`], but returns only the addresses.
    pub fn asked_for(&self) -> Vec<String> {
        self.asked()
            .into_iter()
            .map(|request| request.url)
            .collect()
    }

    async fn answer(&self, method: Method, target: String, accept: Option<String>) -> Answer {
        let response = self.respond(method, target, accept).await;
        Answer {
            status: response.status.as_u16(),
            headers: response.headers,
            body: response.body,
        }
    }

    /// Returns a response that its client has not read. It counts as unread as long as the test holds it.
    pub fn unread(&self, target: &str) -> Response {
        self.clock
            .run(self.respond(Method::GET, target.to_owned(), None))
    }

    async fn respond(&self, method: Method, target: String, accept: Option<String>) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut headers = HeaderMap::new();
        if let Some(accept) = accept {
            headers.insert(
                HeaderName::from_static("accept"),
                HeaderValue::try_from(accept).expect("a header"),
            );
        }
        let request = Request {
            method,
            origin: self.origin.clone(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: vec![],
            client_address: self.client_address.clone(),
        };
        let app = App::new(
            Rc::clone(&self.config),
            Rc::clone(&self.isolate),
            self.ports.clone(),
        );
        app.handle(request, async |_| Ok(vec![])).await.response
    }

    /// Returns a request that may be dropped before it ends.
    pub fn request(&self, target: &str) -> impl Future<Output = Answer> {
        self.answer(Method::GET, target.to_owned(), None)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.clock.run(self.request(target))
    }

    pub fn head(&self, target: &str) -> Answer {
        self.clock
            .run(self.answer(Method::HEAD, target.to_owned(), None))
    }

    pub fn get_accepting(&self, target: &str, accept: &str) -> Answer {
        self.clock
            .run(self.answer(Method::GET, target.to_owned(), Some(accept.to_owned())))
    }

    /// Sends many requests at the same time.
    pub fn get_all(&self, targets: &[&str]) -> Vec<Answer> {
        self.clock
            .run(join_all(targets.iter().map(|target| self.request(target))))
    }

    /// Requests the image of an asset on [`LEDGER`].
    pub fn badge(&self, id: u64) -> Answer {
        self.get(&badge(id))
    }

    /// Returns `data` of an asset's report.
    pub fn report(&self, id: u64) -> Value {
        let answer = self.get(&format!("/badge.json?ledgerId={LEDGER}&assetId={id}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["data"].clone()
    }

    /// Returns `valid` of the report, and reason and path of its first error.
    pub fn finding(&self, id: u64) -> (Value, String) {
        let report = self.report(id);
        let text = |key: &str| {
            report["errors"][0][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        (
            report["valid"].clone(),
            format!("{} {}", text("reason"), text("path")),
        )
    }

    /// Counts the database's round trips in `work`.
    pub fn round_trips(&self, work: impl FnOnce()) -> usize {
        let before = self.database.round_trips();
        work();
        self.database.round_trips() - before
    }

    /// Counts the errors in the log.
    pub fn faults(&self) -> usize {
        self.log
            .lines()
            .iter()
            .filter(|(level, _)| *level == Level::Error)
            .count()
    }
}

/// Returns the path of an asset's badge.
pub fn badge(id: u64) -> String {
    format!("/badge?ledgerId={LEDGER}&assetId={id}")
}

/// Returns an image of the service itself.
pub fn own(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets")
        .join(name);
    std::fs::read(path).expect("an image")
}
