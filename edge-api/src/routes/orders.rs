//! `/orders` (`docs/interface.md`, "Orders").

use order_core::{Address, Code, OrderRequest, Request, RequestKind, SignerClaim};
use serde_json::Value;

use super::records::{create_record, page};
use crate::api;
use crate::failure::Failure;
use crate::records::orders::{find, is_party, readable};
use crate::records::{self, Record};
use crate::web::{Handled, Input, Success, ok};

/// POST /orders
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let request = OrderRequest::parse(&input.body, input.ctx.now())?;
    let request = Request::Order(Box::new(request));
    create_record(input, caller, request, |record| view(record, &caller)).await
}

/// GET /orders
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let view = |record: &Record| view(record, &caller);
    page(input, caller, RequestKind::Order, view).await
}

/// GET /orders/:orderRef
pub(super) async fn get(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let record = find(input.ctx, reference).await?;
    if !readable(&record, &caller) {
        return Err(Failure::code(Code::OrderNotFound));
    }
    ok(view(&record, &caller))
}

/// PUT /orders/:orderRef/sign
pub(super) async fn sign(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let claim = input.body.get("claim").and_then(Value::as_str);
    let claim = claim.unwrap_or_default();
    let signed = records::sign(input.ctx, input.ledger, reference, caller, claim).await?;
    signed.answered(|record| Success::ok(view(record, &caller)))
}

/// PUT /orders/:orderRef/perform
pub(super) async fn perform(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let queued = records::queue(input.ctx, reference, caller).await?;
    queued.answered(|record| Success::ok(view(record, &caller)))
}

/// DELETE /orders/:orderRef
pub(super) async fn cancel(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let canceled = records::cancel(input.ctx, input.ledger, reference, caller).await?;
    canceled.answered(|(record, on_chain)| {
        let meta = api::OrderMeta {
            on_chain: *on_chain,
        };
        Success::with_meta(view(record, &caller), meta)
    })
}

/// Returns the order as the account may see it. Only the order's parties see its claims, because any other account could
/// use the claims to submit the order.
fn view(record: &Record, account: &Address) -> Option<api::Order> {
    let Request::Order(request) = &record.request else {
        return None;
    };
    let party = is_party(record, account);
    let signer = |signer: &SignerClaim| api::Signer {
        account_id: signer.account_id,
        claim: api::ClaimOrNone(signer.claim.clone().filter(|_| party)),
    };
    Some(api::Order {
        reference: api::Ref(record.reference.clone()),
        status: record.status,
        priority: record.priority,
        automated_perform: request.automated_perform,
        wildcard_signer: request.wildcard_signer,
        order: api::OrderContent {
            seed: request.order.seed,
            expiration: request.order.expiration,
            signers: request.order.signers.iter().map(signer).collect(),
            wildcard_claim: request.order.wildcard_claim.as_ref().map(signer),
            actions: request.order.actions.clone(),
        },
        hash: api::Hash(record.hash.clone()),
        creator_id: record.creator,
        error: record.error.clone(),
        tx_hash: api::TransactionHash(record.tx_hash.clone()),
        created_at: api::Timestamp(record.created_at),
        updated_at: api::Timestamp(record.updated_at),
    })
}
