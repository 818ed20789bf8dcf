//! Stored orders, deployments and approvals. They share one state machine, one set of unique hashes, and the code that
//! performs them.
//!
//! ```text
//! new --fully signed and automatic--> Pending, on the embedded ledger Finalized
//! new --otherwise--> Initialized
//! Initialized --fully signed and automatic, or PUT perform--> Pending, on the embedded ledger Finalized if the rules allow it
//! Initialized --DELETE, expired, lapsed--> Canceled
//! Pending --embedded ledger--> Finalized
//! Pending --ledger on a chain--> Processing --> Success --> Finalized
//! Pending --payment not covered--> Suspended --retried--> like Pending, after the last retry Failure
//! Pending --the rules refuse only the wildcard's account--> Initialized
//! Pending, Suspended --refused or expired--> Failure
//! Processing --refused or expired--> Failure
//! Processing --its transaction was replaced, or removed by a reorganization--> Pending, or Initialized if it was never queued
//! Success --a reorganization removed its block--> Processing
//! any but Finalized --performed or canceled on the chain--> Success, Finalized, Canceled
//! ```

mod advance;
mod at_once;
mod change;
mod costs;
mod create;
mod list;
pub(crate) mod orders;
mod store;
mod stuck;
mod sweep;
mod write;

use std::collections::BTreeMap;

use order_core::{Address, Priority, Request, Status};

use crate::ledger::{DeployedLedger, Execution};

pub(crate) use crate::api::RecordError;
pub(crate) use advance::{follow, in_flight, perform};
pub(crate) use change::{cancel, queue, sign};
pub(crate) use create::{Created, create, unsigned};
pub(crate) use list::{Listed, Lookup, list};
pub(crate) use store::by_reference;
pub(crate) use stuck::{retry_soon, stuck};
pub(crate) use sweep::sweep;

/// A stored order, deployment or approval.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) reference: String,
    /// The claim hash, `0x` and 64 hex digits.
    pub(crate) hash: String,
    pub(crate) creator: Address,
    pub(crate) status: Status,
    pub(crate) priority: Priority,
    /// The first moment at which the record is expired, in milliseconds since 1970.
    pub(crate) expires_at: u64,
    /// The order, deployment or approval.
    pub(crate) request: Request,
    pub(crate) deployed: Option<DeployedLedger>,
    pub(crate) error: Option<RecordError>,
    pub(crate) tx_hash: Option<String>,
    /// True once the record has been queued, automatically or by PUT perform. False again once the account in the wildcard's place
    /// is removed. On a chain, another account may perform a record that was never queued.
    pub(crate) was_queued: bool,
    /// The number of suspensions since the record was queued.
    pub(crate) attempts: u32,
    /// The time of the next work on the record: to perform it, to query the ledger about its outcome, or to cancel a lapsed
    /// order. The transaction that stores an open record computes this time. `None` if no work is left.
    pub(crate) due_at: Option<u64>,
    /// The account that cancels the record. If it was invited, it becomes a signer of the record. Set only while the cancellation
    /// is written.
    pub(crate) canceled_by: Option<Address>,
    /// The number of changes so far.
    pub(crate) version: u64,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
}

impl Record {
    /// Creates a record that is not stored yet.
    pub(crate) fn new(
        reference: String,
        hash: String,
        creator: Address,
        request: Request,
        status: Status,
        now: u64,
    ) -> Self {
        Self {
            reference,
            hash,
            creator,
            status,
            priority: request.priority(),
            expires_at: request.expires_at(),
            request,
            deployed: None,
            error: None,
            tx_hash: None,
            was_queued: status == Status::Pending,
            attempts: 0,
            due_at: (status == Status::Pending).then_some(now),
            canceled_by: None,
            version: 0,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the data that a ledger needs to perform the record.
    fn execution(&self) -> Execution<'_> {
        Execution {
            reference: &self.reference,
            request: &self.request,
            creator: self.creator,
            status: self.status,
        }
    }

    /// Returns true if the record has expired.
    pub(crate) fn expired(&self, now: u64) -> bool {
        now >= self.expires_at
    }

    /// Returns true if the time to work on the record has come.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        self.due_at.is_some_and(|at| at <= now)
    }

    /// Returns the record as queued: pending and due immediately.
    fn pending(self, now: u64) -> Self {
        Self {
            status: Status::Pending,
            was_queued: true,
            due_at: Some(now),
            ..self
        }
    }

    /// Returns the canceled record, with its hash but without its content. `by` is the canceling signer, or `None` if the
    /// record lapsed or was canceled on the chain.
    pub(crate) fn canceled(&self, by: Option<Address>) -> Self {
        Self {
            status: Status::Canceled,
            canceled_by: by,
            request: self.request.without_content(),
            error: None,
            due_at: None,
            ..self.clone()
        }
    }

    /// Returns the accounts that may list the record, with their roles.
    pub(crate) fn parties(&self) -> BTreeMap<Address, Role> {
        let signed = self.request.signatories();
        let role = |account: Address| {
            if signed.contains(&account) {
                (account, Role::Signer)
            } else {
                (account, Role::Invited)
            }
        };
        let claimants = self.request.claimants().into_iter().map(role);
        let mut parties = BTreeMap::new();
        // The creator's role takes precedence over any other.
        parties.extend(claimants.chain([(self.creator, Role::Creator)]));
        parties
    }
}

/// An account's role in a record. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Role {
    /// The account created the record.
    Creator = 0,
    /// The account signed or canceled another creator's record.
    Signer = 1,
    /// Another creator's order lists the account as a signer, and the account has not signed yet.
    Invited = 2,
}

impl Role {
    /// All roles.
    pub(crate) const ALL: [Self; 3] = [Self::Creator, Self::Signer, Self::Invited];
}
