//! The ledger in the service's own database. The rules of `order_core` enforce the same conditions as the original
//! contracts. This module reads the values that the rules need and writes the changes that they decide.
//!
//! The statements of each change start with guards, which compare the stored values with those that were read. A batch
//! therefore aborts if another batch has changed such a value in the meantime. Values that never change have no guard.

use std::cell::OnceCell;
use std::rc::Rc;

use async_trait::async_trait;
use order_core::{
    Address, Amount, Change, FieldError, ReadSet, Snapshot, apply_credit, apply_debit,
};

use super::identity::{Identity, instance};
use super::projection::{
    self, Author, Authored, guards, keep_imprints, reads, snapshot, unauthored, withdraw, write,
};
use super::{
    Balance, DeployedLedger, Execution, Ledger, LedgerError, Next, Observed, Outcome, Step,
    Treasury,
};
use crate::context::Context;
use crate::ports::{DatabaseError, Statement};
use crate::single_flight::SingleFlight;

/// Milliseconds after which a request that performs a record counts as dead.
const DEAD_AFTER_MS: u64 = 5_000;

/// The embedded ledger, with the data that an isolate caches.
pub(crate) struct Embedded {
    identity: OnceCell<Rc<Identity>>,
    performing: SingleFlight,
    /// False if every record is queued, as under contention.
    is_at_once: bool,
}

#[cfg(feature = "native")]
impl Embedded {
    /// Returns a ledger on which every record is queued, as under contention.
    pub(crate) fn queueing() -> Self {
        Self {
            is_at_once: false,
            ..Self::default()
        }
    }
}

impl Default for Embedded {
    fn default() -> Self {
        Self {
            identity: OnceCell::new(),
            performing: SingleFlight::new(DEAD_AFTER_MS),
            is_at_once: true,
        }
    }
}

/// The changes that a request makes, and the statements that write them.
#[cfg_attr(
    not(feature = "native"),
    expect(
        dead_code,
        reason = "only a ledger that may undo the changes reads them"
    )
)]
pub(crate) struct Applied {
    pub(crate) changes: Vec<Change>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) deployed: Option<DeployedLedger>,
}

impl Embedded {
    /// Computes the changes that a request makes to the current values. If the rules refuse the request, returns the
    /// record's next state instead.
    pub(crate) async fn apply(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
    ) -> Result<Result<Applied, Next>, LedgerError> {
        let identity = self.identity(ctx).await?;
        let (instance, request) = (&identity.instance, execution.request);
        let keys = request.read_set(instance);
        let snapshot = self.snapshot(ctx, &keys).await?;
        match apply_at_once(ctx, &identity, execution, &keys, &snapshot)? {
            Ok(applied) => Ok(Ok(applied)),
            Err(errors) => {
                let costs = &ctx.config().costs;
                let next = if request.only_wildcard_fails(instance, &snapshot) {
                    Next::WildcardDropped
                } else if request.only_payment_fails(&errors, costs, instance, &snapshot) {
                    Next::Suspended(errors)
                } else {
                    Next::Failed(errors)
                };
                Ok(Err(next))
            }
        }
    }

    /// Returns the identity, and the keys that a credit or debit reads. These are the account's balance, and its allowance for the proxy
    /// that moves value for both gateways.
    async fn token_keys(
        &self,
        ctx: &Context<'_>,
        account: Address,
    ) -> Result<(Rc<Identity>, ReadSet), LedgerError> {
        let identity = self.identity(ctx).await?;
        let proxy = identity.instance.gateways.proxies.transfer_value;
        let mut keys = ReadSet::default();
        keys.balances.extend([account]);
        keys.allowances.extend([(account, proxy)]);
        Ok((identity, keys))
    }
}

/// Computes the changes that a request makes to the values of a snapshot. The batch of the returned statements fails with
/// [`DatabaseError::Guard`] if a value has changed. The inner `Err` has the errors that the rules find.
pub(crate) fn apply_at_once(
    ctx: &Context<'_>,
    identity: &Identity,
    execution: &Execution<'_>,
    keys: &ReadSet,
    snapshot: &Snapshot,
) -> Result<Result<Applied, Vec<FieldError>>, LedgerError> {
    let (instance, request) = (&identity.instance, execution.request);
    let new_ledger = request.ledger_to_deploy(instance);
    let changes = match request.apply(&instance.gateways, snapshot, new_ledger) {
        Ok(changes) => changes,
        Err(errors) => return Ok(Err(errors)),
    };
    let deployed = new_ledger.map(|ledger_id| DeployedLedger {
        ledger_ref: ctx.new_reference(),
        ledger_id,
    });
    let authors = Author::of_each(&changes, execution.reference, execution.creator, request);
    let authored: Vec<Authored<'_>> = changes.iter().zip(&authors).collect();
    let mut statements = guards(keys, snapshot);
    // Reads the rows of assets before they are deleted.
    statements.extend(withdraw(&authored, ctx.now()));
    statements.extend(keep_imprints(&authored, ctx.now())?);
    statements.extend(write(&authored, deployed.as_ref(), ctx.now())?);
    Ok(Ok(Applied {
        changes,
        statements,
        deployed,
    }))
}

#[async_trait(?Send)]
impl Ledger for Embedded {
    async fn identity(&self, ctx: &Context<'_>) -> Result<Rc<Identity>, LedgerError> {
        if let Some(identity) = self.identity.get() {
            return Ok(Rc::clone(identity));
        }
        let identity = Rc::new(Identity {
            backend: "embedded",
            chain_id: None,
            instance: instance(ctx.db(), ctx.config()).await?,
        });
        Ok(Rc::clone(self.identity.get_or_init(|| identity)))
    }

    async fn snapshot(&self, ctx: &Context<'_>, keys: &ReadSet) -> Result<Snapshot, LedgerError> {
        Ok(snapshot(ctx.db().batch(reads(keys)).await?)?)
    }

    async fn balance(&self, ctx: &Context<'_>, account: &Address) -> Result<Balance, LedgerError> {
        let identity = self.identity(ctx).await?;
        let spender = &identity.instance.gateways.proxies.transfer_value;
        Ok(Balance::Stored(projection::select_funds(account, spender)))
    }

    /// Changes are final at once, so no record is stored as Processing or Success. Only the record's webhook events name these states.
    async fn advance(
        &self,
        ctx: &Context<'_>,
        executions: &[Execution<'_>],
    ) -> Result<Vec<Step>, LedgerError> {
        let mut steps = Vec::new();
        for execution in executions {
            steps.push(match self.apply(ctx, execution).await? {
                Err(next) => Step::unchanged(next),
                Ok(applied) => Step::Become {
                    next: Next::Finalized(Outcome {
                        tx_hash: None,
                        deployed: applied.deployed,
                    }),
                    statements: applied.statements,
                    hints: Vec::new(),
                },
            });
        }
        Ok(steps)
    }

    async fn follow(&self, _: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
        Ok(None)
    }

    fn performing(&self) -> Option<&SingleFlight> {
        self.is_at_once.then_some(&self.performing)
    }

    fn treasury(&self) -> Option<&dyn Treasury> {
        Some(self)
    }
}

#[async_trait(?Send)]
impl Treasury for Embedded {
    async fn credit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<Vec<Statement>, LedgerError> {
        let (identity, keys) = self.token_keys(ctx, account).await?;
        let snapshot = self.snapshot(ctx, &keys).await?;
        let changes = apply_credit(account, tokens, &identity.instance.gateways, &snapshot)
            .map_err(|error| DatabaseError::Bug(error.message))?;
        guarded(ctx, &keys, &snapshot, &changes)
    }

    async fn debit(
        &self,
        ctx: &Context<'_>,
        account: Address,
        tokens: Amount,
    ) -> Result<(Vec<Statement>, Amount), LedgerError> {
        let (identity, keys) = self.token_keys(ctx, account).await?;
        let snapshot = self.snapshot(ctx, &keys).await?;
        let balance = snapshot.balances.get(&account).copied().unwrap_or_default();
        let changes = apply_debit(account, tokens, &identity.instance.gateways, &snapshot);
        let statements = guarded(ctx, &keys, &snapshot, &changes)?;
        Ok((statements, tokens.min(balance)))
    }
}

/// Returns statements that write the changes, after guards for the values of the snapshot.
fn guarded(
    ctx: &Context<'_>,
    keys: &ReadSet,
    snapshot: &Snapshot,
    changes: &[Change],
) -> Result<Vec<Statement>, LedgerError> {
    let mut statements = guards(keys, snapshot);
    statements.extend(write(&unauthored(changes), None, ctx.now())?);
    Ok(statements)
}
