//! The routes: one table, and one file per resource. The handler of a route parses the request, calls a use case, and builds
//! the answer.

mod account;
mod activity;
mod admin;
mod admissions;
mod approvals;
mod badge;
mod books;
mod certificate;
mod certificates;
mod common;
mod deployments;
mod deposits;
pub(crate) mod development;
mod files;
mod gs1;
pub(crate) mod health;
mod issuers;
mod ledgers;
mod links;
mod operator;
mod orders;
mod records;
mod requests;
mod sessions;
mod statistics;
mod status_lists;
mod wallet;
mod webhooks;

use crate::web::{Route, Table};

/// The table of routes.
pub(crate) static TABLE: Table = Table {
    resources: RESOURCES,
    development: "/development/",
};

/// The routes of each resource, in the order of the API's description.
static RESOURCES: &[&[Route]] = &[
    orders::ROUTES,
    deployments::ROUTES,
    approvals::ROUTES,
    deposits::ROUTES,
    account::ROUTES,
    admissions::ROUTES,
    sessions::ROUTES,
    webhooks::ROUTES,
    ledgers::ROUTES,
    certificates::ROUTES,
    activity::ROUTES,
    issuers::ROUTES,
    files::ROUTES,
    books::ROUTES,
    links::ROUTES,
    status_lists::ROUTES,
    wallet::ROUTES,
    requests::ROUTES,
    statistics::ROUTES,
    badge::ROUTES,
    certificate::ROUTES,
    gs1::ROUTES,
    admin::ROUTES,
    health::ROUTES,
    operator::ROUTES,
    development::ROUTES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{Access, Needs};

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
        for route in TABLE.routes() {
            // A parameter matches any segment, so the rule needs a `*` in its place.
            let path = route.pattern.0;
            assert!(
                rules.iter().any(|rule| covers(rule, path)),
                "wrangler.jsonc: `run_worker_first` lacks {path}"
            );
        }
        for rule in &rules {
            assert!(
                TABLE.routes().any(|route| covers(rule, route.pattern.0)),
                "wrangler.jsonc: no route matches `{rule}` of `run_worker_first`"
            );
        }
    }

    #[test]
    fn exactly_the_administrators_routes_need_an_administrator() {
        for route in TABLE.routes() {
            let path = route.pattern.0;
            let is_expected = path.starts_with("/admin/") || path == "/metrics";
            assert_eq!(route.admin, is_expected, "{path}");
            let is_account = matches!(
                route.access,
                Access::Private(Needs::Account | Needs::Metrics, _)
            );
            assert!(!route.admin || is_account, "{path}");
        }
    }

    #[test]
    fn routes_are_distinct() {
        for (index, route) in TABLE.routes().enumerate() {
            for other in TABLE.routes().take(index) {
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
        for route in TABLE.routes() {
            let path = route.pattern.0.replace(':', "");
            assert!(route.pattern.matches(&path).is_some(), "{path}");
        }
    }
}
