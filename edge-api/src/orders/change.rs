//! The three ways in which an order's people change it. Each reads the order, decides, and writes what it decided
//! only if nobody changed the order in between; if somebody did, it starts over.
//!
//! Who may not sign or cancel is told so (400009), also of an order that it may not read: the contract has no other
//! answer for it, and nobody finds a reference by trying. Performing has no such code: to others the order does not exist.

use order_core::{Address, ClaimText, Code, OrderRequest, SignerClaim, Status};

use super::{find, is_party, readable, waits_for_wildcard};
use crate::app::{Call, commit};
use crate::http::Failure;
use crate::ports::{DatabaseError, Job};
use crate::records::{self, Record, Work};
use crate::strangers;

/// Tries against others who change the same order.
const RACES: usize = 64;

/// Adds the caller's claim: that of a listed signer, or the one that fills the wildcard's place.
pub(crate) async fn sign(
    call: &Call<'_>,
    reference: &str,
    caller: Address,
    claim: &str,
) -> Result<Record, Failure> {
    change(call, reference, caller, async |record, request| {
        initialized(record, &caller)?;
        if record.expired(call.now()) {
            return Err(wrong_state(
                "the order has expired: make a new one".to_owned(),
            ));
        }
        let wildcard = request
            .order
            .wildcard_claim
            .as_ref()
            .filter(|signer| signer.account_id == caller);
        let place = request
            .order
            .signers
            .iter()
            .position(|signer| signer.account_id == caller);
        if place.is_none() && wildcard.is_none() && !waits_for_wildcard(record) {
            return Err(Failure::code(Code::NotASigner));
        }
        let Some(claim) = ClaimText::new(claim) else {
            return Err(Failure::one(
                Code::ClaimMissing,
                "claim",
                "`claim` must be the caller's signature of the order's hash",
            ));
        };
        let present = place
            .and_then(|index| request.order.signers.get(index))
            .or(wildcard);
        if present.is_some_and(|signer| signer.claim.is_some()) {
            return Err(Failure::code(Code::AlreadyClaimed));
        }
        verified(record, caller, &claim)?;
        let mut signed = request.clone();
        match place.and_then(|index| signed.order.signers.get_mut(index)) {
            Some(signer) => signer.claim = Some(claim),
            None => {
                signed.order.wildcard_claim = Some(SignerClaim {
                    account_id: caller,
                    claim: Some(claim),
                });
                allowed_as_wildcard(call, &signed).await?;
            }
        }
        Ok(claimed(record, signed))
    })
    .await
}

/// Lets a fully signed order be performed.
pub(crate) async fn perform(
    call: &Call<'_>,
    reference: &str,
    caller: Address,
) -> Result<Record, Failure> {
    change(call, reference, caller, async |record, request| {
        if !is_party(record, &caller) {
            return Err(Failure::code(Code::OrderNotFound));
        }
        initialized(record, &caller)?;
        if record.expired(call.now()) {
            return Err(wrong_state(
                "the order has expired: make a new one".to_owned(),
            ));
        }
        if !request.order.is_fully_signed(request.wildcard_signer) {
            return Err(unsigned(request));
        }
        Ok(Record {
            status: Status::Pending,
            ..record.clone()
        })
    })
    .await
}

/// Cancels an order that waits.
pub(crate) async fn cancel(
    call: &Call<'_>,
    reference: &str,
    caller: Address,
) -> Result<Record, Failure> {
    change(call, reference, caller, async |record, request| {
        initialized(record, &caller)?;
        if !request
            .order
            .signers
            .iter()
            .any(|signer| signer.account_id == caller)
        {
            return Err(Failure::code(Code::NotASigner));
        }
        Ok(record.canceled(Some(caller)))
    })
    .await
}

/// Adds the claims that the same order brings, sent again by somebody who has a part in it: a listed signer, its creator, or who
/// takes the wildcard's place. They have been checked over the order's hash. None where there is nothing to add.
pub(crate) async fn add_claims(
    call: &Call<'_>,
    existing: &Record,
    request: &OrderRequest,
    caller: Address,
) -> Result<Option<Record>, Failure> {
    let takes_part = is_party(existing, &caller) || request.order.wildcard() == Some(caller);
    let open = existing.status == Status::Initialized && !existing.expired(call.now());
    let Work::Order(stored) = &existing.work else {
        return Ok(None);
    };
    if !takes_part || !open || with_claims(stored, request).is_none() {
        return Ok(None);
    }
    let signed = change(call, &existing.reference, caller, async |record, stored| {
        initialized(record, &caller)?;
        let Some(signed) = with_claims(stored, request) else {
            return Ok(record.clone());
        };
        if stored.order.wildcard() != signed.order.wildcard() {
            allowed_as_wildcard(call, &signed).await?;
        }
        Ok(claimed(record, signed))
    })
    .await?;
    Ok(Some(signed))
}

/// The order with the claims that only the other one of the same hash has; none where that has no more.
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

/// The record with more claims: on its way, where it is complete and automatic.
fn claimed(record: &Record, signed: OrderRequest) -> Record {
    let complete = signed.order.is_fully_signed(signed.wildcard_signer);
    Record {
        status: if signed.automated_perform && complete {
            Status::Pending
        } else {
            record.status
        },
        work: Work::Order(Box::new(signed)),
        ..record.clone()
    }
}

fn wrong_state(message: String) -> Failure {
    Failure::one(Code::OrderStateNotValid, "", message)
}

/// Only an order that waits is changed. What became of another one is for those who may read it.
fn initialized(record: &Record, caller: &Address) -> Result<(), Failure> {
    if record.status == Status::Initialized {
        return Ok(());
    }
    if !readable(record, caller) {
        return Err(Failure::code(Code::OrderStateNotValid));
    }
    Err(wrong_state(format!(
        "the order is {} ({}): only one that is {} (0) is signed, performed or canceled",
        record.status.name(),
        record.status.number(),
        Status::Initialized.name(),
    )))
}

/// Who has not signed yet.
fn unsigned(request: &OrderRequest) -> Failure {
    let waiting = request.order.signers.iter();
    let mut names: Vec<String> = waiting
        .filter(|signer| signer.claim.is_none())
        .map(|signer| format!("`{}`", signer.account_id))
        .collect();
    if request.wildcard_signer && request.order.wildcard_claim.is_none() {
        names.push("whoever takes the wildcard's place".to_owned());
    }
    let message = format!("the order waits for the claims of {}", names.join(", "));
    Failure::one(Code::OrderNotReady, "", message)
}

/// Reads, decides and writes until nobody came in between.
async fn change(
    call: &Call<'_>,
    reference: &str,
    caller: Address,
    decide: impl AsyncFn(&Record, &OrderRequest) -> Result<Record, Failure>,
) -> Result<Record, Failure> {
    for _ in 0..RACES {
        let record = find(call, reference).await?;
        let Work::Order(request) = &record.work else {
            return Err(Failure::code(Code::OrderNotFound));
        };
        let next = decide(&record, request).await?;
        let next = Record {
            updated_at: call.now(),
            ..next
        };
        call.budget.set(if next.status == Status::Pending {
            strangers::LASTING
        } else {
            strangers::SIGNING
        });
        let mut statements = records::replace(call, &record, &next)?;
        // A signer may have no row yet; with one, the account's later requests are logged.
        statements.push(crate::accounts::ensure(&caller, call.now()));
        match commit(call, "change", statements).await {
            Ok(_) => {
                if next.status == Status::Pending {
                    call.send_after(Job::Perform {
                        reference: next.reference.clone(),
                    });
                }
                return Ok(next);
            }
            Err(DatabaseError::Guard) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::internal(
        "an order changed too often to be changed",
    ))
}

/// Checks that the claim is the caller's signature of the order.
fn verified(record: &Record, caller: Address, claim: &ClaimText) -> Result<(), Failure> {
    let hash = record
        .hash
        .parse()
        .map_err(|_| Failure::internal("a stored hash is no hash"))?;
    claim
        .check(&hash, caller, Code::SignatureNotValid, "claim")
        .map_err(Failure::from)
}

/// The ledger's checks that waited for the account in the wildcard's place.
async fn allowed_as_wildcard(call: &Call<'_>, signed: &OrderRequest) -> Result<(), Failure> {
    let instance = call.instance().await?;
    let work = Work::Order(Box::new(signed.clone()));
    let snapshot = call
        .ledger()
        .await?
        .snapshot(&work.read_set(&instance))
        .await?;
    work.apply(&instance, &snapshot)?;
    Ok(())
}
