//! Answers about assets.

use order_core::{Address, AssetId, Imprint};
use serde::Serialize;

use super::{ReasonAuthor, Ref, Timestamp};

/// An asset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asset {
    pub(crate) id: AssetId,
    pub(crate) ledger_ref: Ref,
    pub(crate) ledger_id: Address,
    pub(crate) owner_id: Address,
    pub(crate) imprint: Imprint,
    /// The address of the asset's public metadata.
    pub(crate) uri: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// A destroyed asset, with the reason of its withdrawal.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssetWithdrawal {
    pub(crate) ledger_id: Address,
    pub(crate) asset_id: AssetId,
    pub(crate) withdrawn_at: Timestamp,
    pub(crate) reason: Option<String>,
    pub(crate) reason_by: Option<ReasonAuthor>,
}
