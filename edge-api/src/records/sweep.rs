//! The sweep: finds records that wait for the service, and sets aside records that it cannot process. See
//! `docs/decisions/0026-sweep.md`.

use serde::Deserialize;
use serde_json::json;

use super::advance::{lapse, perform};
use crate::context::Context;
use crate::ledger::Ledger;
use crate::ports::{Database, DatabaseError, Level, Statement};

/// Maximum number of records of each kind in one sweep.
const SWEEP: u32 = 100;

/// A sweep's task for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Performs the record, retries it, or asks the ledger for its outcome.
    Perform,
    /// Cancels a lapsed order that is still open.
    Lapse,
    /// Retries a record that an earlier sweep could not process.
    Again,
}

/// Milliseconds for which a record is set aside after the first, second and later faults: 1, 5, 30 minutes, 2 hours,
/// and 12 hours after each further one.
const ASIDE_MS: [u64; 5] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

/// Returns a sweep's tasks, at most `limit` of each kind: higher priority first, then older. Records that were set
/// aside have their own limit, so they cannot delay others.
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
    let due = |sql| Statement::new(sql).bind(limit).bind(now);
    let parts = [
        (
            Task::Perform,
            "SELECT ref FROM records WHERE status = 1 AND aside_until IS NULL AND coalesce(check_at, 0) <= ?2 \
             ORDER BY priority DESC, created_at LIMIT ?1",
        ),
        (
            Task::Perform,
            "SELECT ref FROM records WHERE status IN (2, 3) AND aside_until IS NULL AND check_at <= ?2 ORDER BY check_at LIMIT ?1",
        ),
        (
            Task::Perform,
            "SELECT ref FROM records WHERE status = 5 AND aside_until IS NULL AND retry_at <= ?2 ORDER BY retry_at LIMIT ?1",
        ),
        (
            Task::Lapse,
            "SELECT ref FROM records WHERE status = 0 AND aside_until IS NULL AND lapses_at <= ?2 ORDER BY lapses_at LIMIT ?1",
        ),
        (
            Task::Again,
            "SELECT ref FROM records WHERE aside_until <= ?2 ORDER BY aside_until LIMIT ?1",
        ),
    ];
    let statements = parts.iter().map(|(_, sql)| due(sql)).collect();
    let mut waiting = Vec::new();
    for ((task, _), rows) in parts.iter().zip(db.batch(statements).await?) {
        let rows = rows.all::<Reference>()?.into_iter();
        waiting.extend(rows.map(|row| (*task, row.reference)));
    }
    Ok(waiting)
}

/// Sets a record aside, longer after each fault.
fn set_aside(reference: &str, now: u64) -> Result<Statement, DatabaseError> {
    Statement::new(
        "UPDATE records SET faults = faults + 1, \
         aside_until = ?2 + coalesce(?3 ->> faults, ?3 ->> '$[#-1]') WHERE ref = ?1",
    )
    .bind(reference)
    .bind(now)
    .bind_json(&ASIDE_MS)
}

/// Releases a record that was set aside, and resets its faults. Has no effect if a change of the record has already done
/// so.
fn take_back(reference: &str) -> Statement {
    Statement::new("UPDATE records SET faults = 0, aside_until = NULL WHERE ref = ?1 AND aside_until IS NOT NULL")
        .bind(reference)
}

/// Processes every record that waits for the service: performs pending ones, retries suspended ones, cancels lapsed
/// ones. A record that cannot be read or processed is set aside, so it cannot delay others.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    for (task, reference) in waiting(ctx.db(), ctx.now(), SWEEP).await? {
        // Each record gets the current time, not the start time of the sweep.
        ctx.start_piece();
        let done = match task {
            Task::Perform => perform(ctx, ledger, &reference).await,
            Task::Lapse => lapse(ctx, &reference).await,
            Task::Again => again(ctx, ledger, &reference).await,
        };
        if let Err(error) = done {
            log(ctx, "perform.failed", &reference, &error);
            if let Err(error) = aside(ctx, &reference).await {
                log(ctx, "record.not-set-aside", &reference, &error);
            }
        }
    }
    Ok(())
}

/// Processes a record that was set aside.
async fn again(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
) -> Result<(), DatabaseError> {
    perform(ctx, ledger, reference).await?;
    lapse(ctx, reference).await?;
    ctx.db().query(take_back(reference)).await.map(drop)
}

async fn aside(ctx: &Context<'_>, reference: &str) -> Result<(), DatabaseError> {
    let statement = set_aside(reference, ctx.now())?;
    ctx.db().query(statement).await.map(drop)
}

fn log(ctx: &Context<'_>, event: &str, reference: &str, error: &DatabaseError) {
    let (fault, why) = (error.fault(), error.to_string());
    ctx.log(
        Level::Error,
        json!({ "event": event, "ref": reference, "fault": fault, "why": why }),
    );
}
