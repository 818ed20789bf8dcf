//! Settings of nightly backups.

use super::Secret;
use super::reader::{ConfigError, Mistakes, Reader};
use crate::text::{DAY_MS, day_of};

/// Milliseconds of an hour.
const HOUR_MS: u64 = 3_600_000;
/// Hours after the start of a night in which a backup may start or continue.
const NIGHT_HOURS: u64 = 3;
/// The minimum length of `BACKUP_TOKEN`.
const TOKEN_MIN: usize = 20;

/// Nightly backups of the database.
#[derive(Clone, Debug)]
pub struct Backup {
    /// The hour at which the night starts, in UTC; `BACKUP_HOUR`.
    hour: u64,
    /// The path of the database in the platform's API; `BACKUP_SOURCE`.
    pub(crate) path: String,
    /// A token of the platform's API that may export the database; `BACKUP_TOKEN`.
    pub(crate) token: Secret,
    /// The days for which backups are kept; `BACKUP_DAYS`.
    pub(crate) days: u64,
}

impl Backup {
    /// Returns the day on which the present night started, counted from 1970. `None` outside of a night.
    pub(crate) fn night(&self, now: u64) -> Option<u64> {
        let since = now.checked_sub(self.hour.saturating_mul(HOUR_MS))?;
        let within = since.checked_rem(DAY_MS)?;
        (within < NIGHT_HOURS.saturating_mul(HOUR_MS)).then(|| day_of(since))
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the settings of nightly backups. `None` if `BACKUP_HOUR` is off. No error repeats the token.
    pub(super) fn backup(&self) -> Result<Option<Backup>, ConfigError> {
        let mut wrong = Mistakes::default();
        let hour = |text: &str| match text {
            "off" => Some(None),
            _ => text.parse().ok().filter(|hour| *hour < 24).map(Some),
        };
        let hour = wrong.note(self.parsed(
            "BACKUP_HOUR",
            "off",
            hour,
            "`off` or an hour from 0 to 23, in UTC",
        ));
        let days = |text: &str| text.parse().ok().filter(|days| (1..=365).contains(days));
        let days =
            wrong.note(self.parsed("BACKUP_DAYS", "30", days, "a number of days from 1 to 365"));
        let source = self.text("BACKUP_SOURCE");
        let token = self.text("BACKUP_TOKEN");
        let Some(Some(hour)) = hour else {
            return wrong.finish(hour.and(days).map(|_| None));
        };
        let path = source.as_deref().and_then(path_of);
        if path.is_none() {
            wrong.add("`BACKUP_HOUR` is set; `BACKUP_SOURCE` must be `ACCOUNT/DATABASE`, the ids of the platform's account and of the database".to_owned());
        }
        let token = token.filter(|token| {
            token.len() >= TOKEN_MIN && token.bytes().all(|byte| byte.is_ascii_graphic())
        });
        if token.is_none() {
            wrong.add("`BACKUP_HOUR` is set; `BACKUP_TOKEN` must be a secret: a token of the platform's API that may edit D1".to_owned());
        }
        let backup = path.zip(token).zip(days);
        wrong.finish(backup.map(|((path, token), days)| {
            Some(Backup {
                hour,
                path,
                token: Secret::from(token),
                days,
            })
        }))
    }
}

/// Returns the path of a database in the platform's API, for the text `ACCOUNT/DATABASE`.
fn path_of(source: &str) -> Option<String> {
    let (account, database) = source.split_once('/')?;
    let is_id = |id: &str, length: usize| {
        id.len() == length
            && id
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    };
    (is_id(account, 32) && is_id(database, 36))
        .then(|| format!("/accounts/{account}/d1/database/{database}"))
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};
    use super::*;

    const SOURCE: &str = "0123456789abcdef0123456789abcdef/7d1f0000-0000-4000-8000-00000000c0de";
    const TOKEN: &str = "a-token-of-the-platform";

    fn read(vars: &[(&str, &str)]) -> Result<Option<Backup>, ConfigError> {
        let config = Config::read(|name| {
            let mut all = [("ENVIRONMENT", "development")].iter().chain(vars);
            let found = all.find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        config.map(|config| config.backup)
    }

    fn at(hour: &str) -> Backup {
        let vars = [
            ("BACKUP_HOUR", hour),
            ("BACKUP_SOURCE", SOURCE),
            ("BACKUP_TOKEN", TOKEN),
        ];
        read(&vars).unwrap().unwrap()
    }

    #[test]
    fn a_night_has_three_hours_and_the_date_of_its_start() {
        let hours = |day: u64, hour: u64| day * DAY_MS + hour * HOUR_MS;
        let backup = at("23");
        assert_eq!(backup.night(hours(5, 23)), Some(5));
        assert_eq!(backup.night(hours(6, 1) + HOUR_MS - 1), Some(5));
        assert_eq!(backup.night(hours(6, 2)), None);
        assert_eq!(backup.night(hours(5, 22)), None);
        assert_eq!(backup.night(0), None);
        assert_eq!(at("0").night(hours(7, 0)), Some(7));
        assert_eq!(
            backup.path,
            "/accounts/0123456789abcdef0123456789abcdef/d1/database/7d1f0000-0000-4000-8000-00000000c0de"
        );
    }

    #[test]
    fn backups_need_a_source_and_a_token_that_is_never_shown() {
        assert!(read(&[("BACKUP_TOKEN", TOKEN)]).unwrap().is_none());
        let shown = format!("{:?}", at("3"));
        assert!(!shown.contains(TOKEN), "{shown}");
        let error = read(&[("BACKUP_HOUR", "3")]).unwrap_err().0;
        assert!(
            error.contains("`BACKUP_SOURCE`") && error.contains("`BACKUP_TOKEN`"),
            "{error}"
        );
        for (source, token) in [
            ("", TOKEN),
            ("a/b", TOKEN),
            (
                "0123456789abcdef0123456789abcdef/../database/aaaaaaaaaaaaaaaaaaaaaaaaaa",
                TOKEN,
            ),
            (SOURCE, "short"),
            (SOURCE, "a-token-of-the platform"),
        ] {
            let vars = [
                ("BACKUP_HOUR", "3"),
                ("BACKUP_SOURCE", source),
                ("BACKUP_TOKEN", token),
            ];
            let error = read(&vars).unwrap_err().0;
            assert!(token == TOKEN || !error.contains(token), "{error}");
        }
        for wrong in ["24", "-1", "night", "3:00"] {
            assert!(read(&[("BACKUP_HOUR", wrong)]).is_err(), "{wrong}");
        }
        for wrong in ["0", "366", "month"] {
            assert!(read(&[("BACKUP_DAYS", wrong)]).is_err(), "{wrong}");
        }
    }
}
