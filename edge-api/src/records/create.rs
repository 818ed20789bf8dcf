//! Creating a record: every phase after the fields' own, the same for orders, deployments and approvals.

use order_core::{Address, Code, Status};
use serde::Serialize;

use super::{Kind, Record, Work, store};
use crate::app::{Call, commit_answer};
use crate::http::{Failure, Success};
use crate::ports::{DatabaseError, Job};
use crate::strangers;
use crate::text::hash_key;

/// Checks a request and stores it: fields that need the configuration, then existence, claims, the hash, and the
/// ledger's rules. The first phase with errors answers with all of its errors. 201 with a new record as `view` shows
/// it; 200 with the one that was there, where the same request was sent again.
pub(crate) async fn create<A: Serialize>(
    call: &Call<'_>,
    caller: Address,
    work: Work,
    view: impl Fn(&Record) -> A,
) -> Result<Success, Failure> {
    let instance = call.instance().await?;
    work.check_fields(&instance.gateways, &call.config().costs)?;
    let hash = work.hash(&instance.gateways)?;

    let (known, open) = store::before(call.db(), &hash_key(&hash), &caller).await?;
    let snapshot = call
        .ledger()
        .await?
        .snapshot(&work.read_set(&instance))
        .await?;
    work.check_existence(&instance.gateways, &snapshot)?;
    work.check_claims(&hash)?;
    if let Some(existing) = known {
        return again(call, existing, caller, &work, view).await;
    }
    within_bounds(&work, open)?;
    work.apply(&instance, &snapshot)?;

    let status = if work.ready() {
        Status::Pending
    } else {
        Status::Initialized
    };
    let record = Record::new(
        call.new_reference(),
        hash_key(&hash),
        caller,
        work,
        status,
        call.now(),
    );
    if record.status == Status::Pending {
        call.budget.set(strangers::LASTING);
    }
    let answer = Success::created(view(&record))?;
    match commit_answer(call, "create", store::insert(call, &record)?, &answer).await {
        Ok(_) => {
            if record.status == Status::Pending {
                call.send_after(Job::Perform {
                    reference: record.reference.clone(),
                });
            }
            Ok(answer)
        }
        // The same hash came in at the same time and was faster.
        Err(DatabaseError::Unique(what)) if what == "records.hash" => {
            match store::by_hash(call.db(), &record.hash).await? {
                Some(existing) => again(call, existing, caller, &record.work, view).await,
                None => Err(Failure::internal("a hash is used by no record")),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Bytes of the bodies of an account's open orders, 32 MiB: some 28,000 orders of one action and its payment, or 560 of the largest.
const OPEN_BYTES_MAX: u64 = 32 << 20;

/// 429001 for an order that would stay open beside too many others of its creator.
fn within_bounds(work: &Work, open: u64) -> Result<(), Failure> {
    if work.ready() {
        return Ok(());
    }
    let body = work.to_json().map_err(|error| {
        Failure::internal(format!("a request cannot be written as JSON: {error}"))
    })?;
    let bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
    if open.saturating_add(bytes) <= OPEN_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "the orders that this account created and that are still open take {open} bytes of {OPEN_BYTES_MAX}: have some of them signed, \
         performed or canceled first"
    );
    Err(Failure::one(Code::TooManyOpen, "", message))
}

/// Answers a request whose hash is already stored. Adds the claims that an order brings from one of its parties, so the first sender
/// keeps no party from signing. Otherwise returns the record to a party that sent the same content, and an uninformative error to
/// everyone else.
async fn again<A: Serialize>(
    call: &Call<'_>,
    existing: Record,
    caller: Address,
    work: &Work,
    view: impl Fn(&Record) -> A,
) -> Result<Success, Failure> {
    if let Work::Order(request) = work
        && let Some(signed) = crate::orders::add_claims(call, &existing, request, caller).await?
    {
        return Success::ok(view(&signed));
    }
    if existing.parties().contains_key(&caller) && existing.work.same_content(work) {
        return Success::ok(view(&existing));
    }
    let (code, path) = match work.kind() {
        Kind::Order => (Code::HashAlreadyUsed, "order.seed"),
        Kind::Deployment => (Code::DeployCreationFailed, "deploy.seed"),
        Kind::Approval => (Code::ApproveCreationFailed, "approval.seed"),
    };
    Err(Failure::one(
        code,
        path,
        "the hash has already been used: choose a new seed",
    ))
}
