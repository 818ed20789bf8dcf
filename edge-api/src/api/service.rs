//! The answer of `/health`.

use serde::Serialize;

use super::FileLimits;

/// The instance and its settings.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    pub(crate) service: String,
    pub(crate) version: &'static str,
    /// The text that the Authorization header signs.
    pub(crate) authorization_text: String,
    /// `on`, or `off` if the service does not accept the signed Authorization header.
    pub(crate) legacy_auth: &'static str,
    /// The settings in force that weaken the service's security.
    pub(crate) weakening: Vec<&'static str>,
    /// `on`, or `off` if all actions are free.
    pub(crate) payments: &'static str,
    pub(crate) rate_limits: RateLimits,
    /// The bounds on hosted files. Null: the service hosts none.
    pub(crate) files: Option<FileLimits>,
}

/// The rate limits in force, as `requests/seconds`, such as `300/10`. Null: no limit.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateLimits {
    /// Requests of a client address.
    pub(crate) address: Option<String>,
    /// Requests of an account.
    pub(crate) account: Option<String>,
}
