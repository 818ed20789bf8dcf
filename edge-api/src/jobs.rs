//! Work that no client asks for: messages of the queue, and the periodic run.

use crate::context::Context;
use crate::db::retention;
use crate::ledger::Ledger;
use crate::ports::{Database, DatabaseError, Job};
use crate::{deposits, records, statistics, webhooks};

/// Works on one message. Safe to repeat: a message is a hint.
pub(crate) async fn run(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    job: &Job,
) -> Result<(), DatabaseError> {
    match job {
        Job::Perform { reference } => records::perform(ctx, ledger, reference).await,
        Job::Deliver { ordering_key } => webhooks::deliver(ctx, ordering_key).await,
    }
}

/// Whether a message is worth sending: most records are nobody's webhook.
pub(crate) async fn is_worthwhile(db: &dyn Database, job: &Job) -> bool {
    match job {
        Job::Perform { .. } => true,
        Job::Deliver { ordering_key } => webhooks::waits(db, ordering_key).await.unwrap_or(true),
    }
}

/// Everything that waits for the service itself. What fails does not keep the rest from being done.
pub(crate) async fn sweep(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    let followed = follow(ctx, ledger).await;
    let records = records::sweep(ctx, ledger).await;
    let old = retention::sweep(ctx).await;
    let tickers = statistics::record_price(ctx, ledger).await;
    let deposits = deposits::sweep(ctx, ledger).await;
    // Last, because receivers take their time.
    let webhooks = webhooks::sweep(ctx).await;
    followed
        .and(records)
        .and(old)
        .and(tickers)
        .and(deposits)
        .and(webhooks)
}

/// The ledger's own work. A decision whose guard broke is made anew at the next sweep.
async fn follow(ctx: &Context<'_>, ledger: &dyn Ledger) -> Result<(), DatabaseError> {
    for decision in ledger.follow(ctx).await? {
        match decision.commit(ctx, None).await {
            Err(error) if error.is_conflict() => {}
            result => result.map(drop)?,
        }
    }
    Ok(())
}
