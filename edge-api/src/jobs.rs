//! Work without a client: queue messages, and the periodic run.

use serde_json::json;

use crate::context::Context;
use crate::db::{logs, retention};
use crate::ledger::Ledger;
use crate::ports::{Database, DatabaseError, Job, Level};
use crate::{deposits, files, issuers, monitor, records, statistics, webhooks};

/// Processes one message. Safe to repeat, because a message is only a hint.
pub(crate) async fn run(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    job: &Job,
) -> Result<(), DatabaseError> {
    match job {
        Job::Perform { reference } => {
            records::perform(ctx, ledger, reference).await?;
            pace(ctx, ledger, false).await;
            Ok(())
        }
        Job::Follow => follow(ctx, ledger).await,
        Job::Deliver { ordering_key } => webhooks::deliver(ctx, ordering_key).await,
        Job::CheckIssuer { account, domain } => issuers::check(ctx, account, domain).await,
    }
}

/// Returns true if the message would find work. Most records have no waiting delivery.
pub(crate) async fn is_worthwhile(db: &dyn Database, job: &Job) -> bool {
    match job {
        Job::Perform { .. } | Job::CheckIssuer { .. } | Job::Follow => true,
        Job::Deliver { ordering_key } => webhooks::waits(db, ordering_key).await.unwrap_or(true),
    }
}

/// Commits the events of the ledger, and processes the records that wait for it.
async fn follow(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let followed = records::follow(ctx, ledger).await;
    let swept = records::sweep(ctx, ledger).await;
    pace(ctx, ledger, matches!(followed, Ok(true))).await;
    followed.map(drop).and(swept)
}

/// Schedules the next run of [`follow`] while records wait for their outcome, or if the last run left blocks. Otherwise the periodic run is
/// soon enough: an idle service asks its providers once a minute.
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

/// Does all work that no request starts. A part that fails does not stop the others.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let records = follow(ctx, ledger).await;
    let old = retention::sweep(ctx).await;
    let logs = logs::sweep(ctx).await;
    let tickers = statistics::record_price(ctx, ledger).await;
    let deposits = deposits::sweep(ctx, ledger).await;
    let files = files::sweep(ctx).await;
    let alerts = monitor::watch(ctx).await;
    // Last, because receivers and the servers of issuers may be slow.
    let webhooks = webhooks::sweep(ctx).await;
    let issuers = issuers::sweep(ctx).await;
    records
        .and(old)
        .and(logs)
        .and(tickers)
        .and(deposits)
        .and(files)
        .and(alerts)
        .and(webhooks)
        .and(issuers)
}
