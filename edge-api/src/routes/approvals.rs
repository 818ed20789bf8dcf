//! `/approvals` (`docs/interface.md`, "Approvals").

use order_core::{Address, ApprovalRequest, Code, Draft, Request, RequestKind};

use super::records::{RecordQuery, create_record, page};
use crate::api;
use crate::failure::Failure;
use crate::records::{self, Record};
use crate::web::{Handled, Input, ok};

/// POST /approvals
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    match ApprovalRequest::read(&input.body, input.ctx.now())? {
        Draft::Signed(request) => {
            let request = Request::Approval(Box::new(request));
            create_record(input, caller, request, view).await
        }
        Draft::Unsigned(content) => records::unsigned(input.ctx, input.ledger, &content).await,
    }
}

/// GET /approvals
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: RecordQuery = input.query.parsed()?;
    page(input, query.lookup(RequestKind::Approval, caller), view).await
}

/// GET /approvals/:approvalRef
pub(super) async fn get(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let found = records::by_reference(input.ctx.db(), RequestKind::Approval, reference).await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => ok(view(&record)),
        None => Err(Failure::code(Code::ApprovalNotFound)),
    }
}

/// Returns the approval as its creator sees it.
fn view(record: &Record) -> Option<api::Approval> {
    let Request::Approval(request) = &record.request else {
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
