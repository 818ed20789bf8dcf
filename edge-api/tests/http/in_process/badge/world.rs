//! A service with a ledger in its database, and fake servers that host the documents.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::native::{FakeCache, FakeClock, FakeHttp};
use edge_api::ports::{Cache, Clock, Fetch, FetchError, Fetched, Http, Level, Url};
use edge_api::web::Response;
use serde_json::Value;

use super::certificate::Certificate;
use crate::support::native::Service;
use crate::support::time::VirtualClock;
use crate::support::{Answer, Call, Host, PRODUCTION, own_image};

/// The address under which the service is called.
pub const ORIGIN: &str = "https://assay.example.com";
/// The ledger of most assets.
pub const LEDGER: &str = "0x1111111111111111111111111111111111111111";
/// The owner of the ledgers and of the assets.
pub const ISSUER: &str = "0x3333333333333333333333333333333333333333";
pub const HOLDER: &str = "0x4444444444444444444444444444444444444444";
/// The server that hosts the metadata of [`LEDGER`].
pub const HOST: &str = "https://assets.example.org";

/// Servers that answer after a delay: [`FakeHttp`] with a delay for each address.
struct SlowServers {
    servers: Rc<FakeHttp>,
    delays: RefCell<BTreeMap<String, u64>>,
    clock: Rc<VirtualClock>,
}

#[async_trait(?Send)]
impl Http for SlowServers {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        self.servers.parse(address, base)
    }

    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        let delay = self.delays.borrow().get(&request.url).copied().unwrap_or(0);
        // The fetch precedes the delay, so the body uses up the memory budget during the delay. A real transfer does so for
        // the bytes that have arrived.
        let answer = self.servers.fetch(request.clone()).await;
        self.clock.sleep(delay.min(request.timeout_ms)).await;
        if delay > request.timeout_ms {
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
    /// The cache loses writes of keys that contain this string.
    pub loses: Cell<Option<&'static str>>,
    /// The keys that were written.
    pub keys: RefCell<Vec<String>>,
}

impl Counted {
    /// Creates a cache that never drops an entry, because its clock stands still.
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

impl Answer {
    /// Returns the status, and the validity from the header. The validity is empty if the header is missing.
    pub fn says(&self) -> (u16, &str) {
        let validity = self.header("x-asset-validity");
        (self.status, validity.unwrap_or_default())
    }

    /// Asserts the status and the validity, and that the body is this image of the service.
    #[track_caller]
    pub fn shows(&self, status: u16, validity: &str, image: &str) {
        assert_eq!(self.says(), (status, validity));
        assert!(
            self.body == own_image(image),
            "not {image}: {}",
            self.text()
        );
    }

    /// Returns `code path` of every error, in the envelope's order. Asserts that the envelope is complete, and that the
    /// response must not be cached.
    #[track_caller]
    pub fn listed_errors(&self) -> Vec<String> {
        self.fails(self.status, &self.codes());
        assert_eq!(self.header("cache-control"), Some("no-store"));
        self.json()["errors"]
            .as_array()
            .expect("errors")
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

    /// Asserts that this is an envelope with status 400 and one error, and returns the error's message.
    #[track_caller]
    pub fn refuses(&self, code: u32, path: &str) -> String {
        assert_eq!(
            (self.status, self.listed_errors()),
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

/// A service with [`PRODUCTION`] settings, and the servers that host the assets' documents.
pub struct World {
    pub service: Service,
    pub clock: Rc<VirtualClock>,
    pub cache: Rc<Counted>,
    pub client_address: Option<String>,
    servers: Rc<SlowServers>,
}

impl World {
    /// Creates a production instance.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// Creates a production instance with additional settings.
    pub fn with(vars: &[(&str, &str)]) -> Self {
        let service = Service::new(&[vars, PRODUCTION].concat());
        let clock = Rc::new(VirtualClock::new(Rc::clone(&service.clock)));
        let servers = Rc::new(SlowServers {
            servers: Rc::clone(&service.http),
            delays: RefCell::default(),
            clock: Rc::clone(&clock),
        });
        let cache = Rc::new(Counted::new());
        let mut service = service
            .with_virtual_clock(Rc::clone(&clock))
            .with_ports(|ports| {
                ports.http = Rc::clone(&servers) as _;
                ports.cache = Rc::clone(&cache) as _;
            });
        ORIGIN.clone_into(&mut service.origin);
        Self {
            service,
            clock,
            cache,
            client_address: None,
            servers,
        }
    }

    /// Replaces the isolate: stored data remains, memory is lost.
    pub fn new_isolate(&mut self) {
        self.service.restart();
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
        self.service
            .database
            .execute(sql)
            .expect("the statement runs");
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
        self.service.database.execute(&format!("INSERT INTO guards SELECT 0 WHERE EXISTS (SELECT 1 FROM ledgers WHERE id = '{LEDGER}')")).is_err()
    }

    pub fn serve(&self, url: &str, status: u16, content_type: &str, body: impl Into<Vec<u8>>) {
        let content_type = Some(content_type.to_owned()).filter(|text| !text.is_empty());
        self.service.http.set(
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
        self.service.http.set(
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
        self.service.http.set(url, Err(error));
    }

    pub fn slow(&self, url: &str, milliseconds: u64) {
        self.servers
            .delays
            .borrow_mut()
            .insert(url.to_owned(), milliseconds);
    }

    /// Returns the requests that other servers received since the last call of this function.
    pub fn asked(&self) -> Vec<Fetch> {
        self.service.http.take_sent()
    }

    /// Like [`Self::asked`], but returns only the addresses.
    pub fn asked_for(&self) -> Vec<String> {
        self.asked()
            .into_iter()
            .map(|request| request.url)
            .collect()
    }

    /// Returns a response whose body the client has not read. The service counts its bytes until the test drops it.
    pub fn unread(&self, target: &str) -> Response {
        let call = self.as_client(Call::get(target));
        self.clock.run(self.service.answer(&call)).response
    }

    /// Returns the future of a request. A test may drop it before it completes.
    pub fn request(&self, target: &str) -> impl Future<Output = Answer> {
        let call = self.as_client(Call::get(target));
        async move { self.service.whole(&call).await }
    }

    fn as_client(&self, call: Call) -> Call {
        call.from(self.client_address.as_deref().unwrap_or_default())
    }

    fn call(&self, call: Call) -> Answer {
        self.service.call(self.as_client(call))
    }

    pub fn get(&self, target: &str) -> Answer {
        self.call(Call::get(target))
    }

    pub fn head(&self, target: &str) -> Answer {
        self.call(Call::new("HEAD", target))
    }

    pub fn get_accepting(&self, target: &str, accept: &str) -> Answer {
        self.call(Call::get(target).header("accept", accept))
    }

    /// Sends many requests at the same time.
    pub fn get_all(&self, targets: &[&str]) -> Vec<Answer> {
        let calls = targets.iter().map(|target| Call::get(*target));
        let calls = calls.map(|call| self.as_client(call)).collect();
        self.service.call_all(calls)
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

    /// Returns `valid` of the report, and `reason path` of its first error.
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
        let before = self.service.database.round_trips();
        work();
        self.service.database.round_trips() - before
    }

    /// Counts the log lines with level `Error`.
    pub fn faults(&self) -> usize {
        self.service
            .log
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
