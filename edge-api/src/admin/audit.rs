//! The audit log: one row for each successful call of an administrator, written in the transaction of the call's effect.
//! Triggers refuse changes and deletions.

use order_core::Address;
use serde_json::Value;

use crate::api::AuditEntry;
use crate::assets::Reason;
use crate::context::Context;
use crate::db::{List, Page, Period};
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::{account_key, shortened};

/// Maximum stored bytes of a call's subject, and of its detail.
const SUBJECT_MAX: usize = 100;
const DETAIL_MAX: usize = 1_000;

/// Returns the statement that records a call of `caller`. The stored detail is `body` without its member `reason`. It is null
/// if nothing else is left.
pub(crate) fn record(
    ctx: &Context<'_>,
    caller: &Address,
    action: &str,
    subject: Option<&str>,
    body: &Value,
    reason: Option<&Reason>,
) -> Statement {
    let mut detail = body.clone();
    if let Some(fields) = detail.as_object_mut() {
        fields.remove("reason");
    }
    let is_empty = detail.as_object().is_none_or(serde_json::Map::is_empty);
    let detail = (!is_empty).then(|| shortened(&detail.to_string(), DETAIL_MAX).into_owned());
    Statement::new(
        "INSERT INTO audit_log (ref, account_id, action, subject, detail, reason, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(ctx.id.as_str())
    .bind(account_key(caller))
    .bind(action)
    .bind(subject.map(|subject| shortened(subject, SUBJECT_MAX).into_owned()))
    .bind(detail)
    .bind(reason.map(Reason::as_str))
    .bind(ctx.now())
}

/// A query for a page of the audit log.
pub(crate) struct AuditLookup {
    pub(crate) period: Period,
    pub(crate) page: Page,
}

/// Returns a page of the audit log, the first row of the next page if there is one, and the total up to `TOTAL_MAX`.
pub(crate) async fn audit_log(
    db: &dyn Database,
    lookup: &AuditLookup,
) -> Result<(Vec<AuditEntry>, u32), DatabaseError> {
    let columns = "ref, account_id, action, subject, detail, reason, created_at";
    List::new(columns, "audit_log", &["ref"])
        .within(lookup.period.span())
        .fetch(db, &lookup.page)
        .await
}
