//! Approvals: the shape of their answers.

use serde_json::{Value, json};

use crate::records::{Record, Work};
use crate::text::timestamp;

/// `{ref, status, priority, approval, claim, hash, error, txHash, createdAt, updatedAt}`
pub(crate) fn view(record: &Record) -> Value {
    let Work::Approval(request) = &record.work else {
        return Value::Null;
    };
    json!({
        "ref": record.reference,
        "status": record.status.number(),
        "priority": record.priority,
        "approval": request.approval,
        "claim": request.claim,
        "hash": record.hash,
        "error": record.error,
        "txHash": record.tx_hash,
        "createdAt": timestamp(record.created_at),
        "updatedAt": timestamp(record.updated_at),
    })
}
