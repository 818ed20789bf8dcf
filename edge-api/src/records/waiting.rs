//! Records that wait for the service itself, and records that are set aside because work on them failed.

use serde::Deserialize;

use crate::ports::{Database, DatabaseError, Statement};

/// A sweep's task for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Performs the record, or retries it.
    Perform,
    /// Cancels an order that is still open and has lapsed.
    Lapse,
    /// Performs or cancels a record at which an earlier sweep failed.
    Again,
}

/// Milliseconds for which a record is set aside, after the first fault, the second and so on: 1, 5, 30 minutes, 2 hours, and 12 hours
/// ever after.
const ASIDE_MS: [u64; 5] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

/// Returns a sweep's tasks, at most `limit` of each kind: higher priority first, then older. Records set aside have their own limit, so
/// that they delay no others.
pub(super) async fn waiting(
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
            "SELECT ref FROM records WHERE status IN (1, 2) AND aside_until IS NULL AND ?2 IS NOT NULL \
             ORDER BY priority DESC, created_at LIMIT ?1",
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

/// Sets a record aside, longer each time.
pub(super) fn set_aside(reference: &str, now: u64) -> Result<Statement, DatabaseError> {
    Statement::new(
        "UPDATE records SET faults = faults + 1, \
         aside_until = ?2 + coalesce(?3 ->> faults, ?3 ->> '$[#-1]') WHERE ref = ?1",
    )
    .bind(reference)
    .bind(now)
    .bind_json(&ASIDE_MS)
}

/// Takes a record back that an earlier sweep failed at, unless it has changed meanwhile.
pub(super) fn take_back(reference: &str) -> Statement {
    Statement::new("UPDATE records SET faults = 0, aside_until = NULL WHERE ref = ?1 AND aside_until IS NOT NULL")
        .bind(reference)
}
