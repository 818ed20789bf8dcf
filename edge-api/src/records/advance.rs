//! Performs records exactly once. One transaction stores the record's new state, the ledger's changes and the costs.
//! Guards check the record's version and every value that the rules read. If two attempts race, a guard of the slower
//! attempt fails. The slower attempt then reads the record again and finds no work left. A queue message is only a
//! hint: the sweep finds records whose hint was lost. See `docs/decisions/0023-exactly-once.md`.

use std::collections::BTreeMap;

use order_core::{B256, FieldError, Status};
use serde_json::json;

use super::{Record, RecordError, costs, store, write};
use crate::backoff;
use crate::context::Context;
use crate::db::{Decision, run};
use crate::ledger::{Ledger, Next, Outcome, Step};
use crate::ports::{Database, DatabaseError, Job, Level, Statement};
use crate::text::hash_key;

/// Performs a record if it is due, or cancels it if it lapsed. Safe to call at any time and any number of times.
pub(crate) async fn perform(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
) -> Result<(), DatabaseError> {
    match run(ctx, async || advance(ctx, ledger, reference).await).await {
        // Concurrent changes have caused too many conflicts. A delayed message starts again.
        Err(DatabaseError::Guard) => {
            let line = json!({ "event": "perform.contended", "ref": reference });
            ctx.log(Level::Warn, line);
            let reference = reference.to_owned();
            ctx.hint_after(Job::Perform { reference }, CONTENDED_SECONDS);
            Ok(())
        }
        result => result,
    }
}

/// Seconds until a record is performed again after too many conflicts.
const CONTENDED_SECONDS: u32 = 5;

/// Decides the next state of a due record, together with the ledger's changes. An open record is due when it lapses.
async fn advance(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
) -> Result<Decision<()>, DatabaseError> {
    let due = store::any_by_reference(ctx.db(), reference).await?;
    let Some(record) = due.filter(|record| record.is_due(ctx.now())) else {
        return Ok(Decision::read(()));
    };
    if record.status == Status::Initialized {
        let lapsed = Record {
            updated_at: ctx.now(),
            ..record.canceled(None)
        };
        return performed(ctx, "transition", &record, lapsed, Vec::new());
    }
    ctx.fail_point("perform:read");
    // Once a record has been sent to the ledger, only the ledger decides its result, so such a record does not expire.
    let is_sent = matches!(record.status, Status::Processing | Status::Success);
    let step = if record.expired(ctx.now()) && !is_sent {
        Step::unchanged(Next::Failed(vec![record.request.expired()]))
    } else {
        ledger
            .advance(ctx, &record.execution())
            .await
            .inspect_err(|error| {
                let error = DatabaseError::from(error.clone());
                let line = json!({
                    "event": "ledger.failed",
                    "ref": record.reference,
                    "fault": error.fault(),
                    "why": error.to_string(),
                });
                ctx.log(Level::Error, line);
            })?
    };
    let (next, statements, hints) = match step {
        Step::Wait {
            until,
            mut statements,
        } => {
            statements.push(write::due_at(&record, until));
            return Ok(Decision::new("transition", statements, ()));
        }
        Step::Become {
            next,
            statements,
            hints,
        } => (next, statements, hints),
    };
    let step = if statements.is_empty() {
        "transition"
    } else {
        "perform"
    };
    let costs = match next {
        Next::Finalized(_) => costs::booked(ctx, ledger, &[&record.request]).await?,
        _ => Vec::new(),
    };
    let next = transition(&record, next, ctx.now());
    let mut decision = performed(ctx, step, &record, next, statements)?;
    decision.statements.extend(costs);
    decision.hints.extend(hints);
    Ok(decision)
}

/// Maximum number of blocks that one run follows. The next run continues.
const BLOCKS: usize = 100;

/// Commits the events of the ledger block by block, and changes the state of their records. Returns true if there may be
/// more blocks than one run handles.
pub(crate) async fn follow(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<bool, DatabaseError> {
    for _ in 0..BLOCKS {
        ctx.start_piece();
        match run(ctx, async || observe(ctx, ledger).await).await {
            Ok(false) => {}
            Ok(true) => return Ok(false),
            // Another process follows the same block.
            Err(DatabaseError::Guard) => {
                ctx.log(Level::Warn, json!({ "event": "follow.contended" }));
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Returns true if records that were sent to the ledger wait for their outcome.
pub(crate) async fn in_flight(db: &dyn Database) -> Result<bool, DatabaseError> {
    // SQLite uses the partial index only if the statement repeats the literals of its condition.
    let select = Statement::new(
        "SELECT 1 FROM records WHERE status IN (2, 3) AND aside_until IS NULL AND due_at >= 0 LIMIT 1",
    );
    Ok(!db.query(select).await?.list.is_empty())
}

/// Decides the changes of the next block as one transaction. The decision's answer is true if there is no block.
async fn observe(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<Decision<bool>, DatabaseError> {
    let Some(observed) = ledger.follow(ctx).await? else {
        return Ok(Decision::read(true));
    };
    let mut decision = Decision::new("observe", observed.statements, false);
    let mut finalized = Vec::new();
    for (record, next) in moved(ctx, observed.records).await? {
        if let Next::Finalized(_) = next {
            finalized.push(record.request.clone());
        }
        let next = transition(&record, next, ctx.now());
        decision = decision.and(performed(ctx, "observe", &record, next, Vec::new())?);
    }
    // All costs are booked together. With separate bookings in one batch, the guard of the second booking would fail, because
    // the first booking changes the sums.
    let finalized: Vec<_> = finalized.iter().collect();
    let costs = costs::booked(ctx, ledger, &finalized).await?;
    decision.statements.extend(costs);
    Ok(decision)
}

/// Returns the records that events change, with their next states. A row that cannot be read does not stop the others.
async fn moved(
    ctx: &Context<'_>,
    events: Vec<(B256, Next)>,
) -> Result<Vec<(Record, Next)>, DatabaseError> {
    let mut events: BTreeMap<String, Next> = events
        .into_iter()
        .map(|(hash, next)| (hash_key(&hash), next))
        .collect();
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let hashes: Vec<String> = events.keys().cloned().collect();
    let mut moved = Vec::new();
    for (reference, record) in store::by_hashes(ctx.db(), &hashes).await? {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = json!({ "event": "observe.unreadable", "ref": reference, "why": error.to_string() });
                ctx.log(Level::Error, line);
                continue;
            }
        };
        let next = events.remove(&record.hash);
        if let Some(next) = next.filter(|next| is_moved(&record, next)) {
            moved.push((record, next));
        }
    }
    Ok(moved)
}

/// Returns true if an event of the ledger changes the record. A failed or canceled record can change too: its claims
/// stay valid on a chain, so another account may have performed it.
fn is_moved(record: &Record, next: &Next) -> bool {
    match (record.status, next) {
        (Status::Finalized, _) | (Status::Canceled, Next::Canceled) => false,
        (Status::Success, Next::Success { outcome, .. }) => record.tx_hash != outcome.tx_hash,
        _ => true,
    }
}

/// Replaces a record on the service's own behalf, together with the ledger's changes, and logs the change.
fn performed(
    ctx: &Context<'_>,
    step: &'static str,
    old: &Record,
    new: Record,
    ledger: Vec<Statement>,
) -> Result<Decision<()>, DatabaseError> {
    let line = json!({
        "event": "record.changed",
        "ref": new.reference,
        "kind": new.request.kind() as u8,
        "status": new.status.number(),
        "error": new.error.as_ref().map(|error| error.code),
    });
    Ok(write::replacement(ctx, step, old, new, ledger)?
        .logged(line)
        .map(drop))
}

/// Returns the record in its next state, with `now` as the time of the change.
fn transition(record: &Record, next: Next, now: u64) -> Record {
    let record = Record {
        error: None,
        due_at: None,
        updated_at: now,
        ..record.clone()
    };
    let applied = |status, outcome: Outcome| Record {
        status,
        tx_hash: outcome.tx_hash.or(record.tx_hash.clone()),
        deployed: outcome.deployed.or(record.deployed.clone()),
        ..record.clone()
    };
    match next {
        // Another account performed the order, and its creator has not asked for that.
        Next::Pending { .. } if !record.was_queued => Record {
            status: Status::Initialized,
            tx_hash: None,
            ..record
        },
        Next::Pending { check_at } => Record {
            status: Status::Pending,
            tx_hash: None,
            deployed: None,
            due_at: Some(check_at),
            ..record
        },
        Next::Processing { check_at } => Record {
            status: Status::Processing,
            tx_hash: None,
            deployed: None,
            due_at: Some(check_at),
            ..record
        },
        Next::Success { outcome, check_at } => Record {
            due_at: Some(check_at),
            ..applied(Status::Success, outcome)
        },
        Next::Finalized(outcome) => applied(Status::Finalized, outcome),
        Next::Suspended(errors) => suspended(record, now, &errors),
        Next::Failed(errors) => failed(record, &errors),
        // The order stays valid. Only the account that took the wildcard's place is removed.
        Next::WildcardDropped => Record {
            request: record.request.clone().without_wildcard(),
            status: Status::Initialized,
            was_queued: false,
            attempts: 0,
            ..record
        },
        Next::Canceled => record.canceled(None),
    }
}

fn failed(record: Record, errors: &[FieldError]) -> Record {
    Record {
        status: Status::Failure,
        error: first(errors),
        ..record
    }
}

fn suspended(record: Record, now: u64, errors: &[FieldError]) -> Record {
    match backoff::SUSPENDED_RECORD.next(now, record.attempts) {
        None => failed(record, errors),
        due_at => Record {
            status: Status::Suspended,
            error: first(errors),
            attempts: record.attempts.saturating_add(1),
            due_at,
            ..record
        },
    }
}

fn first(errors: &[FieldError]) -> Option<RecordError> {
    errors.first().map(|error| RecordError {
        code: error.code.number(),
        message: error.message.clone(),
    })
}
