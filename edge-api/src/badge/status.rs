//! An asset's status, such as in force, withdrawn, expired or replaced.

use order_core::Imprint;

use super::verdict::Outcome;
use crate::api::{AssetStatus, StatusKind, Timestamp};
use crate::ledger::projection::{Certified, PastImprint};

/// Returns the status of an asset at `now`, in milliseconds since 1970. `outcome` has the earlier imprint that the documents
/// belong to, if there is one, and their expiry date.
pub(super) fn status(certified: &Certified, outcome: &Outcome, now: u64) -> AssetStatus {
    let plain = |kind, since: Option<u64>| AssetStatus {
        kind,
        since: since.map(Timestamp),
        reason: None,
        reason_by: None,
        expires_at: outcome.expires_at.map(Timestamp),
    };
    match certified {
        Certified::NoLedger => plain(StatusKind::UnknownLedger, None),
        Certified::Never(_) => plain(StatusKind::NeverIssued, None),
        Certified::Withdrawn {
            ledger, withdrawal, ..
        } => AssetStatus {
            reason: withdrawal.reason.clone(),
            reason_by: withdrawal.reason_author(ledger),
            ..plain(StatusKind::Withdrawn, Some(withdrawal.withdrawn_at))
        },
        Certified::InForce {
            ledger,
            asset,
            before,
            past,
        } => {
            let ended = outcome.earlier.map(|earlier| end_of(past, earlier));
            match (ended, outcome.expires_at) {
                // The documents belong to a destroyed asset. Its id was used again for a new asset.
                (Some(Some(ended)), _) if ended.withdrawn => {
                    let last = before.as_ref();
                    let own = last.filter(|before| before.withdrawn_at == ended.ended_at);
                    AssetStatus {
                        reason: own.and_then(|before| before.reason.clone()),
                        reason_by: own.and_then(|before| before.reason_author(ledger)),
                        ..plain(StatusKind::Withdrawn, Some(ended.ended_at))
                    }
                }
                (_, Some(expired)) if expired <= now => plain(StatusKind::Expired, Some(expired)),
                (Some(ended), _) => plain(StatusKind::Replaced, ended.map(|ended| ended.ended_at)),
                (None, _) => plain(StatusKind::InForce, Some(asset.created_at)),
            }
        }
    }
}

/// Returns the entry of an earlier imprint. `None` if the entry was deleted after the documents had been checked.
fn end_of(past: &[PastImprint], imprint: Imprint) -> Option<&PastImprint> {
    past.iter().find(|past| past.imprint == imprint)
}
