//! The sweep: processes records that wait for the service, and puts records in quarantine that it cannot process.
//!
//! A run handles a limited number of due records. A record that fails is tried again after 1, 5 and 30 minutes, 2 hours, then every 12 hours.
//! Failing records have their own share of each run, so a hundred records that always fail do not delay any other record.

use serde::Deserialize;
use serde_json::json;

use super::advance::perform;
use crate::backoff;
use crate::context::Context;
use crate::ledger::Ledger;
use crate::ports::{Database, DatabaseError, Level, Statement};

/// Maximum number of records of each of the [`PARTS`] in one sweep.
const SWEEP: u32 = 100;

/// A sweep's task for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Performs a due record, queries the ledger about its outcome, or cancels a lapsed order.
    Perform,
    /// Retries a record in quarantine.
    Retry,
}

/// The parts of a sweep. Each part has a task, and the SQL condition and order of the records that need this task. Each part
/// has its own limit, so one kind of work cannot delay another. Statuses are literals, because SQLite uses a partial index only
/// if the statement repeats the index's condition.
const PARTS: [(Task, &str); 5] = [
    (
        Task::Perform,
        "status = 1 AND aside_until IS NULL AND due_at <= ?2 ORDER BY priority DESC, created_at",
    ),
    (
        Task::Perform,
        "status IN (2, 3) AND aside_until IS NULL AND due_at <= ?2 ORDER BY due_at",
    ),
    (
        Task::Perform,
        "status = 5 AND aside_until IS NULL AND due_at <= ?2 ORDER BY due_at",
    ),
    (
        Task::Perform,
        "status = 0 AND aside_until IS NULL AND due_at <= ?2 ORDER BY due_at",
    ),
    (Task::Retry, "aside_until <= ?2 ORDER BY aside_until"),
];

/// Returns a sweep's tasks, at most `limit` for each of the [`PARTS`].
async fn waiting(
    db: &dyn Database,
    now: u64,
    limit: u32,
) -> Result<Vec<(Task, String)>, DatabaseError> {
    #[derive(Deserialize)]
    struct Reference {
        #[serde(rename = "ref")]
        reference: String,
    }
    let select = |(_, due): &(Task, &str)| {
        let sql = format!("SELECT ref FROM records WHERE {due} LIMIT ?1");
        Statement::built(sql.into(), vec![limit.into(), now.into()])
    };
    let rows = db.batch(PARTS.iter().map(select).collect()).await?;
    let mut waiting = Vec::new();
    for ((task, _), rows) in PARTS.into_iter().zip(rows) {
        let rows = rows.all::<Reference>()?.into_iter();
        waiting.extend(rows.map(|row| (task, row.reference)));
    }
    Ok(waiting)
}

/// Processes records that wait for the service, up to a limit: performs pending records, queries the ledger about outcomes,
/// retries suspended records and records in quarantine, and cancels lapsed orders. A record that cannot be read or processed
/// is put in quarantine, so it cannot delay others.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let waiting = waiting(ctx.db(), ctx.now(), SWEEP).await?;
    let (due, aside): (Vec<_>, Vec<_>) =
        waiting.iter().partition(|(task, _)| *task == Task::Perform);
    let references: Vec<&str> = due
        .iter()
        .map(|(_, reference)| reference.as_str())
        .collect();
    let mut failed = perform(ctx, ledger, &references).await;
    for (_, reference) in aside {
        match perform(ctx, ledger, &[reference]).await.pop() {
            None => {
                if let Err(error) = release(ctx, reference).await {
                    failed.push((reference.clone(), error));
                }
            }
            Some(fault) => failed.push(fault),
        }
    }
    for (reference, error) in failed {
        log(ctx, "perform.failed", &reference, &error);
        if let Err(error) = quarantine(ctx, &reference).await {
            log(ctx, "record.not-set-aside", &reference, &error);
        }
    }
    Ok(())
}

/// Puts a record in quarantine. Each further fault makes the quarantine longer, up to a maximum.
async fn quarantine(ctx: &Context<'_>, reference: &str) -> Result<(), DatabaseError> {
    let statement = Statement::new(
        "UPDATE records SET faults = faults + 1, aside_until = ?2 + coalesce(?3 ->> faults, ?4) WHERE ref = ?1",
    )
    .bind(reference)
    .bind(ctx.now());
    let statement = backoff::QUARANTINE.bind(statement)?;
    ctx.db().query(statement).await.map(drop)
}

/// Releases a record from quarantine, and resets its number of faults. Has no effect if a change of the record has
/// already released it.
async fn release(ctx: &Context<'_>, reference: &str) -> Result<(), DatabaseError> {
    let statement = Statement::new(
        "UPDATE records SET faults = 0, aside_until = NULL WHERE ref = ?1 AND aside_until IS NOT NULL",
    )
    .bind(reference);
    ctx.db().query(statement).await.map(drop)
}

fn log(ctx: &Context<'_>, event: &str, reference: &str, error: &DatabaseError) {
    let (fault, why) = (error.fault(), error.to_string());
    ctx.log(
        Level::Error,
        json!({ "event": event, "ref": reference, "fault": fault, "why": why }),
    );
}
