//! Orders: the accounts that may read them.

use order_core::{Address, Code, Request, RequestKind, Status};

use super::{Record, by_reference};
use crate::context::Context;
use crate::failure::Failure;

/// The order of a reference, or 400011.
pub(crate) async fn find(ctx: &Context<'_>, reference: &str) -> Result<Record, Failure> {
    by_reference(ctx.db(), RequestKind::Order, reference)
        .await?
        .ok_or_else(|| Failure::code(Code::OrderNotFound))
}

/// Whether an account has a part in the order: created it, is to sign it, or filled the wildcard's place.
pub(crate) fn is_party(record: &Record, account: &Address) -> bool {
    record.creator == *account || record.request.claimants().contains(account)
}

/// Whether any account may still fill the wildcard's place.
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

/// Whether an account may read the order. Who fills a wildcard's place must read what is signed.
pub(crate) fn readable(record: &Record, account: &Address) -> bool {
    is_party(record, account) || waits_for_wildcard(record)
}
