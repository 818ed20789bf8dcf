//! The sweep: finds records that wait for the service, and puts records that it cannot process in quarantine. See
//! `docs/decisions/0026-sweep.md`.

use order_core::Status;
use serde::Deserialize;
use serde_json::json;

use super::advance::{lapse, perform};
use crate::backoff;
use crate::context::Context;
use crate::ledger::Ledger;
use crate::ports::{Database, DatabaseError, Level, Statement};

/// Maximum number of records of each kind in one sweep.
const SWEEP: u32 = 100;

/// A sweep's task for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Performs the record, retries it, or queries the ledger about its outcome.
    Perform,
    /// Cancels a lapsed order that is still open.
    Lapse,
    /// Retries a record in quarantine.
    Retry,
}

/// Returns a sweep's tasks, at most `limit` of each kind. Higher priorities come first, then older records. Records in
/// quarantine have their own limit, so they cannot delay others.
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
    // Statuses are literals, because SQLite uses a partial index only if the statement repeats its condition.
    let [initialized, pending, processing, success, suspended] = [
        Status::Initialized,
        Status::Pending,
        Status::Processing,
        Status::Success,
        Status::Suspended,
    ]
    .map(Status::number);
    let parts = [
        (
            Task::Perform,
            format!(
                "status = {pending} AND aside_until IS NULL AND coalesce(check_at, 0) <= ?2 ORDER BY priority DESC, created_at"
            ),
        ),
        (
            Task::Perform,
            format!(
                "status IN ({processing}, {success}) AND aside_until IS NULL AND check_at <= ?2 ORDER BY check_at"
            ),
        ),
        (
            Task::Perform,
            format!(
                "status = {suspended} AND aside_until IS NULL AND retry_at <= ?2 ORDER BY retry_at"
            ),
        ),
        (
            Task::Lapse,
            format!(
                "status = {initialized} AND aside_until IS NULL AND lapses_at <= ?2 ORDER BY lapses_at"
            ),
        ),
        (
            Task::Retry,
            "aside_until <= ?2 ORDER BY aside_until".to_owned(),
        ),
    ];
    let (tasks, statements): (Vec<_>, _) = parts
        .into_iter()
        .map(|(task, due)| {
            let sql = format!("SELECT ref FROM records WHERE {due} LIMIT ?1");
            (
                task,
                Statement::built(sql.into(), vec![limit.into(), now.into()]),
            )
        })
        .unzip();
    let mut waiting = Vec::new();
    for (task, rows) in tasks.into_iter().zip(db.batch(statements).await?) {
        let rows = rows.all::<Reference>()?.into_iter();
        waiting.extend(rows.map(|row| (task, row.reference)));
    }
    Ok(waiting)
}

/// Processes every record that waits for the service: performs pending records, retries suspended records, and cancels
/// lapsed orders. A record that cannot be read or processed is put in quarantine, so it cannot delay others.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    for (task, reference) in waiting(ctx.db(), ctx.now(), SWEEP).await? {
        // The rules for a record use the time when its turn comes, not the time when the sweep started.
        ctx.start_piece();
        let done = match task {
            Task::Perform => perform(ctx, ledger, &reference).await,
            Task::Lapse => lapse(ctx, &reference).await,
            Task::Retry => retry(ctx, ledger, &reference).await,
        };
        if let Err(error) = done {
            log(ctx, "perform.failed", &reference, &error);
            if let Err(error) = quarantine(ctx, &reference).await {
                log(ctx, "record.not-set-aside", &reference, &error);
            }
        }
    }
    Ok(())
}

/// Processes a record in quarantine, and releases it.
async fn retry(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    reference: &str,
) -> Result<(), DatabaseError> {
    perform(ctx, ledger, reference).await?;
    lapse(ctx, reference).await?;
    release(ctx, reference).await
}

/// Puts a record in quarantine. Each further fault makes the quarantine longer.
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
