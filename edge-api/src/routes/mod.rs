//! The routes: one table, and one file per resource. The handler of a route parses the request, calls a use case, and builds
//! the answer.

mod account;
mod admin;
mod approvals;
mod badge;
mod certificate;
mod common;
mod deployments;
mod deposits;
pub(crate) mod development;
mod files;
pub(crate) mod health;
mod issuers;
mod ledgers;
mod orders;
mod records;
mod requests;
mod sessions;
mod statistics;
mod webhooks;

use http::Method;

use crate::api::{KeyScope, fields};
use crate::db::Page;
use crate::web::{Access, Needs, Param, Route, Table};
use common::PeriodQuery;
use records::RecordQuery;

/// A handler, and the path parameters that it takes.
type Handler = (Access, &'static [Param]);

/// Wraps a handler that any caller may call: `async fn(&Input) -> Handled`, with a `&str` for each path parameter.
macro_rules! public {
    ($handler:path) => {
        (Access::Public(|input, _| Box::pin($handler(input))), &[])
    };
    ($handler:path, $($param:ident),+) => {
        (
            Access::Public(|input, path| Box::pin($handler(input, $(path.get(Param::$param)),+))),
            &[$(Param::$param),+],
        )
    };
}

/// Wraps a handler for accounts. The first argument is the credential that the route needs: `Read`, `Orders` and `Webhooks` are
/// scopes of API keys, and other names are variants of [`Needs`]. The second argument is the handler,
/// `async fn(&Input, Address) -> Handled`, with a `&str` for each path parameter.
macro_rules! private {
    (@needs Read) => { Needs::Key(KeyScope::Read) };
    (@needs Orders) => { Needs::Key(KeyScope::Orders) };
    (@needs Webhooks) => { Needs::Key(KeyScope::Webhooks) };
    (@needs $other:ident) => { Needs::$other };
    ($needs:ident, $handler:path) => {
        (
            Access::Private(private!(@needs $needs), |input, _, caller| {
                Box::pin($handler(input, caller))
            }),
            &[],
        )
    };
    ($needs:ident, $handler:path, $($param:ident),+) => {
        (
            Access::Private(private!(@needs $needs), |input, path, caller| {
                Box::pin($handler(input, caller, $(path.get(Param::$param)),+))
            }),
            &[$(Param::$param),+],
        )
    };
}

/// Wraps a handler for administrators: `async fn(&Input) -> Handled`, with a `&str` for the path parameter. API keys are
/// refused, even those of an administrator. Each call that succeeds is recorded in the audit log.
macro_rules! admin {
    ($handler:path) => {
        (
            Access::Private(Needs::Account, |input, _, caller| {
                Box::pin(admin::audited(
                    input,
                    caller,
                    None,
                    Box::pin($handler(input)),
                ))
            }),
            &[],
        )
    };
    ($handler:path, $param:ident) => {
        (
            Access::Private(Needs::Account, |input, path, caller| {
                let subject = path.get(Param::$param);
                Box::pin(admin::audited(
                    input,
                    caller,
                    Some(subject),
                    Box::pin($handler(input, subject)),
                ))
            }),
            &[Param::$param],
        )
    };
}

const fn get(path: &'static str, handler: Handler) -> Route {
    Route::new(Method::GET, path, handler)
}

const fn post(path: &'static str, handler: Handler) -> Route {
    Route::new(Method::POST, path, handler)
}

const fn put(path: &'static str, handler: Handler) -> Route {
    Route::new(Method::PUT, path, handler)
}

const fn delete(path: &'static str, handler: Handler) -> Route {
    Route::new(Method::DELETE, path, handler)
}

/// The table of routes.
pub(crate) static TABLE: Table = Table {
    routes: ROUTES,
    development: "/development/",
};

static ROUTES: &[Route] = &[
    post("/orders", private!(Orders, orders::create)).json(fields::ORDER),
    get("/orders", private!(Read, orders::list)).query::<orders::OrderQuery>(),
    get("/orders/:orderRef", private!(Read, orders::get, OrderRef)),
    delete(
        "/orders/:orderRef",
        private!(Orders, orders::cancel, OrderRef),
    ),
    // The interface specification has no 400014 (missing information) for signing.
    put(
        "/orders/:orderRef/sign",
        private!(Orders, orders::sign, OrderRef),
    )
    .json(fields::CLAIM)
    .unidentified(),
    put(
        "/orders/:orderRef/perform",
        private!(Orders, orders::perform, OrderRef),
    ),
    post("/deployments", private!(Orders, deployments::create)).json(fields::DEPLOYMENT),
    get("/deployments", private!(Read, deployments::list)).query::<RecordQuery>(),
    get(
        "/deployments/:deploymentRef",
        private!(Read, deployments::get, DeploymentRef),
    ),
    // The interface specification has no 400014 (missing information) for creating an approval.
    post("/approvals", private!(Orders, approvals::create))
        .json(fields::APPROVAL)
        .unidentified(),
    get("/approvals", private!(Read, approvals::list)).query::<RecordQuery>(),
    get(
        "/approvals/:approvalRef",
        private!(Read, approvals::get, ApprovalRef),
    ),
    post("/deposits", private!(Account, deposits::create))
        .json(fields::DEPOSIT)
        .secret(deposits::CLIENT_SECRET),
    get("/deposits", private!(Read, deposits::list)).query::<deposits::DepositQuery>(),
    get(
        "/deposits/:depositRef",
        private!(Read, deposits::get, DepositRef),
    ),
    // The payment provider calls this route. It signs the body's bytes, and retries events that were refused.
    post("/deposits/stripe", public!(deposits::stripe)).bytes(),
    get("/account", private!(Read, account::get)).unidentified(),
    put("/account", private!(Account, account::update))
        .json(fields::INFORMATION)
        .unidentified(),
    // The erasure makes the account unidentified. A client that retries the request must not be refused for this reason.
    delete(
        "/account/information",
        private!(Account, account::erase_information),
    )
    .unidentified(),
    get("/account/abilities", private!(Read, account::abilities)).query::<Page>(),
    // An account signs in before it can provide its information.
    get("/sessions/challenge", public!(sessions::challenge)),
    post("/sessions", private!(Message, sessions::create))
        .json(fields::SIGN_IN)
        .unidentified(),
    get("/sessions", private!(Account, sessions::list))
        .query::<Page>()
        .unidentified(),
    delete(
        "/sessions/:sessionRef",
        private!(Account, sessions::end, SessionRef),
    )
    .unidentified()
    .revokes(),
    post("/account/keys", private!(Session, sessions::create_key))
        .json(fields::API_KEY)
        .secret(sessions::KEY)
        .unidentified(),
    get("/account/keys", private!(Account, sessions::keys))
        .query::<Page>()
        .unidentified(),
    delete(
        "/account/keys/:keyRef",
        private!(Account, sessions::revoke_key, KeyRef),
    )
    .unidentified()
    .revokes(),
    get("/account/access", private!(Account, sessions::access)).unidentified(),
    put("/account/access", private!(Session, sessions::set_access))
        .json(fields::ACCOUNT_ACCESS)
        .unidentified(),
    put("/account/domain", private!(Account, issuers::set)).json(fields::DOMAIN),
    get("/account/domain", private!(Read, issuers::get)),
    delete("/account/domain", private!(Account, issuers::remove)),
    put("/account/webhook", private!(Webhooks, webhooks::put)).json(fields::WEBHOOK),
    get("/account/webhook", private!(Webhooks, webhooks::get)),
    delete("/account/webhook", private!(Webhooks, webhooks::delete)),
    post(
        "/account/webhook/rotate",
        private!(Webhooks, webhooks::rotate),
    )
    .secret(webhooks::SECRET),
    post("/account/webhook/test", private!(Webhooks, webhooks::test)),
    get(
        "/account/webhook/deliveries",
        private!(Webhooks, webhooks::list),
    )
    .query::<Page>(),
    post(
        "/account/webhook/deliveries/:ref/redeliver",
        private!(Webhooks, webhooks::redeliver, DeliveryRef),
    ),
    get("/ledgers", private!(Read, ledgers::list))
        .query::<Page>()
        .served_by_copies(),
    get(
        "/ledgers/:ledgerRef",
        private!(Read, ledgers::get, LedgerRef),
    )
    .served_by_copies(),
    get(
        "/ledgers/:ledgerRef/abilities",
        private!(Read, ledgers::abilities, LedgerRef),
    )
    .query::<ledgers::HolderQuery>()
    .served_by_copies(),
    get(
        "/ledgers/:ledgerRef/accounts",
        private!(Read, ledgers::accounts, LedgerRef),
    )
    .query::<ledgers::HolderQuery>()
    .served_by_copies(),
    get(
        "/ledgers/:ledgerRef/assets",
        private!(Read, ledgers::assets, LedgerRef),
    )
    .query::<ledgers::AssetQuery>()
    .served_by_copies(),
    get(
        "/ledgers/:ledgerRef/assets/:assetId",
        private!(Read, ledgers::asset, LedgerRef, AssetId),
    )
    .served_by_copies(),
    put(
        "/ledgers/:ledgerRef/assets/:assetId/withdrawal",
        private!(Orders, ledgers::withdrawal, LedgerRef, AssetId),
    )
    .json(fields::REASON),
    put(
        "/ledgers/:ledgerRef/domain",
        private!(Account, issuers::set_of_ledger, LedgerRef),
    )
    .json(fields::DOMAIN),
    get(
        "/ledgers/:ledgerRef/domain",
        private!(Read, issuers::get_of_ledger, LedgerRef),
    ),
    delete(
        "/ledgers/:ledgerRef/domain",
        private!(Account, issuers::remove_of_ledger, LedgerRef),
    ),
    get("/issuers/:domain/check", public!(issuers::check, Domain)).query::<issuers::CheckQuery>(),
    get("/requests", private!(Read, requests::list)).query::<requests::RequestQuery>(),
    get(
        "/requests/:requestRef",
        private!(Read, requests::get, RequestRef),
    ),
    get("/stats/costs", private!(Read, statistics::costs)).query::<PeriodQuery>(),
    get("/stats/traffic", private!(Read, statistics::traffic)).query::<PeriodQuery>(),
    get("/stats/tickers", public!(statistics::tickers)).query::<statistics::TickerQuery>(),
    // If a client expects an image, errors are images too.
    get("/badge", public!(badge::image))
        .query::<badge::ImageQuery>()
        .on_failure(badge::as_image)
        .served_by_copies(),
    get("/badge.json", public!(badge::report))
        .query::<badge::BadgeQuery>()
        .served_by_copies(),
    get(
        "/c/:ledgerRef/:assetId",
        public!(certificate::show, LedgerRef, AssetId),
    )
    .served_by_copies(),
    post("/files", private!(Orders, files::create)).file(),
    delete(
        "/ledgers/:ledgerRef/accounts/:accountId/files",
        private!(Orders, files::remove, LedgerRef, AccountId),
    ),
    get("/files/:hash", public!(files::get, FileHash)),
    get(
        "/files/:owner/:collection/:document",
        public!(files::get_named, FileOwner, FileCollection, FileDocument),
    ),
    get("/images/trusted.svg", public!(badge::trusted)),
    get("/images/unconfirmed.svg", public!(badge::unconfirmed)),
    get("/images/untrusted.svg", public!(badge::untrusted)),
    get("/images/withdrawn.svg", public!(badge::withdrawn)),
    get("/images/not-issued.svg", public!(badge::not_issued)),
    get("/images/unknown.svg", public!(badge::unknown)),
    get("/images/disowned.svg", public!(badge::disowned)),
    get("/images/expired.svg", public!(badge::expired)),
    get("/images/replaced.svg", public!(badge::replaced)),
    get(
        "/images/no-longer-confirmed.svg",
        public!(badge::no_longer_confirmed),
    ),
    get("/admin/audit", admin!(admin::audit))
        .query::<PeriodQuery>()
        .admin(),
    get("/admin/pause", admin!(admin::pause_state)).admin(),
    post("/admin/pause", admin!(admin::pause))
        .json(fields::PAUSE)
        .admin(),
    post("/admin/resume", admin!(admin::resume))
        .json(fields::REASON)
        .admin(),
    get("/admin/blocks", admin!(admin::blocks))
        .query::<Page>()
        .admin(),
    post("/admin/blocks", admin!(admin::block))
        .json(fields::ADDRESS)
        .admin(),
    post("/admin/unblock", admin!(admin::unblock))
        .json(fields::ADDRESS)
        .admin(),
    post("/admin/grants", admin!(admin::grant))
        .json(fields::GRANT)
        .admin(),
    post("/admin/quotas", admin!(admin::raise_quota))
        .json(fields::QUOTA)
        .admin(),
    get(
        "/admin/accounts/:accountId/data",
        admin!(admin::export, AccountId),
    )
    .query::<admin::DataQuery>()
    .admin(),
    post(
        "/admin/accounts/:accountId/erase",
        admin!(admin::erase, AccountId),
    )
    .json(fields::REASON)
    .admin(),
    get("/admin/records", admin!(admin::stuck))
        .query::<Page>()
        .admin(),
    post(
        "/admin/records/:recordRef/retry",
        admin!(admin::retry, RecordRef),
    )
    .json(fields::REASON)
    .admin(),
    get("/admin/dead-letters", admin!(admin::dead_letters))
        .query::<Page>()
        .admin(),
    post(
        "/admin/dead-letters/:letterRef/retry",
        admin!(admin::resend, LetterRef),
    )
    .json(fields::REASON)
    .admin(),
    // These calls are not recorded in the audit log, because monitors read metrics every few seconds. Metrics name no account.
    get("/metrics", private!(Account, admin::metrics)).admin(),
    // This route has no rate limit, because a probe over the limit would report a healthy service as failing.
    get("/health", public!(health::get))
        .unlimited()
        .page(health::PAGE),
    put("/development/clock", public!(development::set_clock))
        .json(fields::DEVELOPMENT)
        .unlimited(),
    put("/development/abort", public!(development::abort_at)).json(fields::DEVELOPMENT),
    post("/development/sweep", public!(development::sweep)).unlimited(),
];

/// Returns the routes in the API description: all except development routes.
#[cfg(feature = "native")]
pub(crate) fn documented() -> impl Iterator<Item = &'static Route> {
    ROUTES
        .iter()
        .filter(|route| !TABLE.is_development(route.pattern.0))
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
            // A parameter matches any segment, so the rule needs a `*` in its place.
            let path = route.pattern.0;
            assert!(
                rules.iter().any(|rule| covers(rule, path)),
                "wrangler.jsonc: `run_worker_first` lacks {path}"
            );
        }
        for rule in &rules {
            assert!(
                ROUTES.iter().any(|route| covers(rule, route.pattern.0)),
                "wrangler.jsonc: no route matches `{rule}` of `run_worker_first`"
            );
        }
    }

    #[test]
    fn exactly_the_administrators_routes_need_an_administrator() {
        for route in ROUTES {
            let path = route.pattern.0;
            let is_expected = path.starts_with("/admin/") || path == "/metrics";
            assert_eq!(route.admin, is_expected, "{path}");
            let is_account = matches!(route.access, Access::Private(Needs::Account, _));
            assert!(!route.admin || is_account, "{path}");
        }
    }

    #[test]
    fn routes_are_distinct() {
        for (index, route) in ROUTES.iter().enumerate() {
            for other in &ROUTES[..index] {
                assert!(
                    route.method != other.method || route.pattern != other.pattern,
                    "{} {} is in the table twice",
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
