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
    /// The platform's id of the deployed version that answers. Null on a host without versions.
    pub(crate) version_id: Option<String>,
    /// The text to sign for the Authorization header.
    pub(crate) authorization_text: String,
    /// `on`, or `off` if the service does not accept the signed Authorization header.
    pub(crate) legacy_auth: &'static str,
    /// The settings in force that weaken the service's security.
    pub(crate) weakening: Vec<&'static str>,
    /// `embedded`: the service's own database is the ledger. `evm`: contracts on a chain are the ledger.
    pub(crate) ledger: &'static str,
    /// The state of the chain. Null for the embedded ledger.
    pub(crate) chain: Option<ChainHealth>,
    /// `on`, or `off` if all actions are free.
    pub(crate) payments: &'static str,
    pub(crate) rate_limits: RateLimits,
    /// The limits for hosted files. Null if the service hosts no files.
    pub(crate) files: Option<FileLimits>,
    /// `on`, or `off` if the service has no status lists for badges.
    pub(crate) status_lists: &'static str,
    /// The operator's message while changes are paused. Otherwise null.
    pub(crate) pause: Option<String>,
}

/// The operator of the service, and what the service offers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operator {
    /// The name of the person or organisation. Null if the operator has not stated it.
    pub(crate) name: Option<String>,
    /// An e-mail address or an https address. Null if the operator has not stated it.
    pub(crate) contact: Option<String>,
    /// The contact as an address for a link: `mailto:…` or `https://…`.
    pub(crate) contact_url: Option<String>,
    /// The address of the imprint, which names who is responsible for the service.
    pub(crate) imprint_url: Option<String>,
    /// The address of the privacy notice.
    pub(crate) privacy_url: Option<String>,
    /// `anyone`, or `chosen` if only accounts that the operator has chosen may deploy ledgers.
    pub(crate) deployers: &'static str,
    /// `on`, or `off` if the service keeps no short links, because it hosts no files.
    pub(crate) short_links: &'static str,
    /// `on`, or `off` if the service has no status lists for badges.
    pub(crate) status_lists: &'static str,
}

/// The state of the ledger's chain, and of the service's account on the chain.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainHealth {
    /// The chain id (EIP-155).
    pub(crate) id: u64,
    /// The number of the chain's last block. Null if the chain could not be queried.
    pub(crate) head: Option<u64>,
    /// The number of the last final block. Null if the chain could not be queried.
    #[serde(rename = "final")]
    pub(crate) final_block: Option<u64>,
    /// The number of the last block that the service has read. Null if the settings were never checked against the chain.
    pub(crate) indexed: Option<u64>,
    /// The account that sends transactions. Null if the chain could not be queried.
    pub(crate) relayer: Option<RelayerHealth>,
    /// The reason why the chain could not be queried. Null if it could.
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
    /// The reason why no new transactions are sent: `price` if gas costs more than `FEE_CAP_GWEI`, or `funds` if the balance is too low.
    /// Null if they are sent.
    pub(crate) paused: Option<&'static str>,
    /// The age in milliseconds of the oldest signed transaction that no block contains yet. Null if there is no such transaction.
    pub(crate) oldest_ms: Option<u64>,
}

/// The rate limits in force, as `requests/seconds`, such as `300/10`. Null means no limit.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateLimits {
    /// The limit for each client address.
    pub(crate) address: Option<String>,
    /// The limit for each account.
    pub(crate) account: Option<String>,
}
