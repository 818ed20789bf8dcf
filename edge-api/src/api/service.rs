//! The answer of `/health`.

use order_core::Address;
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
    /// `embedded`: the service's own database is the ledger. `evm`: contracts on a chain are.
    pub(crate) ledger: &'static str,
    /// The state of the chain. Null with the embedded ledger.
    pub(crate) chain: Option<ChainHealth>,
    /// `on`, or `off` if all actions are free.
    pub(crate) payments: &'static str,
    pub(crate) rate_limits: RateLimits,
    /// The bounds on hosted files. Null: the service hosts none.
    pub(crate) files: Option<FileLimits>,
}

/// The chain of the ledger, its providers and the service's account on it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainHealth {
    /// The number of the chain (EIP-155).
    pub(crate) id: u64,
    /// The number of the chain's last block. Null if no provider answers.
    pub(crate) head: Option<u64>,
    /// The number of the last block that cannot be undone. Null if no provider answers.
    #[serde(rename = "final")]
    pub(crate) final_block: Option<u64>,
    /// The number of the last block that the service has read. Null if the settings were never checked against the chain.
    pub(crate) indexed: Option<u64>,
    /// The account that sends transactions. Null if no provider answers.
    pub(crate) relayer: Option<RelayerHealth>,
    /// A sentence if the chain could not be asked. Null if it could.
    pub(crate) problem: Option<&'static str>,
}

/// The account that sends the service's transactions and pays for their gas.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelayerHealth {
    pub(crate) address: Address,
    /// The balance in wei, as a decimal number.
    pub(crate) balance: String,
    /// The number of further orders that the balance pays for at the current price of gas.
    pub(crate) orders_left: u64,
    /// Why nothing new is sent: `price` if gas costs more than `FEE_CAP_GWEI`, `funds` if the balance is too low. Null if requests are
    /// sent.
    pub(crate) paused: Option<&'static str>,
    /// The age in milliseconds of the oldest signed transaction that is in no block yet. Null if there is none.
    pub(crate) oldest_ms: Option<u64>,
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
