//! Nightly backups: the platform exports the database as SQL, and the service copies this dump into its bucket.
//!
//! The database answers nothing during an export. The state of a running export is therefore in the cache, and a sweep that finds one does
//! nothing else. The platform cancels an export that is not polled continually, so the run that starts an export polls it until its end. The next
//! attempt starts over. See `docs/decisions/0086-nightly-backups.md`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::Backup;
use crate::context::Context;
use crate::ports::{DatabaseError, Fetch, Level, Statement};
use crate::text::{date, shortened};

/// The platform's API.
const API: &str = "https://api.cloudflare.com/client/v4";
/// Attempts in a night.
const ATTEMPTS: u32 = 3;
/// Milliseconds after the start of an attempt before another one may start. The platform ends a scheduled run after 15 minutes, so only one
/// attempt is in progress.
const ATTEMPT_MS: u64 = 20 * 60_000;
/// Milliseconds after its start for which other sweeps leave the database to an export.
const EXPORT_MS: u64 = 15 * 60_000;
/// Milliseconds between two queries about an export.
const PAUSE_MS: u64 = 2_000;
/// Milliseconds for which the run that started an export polls it. Leaves a fifth of the run's time for the copy.
const POLL_MS: u64 = 12 * 60_000;
/// Maximum bytes and milliseconds of an answer of the API.
const ANSWER_MAX: usize = 64 << 10;
const TIMEOUT_MS: u64 = 20_000;
/// Maximum bytes of a dump. Larger databases would be away for minutes: `cargo xtask backup` copies them.
const DUMP_MAX: u64 = 500_000_000;
/// Maximum number of old backups that a night deletes.
const DELETED_AT_ONCE: u32 = 100;
/// Maximum characters of the platform's messages in the log.
const WHY_MAX: usize = 200;
/// Cache key of the running export.
const KEY: &str = "backup:export";

/// An export that the platform makes.
#[derive(Debug, Serialize, Deserialize)]
struct Export {
    day: u64,
    started_at: u64,
    /// The platform's name of the export. `None` before its first answer.
    bookmark: Option<String>,
}

/// The answer to a query about an export.
enum Progress {
    Running(String),
    /// The address of the dump, for an hour.
    Complete(String),
}

/// Starts or continues tonight's backup. Returns true if an export is in progress, so the database does not answer. No-op without the settings, by
/// day, and after the night's backup.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<bool, DatabaseError> {
    let Some(backup) = &ctx.config().backup else {
        return Ok(false);
    };
    let Some(day) = backup.night(ctx.now()) else {
        return Ok(false);
    };
    // The run that started the export polls it. Other runs ask once, in case that run was ended.
    let (export, poll_ms) = match running(ctx, day).await {
        Some(export) => (export, 0),
        None if !claim(ctx, day).await? => return Ok(false),
        None => {
            let export = Export {
                day,
                started_at: ctx.now(),
                bookmark: None,
            };
            (export, POLL_MS)
        }
    };
    match advance(ctx, backup, export, poll_ms).await {
        Ok(is_running) => Ok(is_running),
        Err(Failure::Database(error)) => Err(error),
        Err(Failure::Other(why)) => {
            forget(ctx).await;
            ctx.log(
                Level::Error,
                json!({ "event": "backup.failed", "why": why }),
            );
            Ok(false)
        }
    }
}

/// The reason why a backup failed.
enum Failure {
    Database(DatabaseError),
    /// A sentence for the log. The next attempt starts over.
    Other(String),
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}

/// Takes one of tonight's attempts. Returns false if there is none left, if tonight's backup is finished, or if an attempt is in progress.
async fn claim(ctx: &Context<'_>, day: u64) -> Result<bool, DatabaseError> {
    let claim = Statement::new(
        "INSERT INTO backups (day, attempts, started_at) VALUES (?1, 1, ?2) ON CONFLICT (day) DO UPDATE SET attempts = attempts + 1, \
         started_at = excluded.started_at WHERE finished_at IS NULL AND attempts < ?3 AND started_at <= ?4 RETURNING day",
    )
    .bind(day)
    .bind(ctx.now())
    .bind(ATTEMPTS)
    .bind(ctx.now().saturating_sub(ATTEMPT_MS));
    Ok(!ctx.db().query(claim).await?.is_empty())
}

/// Returns tonight's export if it is in progress.
async fn running(ctx: &Context<'_>, day: u64) -> Option<Export> {
    let kept = ctx.ports().cache.get(KEY).await?;
    let export: Export = serde_json::from_slice(&kept).ok()?;
    let is_recent = ctx.now().saturating_sub(export.started_at) < EXPORT_MS;
    (export.day == day && is_recent).then_some(export)
}

async fn keep(ctx: &Context<'_>, export: &Export) {
    let kept = serde_json::to_vec(export).unwrap_or_default();
    let seconds = EXPORT_MS.div_euclid(1_000);
    ctx.ports().cache.put(KEY, kept, seconds).await;
}

async fn forget(ctx: &Context<'_>) {
    let seconds = EXPORT_MS.div_euclid(1_000);
    ctx.ports().cache.put(KEY, Vec::new(), seconds).await;
}

/// Asks about an export until it is complete, for `poll_ms` milliseconds, and copies its dump. Returns true if the export is still in progress.
async fn advance(
    ctx: &Context<'_>,
    backup: &Backup,
    mut export: Export,
    poll_ms: u64,
) -> Result<bool, Failure> {
    let end = ctx.time().saturating_add(poll_ms);
    loop {
        match ask(ctx, backup, &export).await.map_err(Failure::Other)? {
            Progress::Complete(address) => {
                forget(ctx).await;
                copy(ctx, backup, export.day, &address).await?;
                return Ok(false);
            }
            Progress::Running(bookmark) => {
                let is_new = export.bookmark.is_none();
                export.bookmark = Some(bookmark);
                if is_new {
                    keep(ctx, &export).await;
                }
            }
        }
        if ctx.time() >= end {
            return Ok(true);
        }
        ctx.ports().clock.sleep(PAUSE_MS).await;
    }
}

/// Starts an export, or asks about a running one.
async fn ask(ctx: &Context<'_>, backup: &Backup, export: &Export) -> Result<Progress, String> {
    let mut body = json!({ "output_format": "polling" });
    if let (Some(bookmark), Some(members)) = (&export.bookmark, body.as_object_mut()) {
        members.insert("current_bookmark".to_owned(), bookmark.as_str().into());
    }
    let request = Fetch {
        url: format!("{API}{}/export", backup.path),
        headers: vec![
            (
                "authorization".to_owned(),
                format!("Bearer {}", backup.token.expose()),
            ),
            ("content-type".to_owned(), "application/json".to_owned()),
        ],
        body: Some(body.to_string().into_bytes()),
        limit: ANSWER_MAX,
        timeout_ms: TIMEOUT_MS,
        budget: None,
    };
    let answer = ctx.ports().http.fetch(request).await;
    let answer =
        answer.map_err(|_| "the platform's API gave no usable answer in time".to_owned())?;
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = |place: &str| said.pointer(place).and_then(Value::as_str);
    let why = || {
        let why = text("/result/error").or_else(|| text("/errors/0/message"));
        shortened(why.unwrap_or("no reason"), WHY_MAX).into_owned()
    };
    if answer.status != 200 {
        return Err(format!(
            "the platform's API answered {}: {}",
            answer.status,
            why()
        ));
    }
    match text("/result/status") {
        Some("complete") => text("/result/result/signed_url")
            .filter(|address| address.starts_with("https://"))
            .map(|address| Progress::Complete(address.to_owned()))
            .ok_or_else(|| "the platform's API names no address of the dump".to_owned()),
        Some("error") => Err(format!(
            "the platform could not export the database: {}",
            why()
        )),
        _ => text("/result/at_bookmark")
            .map(|bookmark| Progress::Running(bookmark.to_owned()))
            .ok_or_else(|| {
                format!(
                    "the platform's API does not tell the state of the export: {}",
                    why()
                )
            }),
    }
}

/// Copies a dump into the bucket, and deletes old backups.
async fn copy(ctx: &Context<'_>, backup: &Backup, day: u64, address: &str) -> Result<(), Failure> {
    let Some(bucket) = &ctx.ports().objects else {
        return Err(Failure::Other(
            "the binding `FILES_BUCKET` is missing".to_owned(),
        ));
    };
    // Overlapping sweeps must not write the same object.
    let claim = Statement::new(
        "UPDATE backups SET copying_at = ?2 WHERE day = ?1 AND finished_at IS NULL AND coalesce(copying_at, 0) <= ?3 RETURNING day",
    )
    .bind(day)
    .bind(ctx.time())
    .bind(ctx.time().saturating_sub(ATTEMPT_MS));
    if ctx.db().query(claim).await?.is_empty() {
        return Ok(());
    }
    let copied = bucket.copy(&object(day), address, DUMP_MAX).await;
    let bytes = copied.map_err(Failure::Other)?;
    let finished = Statement::new("UPDATE backups SET finished_at = ?2, bytes = ?3 WHERE day = ?1")
        .bind(day)
        .bind(ctx.time())
        .bind(bytes);
    ctx.db().query(finished).await?;
    ctx.log(
        Level::Info,
        json!({ "event": "backup.made", "object": object(day), "bytes": bytes }),
    );
    delete_old(ctx, day.saturating_sub(backup.days)).await
}

/// Deletes the backups of days before `first`. The caller has just made a newer one, so the bucket is never without a backup.
async fn delete_old(ctx: &Context<'_>, first: u64) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Row {
        day: u64,
    }
    let Some(bucket) = &ctx.ports().objects else {
        return Ok(());
    };
    let old = Statement::new("SELECT day FROM backups WHERE day < ?1 ORDER BY day LIMIT ?2")
        .bind(first)
        .bind(DELETED_AT_ONCE);
    let old: Vec<Row> = ctx.db().query(old).await?.all()?;
    let Some(last) = old.last() else {
        return Ok(());
    };
    let objects: Vec<String> = old.iter().map(|row| object(row.day)).collect();
    bucket.delete(&objects).await.map_err(Failure::Other)?;
    let rows = Statement::new("DELETE FROM backups WHERE day <= ?1").bind(last.day);
    ctx.db().query(rows).await?;
    Ok(())
}

/// Returns the key of a day's backup in the bucket.
fn object(day: u64) -> String {
    format!("backups/{}.sql", date(day))
}
