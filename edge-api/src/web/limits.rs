//! Rate limits (429000): by client address before any work for the request, and by account as soon as the caller is
//! known.
//!
//! The host counts in time windows, separately in each of its locations. It reports only whether a request is within
//! the limit. The service therefore cannot tell clients how many requests remain, and tells them the length of the
//! window instead. A request counts for the account that its credential proves, so a client cannot use up another
//! account's limit. A refusal must cost less than the refused work, so it is neither stored in the request log nor stored for
//! an idempotency key.

use http::{HeaderName, HeaderValue, header};
use order_core::{Address, Code};
use serde_json::json;

use super::{Request, Route};
use crate::config::Limit;
use crate::context::Context;
use crate::failure::Failure;
use crate::network::address_key;
use crate::ports::{Level, Scope};
use crate::text::account_key;

/// The header that states the limits in force. If there are any, every answer of a limited route has this header
/// (draft-ietf-httpapi-ratelimit-headers-10, section 3).
pub(crate) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Returns the limit of a scope if it is configured and the host counts for it.
pub(crate) fn in_force(ctx: &Context<'_>, scope: Scope) -> Option<Limit> {
    ctx.config()
        .limits
        .of(scope)
        .filter(|_| ctx.ports().limiter.counts(scope))
}

/// Returns the header's value for a route. `None` if no limit applies to the route.
pub(super) fn policy(ctx: &Context<'_>, route: &Route) -> Option<HeaderValue> {
    let private = route.is_private();
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

/// Counts a request for its client address. Requests without a known address are not limited, because unrelated clients
/// would share one limit.
pub(super) async fn by_address(ctx: &Context<'_>, request: &Request) -> Result<(), Failure> {
    match &request.client_address {
        Some(address) => within(ctx, Scope::Address, &address_key(address)).await,
        None => Ok(()),
    }
}

/// Counts a request for its account.
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
            // The limits only protect the service, so requests are allowed if the limiter fails.
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
    // The log does not need the address, because the platform's own log shows the source of a flood.
    failure.internal = Some(match scope {
        Scope::Address => "over the limit: address".to_owned(),
        Scope::Account => format!("over the limit: account {key}"),
    });
    failure
}
