//! Settings of monitoring: the token for metrics, the limit of the database, and the address of the runbook.

use sha2::{Digest as _, Sha256};

use super::reader::{ConfigError, Mistakes, Reader};
use crate::answers::BOUNDS;

/// The minimum length of `METRICS_TOKEN` in bytes: 32 hex digits have 128 random bits.
const TOKEN_MIN: usize = 32;
/// Bytes of a gigabyte and of a megabyte, as the platform counts them.
const GIGABYTE: u64 = 1_000_000_000;
const MEGABYTE: u64 = 1_000_000;

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

/// The limits of alerts that an operator can set.
#[derive(Clone, Copy, Debug)]
pub struct AlertLimits {
    /// The percentage of answers with a status of 500 or more from which an alert is sent; `ALERT_ERRORS_PERCENT`.
    pub failed_percent: u64,
    /// The milliseconds from which an answer counts as slow: one of the bounds of the histogram; `ALERT_SLOW_MS`.
    pub slow_ms: u64,
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the limits of alerts.
    pub(super) fn alert_limits(&self) -> Result<AlertLimits, ConfigError> {
        let mut wrong = Mistakes::default();
        let percent = |text: &str| text.parse().ok().filter(|share| (1..=100).contains(share));
        let what = "a whole percentage from 1 to 100";
        let failed_percent = wrong.note(self.parsed("ALERT_ERRORS_PERCENT", "5", percent, what));
        let bound = |text: &str| text.parse().ok().filter(|bound| BOUNDS.contains(bound));
        let bounds: Vec<String> = BOUNDS.iter().map(|bound| format!("`{bound}`")).collect();
        let slow_ms = wrong.note(self.parsed("ALERT_SLOW_MS", "3000", bound, &bounds.join(" or ")));
        wrong.finish(
            failed_percent
                .zip(slow_ms)
                .map(|(failed_percent, slow_ms)| AlertLimits {
                    failed_percent,
                    slow_ms,
                }),
        )
    }

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
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            let digits = |text: &str| {
                let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                is_number.then(|| text.parse::<u64>().ok()).flatten()
            };
            // Megabytes are three decimals of a gigabyte.
            let part = digits(&format!("{part:0<3}")).filter(|_| (1..=3).contains(&part.len()))?;
            let bytes = digits(whole)?
                .checked_mul(GIGABYTE)?
                .checked_add(part.checked_mul(MEGABYTE)?)?;
            (MEGABYTE..=1_000 * GIGABYTE)
                .contains(&bytes)
                .then_some(bytes)
        };
        let what = "a number of gigabytes from 0.001 to 1000 with at most three decimals, such as `10` or `0.5`";
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
    fn the_limit_of_the_database_is_a_number_of_gigabytes() {
        for (text, bytes) in [
            ("2", 2_000_000_000),
            ("0.5", 500_000_000),
            ("0.001", 1_000_000),
            ("1000", 1_000_000_000_000),
        ] {
            let config = read("DATABASE_LIMIT_GB", text).unwrap();
            assert_eq!(config.database_limit, bytes, "{text}");
        }
        assert_eq!(read("NONE", "").unwrap().database_limit, 10_000_000_000);
        for wrong in [
            "0",
            "0.0",
            "0.0005",
            "1.",
            ".5",
            "+1",
            "1.+5",
            "-1",
            "1001",
            "1000.001",
            "ten",
            "1.5.5",
            "99999999999999999999",
        ] {
            assert!(read("DATABASE_LIMIT_GB", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_of_alerts_are_shares_and_bounds_of_the_histogram() {
        let limits = read("NONE", "").unwrap().alert_limits;
        assert_eq!((limits.failed_percent, limits.slow_ms), (5, 3_000));
        let limits = read("ALERT_SLOW_MS", "1000").unwrap().alert_limits;
        assert_eq!(limits.slow_ms, 1_000);
        for wrong in ["0", "101", "5 %", "-1", "0.5"] {
            assert!(read("ALERT_ERRORS_PERCENT", wrong).is_err(), "{wrong}");
        }
        for wrong in ["0", "2000", "1s"] {
            assert!(read("ALERT_SLOW_MS", wrong).is_err(), "{wrong}");
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
