//! Approvals: the shape of their answers.

use crate::api;
use crate::records::{Record, Work};

/// The approval as its creator sees it.
pub(crate) fn view(record: &Record) -> Option<api::Approval> {
    let Work::Approval(request) = &record.work else {
        return None;
    };
    Some(api::Approval {
        reference: api::Ref(record.reference.clone()),
        status: record.status,
        priority: record.priority,
        approval: request.approval.clone(),
        claim: request.claim.clone(),
        hash: api::Hash(record.hash.clone()),
        error: record.error.clone(),
        tx_hash: api::TransactionHash(record.tx_hash.clone()),
        created_at: api::Timestamp(record.created_at),
        updated_at: api::Timestamp(record.updated_at),
    })
}
