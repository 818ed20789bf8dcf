//! Ports for tests. They behave as a test configures them, and some record their calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use async_trait::async_trait;
use serde_json::Value;

use crate::config::Limits;
use crate::ports::{
    Analytics, Cache, Clock, DataPoint, Fetch, FetchError, Fetched, Http, Job, Level, Log, Objects,
    Queue, Random, RateLimiter, Scope, Url,
};

/// Yields once, so the other futures of the same join can run.
pub(super) fn yield_now() -> impl Future<Output = ()> {
    struct Yield(bool);
    impl Future for Yield {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if std::mem::replace(&mut self.0, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }
    Yield(false)
}

/// The number of times that a sleeping future yields to other futures before it advances the time. Reading a hosted file yields
/// less often, so a read that does not hang ends before its timeout.
const SLEEP_TURNS: usize = 20;

/// A clock that a test sets.
#[derive(Debug)]
pub struct FakeClock(Cell<u64>);

impl FakeClock {
    /// Creates a clock that shows `now_ms`.
    #[must_use]
    pub fn at(now_ms: u64) -> Self {
        Self(Cell::new(now_ms))
    }

    /// Moves the time forward.
    pub fn advance(&self, milliseconds: u64) {
        self.0.set(self.0.get().saturating_add(milliseconds));
    }
}

#[async_trait(?Send)]
impl Clock for FakeClock {
    fn now_ms(&self) -> u64 {
        self.0.get()
    }
    /// Yields to the other futures of a join or a race, then advances the time.
    async fn sleep(&self, milliseconds: u64) {
        for _ in 0..SLEEP_TURNS {
            yield_now().await;
        }
        self.advance(milliseconds);
    }
}

/// Reproducible pseudorandom bytes.
#[derive(Debug)]
pub struct SeededRandom(Cell<u64>);

impl SeededRandom {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }
}

impl Random for SeededRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for byte in buffer {
            // SplitMix64 (Steele, Lea, Flood 2014).
            let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.0.set(state);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (mixed ^ (mixed >> 31)).to_le_bytes()[0];
        }
    }
}

/// A queue from which a test takes the messages itself. The test can deliver them in order, twice, or never. A message can be taken
/// only after its delay.
pub struct FakeQueue {
    clock: Rc<dyn Clock>,
    /// Messages in the order in which they were sent, each with the time from which it can be delivered.
    messages: RefCell<Vec<(u64, Job)>>,
}

impl FakeQueue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        Self {
            clock,
            messages: RefCell::default(),
        }
    }

    /// Removes and returns the next message whose delay is over, if there is one.
    pub fn take(&self) -> Option<Job> {
        let mut messages = self.messages.borrow_mut();
        let now = self.clock.now_ms();
        let next = messages.iter().position(|(from, _)| *from <= now)?;
        Some(messages.remove(next).1)
    }

    /// Returns the messages that were not delivered yet.
    pub fn waiting(&self) -> Vec<Job> {
        let messages = self.messages.borrow();
        messages.iter().map(|(_, job)| job.clone()).collect()
    }

    /// Discards every message.
    pub fn lose(&self) {
        self.messages.borrow_mut().clear();
    }
}

#[async_trait(?Send)]
impl Queue for FakeQueue {
    async fn send_after(&self, job: &Job, seconds: u32) -> Result<(), String> {
        let delay = u64::from(seconds).saturating_mul(1000);
        let from = self.clock.now_ms().saturating_add(delay);
        self.messages.borrow_mut().push((from, job.clone()));
        Ok(())
    }
}

/// A cache in memory. Its entries expire by the given clock.
pub struct FakeCache {
    clock: Rc<FakeClock>,
    entries: RefCell<BTreeMap<String, (u64, Vec<u8>)>>,
}

impl FakeCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new(clock: Rc<FakeClock>) -> Self {
        Self {
            clock,
            entries: RefCell::default(),
        }
    }
}

#[async_trait(?Send)]
impl Cache for FakeCache {
    async fn get(&self, key: &str) -> Option<Vec<u8>> {
        let entries = self.entries.borrow();
        entries
            .get(key)
            .filter(|(until, _)| *until > self.clock.now_ms())
            .map(|(_, value)| value.clone())
    }
    async fn put(&self, key: &str, value: Vec<u8>, seconds: u64) {
        let until = self
            .clock
            .now_ms()
            .saturating_add(seconds.saturating_mul(1000));
        self.entries
            .borrow_mut()
            .insert(key.to_owned(), (until, value));
    }
}

/// A bucket in memory, which can fail.
#[derive(Debug, Default)]
pub struct FakeBucket {
    objects: RefCell<BTreeMap<String, Vec<u8>>>,
    fails: Cell<bool>,
    hangs: Cell<bool>,
}

impl FakeBucket {
    /// Returns the keys of all objects.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.objects.borrow().keys().cloned().collect()
    }

    /// Sets whether every call fails.
    pub fn fail(&self, fails: bool) {
        self.fails.set(fails);
    }

    /// Sets whether every call hangs without an answer.
    pub fn hang(&self, hangs: bool) {
        self.hangs.set(hangs);
    }

    async fn call(&self) -> Result<(), String> {
        yield_now().await;
        if self.hangs.get() {
            return std::future::pending().await;
        }
        match self.fails.get() {
            true => Err("the bucket does not answer".to_owned()),
            false => Ok(()),
        }
    }
}

#[async_trait(?Send)]
impl Objects for FakeBucket {
    async fn put(&self, key: &str, content: &[u8]) -> Result<(), String> {
        self.call().await?;
        let stored = self
            .objects
            .borrow_mut()
            .insert(key.to_owned(), content.to_vec());
        match stored {
            Some(_) => Err(format!("the object `{key}` is there already")),
            None => Ok(()),
        }
    }
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        self.call().await?;
        Ok(self.objects.borrow().get(key).cloned())
    }
    /// Stores the address itself, because this fake has no network.
    async fn copy(&self, key: &str, address: &str, limit: u64) -> Result<u64, String> {
        self.call().await?;
        let bytes = u64::try_from(address.len()).unwrap_or(u64::MAX);
        if bytes > limit {
            return Err("the content is too large".to_owned());
        }
        let content = address.as_bytes().to_vec();
        self.objects.borrow_mut().insert(key.to_owned(), content);
        Ok(bytes)
    }
    async fn delete(&self, keys: &[String]) -> Result<(), String> {
        self.call().await?;
        self.objects
            .borrow_mut()
            .retain(|key, _| !keys.contains(key));
        Ok(())
    }
}

/// A rate limiter that counts requests in time windows, as the platform does.
pub struct FakeRateLimiter {
    clock: Rc<dyn Clock>,
    limits: Cell<Limits>,
    broken: Cell<bool>,
    /// For each scope and key: the window, and the number of requests in it.
    counts: RefCell<BTreeMap<(Scope, String), (u64, u32)>>,
}

impl FakeRateLimiter {
    /// Creates a limiter with these limits. It counts only requests in scopes that have a limit.
    #[must_use]
    pub fn new(clock: Rc<dyn Clock>, limits: Limits) -> Self {
        Self {
            clock,
            limits: Cell::new(limits),
            broken: Cell::new(false),
            counts: RefCell::default(),
        }
    }

    /// Stops counting, like a deployment without the platform's rate limiters.
    pub fn remove(&self) {
        self.limits.set(Limits::default());
    }

    /// Makes every call fail from now on.
    pub fn break_down(&self) {
        self.broken.set(true);
    }
}

#[async_trait(?Send)]
impl RateLimiter for FakeRateLimiter {
    fn counts(&self, scope: Scope) -> bool {
        self.limits.get().of(scope).is_some()
    }
    async fn allow(&self, scope: Scope, key: &str) -> Result<bool, String> {
        if self.broken.get() {
            return Err("the counter does not answer".to_owned());
        }
        let Some(limit) = self.limits.get().of(scope) else {
            return Ok(true);
        };
        let milliseconds = u64::from(limit.seconds).saturating_mul(1000);
        let window = self.clock.now_ms().checked_div(milliseconds).unwrap_or(0);
        let mut counts = self.counts.borrow_mut();
        let (of, count) = counts.entry((scope, key.to_owned())).or_default();
        if *of != window {
            (*of, *count) = (window, 0);
        }
        *count = count.saturating_add(1);
        Ok(*count <= limit.requests)
    }
}

/// A server defined by a test.
type Server = Box<dyn Fn(&Fetch) -> Result<Fetched, FetchError>>;

/// Fake servers, which are chosen by the prefix of an address, and answers for exact addresses.
#[derive(Default)]
pub struct FakeHttp {
    servers: RefCell<Vec<(String, Server)>>,
    answers: RefCell<BTreeMap<String, Result<Fetched, FetchError>>>,
    requests: RefCell<Vec<Fetch>>,
    confirms_nothing: Cell<bool>,
    under_way: Cell<usize>,
    most_at_once: Cell<usize>,
}

impl FakeHttp {
    /// Sets the answer of the exact address `url` from now on. A server for a prefix of the address takes precedence.
    pub fn set(&self, url: &str, answer: Result<Fetched, FetchError>) {
        self.answers.borrow_mut().insert(url.to_owned(), answer);
    }

    /// Sets the server of addresses that begin with `base` from now on. If several servers fit an address, the server that was set first answers.
    pub fn serve(
        &self,
        base: &str,
        server: impl Fn(&Fetch) -> Result<Fetched, FetchError> + 'static,
    ) {
        self.servers
            .borrow_mut()
            .push((base.to_owned(), Box::new(server)));
    }

    /// From now on, records webhook challenges and passes them to the test's servers. By default, this fake answers
    /// challenges itself and does not record them.
    pub fn leave_challenges(&self) {
        self.confirms_nothing.set(true);
    }

    /// Returns this fake's answer to a webhook's challenge. `None` if the request is no challenge, or if the test's servers answer challenges.
    fn confirmation(&self, request: &Fetch) -> Option<Fetched> {
        if self.confirms_nothing.get() {
            return None;
        }
        let body: Value = serde_json::from_slice(request.body.as_ref()?).ok()?;
        let challenge = body.get("challenge")?.as_str()?;
        Some(Fetched {
            status: 200,
            content_type: None,
            location: None,
            allow_origin: None,
            body: challenge.as_bytes().to_vec(),
        })
    }

    /// Returns the addresses of the recorded requests.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        let requests = self.requests.borrow();
        requests.iter().map(|request| request.url.clone()).collect()
    }

    /// Returns and removes the recorded requests, in order.
    #[must_use]
    pub fn take_sent(&self) -> Vec<Fetch> {
        self.requests.take()
    }

    /// Returns the maximum number of requests that were in flight at the same time.
    #[must_use]
    pub fn most_at_once(&self) -> usize {
        self.most_at_once.get()
    }
}

#[async_trait(?Send)]
impl Http for FakeHttp {
    fn parse(&self, address: &str, base: Option<&Url>) -> Option<Url> {
        parse_url(address, base)
    }

    async fn fetch(&self, request: Fetch) -> Result<Fetched, FetchError> {
        if let Some(answer) = self.confirmation(&request) {
            return Ok(answer);
        }
        // The recorded copy must not hold bytes of the service's memory budget after the service has dropped the request.
        self.requests.borrow_mut().push(Fetch {
            budget: None,
            ..request.clone()
        });
        self.under_way.set(self.under_way.get().saturating_add(1));
        self.most_at_once
            .set(self.most_at_once.get().max(self.under_way.get()));
        // Lets concurrent futures run until they also have requests in flight, so `most_at_once` counts them.
        for _ in 0..8 {
            yield_now().await;
        }
        self.under_way.set(self.under_way.get().saturating_sub(1));
        let servers = self.servers.borrow();
        let server = servers
            .iter()
            .find(|(base, _)| request.url.starts_with(base));
        let served = server.map(|(_, server)| server(&request));
        let answer = served.or_else(|| self.answers.borrow().get(&request.url).cloned());
        let mut answer =
            answer.unwrap_or_else(|| Err(FetchError::Failed("connection refused".to_owned())))?;
        if request.limit == 0 {
            // With a limit of zero, the service does not read the body.
            answer.body.clear();
        }
        let budget = request.budget.as_ref();
        if answer.body.len() > request.limit {
            Err(FetchError::TooLarge)
        } else if budget.is_some_and(|budget| !budget.take(answer.body.len())) {
            Err(FetchError::OverBudget)
        } else {
            Ok(answer)
        }
    }
}

/// Parses an address by the URL standard, and removes its fragment. The address may be relative to `base`. `None` if it is invalid.
#[must_use]
pub fn parse_url(address: &str, base: Option<&Url>) -> Option<Url> {
    let base = base.and_then(|base| url::Url::parse(&base.href).ok());
    let mut url = url::Url::options()
        .base_url(base.as_ref())
        .parse(address)
        .ok()?;
    url.set_fragment(None);
    Some(Url {
        href: url.to_string(),
        scheme: url.scheme().to_owned(),
        host: url.host_str().unwrap_or_default().to_owned(),
        origin: url.origin().ascii_serialization(),
        has_credentials: !url.username().is_empty() || url.password().is_some(),
    })
}

/// A log that keeps its lines.
#[derive(Debug, Default)]
pub struct MemoryLog(RefCell<Vec<(Level, Value)>>);

impl MemoryLog {
    /// Returns the lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<(Level, Value)> {
        self.0.borrow().clone()
    }
}

impl Log for MemoryLog {
    fn write(&self, level: Level, line: Value) {
        self.0.borrow_mut().push((level, line));
    }
}

/// Analytics that keep their data points.
#[derive(Debug, Default)]
pub struct MemoryAnalytics(RefCell<Vec<DataPoint>>);

impl MemoryAnalytics {
    /// Returns and removes the data points so far.
    #[must_use]
    pub fn take(&self) -> Vec<DataPoint> {
        self.0.take()
    }
}

impl Analytics for MemoryAnalytics {
    fn write(&self, point: &DataPoint) {
        self.0.borrow_mut().push(point.clone());
    }
}
