//! How often somebody may call (429000): by client address before anything is worked out for a request, by account as
//! soon as it is known who asks.
//!
//! The host counts, in windows, each of its locations for itself, and says yes or no. So nobody knows what is left of
//! a window, and what a client is told is how long one lasts. Accounts are counted by what the signature recovers to,
//! never by what a request claims: nobody uses up another's requests. A refusal is stored nowhere, neither in the log
//! of requests nor under an idempotency key: it must cost less than what it refuses.

use http::{HeaderName, HeaderValue, header};
use order_core::{Address, Code};
use serde_json::json;

use super::{Access, Request, Route};
use crate::config::Limit;
use crate::context::Context;
use crate::failure::Failure;
use crate::network::address_key;
use crate::ports::{Level, Scope};
use crate::text::account_key;

/// The limits in force, on every answer of a route that is limited (draft-ietf-httpapi-ratelimit-headers-10, section 3).
pub(crate) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The limit of a scope, where it is set and the host counts for it.
pub(crate) fn in_force(ctx: &Context<'_>, scope: Scope) -> Option<Limit> {
    ctx.config()
        .limits
        .of(scope)
        .filter(|_| ctx.ports().limiter.counts(scope))
}

/// The limits of a route, as the header lists them.
pub(super) fn policy(ctx: &Context<'_>, route: &Route) -> Option<HeaderValue> {
    let private = matches!(route.access, Access::Private { .. });
    let items: Vec<String> = Scope::ALL
        .into_iter()
        .filter(|scope| route.limited && (private || *scope == Scope::Address))
        .filter_map(|scope| {
            let Limit { requests, seconds } = in_force(ctx, scope)?;
            Some(format!(r#""{}";q={requests};w={seconds}"#, scope.name()))
        })
        .collect();
    HeaderValue::from_str(&items.join(", "))
        .ok()
        .filter(|value| !value.is_empty())
}

/// Counts a request of a client address. One that the host does not know is not limited: strangers would share it.
pub(super) async fn by_address(ctx: &Context<'_>, request: &Request) -> Result<(), Failure> {
    match &request.client_address {
        Some(address) => within(ctx, Scope::Address, &address_key(address)).await,
        None => Ok(()),
    }
}

/// Counts a request of an account.
pub(super) async fn by_account(ctx: &Context<'_>, account: &Address) -> Result<(), Failure> {
    within(ctx, Scope::Account, &account_key(account)).await
}

async fn within(ctx: &Context<'_>, scope: Scope, key: &str) -> Result<(), Failure> {
    let Some(limit) = in_force(ctx, scope) else {
        return Ok(());
    };
    match ctx.ports().limiter.allow(scope, key).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(exceeded(scope, limit, key)),
        Err(why) => {
            // Limits protect the service; a fault of theirs must not be what stops it.
            let line = json!({ "event": "limit.not-counted", "id": ctx.id, "limit": scope.name(), "why": why });
            ctx.log(Level::Warn, line);
            Ok(())
        }
    }
}

fn exceeded(scope: Scope, limit: Limit, key: &str) -> Failure {
    let Limit { requests, seconds } = limit;
    let who = match scope {
        Scope::Address => "this client address",
        Scope::Account => "this account",
    };
    let message = format!(
        "more than {requests} requests in {seconds} seconds came from {who}: wait {seconds} seconds"
    );
    let mut failure = Failure::one(Code::RateLimited, "", message)
        .header(header::RETRY_AFTER, HeaderValue::from(seconds));
    // The log does not name the address: the platform's own log shows who floods.
    failure.internal = Some(match scope {
        Scope::Address => "over the limit: address".to_owned(),
        Scope::Account => format!("over the limit: account {key}"),
    });
    failure
}
