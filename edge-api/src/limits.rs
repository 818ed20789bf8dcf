//! How often somebody may call (429000): by client address before anything is worked out for a request, by account as
//! soon as it is known who asks.
//!
//! The host counts, in windows, each of its locations for itself, and says yes or no. So nobody knows what is left of
//! a window, and what a client is told is how long one lasts. Accounts are counted by what the signature recovers to,
//! never by what a request claims: nobody uses up another's requests. A refusal is stored nowhere, neither in the log
//! of requests nor under an idempotency key: it must cost less than what it refuses.

use std::net::IpAddr;

use http::{HeaderName, HeaderValue, header};
use order_core::{Address, Code};
use serde_json::json;

use crate::app::Call;
use crate::http::{Failure, Request};
use crate::ports::Level;
use crate::routes::{Access, Route};
use crate::text::account_key;

/// What applies, on every answer of a route that is limited (draft-ietf-httpapi-ratelimit-headers-10, section 3).
pub(crate) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Whose requests are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Those of a client address.
    Address,
    /// Those of an account.
    Account,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 2] = [Self::Address, Self::Account];

    /// Its name in the policy.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Account => "account",
        }
    }

    /// The variable that sets its limit.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Self::Address => "RATE_LIMIT_ADDRESS",
            Self::Account => "RATE_LIMIT_ACCOUNT",
        }
    }
}

/// Requests in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub requests: u32,
    /// How long a window lasts.
    pub seconds: u32,
}

impl Limit {
    /// The windows that the platform's rate limiter has.
    const SECONDS: [u32; 2] = [10, 60];

    /// Reads `300/10`: 300 requests in 10 seconds.
    fn parse(text: &str) -> Option<Self> {
        let (requests, seconds) = text.split_once('/')?;
        let limit = Self {
            requests: requests.parse().ok().filter(|requests| *requests > 0)?,
            seconds: seconds.parse().ok()?,
        };
        Self::SECONDS.contains(&limit.seconds).then_some(limit)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.requests, self.seconds)
    }
}

/// The limits of a deployment; none where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// `RATE_LIMIT_ADDRESS`
    pub address: Option<Limit>,
    /// `RATE_LIMIT_ACCOUNT`
    pub account: Option<Limit>,
}

impl Limits {
    /// What a setting may be.
    pub(crate) const FORM: &str =
        "`off`, or requests per window of 10 or 60 seconds, such as `300/10`";

    /// Reads a setting: [`Limits::FORM`].
    pub(crate) fn parse(text: &str) -> Option<Option<Limit>> {
        match text {
            "off" => Some(None),
            _ => Limit::parse(text).map(Some),
        }
    }

    /// The limit of a scope.
    #[must_use]
    pub fn of(&self, scope: Scope) -> Option<Limit> {
        match scope {
            Scope::Address => self.address,
            Scope::Account => self.account,
        }
    }
}

/// The limit of a scope, where it is set and the host counts for it.
pub(crate) fn in_force(call: &Call<'_>, scope: Scope) -> Option<Limit> {
    call.config()
        .limits
        .of(scope)
        .filter(|_| call.ports().limiter.counts(scope))
}

/// What applies to a route, as the header says it.
pub(crate) fn policy(call: &Call<'_>, route: &Route) -> Option<HeaderValue> {
    let private = matches!(route.access, Access::Private { .. });
    let items: Vec<String> = Scope::ALL
        .into_iter()
        .filter(|scope| route.limited && (private || *scope == Scope::Address))
        .filter_map(|scope| {
            let Limit { requests, seconds } = in_force(call, scope)?;
            Some(format!(r#""{}";q={requests};w={seconds}"#, scope.name()))
        })
        .collect();
    HeaderValue::from_str(&items.join(", "))
        .ok()
        .filter(|value| !value.is_empty())
}

/// Counts a request of a client address. One that the host does not know is not limited: strangers would share it.
pub(crate) async fn by_address(call: &Call<'_>, request: &Request) -> Result<(), Failure> {
    match &request.client_address {
        Some(address) => within(call, Scope::Address, &address_key(address)).await,
        None => Ok(()),
    }
}

/// Counts a request of an account.
pub(crate) async fn by_account(call: &Call<'_>, account: &Address) -> Result<(), Failure> {
    within(call, Scope::Account, &account_key(account)).await
}

async fn within(call: &Call<'_>, scope: Scope, key: &str) -> Result<(), Failure> {
    let Some(limit) = in_force(call, scope) else {
        return Ok(());
    };
    match call.ports().limiter.allow(scope, key).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(exceeded(scope, limit, key)),
        Err(why) => {
            // Limits protect the service; a fault of theirs must not be what stops it.
            let line = json!({ "event": "limit.not-counted", "id": call.id, "limit": scope.name(), "why": why });
            call.log(Level::Warn, line);
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

/// What an address is counted by. Whoever has one IPv6 address has the other 2^64 of its network too.
pub(crate) fn address_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, d, ..]| {
        format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
    })
}

/// The same for what a day is to be enough for: a /48 is what a site is given (RFC 6177), and tunnels give one to anybody.
pub(crate) fn network_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, ..]| format!("{a:x}:{b:x}:{c:x}::/48"))
}

fn key_of_network(text: &str, of_v6: impl Fn([u16; 8]) -> String) -> String {
    match text.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => of_v6(address.segments()),
        Ok(address) => address.to_string(),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_are_one() {
        for (one, other, same) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true),
            ("2001:db8:1:2::1", "2001:DB8:0001:0002::1", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("2001:db8:1:2::1", "2001:db8:2:2::1", false),
            ("::1", "::2", true),
        ] {
            assert_eq!(
                address_key(one) == address_key(other),
                same,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn a_site_is_one_network() {
        let key = network_key("2001:db8:1:2::1");
        assert_eq!(key, network_key("2001:db8:1:ffff::1"));
        assert_ne!(key, network_key("2001:db8:2:2::1"));
        assert_eq!(network_key("::ffff:192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn limits_are_what_the_platform_can_count() {
        let limit = |requests, seconds| Some(Some(Limit { requests, seconds }));
        assert_eq!(Limits::parse("300/10"), limit(300, 10));
        assert_eq!(Limits::parse("1/60"), limit(1, 60));
        assert_eq!(Limits::parse("off"), Some(None));
        for text in [
            "",
            "on",
            "300",
            "0/10",
            "300/1",
            "300/3600",
            "/10",
            "300/",
            "-1/10",
            "1/10/10",
            "4294967296/10",
        ] {
            assert_eq!(Limits::parse(text), None, "{text}");
        }
    }
}
