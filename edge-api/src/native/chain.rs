//! A fake chain: results arrive late and can be undone.
//!
//! It uses the rules of the embedded ledger. A record is sent when it is first due. Its result depends only on the time since it was sent,
//! so queries at the same time have the same answer.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, Change, ReadSet, Snapshot, Status};

use crate::app::Isolate;
use crate::context::Context;
use crate::db::Decision;
use crate::ledger::projection::write;
use crate::ledger::{
    Applied, Embedded, Execution, Identity, Ledger, LedgerError, Next, Outcome, Step, Treasury,
};
use crate::ports::Statement;
use crate::text::account_key;

/// Milliseconds from one block to the next.
const BLOCK_MS: u64 = 1_000;

/// The effect of a block on a record that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The record is not in the block.
    Empty,
    /// The record is in this block or in an earlier one.
    Included,
    /// A reorganisation took the record out again.
    Undone,
    /// The record is final: it can no longer be undone.
    Final,
}

/// A chain whose blocks have the same effect on every record.
pub struct FakeChain {
    rules: Embedded,
    blocks: Vec<Block>,
    records: RefCell<BTreeMap<String, Sent>>,
}

/// A record that was sent.
struct Sent {
    at: u64,
    /// The record's changes in the projection.
    changes: Vec<Change>,
}

impl FakeChain {
    /// Creates a chain whose blocks have these effects on a record, starting with the block after the record was sent. The last effect
    /// repeats.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        Self {
            rules: Embedded::default(),
            blocks: blocks.to_vec(),
            records: RefCell::default(),
        }
    }

    /// Creates an isolate that uses this ledger.
    #[must_use]
    pub fn isolate(self) -> Isolate {
        Isolate::on(Rc::new(self))
    }

    /// Returns the effect of the current block, and the time of the next block.
    fn block(&self, sent_at: u64, now: u64) -> (Block, u64) {
        let passed = now.saturating_sub(sent_at) / BLOCK_MS;
        let index = usize::try_from(passed).unwrap_or(usize::MAX);
        let block = match index.checked_sub(1) {
            None => Block::Empty,
            Some(index) => self
                .blocks
                .get(index)
                .or(self.blocks.last())
                .copied()
                .unwrap_or(Block::Final),
        };
        let next = passed.saturating_add(1).saturating_mul(BLOCK_MS);
        (block, sent_at.saturating_add(next))
    }

    /// Writes the record's changes to the projection, with its next state. The rules may forbid them.
    async fn include(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
        next: impl FnOnce(Outcome) -> Next,
    ) -> Result<Step, LedgerError> {
        Ok(match self.rules.apply(ctx, execution).await? {
            Err(forbidden) => Step::unchanged(forbidden),
            Ok(Applied {
                changes,
                statements,
                deployed,
            }) => {
                if let Some(sent) = self.records.borrow_mut().get_mut(execution.reference) {
                    sent.changes = changes;
                }
                Step::Become {
                    next: next(Outcome {
                        tx_hash: Some(tx_hash(execution)),
                        deployed,
                    }),
                    statements,
                    hints: Vec::new(),
                }
            }
        })
    }

    /// Returns statements that undo the record's changes.
    fn undo(&self, ctx: &Context<'_>, reference: &str) -> Result<Vec<Statement>, LedgerError> {
        let records = self.records.borrow();
        let changes = records.get(reference).map(|sent| sent.changes.as_slice());
        let changes = changes.unwrap_or_default();
        let inverse: Vec<Change> = changes.iter().filter_map(inverse).collect();
        let mut statements = write(&inverse, None, ctx.now())?;
        for change in changes {
            if let Change::LedgerCreated { ledger, .. } = change {
                let delete = Statement::new("DELETE FROM ledgers WHERE id = ?1");
                statements.push(delete.bind(account_key(ledger)));
            }
        }
        Ok(statements)
    }
}

/// Returns the transaction's hash: the hash of the record's reference.
fn tx_hash(execution: &Execution<'_>) -> String {
    crate::text::hash_key(&alloy_primitives::keccak256(execution.reference))
}

/// Returns the inverse of a change. A deployment has no inverse.
fn inverse(change: &Change) -> Option<Change> {
    let mut inverse = change.clone();
    match &mut inverse {
        Change::LedgerCreated { .. } => return None,
        Change::Asset { old, new, .. } => std::mem::swap(old, new),
        Change::Abilities { old, new, .. } => std::mem::swap(old, new),
        Change::Operator { old, new, .. } => std::mem::swap(old, new),
        Change::Balance { old, new, .. } | Change::Allowance { old, new, .. } => {
            std::mem::swap(old, new);
        }
    }
    Some(inverse)
}

#[async_trait(?Send)]
impl Ledger for FakeChain {
    async fn identity(&self, ctx: &Context<'_>) -> Result<Rc<Identity>, LedgerError> {
        self.rules.identity(ctx).await
    }

    async fn snapshot(&self, ctx: &Context<'_>, keys: &ReadSet) -> Result<Snapshot, LedgerError> {
        self.rules.snapshot(ctx, keys).await
    }

    fn balance(&self, account: &Address) -> Statement {
        self.rules.balance(account)
    }

    async fn advance(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
    ) -> Result<Step, LedgerError> {
        let at = match execution.status {
            Status::Processing | Status::Success => {
                let records = self.records.borrow();
                let sent = records.get(execution.reference).map(|sent| sent.at);
                sent.ok_or_else(|| {
                    LedgerError::Unavailable("the chain does not have this record".to_owned())
                })?
            }
            _ => {
                let changes = Vec::new();
                let sent = Sent {
                    at: ctx.now(),
                    changes,
                };
                let mut records = self.records.borrow_mut();
                records.insert(execution.reference.to_owned(), sent);
                ctx.now()
            }
        };
        let (block, until) = self.block(at, ctx.now());
        match (execution.status, block) {
            (Status::Processing, Block::Empty | Block::Undone)
            | (Status::Success, Block::Empty | Block::Included) => Ok(Step::Wait { until }),
            (Status::Processing, Block::Included) => {
                let success = |outcome| Next::Success {
                    outcome,
                    check_at: until,
                };
                self.include(ctx, execution, success).await
            }
            (Status::Processing, Block::Final) => {
                self.include(ctx, execution, Next::Finalized).await
            }
            (Status::Success, Block::Final) => Ok(Step::unchanged(Next::Finalized(Outcome {
                tx_hash: Some(tx_hash(execution)),
                deployed: None,
            }))),
            (Status::Success, Block::Undone) => Ok(Step::Become {
                next: Next::Processing { check_at: until },
                statements: self.undo(ctx, execution.reference)?,
                hints: Vec::new(),
            }),
            // The record is sent now.
            _ => Ok(Step::unchanged(Next::Processing { check_at: until })),
        }
    }

    async fn follow(&self, _: &Context<'_>) -> Result<Vec<Decision<()>>, LedgerError> {
        Ok(Vec::new())
    }

    fn treasury(&self) -> &dyn Treasury {
        &self.rules
    }
}
