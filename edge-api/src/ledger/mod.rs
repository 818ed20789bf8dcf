//! The ledger behind one interface: where balances, abilities and assets are, and who changes them.
//!
//! A backend that lives elsewhere (a chain) implements [`Ledger`] beside [`Embedded`]; nothing else names one.

mod able;
mod embedded;
mod read;
mod tables;
mod withdrawal;

use async_trait::async_trait;
use order_core::{FieldError, ReadSet, Snapshot};

use crate::http::Failure;
use crate::ports::{DatabaseError, Statement};
use crate::records::{Made, Work};

pub(crate) use able::{Able, AbleLookup, AccountAbility, abilities_of_account, able};
pub(crate) use embedded::Embedded;
pub(crate) use read::{
    AssetLookup, AssetRow, LedgerRow, amount_from_rows, asset, assets, balance, find,
    ledgers_of_account,
};
pub(crate) use withdrawal::{Certified, Withdrawal, certified};

/// What performing came to.
#[derive(Debug)]
pub(crate) enum Performed {
    /// The changes and the record's new state are stored, together.
    Applied,
    /// Rules forbid it; nothing is stored.
    Refused {
        /// Every rule that it breaks.
        errors: Vec<FieldError>,
        /// The same work without its wildcard claimant, where only that account's checks failed.
        without_wildcard: Option<Work>,
        /// Whether no more is missing than the cover of what the service asks for its work.
        only_payment: bool,
    },
}

/// Why the ledger did not do it.
#[derive(Debug)]
pub(crate) enum LedgerError {
    /// Somebody changed what the rules had read, or the record itself: read again and retry.
    Raced,
    /// The ledger did not answer.
    Unavailable(String),
}

impl From<DatabaseError> for LedgerError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Guard | DatabaseError::Unique(_) => Self::Raced,
            DatabaseError::Unavailable(why) => Self::Unavailable(why),
            error @ DatabaseError::Budget => Self::Unavailable(error.to_string()),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::internal(match error {
            LedgerError::Raced => "the ledger changed while it was read".to_owned(),
            LedgerError::Unavailable(why) => why,
        })
    }
}

/// A ledger that performs work exactly once.
#[async_trait(?Send)]
pub(crate) trait Ledger {
    /// The current values of the keys.
    async fn snapshot(&self, keys: &ReadSet) -> Result<Snapshot, LedgerError>;

    /// Applies `work`, which the record of that reference asks for, by the ledger's rules and, in the same transaction, runs
    /// `record`: the statements that write the record's new state and fail if it is not in its old one any more.
    async fn perform(
        &self,
        reference: &str,
        work: &Work,
        made: Option<&Made>,
        record: Vec<Statement>,
    ) -> Result<Performed, LedgerError>;
}
