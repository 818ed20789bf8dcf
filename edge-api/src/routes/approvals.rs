//! `/approvals` (`docs/interface.md`, "Approvals").

use order_core::{Address, ApprovalRequest, Code, Draft, Request, RequestKind};

use super::records::{create_record, page};
use crate::api;
use crate::db::Page;
use crate::failure::Failure;
use crate::records::{self, Lookup, Record};
use crate::web::{Handled, Ids, Input, Route, Statuses, ok, private, query};

query! {
    /// The parameters of the list of approvals.
    pub(super) struct ApprovalQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        references ("filterIds"): Ids<String>,
        /// Only items with one of these statuses.
        statuses ("statuses"): Statuses,
    }
}

pub(super) const ROUTES: &[Route] = &[
    // The interface specification has no 400014 (missing information) for creating an approval.
    Route::post("/approvals", private!(Orders, create))
        .json::<api::bodies::ApprovalRequest>()
        .unidentified()
        .answers::<api::Approval>("createApproval", "Create an approval")
        .details("Without a claim, the answer has the status 422 and the hash to sign.")
        .statuses(&[201, 200])
        .errors(&[
            Code::ApproveCreationFailed,
            Code::FieldNotValid,
            Code::LedgerBlocked,
            Code::TokenReceiverNotAllowed,
            Code::TooMuchGas,
        ])
        .errors_between(&[
            (Code::ApproveMissing, Code::ApproveLedgerNotApproved),
            (
                Code::ValueApproveLedgerMissing,
                Code::ValueApproveExpirationMissing,
            ),
        ]),
    Route::get("/approvals", private!(Read, list))
        .query::<ApprovalQuery>()
        .lists::<api::Approval>("getApprovals", "List approvals"),
    Route::get("/approvals/:approvalRef", private!(Read, get, ApprovalRef))
        .answers::<api::Approval>("getApproval", "Get an approval")
        .errors(&[Code::ApprovalNotFound]),
];

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
    let query: ApprovalQuery = input.query.parsed()?;
    let lookup = Lookup {
        references: query.references,
        statuses: query.statuses,
        ..Lookup::new(RequestKind::Approval, caller, query.page)
    };
    page(input, lookup, view).await
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
