//! Deployments: the shape of their answers.

use crate::api;
use crate::records::{Record, Work};

/// The deployment as its creator sees it.
pub(crate) fn view(record: &Record) -> Option<api::Deployment> {
    let Work::Deployment(request) = &record.work else {
        return None;
    };
    let made = record.made.as_ref();
    Some(api::Deployment {
        reference: api::Ref(record.reference.clone()),
        status: record.status,
        priority: record.priority,
        deploy: request.deploy.clone(),
        claim: request.claim.clone(),
        hash: api::Hash(record.hash.clone()),
        ledger_ref: made.map(|made| api::Ref(made.ledger_ref.clone())),
        ledger_id: made.map(|made| made.ledger_id),
        error: record.error.clone(),
        tx_hash: api::TransactionHash(record.tx_hash.clone()),
        created_at: api::Timestamp(record.created_at),
        updated_at: api::Timestamp(record.updated_at),
    })
}
