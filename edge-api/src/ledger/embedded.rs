//! The ledger in the service's own database. It enforces what the original contracts enforce, by the rules of
//! `order_core`: this module reads the values that the rules ask for, and writes what they decide.
//!
//! A batch carries its conditions with it: before anything is written, guards compare every value that was read
//! with what is stored now. What two performers read and write can therefore not mix, in whatever order they run.

use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, Amount, Change, ReadSet, Snapshot, apply_credit, apply_debit};

use super::tables::{guards, reads, snapshot, write};
use super::withdrawal::withdraw;
use super::{Ledger, LedgerError, Performed};
use crate::app::{Call, commit};
use crate::instance::Instance;
use crate::ports::{DatabaseError, Statement};
use crate::records::{Made, Work};
use crate::statistics::Paid;

/// The ledger of one instance.
pub(crate) struct Embedded<'a> {
    call: &'a Call<'a>,
    instance: Rc<Instance>,
}

impl<'a> Embedded<'a> {
    pub(crate) fn new(call: &'a Call<'a>, instance: Rc<Instance>) -> Self {
        Self { call, instance }
    }

    async fn read(&self, keys: &ReadSet) -> Result<Snapshot, DatabaseError> {
        snapshot(self.call.db().batch(reads(keys)).await?)
    }

    /// Statements that credit tokens to an account, and to the allowance of the proxy through which both gateways
    /// move value. Their batch ends with [`DatabaseError::Guard`] if either changes in between.
    pub(crate) async fn credit(
        &self,
        account: Address,
        tokens: Amount,
    ) -> Result<Vec<Statement>, DatabaseError> {
        let keys = self.purse(account);
        let snapshot = self.read(&keys).await?;
        let changes = apply_credit(account, tokens, &self.instance.gateways, &snapshot)
            .map_err(|error| DatabaseError::Unavailable(error.message))?;
        self.guarded(&keys, &snapshot, &changes)
    }

    /// Statements that take tokens back, down to zero, guarded like those of a credit; and the tokens that there were to
    /// be taken.
    pub(crate) async fn debit(
        &self,
        account: Address,
        tokens: Amount,
    ) -> Result<(Vec<Statement>, Amount), DatabaseError> {
        let keys = self.purse(account);
        let snapshot = self.read(&keys).await?;
        let balance = snapshot.balances.get(&account).copied().unwrap_or_default();
        let changes = apply_debit(account, tokens, &self.instance.gateways, &snapshot);
        let statements = self.guarded(&keys, &snapshot, &changes)?;
        Ok((statements, tokens.min(balance)))
    }

    /// What a credit or debit changes.
    fn purse(&self, account: Address) -> ReadSet {
        ReadSet {
            balances: [account].into(),
            allowances: [(account, self.instance.gateways.proxies.transfer_value)].into(),
            ..ReadSet::default()
        }
    }

    fn guarded(
        &self,
        keys: &ReadSet,
        snapshot: &Snapshot,
        changes: &[Change],
    ) -> Result<Vec<Statement>, DatabaseError> {
        let mut statements = guards(keys, snapshot);
        statements.extend(write(changes, None, self.call.now())?);
        Ok(statements)
    }
}

#[async_trait(?Send)]
impl Ledger for Embedded<'_> {
    async fn snapshot(&self, keys: &ReadSet) -> Result<Snapshot, LedgerError> {
        Ok(self.read(keys).await?)
    }

    async fn perform(
        &self,
        reference: &str,
        work: &Work,
        made: Option<&Made>,
        record: Vec<Statement>,
    ) -> Result<Performed, LedgerError> {
        let keys = work.read_set(&self.instance);
        let paid = Paid::of(work, &self.instance.gateways);
        let now = self.call.now();
        let mut questions = reads(&keys);
        questions.push(paid.read(now));
        let mut answers = self.call.db().batch(questions).await?;
        let costs = answers.pop().unwrap_or_default();
        let snapshot = snapshot(answers)?;
        let changes = match work.apply(&self.instance, &snapshot) {
            Ok(changes) => changes,
            Err(errors) => {
                let costs = &self.call.config().costs;
                return Ok(Performed::Refused {
                    without_wildcard: work.without_failing_wildcard(&self.instance, &snapshot),
                    only_payment: work.only_payment_fails(
                        &errors,
                        costs,
                        &self.instance,
                        &snapshot,
                    ),
                    errors,
                });
            }
        };
        // The record's own guard first: who comes second learns it from the record, which it reads again.
        let mut statements = record;
        statements.extend(guards(&keys, &snapshot));
        // Before its row is gone.
        statements.extend(withdraw(&changes, reference, now));
        statements.extend(write(&changes, made, now)?);
        statements.extend(paid.writes(costs, now)?);
        commit(self.call, "perform", statements).await?;
        Ok(Performed::Applied)
    }
}
