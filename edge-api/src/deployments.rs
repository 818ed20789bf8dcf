//! Deployments: the shape of their answers.

use serde_json::{Value, json};

use crate::records::{Record, Work};
use crate::text::timestamp;

/// `{ref, status, priority, deploy, claim, hash, ledgerRef, ledgerId, error, txHash, createdAt, updatedAt}`
pub(crate) fn view(record: &Record) -> Value {
    let Work::Deployment(request) = &record.work else {
        return Value::Null;
    };
    json!({
        "ref": record.reference,
        "status": record.status.number(),
        "priority": record.priority,
        "deploy": request.deploy,
        "claim": request.claim,
        "hash": record.hash,
        "ledgerRef": record.made.as_ref().map(|made| &made.ledger_ref),
        "ledgerId": record.made.as_ref().map(|made| &made.ledger_id),
        "error": record.error,
        "txHash": record.tx_hash,
        "createdAt": timestamp(record.created_at),
        "updatedAt": timestamp(record.updated_at),
    })
}
