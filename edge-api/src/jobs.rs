//! Work without a client: queue messages, and the periodic run.

use std::collections::BTreeMap;

use serde_json::json;

use crate::context::Context;
use crate::db::retention;
use crate::ledger::Ledger;
use crate::ports::{DatabaseError, Job, Level};
use crate::{backups, deposits, files, issuers, monitor, records, statistics, webhooks};

/// Splits the messages into groups. Consecutive messages about records form groups, each of which the ledger advances in one
/// transaction. Every other message is a group of its own.
pub(crate) fn groups<'a>(ledger: &dyn Ledger, jobs: &'a [Job]) -> impl Iterator<Item = &'a [Job]> {
    let perform = |job: &Job| matches!(job, Job::Perform { .. });
    let alike = jobs.chunk_by(move |one, next| perform(one) && perform(next));
    let at_once = ledger.advances_at_once();
    alike.flat_map(move |jobs| jobs.chunks(at_once))
}

/// Processes the messages of a group, and returns a result for each. Safe to repeat, because a message is only a hint.
pub(crate) async fn run(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    jobs: &[Job],
) -> Vec<Result<(), DatabaseError>> {
    let mut references: Vec<&str> = Vec::new();
    for job in jobs {
        // Two changes of one record in a transaction would conflict.
        if let Job::Perform { reference } = job
            && !references.contains(&reference.as_str())
        {
            references.push(reference);
        }
    }
    let mut failed = BTreeMap::new();
    if !references.is_empty() {
        failed.extend(records::perform(ctx, ledger, &references).await);
        pace(ctx, ledger, false).await;
    }
    let mut results = Vec::new();
    for job in jobs {
        results.push(match job {
            Job::Perform { reference } => failed.remove(reference).map_or(Ok(()), Err),
            Job::Follow => follow(ctx, ledger).await,
            Job::Deliver { ordering_key } => webhooks::deliver(ctx, ordering_key).await,
            Job::CheckIssuer { account, domain } => issuers::check(ctx, account, domain).await,
        });
    }
    results
}

/// Commits the events of the ledger, and processes the records that wait for it.
async fn follow(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let followed = records::follow(ctx, ledger).await;
    let swept = records::sweep(ctx, ledger).await;
    pace(ctx, ledger, matches!(followed, Ok(true))).await;
    followed.map(drop).and(swept)
}

/// Schedules the next run of [`follow`] if records wait for their outcome, or if the last run left blocks. Otherwise the periodic run is soon
/// enough. An idle service then asks its providers only once a minute.
async fn pace(ctx: &Context<'_>, ledger: &dyn Ledger, is_behind: bool) {
    if !ledger.has_blocks() {
        return;
    }
    let next = async || -> Result<Option<u32>, DatabaseError> {
        if !is_behind && !records::in_flight(ctx.db()).await? {
            return Ok(None);
        }
        Ok(ledger.next_block(ctx).await?)
    };
    match next().await {
        Ok(None) => {}
        Ok(Some(seconds)) => ctx.hint_after(Job::Follow, seconds),
        Err(error) => {
            let line = json!({ "event": "follow.not-scheduled", "why": error.to_string() });
            ctx.log(Level::Warn, line);
        }
    }
}

/// Does all work that no request starts. A failing part does not stop the others. Returns the first error.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    // First, because the database answers no other part during an export.
    let backup = backups::sweep(ctx).await;
    if matches!(backup, Ok(true)) {
        return Ok(());
    }
    ctx.start_piece();
    let records = follow(ctx, ledger).await;
    let old = retention::sweep(ctx).await;
    let tickers = statistics::record_price(ctx, ledger).await;
    let deposits = deposits::sweep(ctx, ledger).await;
    let files = files::sweep(ctx).await;
    let alerts = monitor::watch(ctx).await;
    // Last, because receivers and the servers of issuers may be slow.
    let webhooks = webhooks::sweep(ctx).await;
    let issuers = issuers::sweep(ctx).await;
    backup
        .map(drop)
        .and(records)
        .and(old)
        .and(tickers)
        .and(deposits)
        .and(files)
        .and(alerts)
        .and(webhooks)
        .and(issuers)
}
