//! Answers of `/ledgers/:ledgerRef/status-entries`.

use order_core::AssetId;
use serde::Serialize;

/// Places in the status lists of a ledger, in the order of the request.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusEntries {
    pub(crate) entries: Vec<StatusEntry>,
}

/// The place of a certificate. The address of its list is `/status/<address of the ledger>/<list>`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusEntry {
    pub(crate) asset_id: AssetId,
    /// As in the request.
    pub(crate) imprint: String,
    /// The number of the list.
    pub(crate) list: u32,
    /// The index of the certificate's bit in the list, below 131,072.
    pub(crate) index: u32,
}
