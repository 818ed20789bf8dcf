//! Stripe's keys and the address of its API.

use super::reader::ConfigError;

/// The default address of Stripe's API.
const API_BASE: &str = "https://api.stripe.com";

/// A string that is never logged or shown.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret itself.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Access to Stripe's API, and the secret that authenticates Stripe's events.
#[derive(Clone, Debug)]
pub struct Stripe {
    /// The key for requests to the API; `STRIPE_SECRET_KEY`.
    pub secret_key: Secret,
    /// The secret with which Stripe signs its events; `STRIPE_WEBHOOK_SECRET`.
    pub webhook_secret: Secret,
    /// The address of the API; `STRIPE_API_BASE`.
    pub api_base: String,
    /// True if payments under this key move real money.
    pub livemode: bool,
}

impl Stripe {
    pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        // Errors name the variable and its valid form, but never repeat its value.
        let needed = |name: &str, what: &str| {
            ConfigError(format!("`DEPOSITS` is `stripe`; `{name}` must be {what}"))
        };
        let key_error = || {
            needed(
                "STRIPE_SECRET_KEY",
                "a key that begins with `sk_live_`, `rk_live_`, `sk_test_` or `rk_test_`",
            )
        };
        let key = variable("STRIPE_SECRET_KEY")
            .filter(|key| key.bytes().all(|byte| byte.is_ascii_graphic()))
            .ok_or_else(key_error)?;
        let livemode = match key.get(..8) {
            Some("sk_live_" | "rk_live_") => true,
            Some("sk_test_" | "rk_test_") => false,
            _ => return Err(key_error()),
        };
        let webhook_secret = variable("STRIPE_WEBHOOK_SECRET")
            .filter(|secret| {
                secret
                    .strip_prefix("whsec_")
                    .is_some_and(|rest| rest.len() >= 16)
            })
            .ok_or_else(|| {
                needed(
                    "STRIPE_WEBHOOK_SECRET",
                    "the endpoint's secret, which begins with `whsec_`",
                )
            })?;
        Ok(Self {
            secret_key: Secret(key),
            webhook_secret: Secret(webhook_secret),
            api_base: variable("STRIPE_API_BASE")
                .unwrap_or_else(|| API_BASE.to_owned())
                .trim_end_matches('/')
                .to_owned(),
            livemode,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Deposits};

    const KEY: &str = "sk_test_51Habcdefghijkl";
    const WEBHOOK: &str = "whsec_abcdefghijklmnopqrstuvwxyz";

    fn read(variables: &[(&str, &str)]) -> Result<Config, super::ConfigError> {
        Config::read(|name| {
            let development = [("ENVIRONMENT", "development")];
            let found = variables
                .iter()
                .chain(&development)
                .find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn keys_are_needed_and_never_shown() {
        let whole = [
            ("DEPOSITS", "stripe"),
            ("STRIPE_SECRET_KEY", KEY),
            ("STRIPE_WEBHOOK_SECRET", WEBHOOK),
        ];
        let config = read(&whole).unwrap();
        assert!(matches!(&config.deposits, Deposits::Stripe(stripe) if !stripe.livemode));
        let shown = format!("{config:?}");
        assert!(!shown.contains(KEY) && !shown.contains(WEBHOOK), "{shown}");
        for (index, wrong) in [
            (1, ""),
            (1, "pk_test_51Habcdefghijkl"),
            (1, "sk_51Habcdefghijkl"),
            (1, "sk_test_51H abc"),
            (1, "sk_live"),
            (2, ""),
            (2, "whsec_"),
            (2, "abcdefghijklmnopqrstuvwxyz"),
        ] {
            let mut variables = whole;
            variables[index].1 = wrong;
            let error = read(&variables).unwrap_err().0;
            assert!(error.contains(variables[index].0), "{error}");
            assert!(wrong.len() < 10 || !error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn keys_alone_do_not_enable_deposits() {
        let config = read(&[
            ("STRIPE_SECRET_KEY", KEY),
            ("STRIPE_WEBHOOK_SECRET", WEBHOOK),
        ])
        .unwrap();
        assert!(matches!(config.deposits, Deposits::Off));
    }
}
