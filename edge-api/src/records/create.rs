//! Creates records. Parsing has already checked each field. This module makes the later checks that orders, deployments and
//! approvals share.

use futures_util::future::LocalBoxFuture;
use order_core::{Address, Code, Request, RequestKind, Status, Unsigned};

use super::at_once::Attempt;
use super::{Record, change, store, write};
use crate::context::Context;
use crate::db::storage::Payment;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::{Ledger, projection};
use crate::ports::{Rows, exactly};
use crate::text::hash_key;

/// The result of a request to create a record.
pub(crate) enum Created {
    /// A new record.
    New(Record),
    /// The stored record of the same request. If it is an open order, it has the claims that a party has added.
    Known(Record),
}

/// Checks a request, and returns the decision to store it. The phases are: fields that need the configuration, existence, claims,
/// a repeated hash, the limit on open orders, and the ledger's rules. The first phase with errors returns all of its errors.
///
/// On the embedded ledger, a request that is ready is also performed. `conflicts` is the number of earlier decisions about this request
/// whose commit failed. The future is boxed, so that each caller does not contain its code.
pub(crate) fn create<'a>(
    ctx: &'a Context<'_>,
    ledger: &'a dyn Ledger,
    caller: Address,
    request: Request,
    conflicts: u32,
) -> LocalBoxFuture<'a, Result<Decision<Created>, Failure>> {
    Box::pin(created(ctx, ledger, caller, request, conflicts))
}

async fn created(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    caller: Address,
    request: Request,
    conflicts: u32,
) -> Result<Decision<Created>, Failure> {
    let identity = ledger.identity(ctx).await?;
    let (instance, gateways) = (&identity.instance, &identity.instance.gateways);
    request.check_fields(gateways, &ctx.config().costs)?;
    let hash = request.hash(gateways)?;

    let keys = request.read_set(instance);
    let claims = request.check_claims(&hash);
    let is_ready = request.ready();
    let status = if is_ready {
        Status::Pending
    } else {
        Status::Initialized
    };
    let record = Record::new(
        ctx.new_reference(),
        hash_key(&hash),
        caller,
        request,
        status,
        ctx.now(),
    );
    let attempt = if is_ready && claims.is_ok() {
        Attempt::start(ctx, ledger, &identity, &record, conflicts).await
    } else {
        None
    };
    let reads = match &attempt {
        Some(attempt) => attempt.reads()?,
        None => vec![projection::select_ledgers(&keys)],
    };
    let (known, open, rows) =
        store::read_for_creation(ctx.db(), &record.hash, &caller, reads).await?;
    let (existing, sums) = match &attempt {
        Some(_) => Attempt::read(rows)?,
        None => {
            let [ledgers] = exactly(rows)?;
            (projection::ledgers_from_rows(ledgers)?, Rows::default())
        }
    };
    record.request.check_existence(gateways, &existing)?;
    claims?;
    if let Some(known) = known {
        // The known record is not performed here, so other requests need not wait.
        drop(attempt);
        return answer_known(ctx, ledger, known, caller, &record.request, conflicts).await;
    }
    within_bounds(&record.request, open)?;
    let budget = if is_ready {
        storage::LASTING
    } else {
        storage::WORK
    };
    let payment = Payment::from(budget).sponsored_by(record.request.signatories());
    let decision = match attempt {
        Some(attempt) => {
            let performed = attempt.perform(ctx, &record, (&existing, sums))??;
            write::insertion(ctx, performed.record, performed.statements)?
                .logged(performed.line)
                .holding(performed.permit)
        }
        None => {
            // The ledger's check comes after all others. Reading a chain is expensive, and anybody can send requests
            // without valid claims.
            ledger.check(ctx, &record.request, &keys).await??;
            write::insertion(ctx, record, Vec::new())?
        }
    };
    Ok(decision.paid_by(payment).map(Created::New))
}

/// Refuses a deployment or an approval without a claim, and answers with the hash to sign. The request is not stored,
/// so a request for a hash uses no quota. If the payment is wrong, the hash is left out, because the corrected request
/// has another hash.
pub(crate) async fn unsigned<T>(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    content: &Unsigned,
) -> Result<T, Failure> {
    let identity = ledger.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    if let Err(error) = content.check_fields(gateways, &ctx.config().costs) {
        return Err(vec![content.claim_missing(), error].into());
    }
    let hash = content.hash(gateways);
    Err(Failure::from(content.claim_missing_over(&hash)).hash(hash))
}

/// Maximum bytes of the bodies of an account's open orders: 32 MiB. About 28,000 orders with one action and its payment
/// fit, or 560 orders of the maximum size.
const OPEN_BYTES_MAX: u64 = 32 << 20;

/// Fails with 429001 if the order would stay open and would take its creator's open orders over the limit.
fn within_bounds(request: &Request, open: u64) -> Result<(), Failure> {
    if request.ready() {
        return Ok(());
    }
    let body = request.to_json().map_err(|error| {
        Failure::internal(format!("a request cannot be written as JSON: {error}"))
    })?;
    let bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
    if open.saturating_add(bytes) <= OPEN_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "the open orders that this account created take {open} of {OPEN_BYTES_MAX} bytes, so this order does not fit: have some of them \
         signed, performed or canceled first"
    );
    Err(Failure::one(Code::TooManyOpen, "", message))
}

/// Answers a request whose hash is already stored. If a party of an order sends the order again, its new claims
/// are added. So the first sender cannot prevent others from signing. A party that sent the same content
/// without new claims gets the record. All other callers get the error for a used hash, which reveals nothing else.
async fn answer_known(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    existing: Record,
    caller: Address,
    request: &Request,
    conflicts: u32,
) -> Result<Decision<Created>, Failure> {
    if let Request::Order(sent) = request
        && let Some(signed) =
            change::add_claims(ctx, ledger, &existing, sent, caller, conflicts).await?
    {
        return Ok(signed.map(Created::Known));
    }
    if existing.parties().contains_key(&caller) && existing.request.same_content(request) {
        return Ok(Decision::read(Created::Known(existing)));
    }
    let (code, path) = match request.kind() {
        RequestKind::Order => (Code::HashAlreadyUsed, "order.seed"),
        RequestKind::Deployment => (Code::DeployCreationFailed, "deploy.seed"),
        RequestKind::Approval => (Code::ApproveCreationFailed, "approval.seed"),
    };
    Err(Failure::one(
        code,
        path,
        "the hash has already been used: choose a new seed",
    ))
}
