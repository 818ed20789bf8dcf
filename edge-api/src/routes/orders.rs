//! `/orders` (interface specification, "Orders").

use order_core::{Address, ClaimText, Code, OrderRequest, Request, RequestKind, SignerClaim};
use serde_json::{Value, json};

use super::records::{create_record, page};
use crate::failure::Failure;
use crate::records::orders::{find, is_party, readable};
use crate::records::{self, Record};
use crate::text::timestamp;
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
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let record = find(input.ctx, input.params.get("orderRef")).await?;
    if !readable(&record, &caller) {
        return Err(Failure::code(Code::OrderNotFound));
    }
    ok(view(&record, &caller))
}

/// PUT /orders/:orderRef/sign
pub(super) async fn sign(input: &Input<'_>, caller: Address) -> Handled {
    let claim = input.body.get("claim").and_then(Value::as_str);
    let (reference, claim) = (input.params.get("orderRef"), claim.unwrap_or_default());
    let signed = records::sign(input.ctx, input.ledger, reference, caller, claim).await?;
    signed.answered(|record| Success::ok(view(record, &caller)))
}

/// PUT /orders/:orderRef/perform
pub(super) async fn perform(input: &Input<'_>, caller: Address) -> Handled {
    let queued = records::queue(input.ctx, input.params.get("orderRef"), caller).await?;
    queued.answered(|record| Success::ok(view(record, &caller)))
}

/// DELETE /orders/:orderRef
pub(super) async fn cancel(input: &Input<'_>, caller: Address) -> Handled {
    let canceled = records::cancel(input.ctx, input.params.get("orderRef"), caller).await?;
    canceled.answered(|record| Success::ok(view(record, &caller)))
}

/// The order as the account may see it: claims are for those who have a part in it, because a claim is all that a
/// stranger lacks.
fn view(record: &Record, account: &Address) -> Value {
    let Request::Order(request) = &record.request else {
        return Value::Null;
    };
    let party = is_party(record, account);
    let signer = |signer: &SignerClaim| {
        let claim = signer
            .claim
            .as_ref()
            .filter(|_| party)
            .map_or("", ClaimText::as_str);
        json!({ "accountId": signer.account_id, "claim": claim })
    };
    json!({
        "ref": record.reference,
        "status": record.status.number(),
        "priority": record.priority,
        "automatedPerform": request.automated_perform,
        "wildcardSigner": request.wildcard_signer,
        "order": {
            "seed": request.order.seed,
            "expiration": request.order.expiration,
            "signers": request.order.signers.iter().map(signer).collect::<Vec<_>>(),
            "wildcardClaim": request.order.wildcard_claim.as_ref().map(signer),
            "actions": request.order.actions,
        },
        "hash": record.hash,
        "creatorId": record.creator,
        "error": record.error,
        "txHash": record.tx_hash,
        "createdAt": timestamp(record.created_at),
        "updatedAt": timestamp(record.updated_at),
    })
}
