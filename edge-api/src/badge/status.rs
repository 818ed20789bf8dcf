//! An asset's status on its ledger.

use crate::api::{AssetStatus, StatusKind, Timestamp};
use crate::ledger::projection::Certified;

/// Returns the status of an asset.
pub(super) fn status(certified: &Certified) -> AssetStatus {
    let (kind, since) = match certified {
        Certified::NoLedger => (StatusKind::UnknownLedger, None),
        Certified::Never(_) => (StatusKind::NeverIssued, None),
        Certified::Withdrawn(_, withdrawal) => {
            (StatusKind::Withdrawn, Some(withdrawal.withdrawn_at))
        }
        Certified::InForce(_, asset, _) => (StatusKind::InForce, Some(asset.created_at)),
    };
    AssetStatus {
        kind,
        since: since.map(Timestamp),
        reason: None,
        reason_by: None,
        expires_at: None,
    }
}
