//! `/approvals` (interface specification, "Approvals").

use order_core::{Address, ApprovalRequest, Code};

use crate::app::{Call, Input};
use crate::approvals::view;
use crate::http::{Failure, Success};
use crate::records::{self, Kind};
use crate::routes::records::page;

/// POST /approvals
pub(super) async fn create(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let request = ApprovalRequest::parse(&input.body, call.now())?;
    let work = records::Work::Approval(Box::new(request));
    records::create(call, caller, work, view).await
}

/// GET /approvals
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    page(call, input, caller, Kind::Approval, view).await
}

/// GET /approvals/:approvalRef
pub(super) async fn get(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let reference = input.params.get("approvalRef");
    let found = records::by_reference(call.db(), Kind::Approval, reference).await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => Success::ok(view(&record)),
        None => Err(Failure::code(Code::ApprovalNotFound)),
    }
}
