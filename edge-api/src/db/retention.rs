//! Deletes rows after their retention time. Most tables have a limit for each run, so a run does not block the database for
//! long.

use const_format::concatcp;

use super::quota;
use crate::answers;
use crate::api::delivery_state;
use crate::context::Context;
use crate::ports::{DatabaseError, Statement};
use crate::text::reference_at;

/// Milliseconds for which the request log, ended deliveries, dead letters, and requests for admission without approval are kept: 90 days.
const RETENTION_MS: u64 = 90 * 86_400_000;
/// Milliseconds for which events of accounts are kept: 400 days, so that a year can be reviewed.
const EVENTS_MS: u64 = 400 * 86_400_000;
/// Maximum number of rows that one run deletes from a table. Does not apply to `quotas` and `answers`.
const DELETED_AT_ONCE: u32 = 2_000;
/// Milliseconds between two periodic runs.
const RUN_MS: u64 = 60_000;

/// Deletes expired rows of every table with a retention time. If a deletion fails, the others still run.
/// Returns the first error.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    let now = ctx.now();
    let oldest = now.saturating_sub(RETENTION_MS);
    // Tables that grow with each request.
    let busy = [
        Statement::new(
            "DELETE FROM requests WHERE ref IN (SELECT ref FROM requests WHERE ref < ?1 ORDER BY ref LIMIT ?2)",
        )
        .bind(reference_at(oldest))
        .bind(DELETED_AT_ONCE),
        // The ids ascend with time. If the first delivery is recent, this reads no further one.
        Statement::new(concatcp!(
            "DELETE FROM webhook_deliveries WHERE id < (SELECT CASE WHEN created_at < ?1 THEN id + ?2 END FROM webhook_deliveries \
             ORDER BY id LIMIT 1) AND created_at < ?1 AND state <> ",
            delivery_state!(Waiting)
        ))
        .bind(oldest)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM idempotency_keys WHERE (account_id, path, key) IN \
             (SELECT account_id, path, key FROM idempotency_keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM used_nonces WHERE nonce IN \
             (SELECT nonce FROM used_nonces WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        quota::forget(now),
    ];
    // Tables that grow slowly. Each run deletes from one of them, so an idle run reads few rows.
    let slow = [
        Statement::new(
            "DELETE FROM dead_letters WHERE ref IN (SELECT ref FROM dead_letters WHERE ref < ?1 ORDER BY ref LIMIT ?2)",
        )
        .bind(reference_at(oldest))
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM sessions WHERE token_hash IN \
             (SELECT token_hash FROM sessions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM api_keys WHERE token_hash IN \
             (SELECT token_hash FROM api_keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM links WHERE id IN (SELECT id FROM links WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM wallet_offers WHERE code_hash IN (SELECT code_hash FROM wallet_offers WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )
        .bind(now)
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM admissions WHERE ref IN (SELECT ref FROM admissions WHERE status <> 1 AND ref < ?1 ORDER BY ref LIMIT ?2) \
             AND status <> 1",
        )
        .bind(reference_at(oldest))
        .bind(DELETED_AT_ONCE),
        Statement::new(
            "DELETE FROM account_events WHERE ref IN (SELECT ref FROM account_events WHERE ref < ?1 ORDER BY ref LIMIT ?2)",
        )
        .bind(reference_at(now.saturating_sub(EVENTS_MS)))
        .bind(DELETED_AT_ONCE),
    ];
    let minute = usize::try_from(now.div_euclid(RUN_MS)).unwrap_or_default();
    let turn = minute.checked_rem(slow.len()).unwrap_or_default();
    let slow = slow.into_iter().nth(turn);
    // Each statement is a query of its own, so a failure does not stop the other deletions.
    let mut result = Ok(());
    for statement in busy.into_iter().chain(slow) {
        result = result.and(ctx.db().query(statement).await.map(drop));
    }
    let folded = ctx.db().batch(answers::forget(now).into()).await;
    result.and(folded.map(drop))
}
