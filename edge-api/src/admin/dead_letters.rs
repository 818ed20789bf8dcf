//! Dead letters: queue messages that failed at every attempt. Such a failure loses no work, because the sweep does the
//! work of every message too.

use const_format::concatcp;

use crate::api::DeadLetter;
use crate::context::Context;
use crate::db::{Decision, List, Page, Period};
use crate::ports::{Database, DatabaseError, Job, Statement};
use crate::text::shortened;

/// Maximum stored bytes of a message. The service's own messages are shorter.
const BODY_MAX: usize = 1_000;

/// The columns of [`DeadLetter`].
const COLUMNS: &str = "ref, body, received_at, retried_at";

/// Stores a message that failed at every attempt. If the queue delivers the message again, nothing is stored.
pub(crate) async fn keep(
    ctx: &Context<'_>,
    message_id: &str,
    body: &str,
) -> Result<(), DatabaseError> {
    let statement = Statement::new(
        "INSERT OR IGNORE INTO dead_letters (ref, message_id, body, received_at) VALUES (?1, ?2, ?3, ?4)",
    )
    .bind(ctx.new_reference())
    .bind(message_id)
    .bind(shortened(body, BODY_MAX).as_ref())
    .bind(ctx.now());
    ctx.db().query(statement).await.map(drop)
}

/// Returns a page of the dead letters, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn dead_letters(
    db: &dyn Database,
    page: &Page,
) -> Result<(Vec<DeadLetter>, u32), DatabaseError> {
    List::new(COLUMNS, "dead_letters", &["ref"])
        .within(Period::default().span())
        .fetch(db, page)
        .await
}

/// The reason why a dead letter cannot be sent again.
pub(crate) enum NotSent {
    /// There is no dead letter with this reference.
    Unknown,
    /// The body of the dead letter is not a queue message of this version.
    Unreadable,
}

/// Notes that a dead letter was sent again. The decision's hint sends the dead letter's message after the commit. Returns
/// [`NotSent`] if the dead letter is unknown or unreadable.
pub(crate) async fn resend(
    ctx: &Context<'_>,
    reference: &str,
) -> Result<Result<Decision<DeadLetter>, NotSent>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM dead_letters WHERE ref = ?1"
    ))
    .bind(reference);
    let Some(mut letter) = ctx.db().query(select).await?.first::<DeadLetter>()? else {
        return Ok(Err(NotSent::Unknown));
    };
    let Ok(job) = order_core::json::from_text::<Job>(&letter.body) else {
        return Ok(Err(NotSent::Unreadable));
    };
    letter.retried_at = Some(crate::api::Timestamp(ctx.now()));
    let update = Statement::new("UPDATE dead_letters SET retried_at = ?2 WHERE ref = ?1")
        .bind(reference)
        .bind(ctx.now());
    Ok(Ok(Decision::new("admin", vec![update], letter).hint(job)))
}
