//! `/approvals` (interface specification, "Approvals").

use order_core::{Address, ApprovalRequest, Code, Request, RequestKind};
use serde_json::{Value, json};

use super::records::{create_record, page};
use crate::failure::Failure;
use crate::records::{self, Record};
use crate::text::timestamp;
use crate::web::{Handled, Input, ok};

/// POST /approvals
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let request = ApprovalRequest::parse(&input.body, input.ctx.now())?;
    let request = Request::Approval(Box::new(request));
    create_record(input, caller, request, view).await
}

/// GET /approvals
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    page(input, caller, RequestKind::Approval, view).await
}

/// GET /approvals/:approvalRef
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let (db, reference) = (input.ctx.db(), input.params.get("approvalRef"));
    let found = records::by_reference(db, RequestKind::Approval, reference).await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => ok(view(&record)),
        None => Err(Failure::code(Code::ApprovalNotFound)),
    }
}

/// `{ref, status, priority, approval, claim, hash, error, txHash, createdAt, updatedAt}`
fn view(record: &Record) -> Value {
    let Request::Approval(request) = &record.request else {
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
