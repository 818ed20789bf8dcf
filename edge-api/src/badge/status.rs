//! An asset's status, such as in force, withdrawn, expired or replaced.

use cert_core::verdict::{self, Ended, Record, Status};

use super::verdict::Outcome;
use crate::api::{AssetStatus, StatusKind, Timestamp};
use crate::ledger::projection::Certified;

/// Returns the status of an asset at `now`, in milliseconds since 1970. `outcome` has the earlier imprint that the documents
/// belong to, if there is one, and their expiry date.
pub(super) fn status(certified: &Certified, outcome: &Outcome, now: u64) -> AssetStatus {
    let (record, withdrawal, past) = match certified {
        Certified::NoLedger => (Record::UnknownLedger, None, &[][..]),
        Certified::Never(_) => (Record::NeverIssued, None, &[][..]),
        Certified::Withdrawn {
            ledger,
            withdrawal,
            past,
        } => {
            let since = Some(withdrawal.withdrawn_at);
            let withdrawal = Some((ledger, withdrawal));
            (Record::Withdrawn { since }, withdrawal, past.as_slice())
        }
        Certified::InForce {
            ledger,
            asset,
            before,
            past,
        } => {
            let since = Some(asset.created_at);
            let before = before.as_ref().map(|before| (ledger, before));
            (Record::OnLedger { since }, before, past.as_slice())
        }
    };
    // The entry of an imprint may be deleted after the documents have been checked.
    let earlier = outcome.earlier.map(|imprint| {
        let past = past.iter().find(|past| past.imprint == imprint);
        past.map_or_else(Ended::default, |past| Ended {
            at: Some(past.ended_at),
            withdrawn: past.withdrawn,
        })
    });
    let Status { kind, since } = verdict::status(record, earlier, outcome.expires_at, now);
    // The documents may belong to an asset that was destroyed before the last withdrawal. Its reason is not known.
    let withdrawal = withdrawal.filter(|(_, withdrawal)| {
        kind == StatusKind::Withdrawn && since == Some(withdrawal.withdrawn_at)
    });
    AssetStatus {
        kind,
        since: since.map(Timestamp),
        reason: withdrawal.and_then(|(_, withdrawal)| withdrawal.reason.clone()),
        reason_by: withdrawal.and_then(|(ledger, withdrawal)| withdrawal.reason_author(ledger)),
        expires_at: outcome.expires_at.map(Timestamp),
    }
}
