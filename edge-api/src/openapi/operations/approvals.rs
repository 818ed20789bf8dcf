//! Descriptions of the approval routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::Approval;
use crate::api::bodies::ApprovalRequest;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Approval>(
            Method::POST,
            "/approvals",
            "createApproval",
            "Create an approval",
        )
        .text("Without a claim, the answer has the status 422 and the hash to sign.")
        .body::<ApprovalRequest>()
        .statuses(&[201, 200])
        .errors(&[
            Code::ApproveCreationFailed,
            Code::FieldNotValid,
            Code::LedgerBlocked,
            Code::TokenReceiverNotAllowed,
            Code::TooMuchGas,
        ])
        .errors_between(Code::ApproveMissing, Code::ApproveLedgerNotApproved)
        .errors_between(
            Code::ValueApproveLedgerMissing,
            Code::ValueApproveExpirationMissing,
        ),
        Operation::list::<Approval>("/approvals", "getApprovals", "List approvals"),
        Operation::one::<Approval>(
            Method::GET,
            "/approvals/:approvalRef",
            "getApproval",
            "Get an approval",
        )
        .errors(&[Code::ApprovalNotFound]),
    ]
}
