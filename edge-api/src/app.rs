//! The service without a host: a request comes in, a response and what is to be done after it go out.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use http::{Method, StatusCode, header};
use order_core::Address;
use serde_json::{Value, json};

use crate::auth::Recovered;
use crate::config::Config;
use crate::http::{CutOff, Failure, Json, Match, Query, Request, Response, Success, html, respond};
use crate::idempotency::{self, Place, Turn};
use crate::instance::Instance;
use crate::ledger::{Embedded, Ledger};
use crate::limits;
use crate::ports::{Database, DatabaseError, Job, Level, Ports, Rows, Statement};
use crate::routes::{self, Access, Route};
use crate::statistics::Logged;
use crate::strangers::{self, Budget};

/// What an isolate remembers between requests; all of it can be lost at any time.
#[derive(Default)]
pub struct Isolate {
    instance: OnceCell<Rc<Instance>>,
    pub(crate) recovered: RefCell<Recovered>,
    pub(crate) badge: crate::badge::Memory,
    /// The step at which a development instance was told to stop.
    pub(crate) abort_at: RefCell<Option<String>>,
    pub(crate) health: crate::routes::health::Memory,
}

/// The service: configuration, memory, and the host of the event at hand.
pub struct App {
    config: Rc<Config>,
    isolate: Rc<Isolate>,
    ports: Ports,
}

/// A response and what is to be done once it is on its way.
pub struct Answer {
    /// What the client gets.
    pub response: Response,
    /// To be handed to [`App::after`] when the client has it.
    pub after: After,
}

/// What nobody waits for.
#[derive(Default)]
pub struct After {
    jobs: Vec<Job>,
    log: Vec<Statement>,
}

impl After {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.log.is_empty()
    }
}

impl App {
    /// The service on a host.
    #[must_use]
    pub fn new(config: Rc<Config>, isolate: Rc<Isolate>, ports: Ports) -> Self {
        Self {
            config,
            isolate,
            ports,
        }
    }

    /// What a service answers whose settings cannot be used; the log says which.
    #[must_use]
    pub fn unconfigured(request: &Request) -> Response {
        let id = uuid::Uuid::nil().to_string();
        let failure = Failure::code(order_core::Code::Unhandled);
        let mut response = respond(&id, &Err(failure));
        finish(request, &id, &mut response);
        response
    }

    /// Answers one request. Never fails: every fault is an answer. Its body is read when it is its turn, if at all: `read`
    /// gets the bytes that are wanted at most.
    pub async fn handle(
        &self,
        mut request: Request,
        read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
    ) -> Answer {
        let started = self.ports.clock.now_ms();
        let now = match self.now().await {
            Ok(now) => now,
            Err(error) => return self.broken(&request, started, &error),
        };
        let call = Call {
            client_address: request.client_address.clone(),
            ..Call::new(self, now)
        };
        let (route, outcome) = dispatch(&call, &mut request, read).await;
        let request = &request;
        let mut response =
            html::page(request, &call.id, &outcome).unwrap_or_else(|| respond(&call.id, &outcome));
        self.finish(request, &call.id, &mut response);
        if let Some(policy) = route.and_then(|route| limits::policy(&call, route)) {
            response.headers.insert(limits::RATELIMIT_POLICY, policy);
        }
        self.log_answer(request, &call, route, started, &response, &outcome);
        let logged = call.account.get().map(|account| Logged {
            reference: &call.id,
            account,
            request,
            status: response.status,
            errors: match &outcome {
                Ok(Success::Replayed(_, errors)) => errors.clone(),
                Ok(_) => Vec::new(),
                Err(failure) => failure.listed(),
            },
            duration_ms: self.ports.clock.now_ms().saturating_sub(started),
            created_at: now,
        });
        Answer {
            response,
            after: After {
                log: logged
                    .and_then(|logged| logged.statements().ok())
                    .unwrap_or_default(),
                jobs: call.after.take(),
            },
        }
    }

    /// Sends the hints of an answer and logs the request. A hint that is lost is found by the sweep.
    pub async fn after(&self, after: After) {
        self.send(after.jobs).await;
        if after.log.is_empty() {
            return;
        }
        match self.ports.database.batch(after.log).await {
            // The strangers' log budget for today is used up.
            Ok(_) | Err(DatabaseError::Budget) => {}
            Err(error) => self.ports.log.write(
                Level::Warn,
                json!({ "event": "request.not-logged", "why": error.to_string() }),
            ),
        }
    }

    /// Sends hints.
    async fn send(&self, jobs: Vec<Job>) {
        for job in jobs {
            if let Job::Deliver { stream } = &job
                && !self.has_deliveries(stream).await
            {
                continue;
            }
            if let Err(why) = self.ports.queue.send(&job).await {
                self.ports
                    .log
                    .write(Level::Warn, json!({ "event": "queue.lost", "why": why }));
            }
        }
    }

    /// Works on one queue message. An error means: deliver it again.
    ///
    /// # Errors
    /// A sentence for the log.
    pub async fn on_message(&self, job: &Job) -> Result<(), String> {
        let call = Call::new(self, self.now().await.map_err(|error| error.to_string())?);
        let result = match job {
            Job::Perform { reference } => crate::records::perform(&call, reference).await,
            Job::Deliver { stream } => crate::webhooks::deliver(&call, stream).await,
        };
        self.send(call.after.take()).await;
        result.map_err(|error| error.to_string())
    }

    /// The periodic run: everything that waits for the service itself.
    ///
    /// # Errors
    /// A sentence for the log; the next run starts over.
    pub async fn on_schedule(&self) -> Result<(), String> {
        let call = Call::new(self, self.now().await.map_err(|error| error.to_string())?);
        let result = sweep(&call).await;
        self.send(call.after.take()).await;
        result.map_err(|error| error.to_string())
    }

    /// Whether a hint to deliver is worth sending: most records are nobody's webhook.
    async fn has_deliveries(&self, stream: &str) -> bool {
        crate::webhooks::waits(self.ports.database.as_ref(), stream)
            .await
            .unwrap_or(true)
    }

    /// Milliseconds since 1970, moved where a development instance's clock is.
    async fn now(&self) -> Result<u64, DatabaseError> {
        let now = self.ports.clock.now_ms();
        if !self.config.weakened.movable_clock {
            return Ok(now);
        }
        crate::routes::development::clock_offset(self.ports.database.as_ref())
            .await
            .map(|offset| now.saturating_add(offset))
    }

    fn broken(&self, request: &Request, now: u64, error: &DatabaseError) -> Answer {
        let call = Call::new(self, now);
        let outcome = Err(Failure::from(error.clone()));
        let mut response =
            html::page(request, &call.id, &outcome).unwrap_or_else(|| respond(&call.id, &outcome));
        self.finish(request, &call.id, &mut response);
        self.log_answer(request, &call, None, now, &response, &outcome);
        Answer {
            response,
            after: After::default(),
        }
    }

    /// Headers of every answer of a configured instance.
    fn finish(&self, request: &Request, id: &str, response: &mut Response) {
        finish(request, id, response);
        if !self.config.development {
            let year = http::HeaderValue::from_static("max-age=31536000");
            response
                .headers
                .insert(header::STRICT_TRANSPORT_SECURITY, year);
        }
    }

    fn log_answer(
        &self,
        request: &Request,
        call: &Call<'_>,
        route: Option<&Route>,
        started: u64,
        response: &Response,
        outcome: &Result<Success, Failure>,
    ) {
        let failure = outcome.as_ref().err();
        let internal = failure.and_then(|failure| failure.internal.as_deref());
        let level = if response.status.is_server_error() {
            Level::Error
        } else {
            Level::Info
        };
        self.ports.log.write(
            level,
            json!({
                "event": "request",
                "id": call.id,
                "method": request.method.as_str(),
                "route": route.map(|route| route.pattern.0),
                "status": response.status.as_u16(),
                "errors": failure.map(Failure::codes).unwrap_or_default(),
                "account": call.account.get().map(|account| account.to_string()),
                "durationMs": self.ports.clock.now_ms().saturating_sub(started),
                "why": internal,
            }),
        );
    }
}

/// Finds the route and runs its phases up to the route's own: path and method, the client address's rate limit, body,
/// authorization, the account's rate limit, identification.
async fn dispatch(
    call: &Call<'_>,
    request: &mut Request,
    read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
) -> (Option<&'static Route>, Result<Success, Failure>) {
    if request.method == Method::OPTIONS {
        return (None, Ok(Success::Raw(preflight())));
    }
    match routes::find(&request.method, &request.path) {
        Ok((route, params)) => {
            let outcome = run(call, request, read, route, params).await;
            let outcome = match route.access {
                Access::Image(_) => {
                    outcome.or_else(|failure| routes::as_image(call, request, failure))
                }
                Access::Public(_) | Access::Private { .. } => outcome,
            };
            (Some(route), outcome)
        }
        Err(failure) => (None, Err(failure)),
    }
}

async fn run(
    call: &Call<'_>,
    request: &mut Request,
    read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
    route: &'static Route,
    params: Match,
) -> Result<Success, Failure> {
    if route.limited {
        limits::by_address(call, request).await?;
    }
    // Reads the body only now: parsing a megabyte costs as much as fourteen requests.
    let Json(body) = route.body.take(request, read).await?;
    let input = Input {
        request,
        params,
        query: Query::parse(&request.path, &request.query),
        body,
    };
    let request = input.request;
    match route.access {
        Access::Public(handler) | Access::Image(handler) => handler(call, &input).await,
        Access::Private {
            identified,
            handler,
        } => {
            let caller = crate::auth::caller(call, request)?;
            if route.limited {
                limits::by_account(call, &caller).await?;
            }
            call.account.set(Some(caller));
            let asked = identified && call.config().require_identification;
            let key = match request.method {
                Method::POST => idempotency::key(request)?,
                _ => None,
            };
            let Some(key) = key else {
                if asked {
                    crate::accounts::require_identified(call, &caller).await?;
                }
                return handler(call, &input, caller).await;
            };
            let (turn, account) =
                idempotency::begin(call, request, &caller, key, &input.body).await?;
            match turn {
                Turn::Given(response, errors) => return Ok(Success::Replayed(response, errors)),
                Turn::Mine(place) => *call.place.borrow_mut() = Some(place),
            }
            let outcome = if asked && let Err(failure) = crate::accounts::identified(&account) {
                Err(failure)
            } else {
                handler(call, &input, caller).await
            };
            end(call, &outcome).await;
            outcome
        }
    }
}

/// Keeps the answer for the request's idempotency key, where no transaction has. What is not kept is done again when it
/// is asked for again, as without a key.
async fn end(call: &Call<'_>, outcome: &Result<Success, Failure>) {
    let place = call.place.borrow_mut().take();
    let Some(statement) = place.and_then(|place| place.end(outcome)) else {
        return;
    };
    if let Err(error) = call.db().query(statement).await {
        let line = json!({ "event": "answer.not-kept", "id": call.id, "why": error.to_string() });
        call.log(Level::Warn, line);
    }
}

/// Headers of every answer.
fn finish(request: &Request, id: &str, response: &mut Response) {
    let headers = &mut response.headers;
    let mut set = |name: http::HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(http::HeaderValue::from_static(value));
    };
    // Any page may read any answer: what is private needs the Authorization header, which no browser adds by itself.
    set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        "x-request-id, x-replay-id, x-asset-validity, idempotency-replayed, retry-after, ratelimit-policy, allow",
    );
    set(header::CACHE_CONTROL, "no-store");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(
        http::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    if let Ok(id) = http::HeaderValue::from_str(id) {
        // An answer that was given before has its own.
        headers.entry("x-request-id").or_insert(id);
    }
    if request.method == Method::HEAD {
        response.body.clear();
    }
}

fn preflight() -> Response {
    Response::empty(StatusCode::NO_CONTENT)
        .with(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            "GET, POST, PUT, DELETE, HEAD, OPTIONS",
        )
        .with(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, idempotency-key",
        )
        .with(header::ACCESS_CONTROL_MAX_AGE, "86400")
}

/// What a route reads: the request with its path, query and body parsed.
pub(crate) struct Input<'a> {
    pub(crate) request: &'a Request,
    pub(crate) params: Match,
    pub(crate) query: Query,
    pub(crate) body: Value,
}

/// One request, message or scheduled run on its way through the service.
pub(crate) struct Call<'a> {
    app: &'a App,
    now: Cell<u64>,
    /// The host's clock at the moment of `now`.
    began: Cell<u64>,
    /// The envelope's `id`.
    pub(crate) id: String,
    /// The requesting account, once its signature and limits have been checked.
    account: Cell<Option<Address>>,
    client_address: Option<String>,
    /// The budget that a stranger's changes are paid from.
    pub(crate) budget: Cell<Budget>,
    /// The request's place under its idempotency key, until its answer is kept.
    place: RefCell<Option<Place>>,
    /// Hints to send if the changes that they announce are committed.
    staged: RefCell<Vec<Job>>,
    after: RefCell<Vec<Job>>,
}

impl<'a> Call<'a> {
    fn new(app: &'a App, now: u64) -> Self {
        let call = Self {
            app,
            now: Cell::new(now),
            began: Cell::new(app.ports.clock.now_ms()),
            id: String::new(),
            account: Cell::new(None),
            client_address: None,
            budget: Cell::new(strangers::WORK),
            place: RefCell::default(),
            staged: RefCell::default(),
            after: RefCell::default(),
        };
        Self {
            id: call.new_reference(),
            ..call
        }
    }

    /// Milliseconds since 1970; the same for the whole call, but for one that [goes on](Self::go_on).
    pub(crate) fn now(&self) -> u64 {
        self.now.get()
    }

    /// Starts the next piece of a long run: sets `now` to the current time.
    pub(crate) fn go_on(&self) {
        self.now.set(self.time());
        self.began.set(self.app.ports.clock.now_ms());
    }

    /// Milliseconds since 1970 at this moment, for what may take long.
    pub(crate) fn time(&self) -> u64 {
        let elapsed = self
            .app
            .ports
            .clock
            .now_ms()
            .saturating_sub(self.began.get());
        self.now().saturating_add(elapsed)
    }

    /// The client's network address, as the host knows it.
    pub(crate) fn client_address(&self) -> Option<&str> {
        self.client_address.as_deref()
    }

    pub(crate) fn config(&self) -> &'a Config {
        &self.app.config
    }

    pub(crate) fn isolate(&self) -> &'a Isolate {
        &self.app.isolate
    }

    pub(crate) fn ports(&self) -> &'a Ports {
        &self.app.ports
    }

    pub(crate) fn db(&self) -> &'a dyn Database {
        self.app.ports.database.as_ref()
    }

    pub(crate) fn log(&self, level: Level, line: Value) {
        self.app.ports.log.write(level, line);
    }

    /// A new reference: a UUIDv7 (RFC 9562) of the call's time.
    pub(crate) fn new_reference(&self) -> String {
        let mut random = [0; 10];
        self.app.ports.random.fill(&mut random);
        uuid::Builder::from_unix_timestamp_millis(self.now(), &random)
            .into_uuid()
            .to_string()
    }

    /// Leaves a hint for after the next [`commit`], if that succeeds: what a hint tells of must have happened.
    pub(crate) fn send_when_committed(&self, job: Job) {
        self.staged.borrow_mut().push(job);
    }

    /// Leaves a hint for after the answer, once.
    pub(crate) fn send_after(&self, job: Job) {
        let mut after = self.after.borrow_mut();
        if !after.contains(&job) {
            after.push(job);
        }
    }

    /// The instance. Read once an isolate: it never changes.
    pub(crate) async fn instance(&self) -> Result<Rc<Instance>, DatabaseError> {
        if let Some(instance) = self.app.isolate.instance.get() {
            return Ok(Rc::clone(instance));
        }
        let instance = Rc::new(crate::instance::read(self.db(), self.config()).await?);
        Ok(Rc::clone(
            self.app.isolate.instance.get_or_init(|| instance),
        ))
    }

    /// The ledger of this deployment.
    pub(crate) async fn ledger(&self) -> Result<Box<dyn Ledger + '_>, DatabaseError> {
        Ok(Box::new(Embedded::new(self, self.instance().await?)))
    }

    /// A step at which a development instance can be told to stop dead, as a crash would.
    pub(crate) fn reach(&self, step: &str) {
        let Some(configured) = &self.app.config.weakened.abort_at else {
            return;
        };
        let told = self.app.isolate.abort_at.borrow();
        #[expect(clippy::panic, reason = "a named abort is what the setting asks for")]
        if told.as_ref().unwrap_or(configured) == step {
            panic!("ABORT_AT={step}");
        }
    }
}

/// Everything that waits for the service itself. What fails does not keep the rest from being done.
pub(crate) async fn sweep(call: &Call<'_>) -> Result<(), DatabaseError> {
    let records = crate::records::sweep(call).await;
    let requests = crate::statistics::forget_old_requests(call).await;
    let strangers = strangers::forget_old_days(call).await;
    let tickers = crate::statistics::record_price(call).await;
    let answers = idempotency::forget_old_answers(call).await;
    let deposits = crate::deposits::sweep(call).await;
    // Last, because receivers take their time.
    let webhooks = crate::webhooks::sweep(call).await;
    records
        .and(requests)
        .and(strangers)
        .and(tickers)
        .and(answers)
        .and(deposits)
        .and(webhooks)
}

/// [`commit`] of a request's changes together with the answer that tells of them, where the request has an idempotency
/// key: if it is sent again, either nothing has happened or the answer is there.
pub(crate) async fn commit_answer(
    call: &Call<'_>,
    step: &str,
    mut statements: Vec<Statement>,
    answer: &Success,
) -> Result<Vec<Rows>, DatabaseError> {
    if let Some(place) = &*call.place.borrow() {
        statements.extend(place.keep(answer)?);
    }
    let rows = commit(call, step, statements).await?;
    call.place.take();
    Ok(rows)
}

/// Runs a batch between two steps at which a development instance can be told to stop, and lets the hints go that tell of
/// it. A stranger's batch pays for itself ([`crate::strangers`]).
pub(crate) async fn commit(
    call: &Call<'_>,
    step: &str,
    mut statements: Vec<Statement>,
) -> Result<Vec<Rows>, DatabaseError> {
    call.reach(&format!("{step}:before"));
    let hints = call.staged.take();
    let payment = match call.account.get() {
        Some(account) => strangers::pay(call, &account, &statements)?.to_vec(),
        None => Vec::new(),
    };
    let paying = payment.len();
    statements.splice(..0, payment);
    let mut rows = call.db().batch(statements).await?;
    rows.drain(..paying.min(rows.len()));
    call.reach(&format!("{step}:after"));
    hints.into_iter().for_each(|job| call.send_after(job));
    Ok(rows)
}
