//! A fake chain on which results arrive late and can be undone. Tests use it where a real chain cannot be controlled or is too slow: for a
//! refusing simulation, and for a crash at each of many steps.
//!
//! The chain uses the rules of the embedded ledger. A record is sent when it is first due. Its result depends only on
//! the time since it was sent, so repeated queries at one time give the same answer. Like a real backend, the chain
//! keeps its state in the service's database, so another process can continue at any time.

use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, B256, Change, Code, FieldError, ReadSet, Request, Snapshot, Status};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::Isolate;
use crate::context::Context;
use crate::ledger::projection::{unauthored, write};
use crate::ledger::{
    Applied, Balance, Embedded, Execution, Identity, Ledger, LedgerError, Next, Observed, Outcome,
    Step, Treasury,
};
use crate::ports::{DatabaseError, Param, Statement};
use crate::text::account_key;

/// Milliseconds from one block to the next.
const BLOCK_MS: u64 = 1_000;

/// The state of a sent record after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The record is not in the block.
    Empty,
    /// The record is in this block or in an earlier one.
    Included,
    /// A reorganisation took the record out again.
    Undone,
    /// Another transaction replaced the record's transaction, which no block will include any more.
    Replaced,
    /// The record is final: it can no longer be undone.
    Final,
}

/// A chain that takes every sent record through the same list of states, one state per block.
#[derive(Clone)]
pub struct FakeChain {
    rules: Rc<Embedded>,
    blocks: Vec<Block>,
    refuses: Option<Code>,
    has_treasury: bool,
    snapshots: Rc<Cell<usize>>,
}

/// A row of `chain_records`: a record that was sent.
#[derive(Deserialize)]
struct Sent {
    /// The time at which the record was first sent.
    at: u64,
    /// The statements that undo the record's changes in the projection, as a JSON list of `[sql, parameters]`.
    undo: String,
}

impl FakeChain {
    /// Creates a chain from the states of a record after each block. The first state belongs to the first block after the record
    /// was sent. The last state repeats.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        Self {
            rules: Rc::default(),
            blocks: blocks.to_vec(),
            refuses: None,
            has_treasury: true,
            snapshots: Rc::default(),
        }
    }

    /// SQL that creates the chain's tables. A real backend's tables are created by a migration.
    pub const TABLES: &str = "CREATE TABLE chain_records (ref TEXT PRIMARY KEY, at INTEGER NOT NULL, undo TEXT NOT NULL) STRICT; \
        CREATE TABLE chain_events (block INTEGER NOT NULL, hash TEXT NOT NULL) STRICT; \
        CREATE INDEX chain_events_by_block ON chain_events (block); \
        CREATE TABLE chain_cursor (id INTEGER PRIMARY KEY, block INTEGER NOT NULL, next_at INTEGER NOT NULL) STRICT; \
        INSERT INTO chain_cursor VALUES (1, 0, 0);";

    /// Returns a chain on which the simulation of every request fails with this code, although the rules allow the
    /// request.
    #[must_use]
    pub fn refusing(self, code: Code) -> Self {
        Self {
            refuses: Some(code),
            ..self
        }
    }

    /// Returns a chain on which the service cannot issue tokens.
    #[must_use]
    pub fn without_treasury(self) -> Self {
        Self {
            has_treasury: false,
            ..self
        }
    }

    /// Returns the number of snapshots that the service has read from this chain.
    #[must_use]
    pub fn snapshots(&self) -> usize {
        self.snapshots.get()
    }

    /// Returns the record's row. `None` if the record was not sent.
    async fn sent(ctx: &Context<'_>, reference: &str) -> Result<Option<Sent>, LedgerError> {
        let select = Statement::new("SELECT at, undo FROM chain_records WHERE ref = ?1");
        Ok(ctx.db().query(select.bind(reference)).await?.first()?)
    }

    /// Creates an isolate that uses this ledger.
    #[must_use]
    pub fn isolate(self) -> Isolate {
        // A new isolate starts without cached data.
        let rules = Rc::default();
        Isolate::on(Rc::new(Self { rules, ..self }))
    }

    /// Returns the state of a record after the current block, and the time of the next block.
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

    /// Returns the step that stores the record's next state and its changes to the projection, or the refusal of the rules.
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
                mut statements,
                deployed,
            }) => {
                let keep = Statement::new("UPDATE chain_records SET undo = ?2 WHERE ref = ?1");
                let undo = as_json(&undo(ctx, &changes)?);
                statements.push(keep.bind(execution.reference).bind(undo));
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

    /// Decides the next step of a due record.
    async fn step(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
    ) -> Result<Step, LedgerError> {
        let sent = Self::sent(ctx, execution.reference).await?;
        let is_sent = matches!(execution.status, Status::Processing | Status::Success);
        if is_sent && sent.is_none() {
            let why = "the chain does not have this record".to_owned();
            return Err(LedgerError::Unavailable(why));
        }
        let at = sent.as_ref().map_or(ctx.now(), |sent| sent.at);
        let (block, until) = self.block(at, ctx.now());
        match (execution.status, block) {
            (Status::Processing, Block::Empty | Block::Undone)
            | (Status::Success, Block::Empty | Block::Included) => Ok(Step::wait(until)),
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
            (Status::Success, Block::Undone | Block::Replaced) => Ok(Step::Become {
                next: Next::Processing { check_at: until },
                statements: from_json(sent.as_ref().map_or("[]", |sent| sent.undo.as_str()))?,
                hints: Vec::new(),
            }),
            (Status::Processing, Block::Replaced) => {
                Ok(Step::unchanged(Next::Pending { check_at: until }))
            }
            // The record is sent now. The transaction that makes the record Processing also stores its row of `chain_records`, unless an
            // earlier attempt has stored this row.
            _ => {
                let insert = Statement::new(
                    "INSERT INTO chain_records (ref, at, undo) VALUES (?1, ?2, '[]') ON CONFLICT DO NOTHING",
                );
                Ok(Step::Become {
                    next: Next::Processing { check_at: until },
                    statements: vec![insert.bind(execution.reference).bind(at)],
                    hints: Vec::new(),
                })
            }
        }
    }
}

/// Returns statements that undo the changes in the projection.
fn undo(ctx: &Context<'_>, changes: &[Change]) -> Result<Vec<Statement>, LedgerError> {
    let inverse: Vec<Change> = changes.iter().filter_map(inverse).collect();
    let mut statements = write(&unauthored(&inverse), None, ctx.now())?;
    for change in changes {
        if let Change::LedgerCreated { ledger, .. } = change {
            let delete = Statement::new("DELETE FROM ledgers WHERE id = ?1");
            statements.push(delete.bind(account_key(ledger)));
        }
    }
    Ok(statements)
}

fn as_json(statements: &[Statement]) -> String {
    let pairs = statements
        .iter()
        .map(|statement| json!([statement.sql, statement.params]));
    Value::from_iter(pairs).to_string()
}

fn from_json(text: &str) -> Result<Vec<Statement>, LedgerError> {
    let corrupt = |why: &str| DatabaseError::corrupt("chain_records", "", why);
    let pairs: Vec<(String, Vec<Value>)> =
        serde_json::from_str(text).map_err(|error| corrupt(&error.to_string()))?;
    let statement = |(sql, params): (String, Vec<Value>)| {
        let param = |value: Value| match value {
            Value::Null => Param::Null,
            Value::String(text) => Param::Text(text),
            other => Param::Integer(other.as_i64().unwrap_or_default()),
        };
        Statement::built(sql.into(), params.into_iter().map(param).collect())
    };
    Ok(pairs.into_iter().map(statement).collect())
}

/// Returns the transaction's hash: the hash of the record's reference.
fn tx_hash(execution: &Execution<'_>) -> String {
    crate::text::hash_key(&alloy_primitives::keccak256(execution.reference))
}

/// Returns the inverse of a change. `None` for a new ledger, whose row [`undo`] deletes.
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

    async fn check(
        &self,
        ctx: &Context<'_>,
        request: &Request,
        keys: &ReadSet,
    ) -> Result<Result<(), Vec<FieldError>>, LedgerError> {
        self.snapshots.update(|count| count.saturating_add(1));
        let allowed = self.rules.check(ctx, request, keys).await?;
        let simulated = self.refuses.map_or(Ok(()), |code| {
            Err(vec![FieldError::new(code, "order.actions[0].receiverId")])
        });
        Ok(allowed.and(simulated))
    }

    async fn balance(&self, ctx: &Context<'_>, account: &Address) -> Result<Balance, LedgerError> {
        self.rules.balance(ctx, account).await
    }

    async fn advance(
        &self,
        ctx: &Context<'_>,
        executions: &[Execution<'_>],
    ) -> Result<Vec<Step>, LedgerError> {
        let mut steps = Vec::new();
        for execution in executions {
            steps.push(self.step(ctx, execution).await?);
        }
        Ok(steps)
    }

    /// Returns the events of the next block: requests that other accounts performed. The events do not change
    /// the projection.
    async fn follow(&self, ctx: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
        #[derive(Deserialize)]
        struct Event {
            block: u64,
            hash: String,
        }
        let select = Statement::new(
            "SELECT block, hash FROM chain_events \
             WHERE block = (SELECT min(block) FROM chain_events WHERE block > (SELECT block FROM chain_cursor WHERE id = 1))",
        );
        let events: Vec<Event> = ctx.db().query(select).await?.all()?;
        let Some(block) = events.first().map(|event| event.block) else {
            return Ok(None);
        };
        let guard = Statement::new(
            "INSERT INTO guards SELECT 0 FROM chain_cursor WHERE id = 1 AND block >= ?1",
        );
        let moved = Statement::new("UPDATE chain_cursor SET block = ?1 WHERE id = 1");
        let record = |event: &Event| -> Result<(B256, Next), DatabaseError> {
            let hash = event
                .hash
                .parse()
                .map_err(|error| DatabaseError::corrupt("chain_events", &event.hash, error))?;
            let tx = alloy_primitives::keccak256(&event.hash);
            let outcome = Outcome {
                tx_hash: Some(crate::text::hash_key(&tx)),
                deployed: None,
            };
            Ok((hash, Next::Finalized(outcome)))
        };
        Ok(Some(Observed {
            statements: vec![guard.bind(block), moved.bind(block)],
            records: events.iter().map(record).collect::<Result<_, _>>()?,
        }))
    }

    fn has_blocks(&self) -> bool {
        true
    }

    async fn next_block(&self, ctx: &Context<'_>) -> Result<Option<u32>, LedgerError> {
        let take = Statement::new(
            "UPDATE chain_cursor SET next_at = ?1 + ?2 WHERE id = 1 AND next_at <= ?1 RETURNING block",
        );
        let rows = ctx.db().query(take.bind(ctx.now()).bind(BLOCK_MS)).await?;
        Ok((!rows.list.is_empty()).then_some(1))
    }

    fn treasury(&self) -> Option<&dyn Treasury> {
        let treasury: &dyn Treasury = self.rules.as_ref();
        self.has_treasury.then_some(treasury)
    }
}
