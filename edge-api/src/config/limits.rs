//! Rate limits of an instance.

use crate::ports::Scope;

/// A number of requests in a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Maximum number of requests.
    pub requests: u32,
    /// Length of the window in seconds.
    pub seconds: u32,
}

impl Limit {
    /// The window lengths that the platform's rate limiter supports.
    const SECONDS: [u32; 2] = [10, 60];

    /// Parses `300/10`, which means 300 requests in 10 seconds. Returns `None` if the limit is not valid.
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

/// The rate limits of an instance. `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// `RATE_LIMIT_ADDRESS`
    pub address: Option<Limit>,
    /// `RATE_LIMIT_ACCOUNT`
    pub account: Option<Limit>,
}

impl Limits {
    /// Describes the valid values of a rate limit's setting.
    pub(crate) const FORM: &str =
        "`off`, or requests per window of 10 or 60 seconds, such as `300/10`";

    /// Parses a setting in the form that [`Limits::FORM`] describes. `None` is an error, and `Some(None)` means no limit.
    pub(crate) fn parse(text: &str) -> Option<Option<Limit>> {
        match text {
            "off" => Some(None),
            _ => Limit::parse(text).map(Some),
        }
    }

    /// Returns the limit of a scope. `None` means no limit.
    #[must_use]
    pub fn of(&self, scope: Scope) -> Option<Limit> {
        match scope {
            Scope::Address => self.address,
            Scope::Account => self.account,
        }
    }
}

/// Returns the variable that sets a scope's limit.
#[must_use]
pub(super) fn limit_variable(scope: Scope) -> &'static str {
    match scope {
        Scope::Address => "RATE_LIMIT_ADDRESS",
        Scope::Account => "RATE_LIMIT_ACCOUNT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_windows_that_the_platform_supports() {
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
