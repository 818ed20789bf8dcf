//! Answers of `/ledgers/:ledgerRef/wallet-offers`, and refusals of wallets' requests.

use serde::Serialize;

use super::Timestamp;

/// A credential that waits for a wallet.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WalletOffer {
    /// SHA-256 of the code, 64 hex digits. It names the offer.
    pub(crate) code_hash: String,
    /// The id of the credential configuration: `open-badge`, `open-badge-jwt` or `sd-jwt`.
    pub(crate) configuration: &'static str,
    pub(crate) expires_at: Timestamp,
}

/// The refusal of a wallet's request, as OAuth 2.0 demands (RFC 6749, section 5.2).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct WalletRefusal {
    /// The code of the error, such as `invalid_grant`.
    pub(crate) error: &'static str,
    /// A sentence for developers.
    pub(crate) error_description: &'static str,
}

/// An offer that was ended before a wallet used it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndedOffer {
    /// SHA-256 of the code, 64 hex digits.
    pub(crate) code_hash: String,
}
