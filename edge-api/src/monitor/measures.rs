//! Measures of the work that waits in the database. Every query reads a bounded number of index rows.

use serde::Deserialize;

use crate::api::webhook_state;
use crate::db::quota::Period;
use crate::db::storage;
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};

/// Counts stop at this number.
const COUNT_MAX: u32 = 10_000;

/// The work that waits at one moment.
#[derive(Debug)]
pub(super) struct Measures {
    /// Milliseconds since the earliest due time of a waiting record. 0 if no record is due.
    pub(super) records_due_ms: u64,
    /// Milliseconds since the earliest due time of a delivery to a working receiver. 0 if no such delivery is due.
    pub(super) webhooks_due_ms: u64,
    /// Milliseconds since the earliest due time of a check of an issuer's domain. 0 if no check is due.
    pub(super) issuers_due_ms: u64,
    /// Records that wait to be performed.
    pub(super) pending: u32,
    /// Webhook deliveries that wait to be sent.
    pub(super) backlog: u32,
    /// Records that failed more than once and are in quarantine.
    pub(super) stuck: u32,
    /// Dead letters that were not sent again.
    pub(super) dead_letters: u32,
    /// The shared daily quotas.
    pub(super) quotas: Vec<SharedQuota>,
}

/// A quota that accounts share, in bytes of the current day.
#[derive(Debug)]
pub(super) struct SharedQuota {
    pub(super) name: &'static str,
    pub(super) used: u64,
    pub(super) limit: u64,
}

impl SharedQuota {
    /// Returns the used part in percent.
    pub(super) fn percent(&self) -> u64 {
        let hundredfold = self.used.saturating_mul(100);
        hundredfold.checked_div(self.limit).unwrap_or_default()
    }
}

/// Reads the measures in one round trip.
pub(super) async fn read(db: &dyn Database, now: u64) -> Result<Measures, DatabaseError> {
    let due = |sql| Statement::new(sql).bind(now);
    let count = |sql| Statement::new(sql).bind(COUNT_MAX);
    let names: Vec<&str> = storage::SHARED.iter().map(storage::Budget::name).collect();
    let statements = vec![
        // For each priority, the record that has been pending longest.
        due(
            "SELECT min(due.at) AS at FROM (SELECT (SELECT updated_at FROM records WHERE status = 1 AND aside_until IS NULL \
             AND priority = p.value AND due_at <= ?1 ORDER BY created_at LIMIT 1) AS at \
             FROM json_each('[1,2,3,4]') p) due",
        ),
        due(
            "SELECT min(due_at) AS at FROM records WHERE status IN (2, 3) AND aside_until IS NULL AND due_at <= ?1",
        ),
        due(
            "SELECT min(due_at) AS at FROM records WHERE status = 5 AND aside_until IS NULL AND due_at <= ?1",
        ),
        // A receiver's `turn_rank` is 0 to 2 if the receiver works, and 3 if it is slow or fails. Late deliveries to
        // receivers of rank 3 are not a fault of this service.
        due(concat!(
            "SELECT min(due.at) AS at FROM (SELECT (SELECT min(wake_at) FROM webhooks WHERE state = ",
            webhook_state!(Active),
            " AND turn_rank = r.value AND wake_at <= ?1) AS at FROM json_each('[0,1,2]') r) due"
        )),
        due("SELECT min(check_at) AS at FROM issuer_checks WHERE check_at <= ?1"),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM records WHERE status = 1 AND aside_until IS NULL \
             AND priority > 0 LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM webhook_deliveries WHERE state = 0 AND account_id > '' LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM records WHERE aside_until > 0 AND faults > 1 LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM dead_letters WHERE retried_at IS NULL AND ref > '' LIMIT ?1)",
        ),
        Statement::new(
            "SELECT key, used FROM quotas WHERE key IN (SELECT value FROM json_each(?1)) AND period = ?2",
        )
        .bind_json(&names)?
        .bind(Period::Day.number(now)),
    ];
    let [
        pending,
        sent,
        suspended,
        webhooks,
        issuers,
        waiting,
        backlog,
        stuck,
        dead_letters,
        used,
    ] = exactly(db.batch(statements).await?)?;
    let records = [age(pending, now)?, age(sent, now)?, age(suspended, now)?];
    Ok(Measures {
        records_due_ms: records.into_iter().max().unwrap_or_default(),
        webhooks_due_ms: age(webhooks, now)?,
        issuers_due_ms: age(issuers, now)?,
        pending: waiting.total()?,
        backlog: backlog.total()?,
        stuck: stuck.total()?,
        dead_letters: dead_letters.total()?,
        quotas: shared(used)?,
    })
}

/// Returns the milliseconds since the time in the column `at`, or 0 if the column is null.
fn age(rows: Rows, now: u64) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct Due {
        at: Option<u64>,
    }
    let at = rows.first::<Due>()?.and_then(|due| due.at);
    Ok(at.map_or(0, |at| now.saturating_sub(at)))
}

fn shared(rows: Rows) -> Result<Vec<SharedQuota>, DatabaseError> {
    #[derive(Deserialize)]
    struct Used {
        key: String,
        used: u64,
    }
    let rows: Vec<Used> = rows.all()?;
    let quota = |budget: &storage::Budget| SharedQuota {
        name: budget.name(),
        used: rows
            .iter()
            .find(|row| row.key == budget.name())
            .map_or(0, |row| row.used),
        limit: budget.total(),
    };
    Ok(storage::SHARED.iter().map(quota).collect())
}
