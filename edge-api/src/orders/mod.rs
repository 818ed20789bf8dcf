//! Orders: who may see them, sign them, have them performed, cancel them.

mod change;

use order_core::{Address, Code, SignerClaim, Status};

use crate::api;
use crate::app::Call;
use crate::http::Failure;
use crate::records::{self, Kind, Record, Work};

pub(crate) use change::{add_claims, cancel, perform, sign};

/// The order of a reference, or 400011.
pub(crate) async fn find(call: &Call<'_>, reference: &str) -> Result<Record, Failure> {
    records::by_reference(call.db(), Kind::Order, reference)
        .await?
        .ok_or_else(|| Failure::code(Code::OrderNotFound))
}

/// Whether an account has a part in the order: created it, is to sign it, or filled the wildcard's place.
pub(crate) fn is_party(record: &Record, account: &Address) -> bool {
    record.creator == *account || record.work.claimants().contains(account)
}

/// Whether any account may still fill the wildcard's place.
pub(crate) fn waits_for_wildcard(record: &Record) -> bool {
    match &record.work {
        Work::Order(request) => {
            record.status == Status::Initialized
                && request.wildcard_signer
                && request.order.wildcard_claim.is_none()
        }
        Work::Deployment(_) | Work::Approval(_) => false,
    }
}

/// Whether an account may read the order. Who fills a wildcard's place must read what is signed.
pub(crate) fn readable(record: &Record, account: &Address) -> bool {
    is_party(record, account) || waits_for_wildcard(record)
}

/// The order as the account may see it: claims are for those who have a part in it, because a claim is all that a
/// stranger lacks.
pub(crate) fn view(record: &Record, account: &Address) -> Option<api::Order> {
    let Work::Order(request) = &record.work else {
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
