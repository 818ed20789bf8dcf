//! Performs records exactly once. One transaction stores the record's new state, the ledger's changes and the costs.
//! Guards check the record's version and every value that the rules read. If two attempts race, a guard of the slower
//! attempt fails. The slower attempt then reads the record again and finds no work left. Queue messages are only hints,
//! because the sweep finds records whose hint was lost. See `docs/decisions/0023-exactly-once.md`.

use std::collections::BTreeMap;

use order_core::{B256, FieldError, Status};
use serde_json::{Value, json};

use super::{Record, RecordError, costs, store, write};
use crate::backoff;
use crate::context::Context;
use crate::db::{Decision, run};
use crate::ledger::{Ledger, Next, Outcome, Step};
use crate::ports::{Database, DatabaseError, Job, Level, Statement};
use crate::text::hash_key;

/// Performs the records that are due, and cancels those that lapsed. Returns the records that could not be processed, with the errors.
/// Safe to call at any time and any number of times.
pub(crate) async fn perform(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    references: &[&str],
) -> Vec<(String, DatabaseError)> {
    let mut failed = Vec::new();
    for group in references.chunks(ledger.advances_at_once()) {
        // Reads the clock again, so the rules use the time at which this group starts.
        ctx.start_piece();
        let Err(error) = perform_together(ctx, ledger, group).await else {
            continue;
        };
        if let [reference] = group {
            failed.push(((*reference).to_owned(), error));
            continue;
        }
        // One record may have made the whole group fail, so each record is tried alone.
        for reference in group {
            ctx.start_piece();
            if let Err(error) = perform_together(ctx, ledger, &[reference]).await {
                failed.push(((*reference).to_owned(), error));
            }
        }
    }
    failed
}

/// Performs records in one transaction.
async fn perform_together(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    references: &[&str],
) -> Result<(), DatabaseError> {
    match run(ctx, async || advance(ctx, ledger, references).await).await {
        // Concurrent changes caused too many conflicts. A delayed message for each record starts the work again.
        Err(DatabaseError::Guard) => {
            for reference in references {
                let line = json!({ "event": "perform.contended", "ref": reference });
                ctx.log(Level::Warn, line);
                let reference = (*reference).to_owned();
                ctx.hint_after(Job::Perform { reference }, CONTENDED_SECONDS);
            }
            Ok(())
        }
        result => result,
    }
}

/// Seconds until a record is performed again after too many conflicts.
const CONTENDED_SECONDS: u32 = 5;

/// Decides the next states of the due records among `references`, together with the ledger's changes. An open record is due when it
/// lapses.
async fn advance(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    references: &[&str],
) -> Result<Decision<()>, DatabaseError> {
    let mut due = store::any_by_references(ctx.db(), references).await?;
    due.retain(|record| record.is_due(ctx.now()));
    let place = |record: &Record| {
        references
            .iter()
            .position(|known| *known == record.reference)
    };
    due.sort_by_key(place);
    let (own, due): (Vec<_>, Vec<_>) = due.into_iter().partition(|record| is_decided(ctx, record));
    let mut decisions = Vec::new();
    for record in &own {
        let next = match record.status {
            Status::Initialized => Next::Canceled,
            _ => Next::Failed(vec![record.request.expired()]),
        };
        let next = transition(record, next, ctx.now());
        decisions.push(performed(ctx, "transition", record, next, Vec::new())?);
    }
    if !due.is_empty() {
        decisions.extend(advanced(ctx, ledger, &due).await?);
    }
    let together = decisions.into_iter().reduce(Decision::and);
    Ok(together.unwrap_or_else(|| Decision::read(())))
}

/// Asks the ledger for the next states of due records.
async fn advanced(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    due: &[Record],
) -> Result<Vec<Decision<()>>, DatabaseError> {
    ctx.fail_point("perform:read");
    let executions: Vec<_> = due.iter().map(Record::execution).collect();
    let steps = ledger
        .advance(ctx, &executions)
        .await
        .inspect_err(|error| {
            let error = DatabaseError::from(error.clone());
            let references = due.iter().map(|record| record.reference.as_str());
            let line = json!({
                "event": "ledger.failed",
                "refs": references.collect::<Vec<_>>(),
                "fault": error.fault(),
                "why": error.to_string(),
            });
            ctx.log(Level::Error, line);
        })?;
    let mut decisions = Vec::new();
    let mut finalized = Vec::new();
    for (record, step) in due.iter().zip(steps) {
        let (next, statements, hints) = match step {
            Step::Wait {
                until,
                mut statements,
            } => {
                statements.push(write::due_at(record, until));
                decisions.push(Decision::new("transition", statements, ()));
                continue;
            }
            Step::Become {
                next,
                statements,
                hints,
            } => (next, statements, hints),
        };
        if matches!(next, Next::Finalized(_)) {
            finalized.push(&record.request);
        }
        let step = if statements.is_empty() {
            "transition"
        } else {
            "perform"
        };
        let next = transition(record, next, ctx.now());
        let decision = performed(ctx, step, record, next, statements)?;
        decisions.push(hints.into_iter().fold(decision, Decision::hint));
    }
    let costs = costs::booked(ctx, ledger, &finalized).await?;
    if let Some(last) = decisions.last_mut() {
        last.statements.extend(costs);
    }
    Ok(decisions)
}

/// Returns true if the service, not the ledger, decides the next state of a due record. Once a record has been sent to the ledger, only
/// the ledger decides, even after the record has expired.
fn is_decided(ctx: &Context<'_>, record: &Record) -> bool {
    match record.status {
        Status::Initialized => true,
        Status::Processing | Status::Success => false,
        _ => record.expired(ctx.now()),
    }
}

/// Maximum number of batches of ledger events that one run commits. The next run continues.
const BLOCKS: usize = 100;

/// Commits the ledger's new events batch by batch, and changes the state of the records that the events are about. Returns true
/// if there may be more events than one run commits.
pub(crate) async fn follow(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<bool, DatabaseError> {
    for _ in 0..BLOCKS {
        ctx.start_piece();
        match run(ctx, async || observe(ctx, ledger).await).await {
            Ok(false) => {}
            Ok(true) => return Ok(false),
            // Another process commits the same events.
            Err(DatabaseError::Guard) => {
                ctx.log(Level::Warn, json!({ "event": "follow.contended" }));
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Returns true if a record that was sent to the ledger waits for its outcome or for finality. Ignores records in quarantine.
pub(crate) async fn in_flight(db: &dyn Database) -> Result<bool, DatabaseError> {
    // SQLite uses the partial index only if the statement repeats the literals of its condition.
    let select = Statement::new(
        "SELECT 1 FROM records WHERE status IN (2, 3) AND aside_until IS NULL AND due_at >= 0 LIMIT 1",
    );
    Ok(!db.query(select).await?.list.is_empty())
}

/// Decides the changes of the ledger's next events as one transaction. The decision's answer is true if there are no events.
async fn observe(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<Decision<bool>, DatabaseError> {
    let Some(observed) = ledger.follow(ctx).await? else {
        return Ok(Decision::read(true));
    };
    let mut decision = Decision::new("observe", observed.statements, false);
    let mut finalized = Vec::new();
    for (record, next) in changed_records(ctx, observed.records).await? {
        if let Next::Finalized(_) = next {
            finalized.push(record.request.clone());
        }
        let next = transition(&record, next, ctx.now());
        decision = decision.and(performed(ctx, "observe", &record, next, Vec::new())?);
    }
    let finalized: Vec<_> = finalized.iter().collect();
    let costs = costs::booked(ctx, ledger, &finalized).await?;
    decision.statements.extend(costs);
    Ok(decision)
}

/// Returns the records that events change, with their next states. A row that cannot be read is logged and skipped.
async fn changed_records(
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

/// Returns the decision to replace a record on the service's own behalf, together with the ledger's changes. The change is logged after
/// the commit.
fn performed(
    ctx: &Context<'_>,
    step: &'static str,
    old: &Record,
    new: Record,
    ledger: Vec<Statement>,
) -> Result<Decision<()>, DatabaseError> {
    let line = line(&new);
    Ok(write::replacement(ctx, step, old, new, ledger)?
        .logged(line)
        .map(drop))
}

/// Returns the line that logs the state of a performed record.
pub(super) fn line(record: &Record) -> Value {
    json!({
        "event": "record.changed",
        "ref": record.reference,
        "kind": record.request.kind() as u8,
        "status": record.status.number(),
        "error": record.error.as_ref().map(|error| error.code),
    })
}

/// Returns the record in its next state, with `now` as the time of the change.
pub(super) fn transition(record: &Record, next: Next, now: u64) -> Record {
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
        // The order was never queued: another account had performed it on the chain. The order is now open again.
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
        error: first_error(errors),
        ..record
    }
}

fn suspended(record: Record, now: u64, errors: &[FieldError]) -> Record {
    match backoff::SUSPENDED_RECORD.next(now, record.attempts) {
        None => failed(record, errors),
        due_at => Record {
            status: Status::Suspended,
            error: first_error(errors),
            attempts: record.attempts.saturating_add(1),
            due_at,
            ..record
        },
    }
}

fn first_error(errors: &[FieldError]) -> Option<RecordError> {
    errors.first().map(|error| RecordError {
        code: error.code.number(),
        message: error.message.clone(),
    })
}
