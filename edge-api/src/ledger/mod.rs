//! The ledger behind one interface: where balances, abilities and assets are, and who changes them.
//!
//! A backend decides what follows for a record that is due, and commits nothing: its statements are part of the transaction that
//! writes the record's new state. Whatever a backend is, lists and the badge read the [`projection`], which it writes.

mod embedded;
mod identity;
pub(crate) mod projection;

use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, Amount, FieldError, ReadSet, Request, Snapshot, Status};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::db::Decision;
use crate::failure::Failure;
use crate::ports::{DatabaseError, Job, Statement};

#[cfg(feature = "native")]
pub(crate) use embedded::Applied;
pub(crate) use embedded::Embedded;
pub(crate) use identity::Identity;

/// The ledger did not answer; the reason is for the log.
#[derive(Clone, Debug)]
pub(crate) struct Unavailable(pub(crate) String);

impl From<DatabaseError> for Unavailable {
    fn from(error: DatabaseError) -> Self {
        Self(error.to_string())
    }
}

impl From<Unavailable> for DatabaseError {
    fn from(Unavailable(why): Unavailable) -> Self {
        Self::Unavailable(why)
    }
}

impl From<Unavailable> for Failure {
    fn from(Unavailable(why): Unavailable) -> Self {
        Self::internal(why)
    }
}

/// A record that is due, as a backend sees it.
#[cfg_attr(
    not(feature = "native"),
    expect(
        dead_code,
        reason = "the embedded ledger has no use for all of it; a chain does"
    )
)]
pub(crate) struct Execution<'a> {
    /// The record's reference.
    pub(crate) reference: &'a str,
    pub(crate) request: &'a Request,
    pub(crate) status: Status,
}

/// The consequence for a record that is due.
#[cfg_attr(
    not(feature = "native"),
    expect(
        dead_code,
        reason = "the embedded ledger has nothing to wait for; a chain does"
    )
)]
pub(crate) enum Step {
    /// Nothing yet: the record is due again at that time, in milliseconds since 1970.
    Wait { until: u64 },
    /// The record's next state, with what the ledger writes in the same transaction and announces after it.
    Become {
        next: Next,
        statements: Vec<Statement>,
        hints: Vec<Job>,
    },
}

impl Step {
    /// A state that changes nothing on the ledger.
    pub(crate) fn unchanged(next: Next) -> Self {
        Self::Become {
            next,
            statements: Vec::new(),
            hints: Vec::new(),
        }
    }
}

/// The state that a record takes.
#[cfg_attr(
    not(feature = "native"),
    expect(
        dead_code,
        reason = "the embedded ledger has no state between; a chain does"
    )
)]
pub(crate) enum Next {
    /// The ledger works on it; it is due again at that time.
    Processing { check_at: u64 },
    /// It is applied, and may be undone; it is due again at that time.
    Success { outcome: Outcome, check_at: u64 },
    /// It is applied for ever.
    Finalized(Outcome),
    /// Its payment is not covered, which time may mend.
    Suspended(Vec<FieldError>),
    /// The ledger's rules forbid it.
    Failed(Vec<FieldError>),
    /// The account in the wildcard's place is what the rules forbid; the order waits for another one.
    WildcardDropped,
}

/// The result of applying a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// The transaction of a chain, `0x` and 64 hex digits.
    pub(crate) tx_hash: Option<String>,
    pub(crate) deployed: Option<DeployedLedger>,
}

/// The ledger that a deployment created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeployedLedger {
    /// The new ledger's reference.
    pub(crate) ledger_ref: String,
    /// The new ledger's address.
    pub(crate) ledger_id: Address,
}

/// A ledger: its rules decide, and `records` commits.
#[async_trait(?Send)]
pub(crate) trait Ledger {
    /// The identity of the ledger, with the addresses that claims are made for. It never changes while an isolate lives.
    async fn identity(&self, ctx: &Context<'_>) -> Result<Rc<Identity>, Unavailable>;

    /// The current values of the keys.
    async fn snapshot(&self, ctx: &Context<'_>, keys: &ReadSet) -> Result<Snapshot, Unavailable>;

    /// The statement that reads an account's balance of the platform token, to be part of a batch;
    /// [`projection::amount_from_rows`] reads its answer.
    fn balance(&self, account: &Address) -> Statement;

    /// The consequence for a record that is due. It is safe to ask at any time, any number of times.
    async fn advance(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
    ) -> Result<Step, Unavailable>;

    /// The ledger's own work at each sweep: transactions to be sent again, events to be read.
    async fn follow(&self, ctx: &Context<'_>) -> Result<Vec<Decision<()>>, Unavailable>;

    /// The giver and taker of the tokens that deposits pay for.
    fn treasury(&self) -> &dyn Treasury;
}

/// Gives tokens to accounts, and takes them back.
#[async_trait(?Send)]
pub(crate) trait Treasury {
    /// Statements that credit tokens to an account. Their batch ends with [`DatabaseError::Guard`] if what was read changes in between.
    async fn credit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<Vec<Statement>, Unavailable>;

    /// Statements that take tokens back, down to zero, guarded like those of a credit; and the tokens that there were to
    /// be taken.
    async fn debit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<(Vec<Statement>, Amount), Unavailable>;
}
