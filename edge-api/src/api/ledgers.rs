//! Answers of `/ledgers`.

use order_core::{Abilities, Address, AssetId, Capabilities, Imprint, SchemaId};
use serde::Serialize;

use super::{Ref, Timestamp};

/// An asset ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ledger {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) id: Address,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) uri_prefix: String,
    pub(crate) uri_postfix: String,
    pub(crate) schema_id: SchemaId,
    pub(crate) capabilities: Capabilities,
    pub(crate) owner_id: Address,
    pub(crate) created_at: Timestamp,
}

/// An account's abilities on the ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LedgerAbility {
    pub(crate) account_id: Address,
    pub(crate) abilities: Abilities,
}

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
    /// The address of its public metadata.
    pub(crate) uri: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}
