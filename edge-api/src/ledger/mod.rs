//! The interface of a ledger, which holds balances, abilities and assets.
//!
//! A backend only decides the next state of a due record. The statements that it returns join the transaction that writes the
//! record's new state. Every backend writes the tables of the [`projection`]. Lists and the badge read these tables.

mod embedded;
#[cfg(feature = "evm")]
mod evm;
mod identity;
pub(crate) mod projection;

use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, Amount, AssetId, B256, FieldError, ReadSet, Request, Snapshot, Status};
use serde::{Deserialize, Serialize};

use crate::api::ChainHealth;
use crate::context::Context;
use crate::failure::Failure;
use crate::ports::{DatabaseError, Job, Rows, Statement};
use crate::single_flight::SingleFlight;
use projection::{AssetRow, Certified, LedgerRow};

pub(crate) use embedded::{Applied, Embedded, apply_at_once};
#[cfg(feature = "evm")]
pub(crate) use evm::Evm;
pub(crate) use identity::{Identity, identify_client};

/// The ledger could not do its work.
#[derive(Clone, Debug)]
pub(crate) enum LedgerError {
    /// The ledger did not answer, or its answer cannot be used. The string is for the log.
    Unavailable(String),
    /// A setting does not fit the chain or the database. The string names the setting, and `/health` shows the string.
    Misconfigured(String),
    /// The service's database failed.
    Database(DatabaseError),
}

impl From<DatabaseError> for LedgerError {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}

impl From<LedgerError> for DatabaseError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Unavailable(why) => Self::Unavailable(format!("the ledger: {why}")),
            // A retry succeeds once the operator has corrected the setting, so no record fails.
            LedgerError::Misconfigured(why) => Self::Unavailable(format!("the settings: {why}")),
            LedgerError::Database(error) => error,
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        DatabaseError::from(error).into()
    }
}

/// The data of a due record that a backend needs.
pub(crate) struct Execution<'a> {
    /// The record's reference.
    pub(crate) reference: &'a str,
    pub(crate) request: &'a Request,
    /// The account that created the record.
    pub(crate) creator: Address,
    pub(crate) status: Status,
}

/// A backend's decision about a record that is due.
pub(crate) enum Step {
    /// The record keeps its state, and is due again at `until`, in milliseconds since 1970. The transaction that stores `until` also
    /// runs the statements.
    Wait {
        until: u64,
        statements: Vec<Statement>,
    },
    /// The record changes to `next`. The same transaction runs the statements. The hints are sent after it commits.
    Become {
        next: Next,
        statements: Vec<Statement>,
        hints: Vec<Job>,
    },
}

impl Step {
    /// Returns a step that keeps the record's state until a time, in milliseconds since 1970.
    pub(crate) fn wait(until: u64) -> Self {
        Self::Wait {
            until,
            statements: Vec::new(),
        }
    }

    /// Returns a step that changes the record to `next`, and nothing on the ledger.
    pub(crate) fn unchanged(next: Next) -> Self {
        Self::Become {
            next,
            statements: Vec::new(),
            hints: Vec::new(),
        }
    }
}

/// The next state of a record.
pub(crate) enum Next {
    /// The ledger is no longer applying the record, for example because another transaction took its place. The record is due
    /// again at `check_at`. Its number of attempts does not grow, because the record is not at fault. A record that was never
    /// queued becomes Initialized instead.
    Pending { check_at: u64 },
    /// The ledger is applying the record, which is due again at `check_at`.
    Processing { check_at: u64 },
    /// The record is applied, but the chain may still undo it. The record is due again at `check_at`.
    Success { outcome: Outcome, check_at: u64 },
    /// The record is applied and final.
    Finalized(Outcome),
    /// The balance or allowance does not cover the record's payment. The record is retried later, and fails after the last retry.
    Suspended(Vec<FieldError>),
    /// The ledger's rules forbid the record.
    Failed(Vec<FieldError>),
    /// The rules refuse the account that took the wildcard's place. The order waits for another account.
    WildcardDropped,
    /// The request can no longer be performed: a party canceled it on the ledger, or its record had been canceled before.
    Canceled,
}

/// The moment whose state an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsOf {
    /// The last transaction of the service's database, which is the ledger.
    Commit,
    /// A block of the chain. `is_final` is true if it can no longer be undone.
    Block { number: u64, is_final: bool },
    /// An earlier time, in milliseconds since 1970. Used if the chain does not answer.
    Time(u64),
}

/// A ledger and one of its assets. Either is `None` if it does not exist.
pub(crate) struct AssetState {
    pub(crate) ledger: Option<LedgerRow>,
    pub(crate) asset: Option<AssetRow>,
    pub(crate) as_of: AsOf,
}

/// The standing of an asset, for a badge.
pub(crate) struct Standing {
    pub(crate) certified: Certified,
    /// The reason why the badge shows the asset as not checked. `None` if there is no doubt about the standing.
    pub(crate) doubt: Option<Doubt>,
    /// The rows of the caller's SQL `about_ledger`.
    pub(crate) about_ledger: Rows,
}

/// The reason why a chain does not confirm the standing of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// No provider of the chain answered.
    NoAnswer,
    /// The index and the chain's last block differ, probably because the index or the provider lags behind.
    Behind,
    /// The chain's providers disagree about the asset.
    Differ,
}

/// An account's balance of the platform token.
pub(crate) enum Balance {
    /// The statement that reads the balance and the allowance for fees, so that a batch can include it. [`projection::funds_from_rows`] reads the
    /// result.
    Stored(Statement),
    /// The ledger's answer.
    Read { amount: Amount, as_of: AsOf },
}

/// The effect of canceling a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancellation {
    /// The request can no longer be performed.
    Complete,
    /// A party had already canceled the request on the chain.
    OnChain,
    /// The chain does not know of the cancellation. Anybody who has the claims can perform the request until it expires.
    RecordOnly,
    /// The request had already been performed.
    TooLate,
}

/// The next events on the ledger, for example those of some blocks of a chain. They are committed together.
pub(crate) struct Observed {
    /// The changes of the projection and of the backend's own tables. They have guards or are idempotent, so events that two
    /// processes read are applied once.
    pub(crate) statements: Vec<Statement>,
    /// The hashes of the records whose state the events change, with their next states. Unknown hashes are skipped. A finalized
    /// record does not change any more. Each hash appears once.
    pub(crate) records: Vec<(B256, Next)>,
}

/// The state of the account that sends transactions to a chain, for `/health`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelayerStatus {
    pub(crate) address: Address,
    /// The balance in wei.
    pub(crate) balance: u128,
    /// The number of further requests for which the balance suffices at the current price of gas. 0 if gas costs more than `FEE_CAP_GWEI`.
    pub(crate) requests_left: u64,
    /// The reason why nothing new is sent: `price` if gas costs more than `FEE_CAP_GWEI`, `funds` if the balance is too low. `None` if
    /// the relayer sends.
    pub(crate) paused: Option<&'static str>,
    /// The age in milliseconds of the oldest nonce that was used for a transaction and is in no block yet. `None` if there is none.
    pub(crate) oldest_ms: Option<u64>,
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

/// A ledger backend. The backend decides, and `records` commits.
#[async_trait(?Send)]
pub(crate) trait Ledger {
    /// Returns the identity of the ledger, with the addresses that claims sign. The identity is constant for the life of an isolate.
    async fn identity(&self, ctx: &Context<'_>) -> Result<Rc<Identity>, LedgerError>;

    /// Returns the current values of the keys.
    async fn snapshot(&self, ctx: &Context<'_>, keys: &ReadSet) -> Result<Snapshot, LedgerError>;

    /// Checks the ledger's rules before a request is stored. `keys` are the request's [`Request::read_set`].
    ///
    /// The inner `Err` has the errors that the rules find. If the rules find none, a backend may also simulate the request. The inner
    /// `Err` then has the errors of the simulation.
    async fn check(
        &self,
        ctx: &Context<'_>,
        request: &Request,
        keys: &ReadSet,
    ) -> Result<Result<(), Vec<FieldError>>, LedgerError> {
        let identity = self.identity(ctx).await?;
        let gateways = &identity.instance.gateways;
        let snapshot = self.snapshot(ctx, keys).await?;
        Ok(request.apply(gateways, &snapshot, None).map(drop))
    }

    /// Returns the current state of a ledger and one of its assets. `ledger` is the ledger's reference or address. Without an `id`, no
    /// asset is returned.
    ///
    /// On a chain, not every change of an asset writes a log. For example, a ledger's owner can change the addresses of all
    /// metadata without a log. A backend on a chain therefore corrects the stored rows before it returns them.
    async fn asset(
        &self,
        ctx: &Context<'_>,
        ledger: &str,
        id: Option<&AssetId>,
    ) -> Result<AssetState, LedgerError> {
        let (ledger, asset) = projection::asset(ctx.db(), ledger, id).await?;
        Ok(AssetState {
            ledger,
            asset,
            as_of: AsOf::Commit,
        })
    }

    /// Returns the standing of an asset for a badge. `ledger` is the ledger's reference or address. Also returns the rows of
    /// `about_ledger`, SQL that selects JSON objects about the ledger `?1`.
    async fn standing(
        &self,
        ctx: &Context<'_>,
        ledger: &str,
        id: &AssetId,
        about_ledger: &str,
    ) -> Result<Standing, LedgerError> {
        let (certified, about_ledger, _) =
            projection::certified(ctx.db(), ledger, id, about_ledger, Vec::new()).await?;
        Ok(Standing {
            certified,
            doubt: None,
            about_ledger,
        })
    }

    /// Reads an account's balance of the platform token.
    async fn balance(&self, ctx: &Context<'_>, account: &Address) -> Result<Balance, LedgerError>;

    /// Returns whether a request can still be performed once its record is canceled. By default it cannot.
    async fn cancel(
        &self,
        _: &Context<'_>,
        _: &Execution<'_>,
    ) -> Result<Cancellation, LedgerError> {
        Ok(Cancellation::Complete)
    }

    /// Returns the maximum number of due records in one call of [`Ledger::advance`]. The default is one record, for ledgers where a
    /// record can depend on the changes of the record before it.
    fn advances_at_once(&self) -> usize {
        1
    }

    /// Decides the next steps of due records, one for each record and in the same order. The caller commits these steps in one
    /// transaction. It is always safe to call this function again.
    async fn advance(
        &self,
        ctx: &Context<'_>,
        executions: &[Execution<'_>],
    ) -> Result<Vec<Step>, LedgerError>;

    /// Returns the ledger's next events, or `None` if there are none now. The caller commits the events and calls again, up to a limit of
    /// calls. A guard fails if another process has committed events in the meantime. The caller then also calls again.
    async fn follow(&self, ctx: &Context<'_>) -> Result<Option<Observed>, LedgerError>;

    /// Returns the state of the chain for `/health`. `None` if the backend has no chain to report.
    ///
    /// # Errors
    /// If a setting does not fit the database or the chain, or if the database fails.
    async fn health(&self, ctx: &Context<'_>) -> Result<Option<ChainHealth>, LedgerError> {
        self.identity(ctx).await?;
        Ok(None)
    }

    /// Returns true if the ledger has blocks. Records then wait for blocks.
    fn has_blocks(&self) -> bool {
        false
    }

    /// Returns the number of seconds after which the caller looks at the ledger again. `None` if such a look is already scheduled, or if
    /// the ledger has no blocks.
    async fn next_block(&self, _: &Context<'_>) -> Result<Option<u32>, LedgerError> {
        Ok(None)
    }

    /// Returns the permit to perform a record in the transaction that stores it, with [`apply_at_once`]. The requests of an isolate perform
    /// records one after another, because each would change values that the others have read. `None` if records must be queued.
    fn performing(&self) -> Option<&SingleFlight> {
        None
    }

    /// Returns the treasury. It credits and debits the tokens of deposits. `None` if the service cannot issue tokens on this ledger.
    fn treasury(&self) -> Option<&dyn Treasury> {
        None
    }
}

/// Credits tokens to accounts and debits them. Used for deposits.
#[async_trait(?Send)]
pub(crate) trait Treasury {
    /// Returns statements that credit tokens to an account. Their batch fails with [`DatabaseError::Guard`] if a value that was read has
    /// changed.
    async fn credit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<Vec<Statement>, LedgerError>;

    /// Returns statements that debit tokens, but at most the whole balance. Also returns the debited amount. The statements have the
    /// same guards as those of a credit.
    async fn debit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<(Vec<Statement>, Amount), LedgerError>;
}
