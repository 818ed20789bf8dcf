//! The routes: one table, and one file per resource. A route reads the request, calls one use case, and shapes the
//! answer.

mod account;
mod approvals;
mod badge;
mod deployments;
mod deposits;
pub(crate) mod development;
pub(crate) mod health;
mod ledgers;
mod orders;
mod records;
mod requests;
mod statistics;
mod webhooks;

pub(crate) use badge::as_image;

use http::{HeaderValue, Method, header};
use order_core::Code;

use crate::failure::Failure;
use crate::text::shortened;
pub(crate) use crate::web::{Access, Route};
use crate::web::{Body, Match, Pattern};

macro_rules! public {
    ($method:ident $path:literal $body:ident $handler:path) => {
        public!(@ Public true, $method $path $body $handler)
    };
    ($method:ident $path:literal $body:ident $handler:path, unlimited) => {
        public!(@ Public false, $method $path $body $handler)
    };
    ($method:ident $path:literal $body:ident $handler:path, image) => {
        public!(@ Image true, $method $path $body $handler)
    };
    (@ $access:ident $limited:literal, $method:ident $path:literal $body:ident $handler:path) => {
        Route {
            method: Method::$method,
            pattern: Pattern($path),
            body: Body::$body,
            access: Access::$access(|input| Box::pin($handler(input))),
            limited: $limited,
        }
    };
}

macro_rules! private {
    ($method:ident $path:literal $body:ident $handler:path) => {
        private!(@ true, $method $path $body $handler)
    };
    ($method:ident $path:literal $body:ident $handler:path, unidentified) => {
        private!(@ false, $method $path $body $handler)
    };
    (@ $identified:literal, $method:ident $path:literal $body:ident $handler:path) => {
        Route {
            method: Method::$method,
            pattern: Pattern($path),
            body: Body::$body,
            access: Access::Private {
                identified: $identified,
                handler: |input, caller| Box::pin($handler(input, caller)),
            },
            limited: true,
        }
    };
}

/// All routes of the service.
static ROUTES: &[Route] = &[
    private!(POST "/orders" Json orders::create),
    private!(GET "/orders" Ignored orders::list),
    private!(GET "/orders/:orderRef" Ignored orders::get),
    private!(DELETE "/orders/:orderRef" Ignored orders::cancel),
    // The contract lists no 400014 for signing.
    private!(PUT "/orders/:orderRef/sign" Json orders::sign, unidentified),
    private!(PUT "/orders/:orderRef/perform" Ignored orders::perform),
    private!(POST "/deployments" Json deployments::create),
    private!(GET "/deployments" Ignored deployments::list),
    private!(GET "/deployments/:deploymentRef" Ignored deployments::get),
    // The contract lists no 400014 for creating an approval.
    private!(POST "/approvals" Json approvals::create, unidentified),
    private!(GET "/approvals" Ignored approvals::list),
    private!(GET "/approvals/:approvalRef" Ignored approvals::get),
    private!(POST "/deposits" Json deposits::create),
    private!(GET "/deposits" Ignored deposits::list),
    private!(GET "/deposits/:depositRef" Ignored deposits::get),
    // Called by the payment provider, which signs the body's bytes and retries refused events.
    public!(POST "/deposits/stripe" Bytes deposits::stripe),
    private!(GET "/account" Ignored account::get, unidentified),
    private!(PUT "/account" Json account::update, unidentified),
    // An unidentified account has nothing to erase, and one that has just erased may retry.
    private!(DELETE "/account/information" Ignored account::erase_information, unidentified),
    private!(GET "/account/abilities" Ignored account::abilities),
    private!(PUT "/account/webhook" Json webhooks::put),
    private!(GET "/account/webhook" Ignored webhooks::get),
    private!(DELETE "/account/webhook" Ignored webhooks::delete),
    private!(POST "/account/webhook/rotate" Ignored webhooks::rotate),
    private!(POST "/account/webhook/test" Ignored webhooks::test),
    private!(GET "/account/webhook/deliveries" Ignored webhooks::list),
    private!(POST "/account/webhook/deliveries/:ref/redeliver" Ignored webhooks::redeliver),
    private!(GET "/ledgers" Ignored ledgers::list),
    private!(GET "/ledgers/:ledgerRef" Ignored ledgers::get),
    private!(GET "/ledgers/:ledgerRef/abilities" Ignored ledgers::abilities),
    private!(GET "/ledgers/:ledgerRef/accounts" Ignored ledgers::accounts),
    private!(GET "/ledgers/:ledgerRef/assets" Ignored ledgers::assets),
    private!(GET "/ledgers/:ledgerRef/assets/:assetId" Ignored ledgers::asset),
    private!(GET "/requests" Ignored requests::list),
    private!(GET "/requests/:requestRef" Ignored requests::get),
    private!(GET "/stats/costs" Ignored statistics::costs),
    private!(GET "/stats/traffic" Ignored statistics::traffic),
    public!(GET "/stats/tickers" Ignored statistics::tickers),
    public!(GET "/badge" Ignored badge::image, image),
    public!(GET "/badge.json" Ignored badge::report),
    public!(GET "/images/trusted.svg" Ignored badge::trusted),
    public!(GET "/images/unconfirmed.svg" Ignored badge::unconfirmed),
    public!(GET "/images/untrusted.svg" Ignored badge::untrusted),
    public!(GET "/images/withdrawn.svg" Ignored badge::withdrawn),
    public!(GET "/images/not-issued.svg" Ignored badge::not_issued),
    public!(GET "/images/unknown.svg" Ignored badge::unknown),
    // Unlimited, because a limit would make a frequent probe report a healthy service as failing.
    public!(GET "/health" Ignored health::get, unlimited),
    public!(PUT "/development/clock" Json development::set_clock, unlimited),
    public!(PUT "/development/abort" Json development::abort_at),
    public!(POST "/development/sweep" Ignored development::sweep, unlimited),
];

/// Returns true for the paths that only development instances have.
pub(crate) fn is_development(path: &str) -> bool {
    path.starts_with("/development/")
}

/// Returns the routes in the API description: all except development routes.
#[cfg(feature = "native")]
pub(crate) fn documented() -> impl Iterator<Item = &'static Route> {
    ROUTES
        .iter()
        .filter(|route| !is_development(route.pattern.0))
}

/// Maximum bytes of an unknown method that the answer repeats.
const METHOD_SHOWN: usize = 60;

/// Returns the route of a method and path. Otherwise fails with 405 and the methods of the path, or with 404.
pub(crate) fn find(method: &Method, path: &str) -> Result<(&'static Route, Match), Failure> {
    // HEAD is GET without the body (RFC 9110, 9.3.2).
    let wanted = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let mut allowed: Vec<&str> = Vec::new();
    for route in ROUTES {
        let Some(params) = route.pattern.matches(path) else {
            continue;
        };
        if route.method == *wanted {
            return Ok((route, params));
        }
        allowed.push(route.method.as_str());
    }
    if allowed.is_empty() {
        return Err(Failure::code(Code::InvalidPath));
    }
    let failure = Failure::one(
        Code::MethodNotAllowed,
        "",
        format!(
            "the path does not have the method `{}`; it has {}",
            shortened(&method.as_str().escape_default().to_string(), METHOD_SHOWN),
            allowed.join(", ")
        ),
    );
    Err(match HeaderValue::from_str(&allowed.join(", ")) {
        Ok(value) => failure.header(header::ALLOW, value),
        Err(_) => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `assets.run_worker_first` from wrangler.jsonc, whose comments are on separate lines.
    fn worker_first() -> Vec<String> {
        let text: String = include_str!("../../wrangler.jsonc")
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let mut configuration: serde_json::Value = serde_json::from_str(&text).unwrap();
        serde_json::from_value(configuration["assets"]["run_worker_first"].take()).unwrap()
    }

    #[test]
    fn every_route_reaches_the_worker_before_any_file() {
        let rules = worker_first();
        let covers = |rule: &str, path: &str| match rule.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == rule,
        };
        for route in ROUTES {
            // A parameter matches any segment, so the rule needs a `*` there.
            let path = route.pattern.0;
            assert!(
                rules.iter().any(|rule| covers(rule, path)),
                "wrangler.jsonc: `run_worker_first` lacks {path}"
            );
        }
        for rule in &rules {
            assert!(
                ROUTES.iter().any(|route| covers(rule, route.pattern.0)),
                "wrangler.jsonc: no route is behind `{rule}` of `run_worker_first`"
            );
        }
    }

    #[test]
    fn no_two_routes_are_the_same() {
        for (index, route) in ROUTES.iter().enumerate() {
            for other in &ROUTES[..index] {
                assert!(
                    route.method != other.method || route.pattern != other.pattern,
                    "{} {} is there twice",
                    route.method,
                    route.pattern.0
                );
            }
        }
    }

    #[test]
    fn every_pattern_matches_a_path_of_its_form() {
        for route in ROUTES {
            let path = route.pattern.0.replace(':', "");
            assert!(route.pattern.matches(&path).is_some(), "{path}");
        }
    }
}
