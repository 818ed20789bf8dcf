//! The changes that the parties of an order can make: signing, queuing and canceling.
//!
//! An account that may not sign or cancel an open order gets 400009, even if it may not read the order. This reveals that the
//! order exists, but references cannot be guessed, and the interface specification has no other code. The specification
//! has no 400009 for performing. An account that may not perform an order gets the error for an unknown order.

use futures_util::future::LocalBoxFuture;
use order_core::{Address, ClaimText, Code, OrderRequest, Request, SignerClaim, Status};

use super::at_once::Attempt;
use super::orders::{find, is_party, readable, waits_for_wildcard};
use super::{Record, write};
use crate::context::Context;
use crate::db::Decision;
use crate::db::storage::{self, Payment};
use crate::failure::Failure;
use crate::ledger::{Cancellation, Ledger};
use crate::ports::{DatabaseError, Statement};

/// Returns the decision to add the caller's claim, either as a listed signer or in the wildcard's place.
pub(crate) async fn sign(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
    caller: Address,
    claim: &str,
    conflicts: u32,
) -> Result<Decision<Record>, Failure> {
    let record = find(ctx, reference).await?;
    let request = order(&record)?;
    waits(ctx, &record, &caller)?;
    let wildcard = request
        .order
        .wildcard_claim
        .as_ref()
        .filter(|signer| signer.account_id == caller);
    let slot = request
        .order
        .signers
        .iter()
        .position(|signer| signer.account_id == caller);
    if slot.is_none() && wildcard.is_none() && !waits_for_wildcard(&record) {
        return Err(Failure::code(Code::NotASigner));
    }
    let Some(claim) = ClaimText::new(claim) else {
        return Err(Failure::one(
            Code::ClaimMissing,
            "claim",
            "`claim` must be the caller's signature on the order's hash",
        ));
    };
    let present = slot
        .and_then(|index| request.order.signers.get(index))
        .or(wildcard);
    if present.is_some_and(|signer| signer.claim.is_some()) {
        return Err(Failure::code(Code::AlreadyClaimed));
    }
    verified(&record, caller, &claim)?;
    let mut signed = request.clone();
    match slot.and_then(|index| signed.order.signers.get_mut(index)) {
        Some(signer) => signer.claim = Some(claim),
        None => {
            signed.order.wildcard_claim = Some(SignerClaim {
                account_id: caller,
                claim: Some(claim),
            });
            allowed_as_wildcard(ctx, ledger, &signed).await?;
        }
    }
    let next = claimed(&record, signed, ctx.now());
    performed(ctx, ledger, &record, next, caller, conflicts).await
}

/// Returns the decision to queue a fully signed order, so it will be performed.
pub(crate) async fn queue(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
    caller: Address,
    conflicts: u32,
) -> Result<Decision<Record>, Failure> {
    let record = find(ctx, reference).await?;
    let request = order(&record)?;
    if !is_party(&record, &caller) {
        return Err(Failure::code(Code::OrderNotFound));
    }
    waits(ctx, &record, &caller)?;
    if !request.is_fully_signed() {
        return Err(unsigned(request));
    }
    let next = record.clone().pending(ctx.now());
    performed(ctx, ledger, &record, next, caller, conflicts).await
}

/// Returns the decision to cancel an order that waits for claims or for queuing, with the canceled record and a flag. The flag is
/// true if a party has already canceled the order on the chain. It is false if the chain does not know of the cancellation. The
/// flag is `None` if the ledger needs no cancellation of its own.
pub(crate) async fn cancel(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
    caller: Address,
) -> Result<Decision<(Record, Option<bool>)>, Failure> {
    let record = find(ctx, reference).await?;
    let request = order(&record)?;
    initialized(&record, &caller)?;
    if !request.order.is_signer(caller) {
        return Err(Failure::code(Code::NotASigner));
    }
    let on_chain = match ledger.cancel(ctx, &record.execution()).await? {
        Cancellation::Complete => None,
        Cancellation::OnChain => Some(true),
        Cancellation::RecordOnly => Some(false),
        Cancellation::TooLate => {
            let why = "the order was already performed on the chain";
            return Err(wrong_state(why.to_owned()));
        }
    };
    // A cancellation counts against no quota, so an exhausted quota cannot prevent it. An order can be canceled only once,
    // and takes less space afterwards.
    let next = record.canceled(Some(caller));
    let canceled = change(ctx, &record, next, caller, Vec::new())?.free();
    Ok(canceled.map(|record| (record, on_chain)))
}

/// Adds the claims of an order that one of its parties sends again: its creator, a listed signer, or the account that
/// takes the wildcard's place. The claims were already checked against the order's hash.
///
/// Returns `None` if the record is not an open order, or if the caller is not one of these parties. Also returns `None` if the
/// order already has all of the claims.
pub(super) async fn add_claims(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    existing: &Record,
    sent: &OrderRequest,
    caller: Address,
    conflicts: u32,
) -> Result<Option<Decision<Record>>, Failure> {
    let takes_part = is_party(existing, &caller) || sent.order.wildcard() == Some(caller);
    let is_open = existing.status == Status::Initialized && !existing.expired(ctx.now());
    let Request::Order(stored) = &existing.request else {
        return Ok(None);
    };
    let Some(signed) = with_claims(stored, sent).filter(|_| takes_part && is_open) else {
        return Ok(None);
    };
    if stored.order.wildcard() != signed.order.wildcard() {
        allowed_as_wildcard(ctx, ledger, &signed).await?;
    }
    let next = claimed(existing, signed, ctx.now());
    let decision = performed(ctx, ledger, existing, next, caller, conflicts).await?;
    Ok(Some(decision))
}

/// Returns the order in a record.
fn order(record: &Record) -> Result<&OrderRequest, Failure> {
    match &record.request {
        Request::Order(request) => Ok(request),
        Request::Deployment(_) | Request::Approval(_) => Err(Failure::code(Code::OrderNotFound)),
    }
}

/// Fails unless the order is open and has not expired. Only such an order can be signed or queued.
fn waits(ctx: &Context<'_>, record: &Record, caller: &Address) -> Result<(), Failure> {
    initialized(record, caller)?;
    if record.expired(ctx.now()) {
        let why = "the order has expired: create a new one";
        return Err(wrong_state(why.to_owned()));
    }
    Ok(())
}

/// Returns the stored order with the claims of the sent order added. The two orders have the same hash. Returns `None` if the
/// sent order has no further claims.
fn with_claims(stored: &OrderRequest, sent: &OrderRequest) -> Option<OrderRequest> {
    let mut signed = stored.clone();
    let pairs = signed.order.signers.iter_mut().zip(&sent.order.signers);
    for (signer, sent) in pairs {
        if signer.claim.is_none() && signer.account_id == sent.account_id {
            signer.claim.clone_from(&sent.claim);
        }
    }
    if signed.order.wildcard_claim.is_none() {
        signed
            .order
            .wildcard_claim
            .clone_from(&sent.order.wildcard_claim);
    }
    (signed != *stored).then_some(signed)
}

/// Returns the record with the signed order. The record becomes pending if the order is fully signed and performed automatically.
fn claimed(record: &Record, signed: OrderRequest, now: u64) -> Record {
    let complete = signed.is_fully_signed();
    let is_performed = signed.automated_perform && complete;
    let record = Record {
        request: Request::Order(Box::new(signed)),
        ..record.clone()
    };
    if is_performed {
        record.pending(now)
    } else {
        record
    }
}

fn wrong_state(message: String) -> Failure {
    Failure::one(Code::OrderStateNotValid, "", message)
}

/// Fails unless the order is open. Only accounts that may read the order learn its actual status.
fn initialized(record: &Record, caller: &Address) -> Result<(), Failure> {
    if record.status == Status::Initialized {
        return Ok(());
    }
    if !readable(record, caller) {
        return Err(Failure::code(Code::OrderStateNotValid));
    }
    Err(wrong_state(format!(
        "the order is {} ({}): it can be signed, performed or canceled only while it is {} (0)",
        record.status.name(),
        record.status.number(),
        Status::Initialized.name(),
    )))
}

/// Returns the failure for an order that waits for claims. It names the accounts that have not signed yet.
fn unsigned(request: &OrderRequest) -> Failure {
    let waiting = request.order.signers.iter();
    let mut names: Vec<String> = waiting
        .filter(|signer| signer.claim.is_none())
        .map(|signer| format!("`{}`", signer.account_id))
        .collect();
    if request.wildcard_signer && request.order.wildcard_claim.is_none() {
        names.push("the account that takes the wildcard's place".to_owned());
    }
    let message = format!("the order waits for the claims of {}", names.join(", "));
    Failure::one(Code::OrderNotReady, "", message)
}

/// Returns the decision to replace an order on the caller's behalf. If the order becomes pending, the ledger is embedded and its rules
/// allow the order, the same transaction performs it. Otherwise the order is queued.
///
/// The future is boxed, so that each caller does not contain its code.
fn performed<'a>(
    ctx: &'a Context<'_>,
    ledger: &'a dyn Ledger,
    record: &'a Record,
    next: Record,
    caller: Address,
    conflicts: u32,
) -> LocalBoxFuture<'a, Result<Decision<Record>, Failure>> {
    Box::pin(async move {
        if next.status == Status::Pending {
            let identity = ledger.identity(ctx).await?;
            if let Some(attempt) = Attempt::start(ctx, ledger, &identity, &next, conflicts).await {
                let rows = ctx.db().batch(attempt.reads()?).await?;
                let (snapshot, sums) = Attempt::read(rows)?;
                if let Ok(performed) = attempt.perform(ctx, &next, (&snapshot, sums))? {
                    let decision =
                        change(ctx, record, performed.record, caller, performed.statements)?;
                    return Ok(decision.logged(performed.line).holding(performed.permit));
                }
            }
        }
        Ok(change(ctx, record, next, caller, Vec::new())?)
    })
}

/// Returns the decision to replace an order on the caller's behalf. The statements in `performed` change the ledger.
fn change(
    ctx: &Context<'_>,
    record: &Record,
    next: Record,
    caller: Address,
    performed: Vec<Statement>,
) -> Result<Decision<Record>, DatabaseError> {
    // A change counts the bytes that it adds. If the order will be performed, its bytes are stored forever. If a shared
    // quota pays, it then counts all of these bytes once more.
    let payment = if write::is_queued(Some(record), &next) {
        Payment::from(storage::LASTING).with_more(write::lasting_bytes(&next)?)
    } else {
        storage::SIGNING.into()
    };
    let sponsors = [next.creator]
        .into_iter()
        .chain(next.request.signatories())
        .collect();
    let next = Record {
        updated_at: ctx.now(),
        ..next
    };
    let mut decision = write::replacement(ctx, "change", record, next, performed)?;
    // Creates the caller's account row if it is missing. Later requests of the account are logged only if the row
    // exists.
    let account = crate::accounts::ensure(&caller, ctx.now());
    decision.statements.push(account);
    Ok(decision.paid_by(payment.sponsored_by(sponsors)))
}

/// Checks that the claim is the caller's signature of the order.
fn verified(record: &Record, caller: Address, claim: &ClaimText) -> Result<(), Failure> {
    let hash = record
        .hash
        .parse()
        .map_err(|_| Failure::internal("a stored hash is not valid"))?;
    claim
        .check(&hash, caller, Code::SignatureNotValid, "claim")
        .map_err(Failure::from)
}

/// Runs the ledger's checks for an order whose wildcard's place is taken. The checks need the account in this place.
async fn allowed_as_wildcard(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    signed: &OrderRequest,
) -> Result<(), Failure> {
    let identity = ledger.identity(ctx).await?;
    let request = Request::Order(Box::new(signed.clone()));
    let keys = request.read_set(&identity.instance);
    Ok(ledger.check(ctx, &request, &keys).await??)
}
