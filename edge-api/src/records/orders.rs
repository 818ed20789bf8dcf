//! Finds orders, and decides which accounts may read them.

use order_core::{Address, Code, Request, RequestKind, Status};

use super::{Record, by_reference};
use crate::context::Context;
use crate::failure::Failure;

/// Finds an order by its reference, or fails with 400011.
pub(crate) async fn find(ctx: &Context<'_>, reference: &str) -> Result<Record, Failure> {
    by_reference(ctx.db(), RequestKind::Order, reference)
        .await?
        .ok_or_else(|| Failure::code(Code::OrderNotFound))
}

/// Returns true if the account created the order, is asked to sign it, or fills the wildcard's place.
pub(crate) fn is_party(record: &Record, account: &Address) -> bool {
    record.creator == *account || record.request.claimants().contains(account)
}

/// Returns true if any account may still fill the wildcard's place.
pub(crate) fn waits_for_wildcard(record: &Record) -> bool {
    match &record.request {
        Request::Order(request) => {
            record.status == Status::Initialized
                && request.wildcard_signer
                && request.order.wildcard_claim.is_none()
        }
        Request::Deployment(_) | Request::Approval(_) => false,
    }
}

/// Returns true if the account may read the order. An account that could fill the wildcard's place must be able to read
/// the content that it signs.
pub(crate) fn readable(record: &Record, account: &Address) -> bool {
    is_party(record, account) || waits_for_wildcard(record)
}
