//! The service in this process.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Poll;

use async_trait::async_trait;
use edge_api::native::{
    Block, FakeBucket, FakeCache, FakeChain, FakeClock, FakeHttp, FakeQueue, FakeRateLimiter,
    MemoryAnalytics, MemoryLog, SeededRandom, Sqlite,
};
use edge_api::ports::{Clock, Database, Job, Ports, Statement};
use edge_api::web::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use edge_api::{After, App, Config, Isolate};
use futures_util::future::{join_all, poll_fn};

use super::anvil::{Anvil, Provider};
use super::people::Person;
use super::plans::Explained;
use super::time::VirtualClock;
use super::{Answer, Call, Host, deposit};

/// 2023-11-14T22:13:20Z.
pub const START: u64 = 1_700_000_000_000;

/// The maximum number of blocks that [`Host::settle`] mines.
const BLOCKS_TO_SETTLE: usize = 30;

/// A service whose ports a test can access.
pub struct Service {
    config: Rc<Config>,
    isolate: Rc<Isolate>,
    chain: Option<FakeChain>,
    /// True if the embedded ledger queues every record, as under contention.
    queues: bool,
    /// The node of a service on a real chain.
    anvil: Option<Rc<Anvil>>,
    /// The settings of a service on a real chain.
    settings: Vec<(String, String)>,
    /// The clock of a service whose time is virtual.
    virtual_clock: Option<Rc<VirtualClock>>,
    pub database: Rc<Sqlite>,
    pub clock: Rc<FakeClock>,
    pub queue: Rc<FakeQueue>,
    pub http: Rc<FakeHttp>,
    pub bucket: Rc<FakeBucket>,
    pub limiter: Rc<FakeRateLimiter>,
    pub log: Rc<MemoryLog>,
    pub analytics: Rc<MemoryAnalytics>,
    /// The number of body bytes that the service has read.
    pub read: Cell<usize>,
    /// The origin of requests without a `host` header.
    pub origin: String,
    ports: Ports,
}

impl Service {
    pub fn new(vars: &[(&str, &str)]) -> Self {
        let clock = Rc::new(FakeClock::at(START));
        Self::build(read_config(vars), clock, Rc::default())
    }

    /// Creates a service whose ledger is a fake chain with these blocks.
    pub fn on_chain(vars: &[(&str, &str)], blocks: &[Block]) -> Self {
        Self::new(vars).with_chain(FakeChain::new(blocks))
    }

    /// Makes the embedded ledger queue every record, as under contention.
    pub fn queueing(mut self) -> Self {
        self.queue_records();
        self
    }

    /// Like [`Service::queueing`], from now on.
    pub fn queue_records(&mut self) {
        self.queues = true;
        self.isolate = self.new_isolate();
    }

    fn new_isolate(&self) -> Rc<Isolate> {
        Rc::new(match &self.chain {
            Some(chain) => chain.clone().isolate(),
            None if self.queues => Isolate::queueing(),
            None => Isolate::new(&self.config),
        })
    }

    /// Replaces the ledger by a fake chain.
    pub fn with_chain(mut self, chain: FakeChain) -> Self {
        self.database.execute(FakeChain::TABLES).expect("tables");
        self.change_chain(chain);
        self
    }

    /// Replaces the fake chain by another one that uses the same tables.
    pub fn change_chain(&mut self, chain: FakeChain) {
        self.isolate = Rc::new(chain.clone().isolate());
        self.chain = Some(chain);
    }

    /// Creates a service that reaches a real chain through two providers.
    pub fn on_anvil(vars: &[(&str, &str)], anvil: &Rc<Anvil>) -> (Self, [Rc<Provider>; 2]) {
        Self::on_anvil_with(vars, anvil, |database| database)
    }

    /// Like [`Service::on_anvil`], but wraps the database port, to inject faults.
    pub fn on_anvil_with(
        vars: &[(&str, &str)],
        anvil: &Rc<Anvil>,
        wrap: impl FnOnce(Rc<dyn Database>) -> Rc<dyn Database>,
    ) -> (Self, [Rc<Provider>; 2]) {
        let http = Rc::new(FakeHttp::default());
        let providers = [1, 2].map(|number| Provider::attach(number, &http, anvil));
        let mut settings = anvil.vars(&providers);
        settings.retain(|(name, _)| !vars.iter().any(|(given, _)| given == name));
        settings.extend(
            vars.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let config = read_config(&super::outside::borrowed(&settings));
        let service = Self::build(config, Rc::clone(&anvil.clock), http)
            .with_ports(|ports| ports.database = wrap(Rc::clone(&ports.database)));
        let anvil = Some(Rc::clone(anvil));
        let service = Self {
            anvil,
            settings,
            ..service
        };
        (service, providers)
    }

    /// Creates a service with a wrapped database port, to inject faults.
    pub fn with_database(
        vars: &[(&str, &str)],
        wrap: impl FnOnce(Rc<dyn Database>) -> Rc<dyn Database>,
    ) -> Self {
        Self::new(vars).with_ports(|ports| ports.database = wrap(Rc::clone(&ports.database)))
    }

    /// Replaces ports, for example by wrappers that count calls or move the clock.
    pub fn with_ports(mut self, replace: impl FnOnce(&mut Ports)) -> Self {
        replace(&mut self.ports);
        self
    }

    /// Replaces the clock port by a virtual clock, which must have been created with the service's `clock`.
    pub fn with_virtual_clock(mut self, clock: Rc<VirtualClock>) -> Self {
        self.ports.clock = Rc::clone(&clock) as _;
        self.virtual_clock = Some(clock);
        self
    }

    fn build(config: Config, clock: Rc<FakeClock>, http: Rc<FakeHttp>) -> Self {
        let config = Rc::new(config);
        let database = Rc::new(Sqlite::new().expect("a database"));
        let (queue, log) = (
            Rc::new(FakeQueue::new(Rc::clone(&clock) as _)),
            Rc::new(MemoryLog::default()),
        );
        let bucket = Rc::new(FakeBucket::default());
        let analytics = Rc::new(MemoryAnalytics::default());
        let limiter = Rc::new(FakeRateLimiter::new(Rc::clone(&clock) as _, config.limits));
        let ports = Ports {
            database: Rc::new(Explained(Rc::clone(&database))),
            objects: Some(Rc::clone(&bucket) as _),
            cache: Rc::new(FakeCache::new(Rc::clone(&clock))),
            queue: Rc::clone(&queue) as _,
            limiter: Rc::clone(&limiter) as _,
            http: Rc::clone(&http) as _,
            clock: Rc::clone(&clock) as _,
            random: Rc::new(SeededRandom::new(1)),
            log: Rc::clone(&log) as _,
            analytics: Some(Rc::clone(&analytics) as _),
        };
        Self {
            isolate: Rc::new(Isolate::new(&config)),
            config,
            chain: None,
            queues: false,
            anvil: None,
            settings: Vec::new(),
            virtual_clock: None,
            database,
            clock,
            queue,
            http,
            bucket,
            limiter,
            log,
            analytics,
            read: Cell::default(),
            origin: "http://service.localhost".to_owned(),
            ports,
        }
    }

    /// Replaces the settings, as the next deployment would.
    pub fn configure(&mut self, vars: &[(&str, String)]) {
        self.config = Rc::new(read_config(vars));
    }

    /// Changes a setting of a service on a real chain, as the next deployment would.
    pub fn change_setting(&mut self, name: &str, value: &str) {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
        self.config = Rc::new(read_config(&super::outside::borrowed(&self.settings)));
        self.restart();
    }

    /// Replaces the isolate and empties the queue. Stored data remains, but memory and queued messages are lost.
    pub fn restart(&mut self) {
        self.isolate = self.new_isolate();
        self.queue.lose();
    }

    pub fn app(&self) -> App {
        App::new(
            Rc::clone(&self.config),
            Rc::clone(&self.isolate),
            self.ports.clone(),
        )
    }

    /// Returns the service in another isolate of the same host.
    pub fn another_app(&self) -> App {
        let isolate = Rc::new(Isolate::new(&self.config));
        App::new(Rc::clone(&self.config), isolate, self.ports.clone())
    }

    /// Answers a request and does all work that follows: hints, queue messages, the sweep.
    pub async fn answer_and_follow(&self, call: &Call) {
        let answer = self.answer(call).await;
        self.finish(answer.after).await;
        let app = self.app();
        while let Some(job) = self.queue.take() {
            app.on_message(&job).await.expect("a handled message");
        }
        app.on_schedule().await.expect("a sweep");
    }

    /// Answers a request without sending its hints.
    pub async fn answer(&self, call: &Call) -> edge_api::Answer {
        self.answer_by(&self.app(), call).await
    }

    /// Answers requests at the same time, in this number of other isolates in turn.
    pub async fn answers_of_isolates(
        &self,
        isolates: usize,
        calls: &[Call],
    ) -> Vec<edge_api::Answer> {
        let apps: Vec<_> = (0..isolates).map(|_| self.another_app()).collect();
        let sent = calls.iter().zip(apps.iter().cycle());
        join_all(sent.map(|(call, app)| self.answer_by(app, call))).await
    }

    /// Like [`Service::answer`], in another isolate of the same host.
    pub async fn answer_by(&self, app: &App, call: &Call) -> edge_api::Answer {
        let (path, query) = call.target.split_once('?').unwrap_or((&call.target, ""));
        let mut headers = HeaderMap::new();
        for (name, value) in &call.headers {
            headers.append(
                HeaderName::try_from(name.as_str()).expect("a header name"),
                HeaderValue::from_bytes(value.as_bytes()).expect("a header value"),
            );
        }
        let named = call.headers.iter().find(|(name, _)| name == "host");
        let origin =
            named.map_or_else(|| self.origin.clone(), |(_, host)| format!("http://{host}"));
        let request = Request {
            method: Method::from_bytes(call.method.as_bytes()).expect("a method"),
            origin,
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: Vec::new(),
            client_address: call.client_address(),
        };
        let read = async |limit: usize| {
            let bytes = call.body.iter().take(limit).copied().collect();
            self.read.set(self.read.get() + call.body.len().min(limit));
            Ok(bytes)
        };
        app.handle(request, read).await
    }

    /// Runs the sweep each minute for a quarter of an hour, so each table of the retention has at least two turns.
    pub fn clean(&self) {
        for _ in 0..15 {
            self.clock.advance(60_000);
            self.work();
        }
    }

    /// Does all work that is due: queue messages and the sweep. Mines no block.
    pub fn work(&self) {
        self.try_work().expect("the work is done");
    }

    /// Like [`Service::work`], but continues after an error. `Err` is the sweep's error or, if the sweep succeeded, an error
    /// of a queue message.
    pub fn try_work(&self) -> Result<(), String> {
        self.run(async {
            let mut result = Ok(());
            loop {
                let jobs: Vec<_> = std::iter::from_fn(|| self.queue.take()).collect();
                if jobs.is_empty() {
                    break;
                }
                // On the platform, jobs for webhooks and issuers have their own queue.
                let is_of_ledger = |job: &Job| matches!(job, Job::Perform { .. } | Job::Follow);
                let (ledger, outside): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_of_ledger);
                for jobs in [ledger, outside] {
                    let results = self.app().on_messages(&jobs).await;
                    result = results.into_iter().collect::<Result<(), _>>().and(result);
                }
            }
            self.app().on_schedule().await.and(result)
        })
    }

    /// Returns true if a record is Pending, Processing or Success.
    fn is_in_flight(&self) -> bool {
        let select = Statement::new("SELECT 1 FROM records WHERE status IN (1, 2, 3) LIMIT 1");
        let rows = self.run(self.database.query(select)).expect("rows");
        !rows.is_empty()
    }

    /// Answers a request, then sends its hints and logs the request.
    pub async fn whole(&self, call: &Call) -> Answer {
        let answer = self.answer(call).await;
        self.finish(answer.after).await;
        convert(answer.response)
    }

    /// Does the work after an answer. This work takes no time, so that a test's own steps decide about the time.
    pub async fn finish(&self, after: After) {
        let mut ports = self.ports.clone();
        if self.virtual_clock.is_none() {
            ports.clock = Rc::new(StillClock(ports.clock));
        }
        let app = App::new(Rc::clone(&self.config), Rc::clone(&self.isolate), ports);
        app.after(after).await;
    }

    /// Runs a future until it ends. If the service has a virtual clock, its time passes while the future sleeps.
    fn run<F: Future>(&self, future: F) -> F::Output {
        match &self.virtual_clock {
            Some(clock) => clock.run(future),
            None => block_on(future),
        }
    }
}

/// A clock on which sleeping takes no time.
struct StillClock(Rc<dyn Clock>);

/// The number of times that a sleeping future yields to other futures.
const SLEEP_TURNS: usize = 20;

#[async_trait(?Send)]
impl Clock for StillClock {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    async fn sleep(&self, _: u64) {
        let mut turns = SLEEP_TURNS;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            turns -= 1;
            if turns == 0 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

fn read_config(vars: &[(&str, impl AsRef<str>)]) -> Config {
    let read = |name: &str| {
        let found = vars.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value.as_ref().to_owned())
    };
    Config::read(read).expect("settings")
}

fn convert(response: edge_api::web::Response) -> Answer {
    Answer {
        status: response.status.as_u16(),
        headers: response
            .headers
            .iter()
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    value.to_str().expect("text").to_owned(),
                )
            })
            .collect(),
        body: response.body,
    }
}

impl Host for Service {
    fn call_all(&self, calls: Vec<Call>) -> Vec<Answer> {
        let answers = self.run(join_all(calls.iter().map(|call| self.whole(call))));
        for (call, answer) in calls.iter().zip(&answers) {
            super::openapi::check(call, answer);
        }
        answers
    }

    /// On a real chain, also mines blocks until no record is in flight, but at most [`BLOCKS_TO_SETTLE`].
    fn settle(&self) {
        self.work();
        let Some(anvil) = &self.anvil else {
            return;
        };
        for _ in 0..BLOCKS_TO_SETTLE {
            if !self.is_in_flight() {
                return;
            }
            anvil.mine();
            self.work();
        }
    }

    /// On a real chain, also mines a block if the clock shows a later second than the last block.
    fn advance(&self, milliseconds: u64) {
        self.clock.advance(milliseconds);
        if let Some(anvil) = &self.anvil {
            anvil.follow_clock();
        }
    }

    fn credit(&self, person: &Person, cents: u64) {
        match &self.anvil {
            // A token costs 0.042 EUR and has 18 decimals.
            Some(anvil) => {
                anvil.credit(person.id(), u128::from(cents) * 10_u128.pow(19) / 42);
                anvil.allow(person.id());
                // An account counts as funded once its tokens are indexed.
                self.work();
            }
            None => deposit(self, person, cents),
        }
    }

    fn allow(&self, person: &Person) {
        if let Some(anvil) = &self.anvil {
            anvil.allow(person.id());
        }
    }

    fn now(&self) -> u64 {
        edge_api::ports::Clock::now_ms(self.clock.as_ref())
    }
}

/// Lets a test access a service while a world uses it.
impl Host for Rc<RefCell<Service>> {
    fn call_all(&self, calls: Vec<Call>) -> Vec<Answer> {
        self.borrow().call_all(calls)
    }
    fn settle(&self) {
        self.borrow().settle();
    }
    fn advance(&self, milliseconds: u64) {
        self.borrow().advance(milliseconds);
    }
    fn now(&self) -> u64 {
        self.borrow().now()
    }
}

/// Runs a future to its end on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
