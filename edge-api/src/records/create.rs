//! Creating a record: every phase after the fields' own, the same for orders, deployments and approvals.

use order_core::{Address, Code, Status};
use serde_json::Value;

use super::{Kind, Record, Work, store};
use crate::app::{Call, commit_answer};
use crate::http::{Failure, Success};
use crate::ports::{DatabaseError, Job};
use crate::text::hash_key;

/// Checks a request and stores it: fields that need the configuration, then existence, claims, the hash, and the
/// ledger's rules. The first phase with errors answers with all of its errors. 201 with a new record as `view` shows
/// it; 200 with the one that was there, where the same request was sent again.
pub(crate) async fn create(
    call: &Call<'_>,
    caller: Address,
    work: Work,
    view: impl Fn(&Record) -> Value,
) -> Result<Success, Failure> {
    let instance = call.instance().await?;
    work.check_fields(&instance.gateways, &call.config().costs)?;
    let hash = work.hash(&instance.gateways)?;

    let known = store::by_hash(call.db(), &hash_key(&hash)).await?;
    let snapshot = call
        .ledger()
        .await?
        .snapshot(&work.read_set(&instance))
        .await?;
    work.check_existence(&instance.gateways, &snapshot)?;
    work.check_claims(&hash)?;
    if let Some(existing) = known {
        return again(&existing, &caller, &work, view);
    }
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
                Some(existing) => again(&existing, &caller, &record.work, view),
                None => Err(Failure::internal("a hash is used by no record")),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// A hash that is there already: the record for who sent the same before and may see it, else an error that tells
/// nothing of it.
fn again(
    existing: &Record,
    caller: &Address,
    work: &Work,
    view: impl Fn(&Record) -> Value,
) -> Result<Success, Failure> {
    if existing.parties().contains(caller) && existing.work.same_content(work) {
        return Success::ok(view(existing));
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
