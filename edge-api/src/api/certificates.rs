//! Answers about certificates: the assets of all registers of an account, with their history.

use order_core::{Address, AssetId, Imprint};
use serde::Serialize;

use super::{Ref, Timestamp};

/// Whether a certificate is valid.
///
/// - `in-force`: the asset exists, with its first imprint.
/// - `replaced`: the asset exists, with another imprint than at first. Only the document with the present imprint is valid.
/// - `withdrawn`: the asset was destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CertificateStatus {
    InForce,
    Replaced,
    Withdrawn,
}

/// A certificate of one of the caller's registers. The asset's fields of a withdrawn certificate are those before its destruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Certificate {
    pub(crate) id: AssetId,
    pub(crate) ledger_ref: Ref,
    pub(crate) ledger_id: Address,
    /// Null if the owner of a withdrawn certificate is not known.
    pub(crate) owner_id: Option<Address>,
    /// Null if the imprint of a withdrawn certificate is not known.
    pub(crate) imprint: Option<Imprint>,
    /// The address of the asset's public metadata.
    pub(crate) uri: String,
    pub(crate) created_at: Timestamp,
    /// The time of the last change.
    pub(crate) updated_at: Timestamp,
    /// The account that signed the creation. Null if this service does not have the order.
    pub(crate) created_by: Option<Address>,
    pub(crate) status: CertificateStatus,
    /// The time at which the asset last got another imprint.
    pub(crate) replaced_at: Option<Timestamp>,
    /// The time of the withdrawal.
    pub(crate) ended_at: Option<Timestamp>,
    /// The account that signed the withdrawal. Null if this service does not have the order.
    pub(crate) ended_by: Option<Address>,
    /// The public reason of the withdrawal.
    pub(crate) reason: Option<String>,
}

/// The number of a register's certificates in each month. Months without certificates are left out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CertificateCounts {
    pub(crate) ledger_ref: Ref,
    pub(crate) ledger_id: Address,
    /// The last 120 months with certificates, the newest first.
    pub(crate) months: Vec<MonthCounts>,
}

/// The number of certificates that were issued in a month, by their present status. An id that was issued twice counts twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct MonthCounts {
    /// The month of the issue in UTC, as in `2026-11`.
    pub(crate) month: String,
    pub(crate) issued: u64,
    pub(crate) in_force: u64,
    pub(crate) replaced: u64,
    pub(crate) withdrawn: u64,
}

/// A kind of change of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AssetChangeKind {
    Issued,
    Transferred,
    Replaced,
    Withdrawn,
}

/// A change of an asset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssetChange {
    pub(crate) kind: AssetChangeKind,
    pub(crate) at: Timestamp,
    /// The account that signed the action. Null if this service does not have the order.
    pub(crate) by: Option<Address>,
    /// The order. Null if this service does not have it. Only the order's parties can read it.
    pub(crate) order_ref: Option<Ref>,
    /// The imprint that the change ended, for `replaced` and `withdrawn`.
    pub(crate) past_imprint: Option<Imprint>,
    /// The previous owner, for `transferred`.
    pub(crate) from_id: Option<Address>,
    /// The new owner, for `transferred`.
    pub(crate) to_id: Option<Address>,
    /// The public reason, for the last withdrawal.
    pub(crate) reason: Option<String>,
    /// The account that gave the reason.
    pub(crate) reason_by: Option<Address>,
}

/// The history of an asset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssetHistory {
    pub(crate) ledger_ref: Ref,
    pub(crate) ledger_id: Address,
    pub(crate) id: AssetId,
    /// The newest first: at most 100 replacements and withdrawals, and at most 100 transfers.
    pub(crate) changes: Vec<AssetChange>,
}
