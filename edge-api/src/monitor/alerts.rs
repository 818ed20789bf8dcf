//! Alerts: a POST to `ALERT_URL` while a problem lasts, and another POST when it is resolved. Each cause is sent at most once an hour, and requests
//! for admission once a day. A warning that becomes critical is sent at once.

use serde::Deserialize;
use serde_json::json;

use super::measures::{self, Measures};
use crate::config::AlertLimits;
use crate::context::Context;
use crate::db::rows::flag;
use crate::outbound::{FetchSession, Outgoing, Policy};
use crate::ports::{DatabaseError, Level, Statement};
use crate::text::{DAY_MS, timestamp};

/// Minimum milliseconds between two alerts about the same cause.
const INTERVAL_MS: u64 = 3_600_000;
/// Milliseconds after which due work counts as late. The sweep runs every minute.
const LATE_MS: u64 = 600_000;
/// Milliseconds after which a block should have become final. Chains whose blocks carry the tag `finalized` set it every few minutes.
const FINAL_LATE_MS: u64 = 1_800_000;
/// Percentage of a shared quota. An alert is sent if more of the quota is used.
const QUOTA_PERCENT: u64 = 80;
/// Percentage of the database's limit. An alert is sent if the database is larger.
const DATABASE_PERCENT: u64 = 80;
/// Percentage of the database's limit from which the alert is critical. At 100 %, the platform refuses all writes.
const DATABASE_CRITICAL_PERCENT: u64 = 95;
/// Percentage of slow recent answers. An alert is sent if at least so many are slow.
const SLOW_PERCENT: u64 = 5;
const HOUR_MS: u64 = 3_600_000;
/// Milliseconds after which the last nightly backup counts as old: a night was left out.
const BACKUP_OLD_MS: u64 = 36 * HOUR_MS;
/// Milliseconds after which the alert about the last nightly backup is critical: three nights were left out.
const BACKUP_CRITICAL_MS: u64 = 84 * HOUR_MS;
/// The name of the runbook's entry about a database that does not answer.
const AWAY: &str = "database-away";
/// Cache key of the note that an alert about the database was sent. While the database does not answer, it cannot store
/// this note.
const AWAY_KEY: &str = "alert:database";
/// Seconds for which the cache keeps the note at [`AWAY_KEY`].
const AWAY_SECONDS: u64 = INTERVAL_MS / 1_000;

/// A cause of alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    RecordsLate,
    WebhooksLate,
    Stuck,
    DeadLetters,
    Admissions,
    Quota,
    DatabaseSize,
    Failures,
    Slow,
    BackupOld,
    Relayer,
    TransactionsLate,
    ChainLate,
}

/// The urgency of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    /// Somebody should look at it today.
    Warning,
    /// Users are affected, or will be within hours.
    Critical,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

impl Cause {
    const ALL: [Self; 13] = [
        Self::RecordsLate,
        Self::WebhooksLate,
        Self::Stuck,
        Self::DeadLetters,
        Self::Admissions,
        Self::Quota,
        Self::DatabaseSize,
        Self::Failures,
        Self::Slow,
        Self::BackupOld,
        Self::Relayer,
        Self::TransactionsLate,
        Self::ChainLate,
    ];

    /// Returns the urgency of the cause's alert.
    fn severity(self, measures: &Measures) -> Severity {
        let is_critical = match self {
            Self::DatabaseSize => measures.database_percent() >= DATABASE_CRITICAL_PERCENT,
            Self::BackupOld => measures
                .backup_ms
                .is_some_and(|age| age > BACKUP_CRITICAL_MS),
            // Users get errors, or orders are not performed.
            Self::Failures | Self::RecordsLate | Self::TransactionsLate | Self::ChainLate => true,
            Self::Relayer => measures
                .chain
                .as_ref()
                .is_some_and(|chain| chain.paused.is_some()),
            Self::WebhooksLate
            | Self::Slow
            | Self::Stuck
            | Self::DeadLetters
            | Self::Admissions
            | Self::Quota => false,
        };
        if is_critical {
            Severity::Critical
        } else {
            Severity::Warning
        }
    }

    /// Returns the cause's key in the database, which is also the name of its entry in the runbook.
    fn key(self) -> &'static str {
        match self {
            Self::RecordsLate => "records-late",
            Self::WebhooksLate => "webhooks-late",
            Self::Stuck => "stuck",
            Self::DeadLetters => "dead-letters",
            Self::Admissions => "admissions",
            Self::Quota => "quota",
            Self::DatabaseSize => "database-size",
            Self::Failures => "failures",
            Self::Slow => "slow",
            Self::BackupOld => "backup-old",
            Self::Relayer => "relayer",
            Self::TransactionsLate => "transactions-late",
            Self::ChainLate => "chain-late",
        }
    }

    /// Returns the text of the alert if the measures exceed the cause's limit.
    fn problem(self, measures: &Measures, limits: &AlertLimits) -> Option<String> {
        let minutes = |milliseconds: u64| milliseconds.div_euclid(60_000);
        match self {
            Self::RecordsLate => (measures.records_due_ms > LATE_MS).then(|| {
                let late = minutes(measures.records_due_ms);
                let pending = counted(measures.pending, "record is", "records are");
                format!("A record has been due for {late} minutes. {pending} pending.")
            }),
            Self::WebhooksLate => (measures.webhooks_due_ms > LATE_MS).then(|| {
                let late = minutes(measures.webhooks_due_ms);
                let waiting = counted(measures.backlog, "event is", "events are");
                format!("A webhook event has been due for {late} minutes. {waiting} waiting.")
            }),
            Self::Stuck => (measures.stuck > 0).then(|| {
                let stuck = counted(
                    measures.stuck,
                    "record failed repeatedly and is",
                    "records failed repeatedly and are",
                );
                format!("{stuck} stuck. See GET /admin/records.")
            }),
            Self::DeadLetters => (measures.dead_letters > 0).then(|| {
                let letters = counted(measures.dead_letters, "queue message", "queue messages");
                format!("{letters} failed at every attempt. See GET /admin/dead-letters.")
            }),
            Self::Admissions => (measures.admissions > 0).then(|| {
                let waiting = counted(measures.admissions, "account asks", "accounts ask");
                format!("{waiting} to be admitted. See GET /admin/admissions.")
            }),
            Self::Quota => {
                let fullest = measures.quotas.iter().max_by_key(|quota| quota.percent())?;
                let percent = fullest.percent();
                (percent > QUOTA_PERCENT)
                    .then(|| format!("{percent} % of the daily quota `{}` is used.", fullest.name))
            }
            Self::DatabaseSize => {
                let percent = measures.database_percent();
                (percent >= DATABASE_PERCENT).then(|| {
                    let megabytes = |bytes: u64| bytes.div_euclid(1_000_000);
                    let (used, limit) = (
                        megabytes(measures.database_bytes.unwrap_or_default()),
                        megabytes(measures.database_limit),
                    );
                    format!("The database has {used} of {limit} MB ({percent} %).")
                })
            }
            Self::Failures => {
                let percent = measures.failed_percent();
                (percent >= limits.failed_percent).then(|| {
                    format!("{percent} % of the answers of the last 15 minutes are errors of the service.")
                })
            }
            Self::Slow => {
                let bound = limits.slow_ms;
                let percent = measures.slow_percent(bound);
                (percent >= SLOW_PERCENT).then(|| {
                    format!("{percent} % of the answers of the last 15 minutes took longer than {bound} ms.")
                })
            }
            Self::BackupOld => {
                let age = measures.backup_ms?;
                (age > BACKUP_OLD_MS).then(|| {
                    let hours = age.div_euclid(HOUR_MS);
                    format!("The last nightly backup is {hours} hours old.")
                })
            }
            Self::Relayer => {
                let chain = measures.chain.as_ref()?;
                let why = match chain.paused.as_deref() {
                    Some("price") => {
                        "gas costs more than FEE_CAP_GWEI, so no order is sent".to_owned()
                    }
                    Some(_) => "the balance is too low, so no order is sent".to_owned(),
                    None if chain.is_low => {
                        "the balance suffices for few further orders".to_owned()
                    }
                    None if chain.failed_gas > chain.failed_gas_max => format!(
                        "failed transactions used {} units of gas within a day",
                        chain.failed_gas
                    ),
                    None => return None,
                };
                Some(format!("The relayer {}: {why}.", chain.relayer))
            }
            Self::TransactionsLate => {
                let late = measures.chain.as_ref()?.sent_ms;
                (late > LATE_MS).then(|| {
                    format!(
                        "A transaction has waited for a block for {} minutes.",
                        minutes(late)
                    )
                })
            }
            Self::ChainLate => {
                let chain = measures.chain.as_ref()?;
                if chain.block_ms > LATE_MS {
                    let late = minutes(chain.block_ms);
                    return Some(format!(
                        "The last block that was indexed is {late} minutes old."
                    ));
                }
                (chain.final_ms > FINAL_LATE_MS).then(|| {
                    let late = minutes(chain.final_ms);
                    format!("No block has become final for {late} minutes, so no order is final: too few providers agree.")
                })
            }
        }
    }

    /// Returns the minimum milliseconds between two alerts about the cause. Strangers can ask for admission, and must not cause an alert
    /// each hour.
    fn interval(self) -> u64 {
        match self {
            Self::Admissions => DAY_MS,
            _ => INTERVAL_MS,
        }
    }

    /// Returns the sentence that reports the end of the problem.
    fn resolved(self) -> &'static str {
        match self {
            Self::RecordsLate => "records are performed in time again.",
            Self::WebhooksLate => "webhook events are sent in time again.",
            Self::Stuck => "no record is stuck any more.",
            Self::DeadLetters => "all dead letters were sent again.",
            Self::Admissions => "no account waits to be admitted any more.",
            Self::Quota => "at most 80 % of each daily quota is used again.",
            Self::DatabaseSize => "the database has less than 80 % of its limit again.",
            Self::Failures => "few answers are errors of the service again.",
            Self::Slow => "few answers are slow again.",
            Self::BackupOld => "there is a new nightly backup.",
            Self::Relayer => {
                "the relayer sends orders, its balance suffices, and few transactions fail."
            }
            Self::TransactionsLate => "transactions get into blocks in time again.",
            Self::ChainLate => "new blocks are indexed and become final in time again.",
        }
    }
}

/// Returns a number with the words for one thing, or with the words for several things.
fn counted(number: u32, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Measures the waiting work, and sends alerts about problems that began, last or ended. No-op without `ALERT_URL`.
pub(crate) async fn watch(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    if ctx.config().alert_url.is_none() {
        return Ok(());
    }
    ctx.start_piece();
    match measures::read(ctx).await {
        Err(error @ DatabaseError::Unavailable(_)) => {
            report_away(ctx).await;
            Err(error)
        }
        Err(error) => Err(error),
        Ok(measures) => {
            report_back(ctx).await;
            let select = Statement::new(
                "SELECT cause, since, sent_at, critical FROM alerts WHERE cause > ''",
            );
            let reported: Vec<Reported> = ctx.db().query(select).await?.all()?;
            for cause in Cause::ALL {
                let last = reported.iter().find(|last| last.cause == cause.key());
                match cause.problem(&measures, &ctx.config().alert_limits) {
                    Some(problem) => {
                        let severity = cause.severity(&measures);
                        if last.is_none_or(|last| last.lets_send(cause, severity, ctx.now())) {
                            let alert = Alert::new(cause.key(), severity, problem);
                            report(ctx, cause, severity, alert).await?;
                        }
                    }
                    None => {
                        if let Some(since) = last.and_then(|last| last.since) {
                            report_resolved(ctx, cause, since).await?;
                        }
                    }
                }
            }
            Ok(())
        }
    }
}

/// Reports that the database does not answer. A note in the cache prevents further alerts for an hour. The cache may lose
/// or delay the note, so the alert may still be repeated within the hour.
async fn report_away(ctx: &Context<'_>) {
    if ctx
        .ports()
        .cache
        .get(AWAY_KEY)
        .await
        .is_some_and(|since| !since.is_empty())
    {
        return;
    }
    let problem = "The database does not answer. Requests get 503.".to_owned();
    let alert = Alert::new(AWAY, Severity::Critical, problem);
    if send(ctx, &alert).await {
        let since = timestamp(ctx.now()).into_bytes();
        ctx.ports().cache.put(AWAY_KEY, since, AWAY_SECONDS).await;
    }
}

/// Reports that the database answers again, if an alert about it was sent.
async fn report_back(ctx: &Context<'_>) {
    let since = ctx.ports().cache.get(AWAY_KEY).await.unwrap_or_default();
    let Some(since) = String::from_utf8(since)
        .ok()
        .filter(|since| !since.is_empty())
    else {
        return;
    };
    let text = format!("Resolved: the database answers again. It did not answer at {since}.");
    if send(ctx, &Alert::resolved(AWAY, text)).await {
        ctx.ports()
            .cache
            .put(AWAY_KEY, Vec::new(), AWAY_SECONDS)
            .await;
    }
}

/// A row of `alerts`: the last alert about a cause.
#[derive(Deserialize)]
struct Reported {
    cause: String,
    /// The time of the first alert about the present problem. `None` after its end.
    since: Option<u64>,
    sent_at: u64,
    #[serde(deserialize_with = "flag")]
    critical: bool,
}

impl Reported {
    /// Returns true if another alert may be sent: after the cause's interval, or if a warning has become critical. The end of a problem does not
    /// clear `critical`, so a problem that comes and goes causes at most two alerts within an interval.
    fn lets_send(&self, cause: Cause, severity: Severity, now: u64) -> bool {
        let is_due = self.sent_at.saturating_add(cause.interval()) <= now;
        is_due || (severity == Severity::Critical && !self.critical)
    }
}

/// Sends the alert about a cause, unless a concurrent sweep has sent it.
async fn report(
    ctx: &Context<'_>,
    cause: Cause,
    severity: Severity,
    alert: Alert,
) -> Result<(), DatabaseError> {
    // Marks the alert as sent before sending it, so only one of several concurrent sweeps sends the alert.
    let claim = Statement::new(
        "INSERT INTO alerts (cause, since, sent_at, critical) VALUES (?1, ?2, ?2, ?4) ON CONFLICT (cause) DO UPDATE \
         SET since = coalesce(since, excluded.since), sent_at = excluded.sent_at, critical = excluded.critical \
         WHERE sent_at <= ?3 OR critical < excluded.critical RETURNING cause",
    )
    .bind(cause.key())
    .bind(ctx.now())
    .bind(ctx.now().saturating_sub(cause.interval()))
    .bind(severity == Severity::Critical);
    if ctx.db().query(claim).await?.is_empty() || send(ctx, &alert).await {
        return Ok(());
    }
    // The alert could not be sent, so the next sweep tries again.
    let release =
        Statement::new("UPDATE alerts SET sent_at = 0 WHERE cause = ?1").bind(cause.key());
    ctx.db().query(release).await.map(drop)
}

/// Reports that a problem is resolved. `since` is the time of the first alert about it.
async fn report_resolved(ctx: &Context<'_>, cause: Cause, since: u64) -> Result<(), DatabaseError> {
    let text = format!(
        "Resolved: {} It began at {}.",
        cause.resolved(),
        timestamp(since)
    );
    if !send(ctx, &Alert::resolved(cause.key(), text)).await {
        return Ok(());
    }
    let end = Statement::new("UPDATE alerts SET since = NULL WHERE cause = ?1").bind(cause.key());
    ctx.db().query(end).await.map(drop)
}

/// A message to the operator.
struct Alert {
    /// The name of the entry in the runbook.
    entry: &'static str,
    /// `None` for the end of a problem.
    severity: Option<Severity>,
    text: String,
}

impl Alert {
    fn new(entry: &'static str, severity: Severity, text: String) -> Self {
        Self {
            entry,
            severity: Some(severity),
            text,
        }
    }

    fn resolved(entry: &'static str, text: String) -> Self {
        Self {
            entry,
            severity: None,
            text,
        }
    }

    /// Returns the body of the request. `text` has everything for people, and the other fields are for programs.
    fn body(&self, service: &str, runbook: &str) -> serde_json::Value {
        let link = format!("{runbook}#{}", self.entry);
        let (text, severity) = match self.severity {
            Some(severity) => {
                let name = severity.name();
                let text = format!(
                    "{service}: {} Severity: {name}. What to do: {link}",
                    self.text
                );
                (text, name)
            }
            None => (format!("{service}: {}", self.text), "resolved"),
        };
        json!({ "text": text, "cause": self.entry, "severity": severity, "runbook": link })
    }
}

/// Sends an alert to `ALERT_URL`, and logs its text and the outcome. Returns true if the receiver accepted the alert. The log
/// never contains the address, which is a credential.
async fn send(ctx: &Context<'_>, alert: &Alert) -> bool {
    let text = alert.text.as_str();
    let Some(url) = &ctx.config().alert_url else {
        return false;
    };
    let policy = Policy::of(ctx, None);
    let sent = match policy.check(url.expose()) {
        Err(_) => Err("`ALERT_URL` is not an address of a public https server".to_owned()),
        Ok(target) => {
            let config = ctx.config();
            let body = alert.body(&config.service_name, &config.runbook_url);
            let outgoing = Outgoing {
                target,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: Some(body.to_string().into_bytes()),
                limit: 0,
                redirects: 0,
            };
            let session = FetchSession::start(ctx.ports().clock.as_ref(), policy);
            match session.send(outgoing).await {
                Err(error) => Err(error.to_string()),
                Ok(received) => match received.answer.status {
                    200..=299 => Ok(()),
                    status => Err(format!("the receiver answered {status}")),
                },
            }
        }
    };
    let line = match &sent {
        Ok(()) => json!({ "event": "alert.sent", "text": text }),
        Err(why) => json!({ "event": "alert.not-sent", "text": text, "why": why }),
    };
    ctx.log(
        if sent.is_ok() {
            Level::Warn
        } else {
            Level::Error
        },
        line,
    );
    sent.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_an_entry_in_the_runbook() {
        let runbook = include_str!("../../../docs/runbook.md");
        for entry in Cause::ALL.map(Cause::key).into_iter().chain([AWAY]) {
            let heading = format!("\n## {entry}\n");
            assert!(runbook.contains(&heading), "docs/runbook.md: {entry}");
        }
    }
}
