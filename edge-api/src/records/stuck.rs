//! Records in quarantine, for administrators. Their content is not read, because unreadable content may be the reason
//! for the quarantine.

use const_format::concatcp;

use crate::api::StuckRecord;
use crate::context::Context;
use crate::db::{Decision, List, Page, Period};
use crate::ports::{Database, DatabaseError, Statement};

/// The columns of [`StuckRecord`].
const COLUMNS: &str = "ref, kind, status, creator_id, faults, aside_until, created_at, updated_at";

/// Returns a page of the records in quarantine, and the first row of the next page if there is one. Also returns the total, up to
/// one above `TOTAL_MAX`.
pub(crate) async fn stuck(
    db: &dyn Database,
    page: &Page,
) -> Result<(Vec<StuckRecord>, u32), DatabaseError> {
    List::new(COLUMNS, "records", &["ref"])
        .always("aside_until IS NOT NULL")
        .within(Period::default().span())
        .fetch(db, page)
        .await
}

/// Returns the decision to let the next sweep retry a record in quarantine, or `None` if there is no such record.
pub(crate) async fn retry_soon(
    ctx: &Context<'_>,
    reference: &str,
) -> Result<Option<Decision<StuckRecord>>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM records WHERE ref = ?1 AND aside_until IS NOT NULL"
    ))
    .bind(reference);
    let Some(mut record) = ctx.db().query(select).await?.first::<StuckRecord>()? else {
        return Ok(None);
    };
    record.retry_at = crate::api::Timestamp(ctx.now());
    let update = Statement::new(
        "UPDATE records SET aside_until = ?2 WHERE ref = ?1 AND aside_until IS NOT NULL",
    )
    .bind(reference)
    .bind(ctx.now());
    Ok(Some(Decision::new("admin", vec![update], record)))
}
