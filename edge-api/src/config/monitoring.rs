//! Settings of monitoring: the token for metrics, the limit of the database, and the address of the runbook.

use sha2::{Digest as _, Sha256};

use super::reader::{ConfigError, Reader};

/// The minimum length of `METRICS_TOKEN` in bytes: 32 hex digits have 128 random bits.
const TOKEN_MIN: usize = 32;
/// Bytes of a gigabyte, as the platform counts them.
const GIGABYTE: u64 = 1_000_000_000;

/// The token with which a monitor reads `/metrics`; `METRICS_TOKEN`. Only its hash is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MetricsToken([u8; 32]);

impl MetricsToken {
    /// Returns true if a text is the token. The time of comparing two hashes tells nothing about the token.
    pub(crate) fn is(&self, text: &str) -> bool {
        *self == Self::of(text)
    }

    fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }
}

impl std::fmt::Debug for MetricsToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MetricsToken(…)")
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the token for metrics. `None` if there is none. The error does not repeat the value.
    pub(super) fn metrics_token(&self) -> Result<Option<MetricsToken>, ConfigError> {
        let Some(text) = self.text("METRICS_TOKEN") else {
            return Ok(None);
        };
        if text.len() < TOKEN_MIN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why = format!(
                "`METRICS_TOKEN` must be a secret of at least {TOKEN_MIN} visible ASCII characters without spaces"
            );
            return Err(ConfigError(why));
        }
        Ok(Some(MetricsToken::of(&text)))
    }

    /// Reads the size that the database can have, in bytes.
    pub(super) fn database_limit(&self) -> Result<u64, ConfigError> {
        let parse = |text: &str| {
            let gigabytes: u64 = text.parse().ok()?;
            (1..=1_000)
                .contains(&gigabytes)
                .then(|| gigabytes.saturating_mul(GIGABYTE))
        };
        let what = "a whole number of gigabytes from 1 to 1000";
        self.parsed("DATABASE_LIMIT_GB", "10", parse, what)
    }

    /// Reads the address of the runbook, to which alerts add the name of an entry.
    pub(super) fn runbook_url(&self) -> Result<String, ConfigError> {
        let parse = |text: &str| {
            let is_address = text.starts_with("https://") && !text.contains(['#', ' ']);
            (is_address || text == RUNBOOK).then(|| text.to_owned())
        };
        let what = "an https address without a fragment";
        self.parsed("RUNBOOK_URL", RUNBOOK, parse, what)
    }
}

/// The runbook in the source code of the project.
const RUNBOOK: &str = "docs/runbook.md";

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};

    fn read(name: &str, value: &str) -> Result<Config, ConfigError> {
        let given = [("ENVIRONMENT", "development"), (name, value)];
        Config::read(|name| {
            let found = given.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_metrics_token_is_long_and_never_shown() {
        let token = "0123456789abcdef0123456789abcdef";
        let config = read("METRICS_TOKEN", token).unwrap();
        let kept = config.metrics_token.unwrap();
        assert!(kept.is(token) && !kept.is("0123456789abcdef0123456789abcdeF"));
        assert!(!format!("{config:?}").contains(token));
        for wrong in ["short", "0123456789abcdef 0123456789abcdef"] {
            let error = read("METRICS_TOKEN", wrong).unwrap_err().0;
            assert!(error.contains("`METRICS_TOKEN` must be"), "{error}");
            assert!(!error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn the_limit_of_the_database_is_a_whole_number_of_gigabytes() {
        assert_eq!(
            read("DATABASE_LIMIT_GB", "2").unwrap().database_limit,
            2_000_000_000
        );
        assert_eq!(read("NONE", "").unwrap().database_limit, 10_000_000_000);
        for wrong in ["0", "1.5", "-1", "1001", "ten"] {
            assert!(read("DATABASE_LIMIT_GB", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_runbook_has_an_https_address() {
        let own = "https://wiki.example/runbook";
        assert_eq!(read("RUNBOOK_URL", own).unwrap().runbook_url, own);
        for wrong in ["http://wiki.example/", "https://wiki.example/#a", "wiki"] {
            assert!(read("RUNBOOK_URL", wrong).is_err(), "{wrong}");
        }
    }
}
