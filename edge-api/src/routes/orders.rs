//! `/orders` (`docs/interface.md`, "Orders").

use order_core::{Address, Code, OrderRequest, Request, RequestKind, SignerClaim};
use serde_json::Value;

use super::records::{create_record, page};
use crate::api;
use crate::db::Page;
use crate::failure::Failure;
use crate::records::orders::{find, is_party, readable};
use crate::records::{self, Lookup, Record, Role};
use crate::web::{Handled, Ids, Input, Named, Names, Route, Statuses, Success, ok, private, query};

impl Named for Role {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(&self) -> &str {
        match self {
            Self::Creator => "creator",
            Self::Signer => "signer",
            Self::Invited => "invited",
        }
    }
}

query! {
    /// The parameters of the list of orders.
    pub(super) struct OrderQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        references ("filterIds"): Ids<String>,
        /// Only items with one of these statuses.
        statuses ("statuses"): Statuses,
        /// Only orders in which the caller has one of these roles. `creator`: created the order. `signer`: signed
        /// or canceled an order of another account. `invited`: the order waits for the caller's signature. Defaults
        /// to `creator` and `signer`, unless `filterIds` is given.
        roles ("roles"): Names<Role>,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::post("/orders", private!(Orders, create))
        .json::<api::bodies::OrderRequest>()
        .answers::<api::Order>("createOrder", "Create an order")
        .details(
            "An order that has all its signatures is performed immediately, unless \
             `automatedPerform` is false. The answer then has the status 7 (Finalized), or 1 \
             (Pending) if the order is queued: on a chain, and while many orders are \
             performed at the same time. If one of the order's parties sends it again, the \
             service adds missing claims and answers 200 with the stored order. An order \
             that is still open after 30 days is canceled, unless an account other than its \
             creator has signed it and has tokens or abilities.",
        )
        .statuses(&[201, 200])
        .errors(&[
            Code::LedgerBlocked,
            Code::SignatureNotValid,
            Code::LedgerNotFound,
            Code::AssetNotFound,
            Code::HashAlreadyUsed,
            Code::AssetIdMissing,
            Code::AssetImprintMissing,
            Code::AssetLedgerMissing,
            Code::ActionImprintNotValid,
            Code::FieldNotValid,
            Code::TooManyOpen,
        ])
        .errors_between(&[
            (Code::OrderMakerMissing, Code::ActionValueMissing),
            (Code::OrderMissing, Code::AssetIdNotUnique),
            (Code::ActionPartyMissing, Code::ManageNotAllowed),
            (Code::ActionValueNotValid, Code::UpdateProxyNotAble),
            (Code::DestroyNotApproved, Code::DestroyNotCapable),
            (Code::TokenReceiverNotAllowed, Code::RevokeNotOnChain),
        ]),
    Route::get("/orders", private!(Read, list))
        .query::<OrderQuery>()
        .lists::<api::Order>("getOrders", "List orders")
        .details(
            "Lists orders that the caller created, signed or canceled. With \
             `roles=invited`, lists orders that wait for the caller's signature.",
        ),
    Route::get("/orders/:orderRef", private!(Read, get, OrderRef))
        .answers::<api::Order>("getOrder", "Get an order")
        .errors(&[Code::OrderNotFound]),
    Route::delete("/orders/:orderRef", private!(Orders, cancel, OrderRef))
        .answers::<api::Order>("cancelOrder", "Cancel an order")
        .details(
            "Only a listed signer can cancel an order, and only while the order is \
             initialized.",
        )
        .meta::<api::OrderMeta>()
        .errors(&[
            Code::NotASigner,
            Code::OrderNotFound,
            Code::OrderStateNotValid,
        ]),
    // The interface specification has no 400014 (missing information) for signing.
    Route::put("/orders/:orderRef/sign", private!(Orders, sign, OrderRef))
        .json::<api::bodies::SignRequest>()
        .unidentified()
        .answers::<api::Order>("signOrder", "Sign an order")
        .details(
            "Only an initialized order can be signed. An account that is not a listed \
             signer signs as the order's wildcard signer, if the order has one and no \
             account has taken this place.",
        )
        .errors(&[
            Code::LedgerBlocked,
            Code::SignatureNotValid,
            Code::AssetNotFound,
            Code::AssetIdNotUnique,
            Code::ManageProxyNotAble,
            Code::ManageNotAllowed,
        ])
        .errors_between(&[
            (Code::NotASigner, Code::OrderStateNotValid),
            (Code::CreateNotAllowed, Code::UpdateProxyNotAble),
            (Code::DestroyNotApproved, Code::DestroyNotCapable),
            (Code::TokenReceiverNotAllowed, Code::RevokeNotCapable),
        ]),
    Route::put(
        "/orders/:orderRef/perform",
        private!(Orders, perform, OrderRef),
    )
    .answers::<api::Order>("performOrder", "Perform an order")
    .details("Only an order that is initialized and fully signed can be performed.")
    .errors(&[
        Code::OrderNotReady,
        Code::OrderNotFound,
        Code::OrderStateNotValid,
    ]),
];

/// POST /orders
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let request = OrderRequest::parse(&input.body, input.ctx.now())?;
    let request = Request::Order(Box::new(request));
    create_record(input, caller, request, |record| view(record, &caller)).await
}

/// GET /orders
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: OrderQuery = input.query.parsed()?;
    let lookup = Lookup {
        references: query.references,
        statuses: query.statuses,
        roles: query.roles,
        ..Lookup::new(RequestKind::Order, caller, query.page)
    };
    page(input, lookup, |record| view(record, &caller)).await
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
    let signed = records::sign(
        input.ctx,
        input.ledger,
        reference,
        caller,
        claim,
        input.conflicts.get(),
    )
    .await?;
    signed.answered(|record| Success::ok(view(record, &caller)))
}

/// PUT /orders/:orderRef/perform
pub(super) async fn perform(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let queued = records::queue(
        input.ctx,
        input.ledger,
        reference,
        caller,
        input.conflicts.get(),
    )
    .await?;
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
