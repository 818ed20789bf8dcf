//! Names of all settings. Unknown names are refused, because a misspelt name would leave the default in force
//! unnoticed.

use super::payments::cost_variables;
use super::reader::Mistakes;
use super::{Config, ConfigError};
use crate::text::nearest;

/// All settings except costs.
const NAMES: &[&str] = &[
    "ABORT_AT",
    "ADMIN_ACCOUNTS",
    "ALERT_ERRORS_PERCENT",
    "ALERT_SLOW_MS",
    "ALERT_URL",
    "ALLOW_ONE_PROVIDER",
    "ALLOW_PRIVATE_FETCH",
    "AUTH_ETH_SIGN",
    "AUTH_TEXT",
    "BACKUP_DAYS",
    "BACKUP_HOUR",
    "BACKUP_SOURCE",
    "BACKUP_TOKEN",
    "BADGE_CACHE_SECONDS",
    "BLOCK_SECONDS",
    "CHAIN_ID",
    "CHAIN_START_BLOCK",
    "CONFIRMATIONS",
    "CONFIRMED_ACCOUNTS",
    "DATABASE_LIMIT_GB",
    "DEPLOYERS",
    "DEPOSITS",
    "DOH_URL",
    "ENVIRONMENT",
    "FAILED_GAS_MAX",
    "FEE_CAP_GWEI",
    "FILES",
    "GATEWAY_ACTIONS",
    "GATEWAY_DEPLOY",
    "INFLIGHT",
    "LEDGER",
    "LEGACY_AUTH",
    "METRICS_TOKEN",
    "MOVABLE_CLOCK",
    "OPERATOR_CONTACT",
    "OPERATOR_IMPRINT_URL",
    "OPERATOR_NAME",
    "OPERATOR_PRIVACY_URL",
    "PAYMENTS",
    "PAYMENT_RECEIVER",
    "QUORUM",
    "RATE_LIMIT_ACCOUNT",
    "RATE_LIMIT_ADDRESS",
    "RELAYER_KEY",
    "RELAYER_RESERVE",
    "REQUIRE_IDENTIFICATION",
    "RPC_SEND_URLS",
    "RPC_URLS",
    "RUNBOOK_URL",
    "SEND_PRIVATE",
    "SERVICE_NAME",
    "STATUS_KEY",
    "STRIPE_API_BASE",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
    "TICKER_POINTER",
    "TICKER_URL",
    "TOKEN_ADDRESS",
    "TOKEN_PRICE_EUR",
    "TX_GAS_CAP",
    "WEBHOOK_CONFIRMATION",
];
/// Maximum edit distance between a misspelt name and the suggested setting.
const NEAR: usize = 4;

/// Returns the names of all settings.
fn names() -> impl Iterator<Item = String> {
    let costs = cost_variables().map(|(variable, _)| variable);
    NAMES.iter().map(|name| (*name).to_owned()).chain(costs)
}

impl Config {
    /// Checks that every variable is a setting. Names that begin with two underscores belong to the platform.
    ///
    /// # Errors
    /// [`ConfigError`], which names each unknown variable and the setting with the most similar name, if one is similar.
    pub fn check_names<'a>(given: impl IntoIterator<Item = &'a str>) -> Result<(), ConfigError> {
        let known: Vec<String> = names().collect();
        let mut wrong = Mistakes::default();
        for name in given {
            if name.starts_with("__") || known.iter().any(|known| known == name) {
                continue;
            }
            let meant = match nearest(name, known.iter().map(String::as_str), NEAR) {
                Some(known) => format!(": did you mean `{known}`?"),
                None => String::new(),
            };
            wrong.add(format!("there is no setting `{name}`{meant}"));
        }
        wrong.finish(Some(()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_misspelt_name_is_an_error_that_names_the_setting() {
        for (name, meant) in [
            ("DEPOSIT", "`DEPOSITS`"),
            ("PAYMENT", "`PAYMENTS`"),
            ("COST_ASSET_CREATED", "`COST_ASSET_CREATE`"),
            ("GATEWAY_ACTION", "`GATEWAY_ACTIONS`"),
            ("PROXY_CREATE_ASSET", "no setting `PROXY_CREATE_ASSET`"),
            ("STRIPE_KEY", "no setting `STRIPE_KEY`"),
            ("service_name", "no setting `service_name`"),
        ] {
            let error = Config::check_names(["ENVIRONMENT", name]).unwrap_err().0;
            assert!(error.contains(meant), "{error}");
        }
        let all: Vec<String> = names().collect();
        assert_eq!(Config::check_names(all.iter().map(String::as_str)), Ok(()));
        assert_eq!(Config::check_names(["__PLATFORM"]), Ok(()));
    }

    #[test]
    fn every_setting_that_is_read_is_in_the_list_of_names() {
        let asked = RefCell::new(Vec::new());
        let given = [
            ("ENVIRONMENT", "development"),
            ("DEPOSITS", "stripe"),
            ("STRIPE_SECRET_KEY", "sk_test_51Habcdefghijkl"),
            ("STRIPE_WEBHOOK_SECRET", "whsec_abcdefghijklmnopqrstuvwxyz"),
            ("TICKER_URL", "https://prices.example/"),
        ];
        Config::read(|name| {
            asked.borrow_mut().push(name.to_owned());
            let found = given.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
        .unwrap();
        let mut asked = asked.into_inner();
        asked.sort();
        asked.dedup();
        let mut known: Vec<String> = names().collect();
        known.sort();
        assert_eq!(asked, known);
    }

    #[test]
    fn the_readme_lists_every_setting_and_no_other() {
        let readme = include_str!("../../README.md");
        let tables = readme.split("| variable | default | meaning |").skip(1);
        let rows = tables.flat_map(|table| {
            let lines = table.lines().skip(2);
            lines.take_while(|row| row.starts_with('|'))
        });
        let first_cells = rows.map(|row| row.split('|').nth(1).unwrap());
        let listed: Vec<&str> = first_cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .collect();
        for name in names() {
            assert!(listed.contains(&name.as_str()), "the README lacks `{name}`");
        }
        assert_eq!(listed.len(), names().count(), "{listed:?}");
    }
}
