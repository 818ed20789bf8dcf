//! Creating a record: every phase after the fields' own, the same for orders, deployments and approvals.

use order_core::{Address, Code, Status};

use super::{Kind, Record, Work, store};
use crate::app::{Call, commit};
use crate::http::Failure;
use crate::ports::{DatabaseError, Job};
use crate::text::hash_key;

/// What came of a request to create a record.
pub(crate) enum Created {
    /// It is stored.
    New(Record),
    /// The same request had been stored before; nothing changed.
    Existing(Record),
}

/// Checks a request and stores it: fields that need the configuration, then existence, claims, the hash, and the
/// ledger's rules. The first phase with errors answers with all of its errors.
pub(crate) async fn create(
    call: &Call<'_>,
    caller: Address,
    work: Work,
) -> Result<Created, Failure> {
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
        return again(existing, &caller, &work);
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
    match commit(call, "create", store::insert(&record)?).await {
        Ok(_) => {
            if record.status == Status::Pending {
                call.send_after(Job::Perform {
                    reference: record.reference.clone(),
                });
            }
            Ok(Created::New(record))
        }
        // The same hash came in at the same time and was faster.
        Err(DatabaseError::Unique(_)) => match store::by_hash(call.db(), &record.hash).await? {
            Some(existing) => again(existing, &caller, &record.work),
            None => Err(Failure::internal("a hash is used by no record")),
        },
        Err(error) => Err(error.into()),
    }
}

/// A hash that is there already: the record for who sent the same before and may see it, else an error that tells
/// nothing of it.
fn again(existing: Record, caller: &Address, work: &Work) -> Result<Created, Failure> {
    if existing.parties().contains(caller) && existing.work.same_content(work) {
        return Ok(Created::Existing(existing));
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
