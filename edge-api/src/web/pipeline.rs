//! The phases of a request, in order:
//!
//! 1. Path and method (404, 405).
//! 2. The client address's rate limit.
//! 3. The body.
//! 4. The caller's credential (401).
//! 5. The account's rate limit.
//! 6. The kind of credential that the route needs (403).
//! 7. The operator's restrictions: administrators' routes, blocked accounts and ledgers (403), paused
//!    changes (503).
//! 8. The names of parameters and fields (400, 422).
//! 9. The idempotency key.
//! 10. Identification (403).
//! 11. The handler, which decides.
//!
//! Routes that take files check the credential and its kind before they read the body.
//!
//! A request's decision is committed only here, in one transaction with the answer for the idempotency key. See
//! `docs/decisions/0020-phases-of-a-request.md`.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use futures_util::future::join;
use http::{HeaderValue, Method, StatusCode, header};
use order_core::{Address, Code};
use serde_json::json;

use super::auth::Caller;
use super::headers::{finish, preflight};
use super::idempotency::{self, IdempotencyLease, Reservation};
use super::route::{Access, Needs, Route};
use super::{
    Answer, Body, CutOff, Handled, Input, Json, Memory, Query, RATELIMIT_POLICY, Request, Response,
    Success, Table, admission, auth, copies, html, limits, link, respond, unknown,
};
use crate::accounts;
use crate::budget::Share;
use crate::context::Context;
use crate::db::decide_and_commit;
use crate::failure::{Failure, Problem};
use crate::ledger::{Ledger, identify_client};
use crate::outbound::is_loopback;
use crate::ports::{DataPoint, DatabaseError, Level};
use crate::statistics::{Line, Logged};

/// An answer, and the line that logs the request afterwards.
pub(crate) struct Handling {
    pub(crate) response: Response,
    pub(crate) log: Option<Line>,
}

/// Answers one request. Every failure becomes an answer.
pub(crate) async fn handle(
    ctx: &Context<'_>,
    table: &Table,
    ledger: &dyn Ledger,
    memory: &Memory,
    mut request: Request,
    read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
) -> Handling {
    let started = ctx.ports().clock.now_ms();
    if let Some(path) = link::in_lower_case(&request.path) {
        request.path = path;
    }
    let mut done = dispatch(ctx, table, ledger, memory, &mut request, read).await;
    done.take_share(ctx, memory, &request);
    if let Some(replace) = done.route.and_then(|route| route.on_failure) {
        done.outcome = done
            .outcome
            .or_else(|failure| replace(ctx, &request, failure));
    }
    let response = done.response(ctx, table, &request, started);
    measure(ctx, memory, &done, &response, started);
    let logged = done.account.map(|account| Logged {
        reference: &ctx.id,
        account,
        method: &request.method,
        origin: &request.origin,
        path: &request.path,
        query: &request.query,
        status: response.status,
        errors: done.errors(),
        duration_ms: ctx.ports().clock.now_ms().saturating_sub(started),
        created_at: ctx.now(),
    });
    let log = logged.map(|logged| logged.line(ctx.client()));
    Handling { response, log }
}

/// Counts an answer for `/metrics`, and reports it to the platform's analytics if they are bound.
fn measure(ctx: &Context<'_>, memory: &Memory, done: &Done, response: &Response, started: u64) {
    let (method, route) = match done.route {
        Some(route) => (route.method.as_str(), route.pattern.0),
        None => ("", ""),
    };
    let (now, status) = (ctx.ports().clock.now_ms(), response.status.as_u16());
    let milliseconds = now.saturating_sub(started);
    memory
        .traffic
        .count((method, route, status), milliseconds, now);
    if let Some(analytics) = &ctx.ports().analytics {
        analytics.write(&DataPoint {
            method,
            route,
            status,
            milliseconds,
        });
    }
}

/// Answers a request for which the service could not be set up.
pub(crate) fn broken(
    ctx: &Context<'_>,
    table: &Table,
    request: &Request,
    error: DatabaseError,
) -> Response {
    Done::of(Err(error.into())).response(ctx, table, request, ctx.ports().clock.now_ms())
}

/// Answers every request while the settings are invalid. The log names the setting.
pub(crate) fn unconfigured(table: &Table, request: &Request) -> Response {
    let id = uuid::Uuid::nil().to_string();
    let mut response = respond(&id, &request.origin, &Err(Failure::code(Code::Unhandled)));
    finish(table, request, &id, &mut response);
    response
}

/// A request that has been handled.
struct Done {
    route: Option<&'static Route>,
    /// The requesting account, once its credential and its rate limit have been checked.
    account: Option<Address>,
    outcome: Result<Success, Failure>,
    /// The memory reservation of a large answer.
    share: Option<Rc<Share>>,
}

impl Done {
    fn of(outcome: Result<Success, Failure>) -> Self {
        Self {
            route: None,
            account: None,
            outcome,
            share: None,
        }
    }

    /// Reserves memory for a large answer, or replaces the answer with a refusal. Applies only to GET: other answers
    /// are small, and a refusal would hide a change that is already stored. If the handler has made a reservation, uses
    /// that reservation.
    fn take_share(&mut self, ctx: &Context<'_>, memory: &Memory, request: &Request) {
        let bytes = self.outcome.as_ref().map_or(0, Success::len);
        if request.method != Method::GET {
            return;
        }
        if let Ok(Success::Raw(response)) = &self.outcome
            && response.share.is_some()
        {
            self.share.clone_from(&response.share);
            return;
        }
        match memory.admit(ctx, bytes) {
            Ok(share) => self.share = share,
            Err(refused) => self.outcome = Err(refused),
        }
    }

    fn errors(&self) -> Vec<Problem> {
        match &self.outcome {
            Ok(_) => Vec::new(),
            Err(failure) => failure.listed(),
        }
    }

    /// Renders the outcome and logs it. Must be called only once for each request.
    fn response(
        &self,
        ctx: &Context<'_>,
        table: &Table,
        request: &Request,
        started: u64,
    ) -> Response {
        let outcome = &self.outcome;
        let text = self.route.and_then(|route| route.page);
        let page = html::page(request, &ctx.config().operator, &ctx.id, outcome, text);
        let mut response = page.unwrap_or_else(|| respond(&ctx.id, &request.origin, outcome));
        finish(table, request, &ctx.id, &mut response);
        response.share = self.share.clone();
        if !ctx.config().development {
            let year = HeaderValue::from_static("max-age=31536000");
            response
                .headers
                .insert(header::STRICT_TRANSPORT_SECURITY, year);
        }
        if let Some(policy) = self.route.and_then(|route| limits::policy(ctx, route)) {
            response.headers.insert(RATELIMIT_POLICY, policy);
        }
        if self.account.is_some()
            && let Some(bookmark) = copies::bookmark(ctx)
        {
            response.headers.insert(copies::BOOKMARK, bookmark);
        }
        let failure = outcome.as_ref().err();
        let level = if response.status.is_server_error() {
            Level::Error
        } else {
            Level::Info
        };
        ctx.log(
            level,
            json!({
                "event": "request",
                "id": ctx.id,
                "method": request.method.as_str(),
                "route": self.route.map(|route| route.pattern.0),
                "status": response.status.as_u16(),
                "errors": failure.map(Failure::codes).unwrap_or_default(),
                "account": self.account.map(|account| account.to_string()),
                "durationMs": ctx.ports().clock.now_ms().saturating_sub(started),
                "fault": failure.and_then(|failure| failure.fault),
                "why": failure.and_then(|failure| failure.internal.as_deref()),
            }),
        );
        response
    }
}

/// Protects a development instance from pages of other sites. The host name of such a page may resolve to this machine (DNS
/// rebinding), so the instance answers only under loopback names. Without rebinding, a page can still send simple requests, so
/// `/development/` refuses requests from other origins.
fn from_this_machine(ctx: &Context<'_>, table: &Table, request: &Request) -> Result<(), Failure> {
    if !ctx.config().development {
        return Ok(());
    }
    if !is_loopback(ctx.ports().http.as_ref(), &request.origin) {
        let message = "a development instance answers only under names of its own machine: use `localhost` or `127.0.0.1`";
        let refused = Failure::one(Code::InvalidPath, "", message);
        return Err(refused.status(StatusCode::MISDIRECTED_REQUEST));
    }
    let page = request.header(&header::ORIGIN);
    if table.is_development(&request.path) && page.is_some_and(|page| page != request.origin) {
        let message = "pages of other origins may not send requests to `/development/`";
        return Err(Failure::one(Code::InvalidPath, "", message));
    }
    Ok(())
}

/// Finds the route and runs its phases.
async fn dispatch(
    ctx: &Context<'_>,
    table: &Table,
    ledger: &dyn Ledger,
    memory: &Memory,
    request: &mut Request,
    read: impl AsyncFnOnce(usize) -> Result<Vec<u8>, CutOff>,
) -> Done {
    if let Err(failure) = from_this_machine(ctx, table, request) {
        return Done::of(Err(failure));
    }
    if request.method == Method::OPTIONS {
        return Done::of(Ok(Success::Raw(preflight(table, request))));
    }
    let (route, params) = match table.find(&request.method, &request.path) {
        Ok(found) => found,
        Err(failure) => return Done::of(Err(failure)),
    };
    let mut account = None;
    let outcome = async {
        if route.limited {
            limits::by_address(ctx, request).await?;
        }
        // The service stores files, so it authenticates the sender of a file before it reads the file.
        let mut known = None;
        if let (Body::File { .. }, Access::Private(needs, _)) = (route.body, route.access) {
            let caller = auth::caller(ctx, memory, request).await?;
            auth::permit(needs, &caller.credential)?;
            known = Some(caller);
        }
        // Held until the request is answered.
        let _room = memory.admit(ctx, route.body.reserved())?;
        // Reads the body only after the rate limit, because parsing a megabyte costs as much as fourteen requests.
        let Json(body) = route.body.take(request, read).await?;
        let input = Input {
            ctx,
            ledger,
            memory,
            route,
            request,
            query: Query::parse(&request.path, &request.query),
            body,
            credential: OnceCell::new(),
            conflicts: Cell::default(),
        };
        match route.access {
            Access::Public(handler) => {
                admission::check(&input, &params, None).await?;
                if route.is_strict() {
                    unknown::check(route, &input.query, &input.body)?;
                }
                copies::start(ctx, route, request);
                decide(&input, None, &mut None, async || {
                    handler(&input, &params).await
                })
                .await
            }
            Access::Private(needs, handler) => {
                let caller = async {
                    match (known, needs) {
                        (Some(known), _) => Ok(known),
                        (None, Needs::Message) => {
                            auth::signer(ctx, ledger, input.request, &input.body).await
                        }
                        (None, _) => auth::caller(ctx, memory, input.request).await,
                    }
                };
                // In a new isolate, both read from the database. Reading at the same time saves one trip before the first answer.
                let (caller, identified) = join(caller, identify_client(ctx, ledger)).await;
                let Caller {
                    account: caller,
                    credential,
                } = caller?;
                if route.limited {
                    limits::by_account(ctx, &caller).await?;
                }
                account = Some(caller);
                auth::permit(needs, input.credential.get_or_init(|| credential))?;
                admission::check(&input, &params, Some(caller)).await?;
                unknown::check(route, &input.query, &input.body)?;
                identified?;
                copies::start(ctx, route, request);
                let handler = async || handler(&input, &params, caller).await;
                private(&input, caller, handler).await
            }
        }
    };
    let outcome = outcome.await;
    Done {
        route: Some(route),
        account,
        outcome,
        share: None,
    }
}

/// Runs the phases of an account's request: idempotency key, identification, decision.
async fn private(
    input: &Input<'_>,
    caller: Address,
    handler: impl AsyncFn() -> Handled,
) -> Result<Success, Failure> {
    let ctx = input.ctx;
    let must_be_identified = input.route.identified && ctx.config().require_identification;
    let key = if input.route.takes_key() {
        idempotency::key(input.request)?
    } else {
        None
    };
    let Some(key) = key else {
        if must_be_identified {
            accounts::require_identified(ctx, &caller).await?;
        }
        return decide(input, Some(caller), &mut None, handler).await;
    };
    let (reservation, account) = idempotency::reserve(input, &caller, key).await?;
    let mut lease = match reservation {
        Reservation::Replay(response) => return Ok(Success::Replayed(response)),
        Reservation::Leased(lease) => Some(lease),
    };
    let outcome = if must_be_identified && let Err(failure) = accounts::identified(&account) {
        Err(failure)
    } else {
        decide(input, Some(caller), &mut lease, handler).await
    };
    if let Some(lease) = lease {
        release(ctx, &lease).await;
    }
    outcome
}

/// Runs the handler, and commits its decision together with the answer for the idempotency key. Sets `lease` to `None` if the
/// transaction has stored the answer.
async fn decide(
    input: &Input<'_>,
    caller: Option<Address>,
    lease: &mut Option<IdempotencyLease>,
    handler: impl AsyncFn() -> Handled,
) -> Result<Success, Failure> {
    let mut decisions = 0_u32;
    let mut keeps = false;
    let deciding = async || -> Handled {
        input.conflicts.set(decisions);
        decisions = decisions.saturating_add(1);
        let mut decision = handler().await?;
        keeps = !decision.statements.is_empty();
        if let Some(lease) = &*lease
            && keeps
        {
            let kept = lease.keep(decision.answer.known()?)?;
            decision.statements.extend(kept);
        }
        Ok(decision)
    };
    let (answer, rows) = decide_and_commit(input.ctx, caller, deciding).await?;
    if keeps {
        *lease = None;
    }
    Answer::given(answer, rows)
}

/// Frees the request's idempotency key if no transaction has stored an answer for the key.
async fn release(ctx: &Context<'_>, lease: &IdempotencyLease) {
    let Some(statement) = lease.release() else {
        return;
    };
    if let Err(error) = ctx.db().query(statement).await {
        let line = json!({ "event": "key.not-released", "id": ctx.id, "why": error.to_string() });
        ctx.log(Level::Warn, line);
    }
}
