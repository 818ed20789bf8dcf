//! Deletes files that no asset or ledger uses any more. A sweep may stop at any point: the next sweep repeats its steps.

use serde::Deserialize;

use crate::context::Context;
use crate::ports::{DatabaseError, Statement};

/// Maximum number of due uses that each of a sweep's two statements checks.
const USES: u32 = 500;
/// Maximum number of due uses from which a sweep chooses the uses that it checks. No ledger can have more uses.
const DUE: u32 = 100_000;
/// Maximum number of objects that one sweep deletes. R2 deletes no more in one call. The number is larger than
/// [`USES`], so sweeps delete objects faster than they queue them.
const OBJECTS: u32 = 1_000;

/// Ends the due uses of assets that do not exist, and deletes the queued objects that are due. No-op if `FILES` is off.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    if !ctx.config().files {
        return Ok(());
    }
    end_uses(ctx).await?;
    delete_objects(ctx).await
}

/// Checks the due uses: keeps the uses of existing assets, and ends all others. All ledgers with due uses get an
/// equal share, so a ledger with many destroyed assets does not delay the others.
async fn end_uses(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    /// The keys of the uses that are due: the oldest of each ledger, then the second oldest of each, and so on.
    macro_rules! due {
        ($action:literal, $condition:literal) => {
            const_format::concatcp!(
                $action,
                " WHERE (ledger_id, asset_id, slot) IN (SELECT ledger_id, asset_id, slot FROM \
                 (SELECT *, row_number() OVER (PARTITION BY ledger_id ORDER BY check_at) AS turn FROM \
                 (SELECT ledger_id, asset_id, slot, check_at FROM file_uses WHERE check_at <= ?1 ORDER BY check_at LIMIT ?3)) \
                 ORDER BY turn, check_at LIMIT ?2) AND ",
                $condition,
                " (SELECT 1 FROM assets a WHERE a.ledger_id = file_uses.ledger_id AND a.id = file_uses.asset_id)"
            )
        };
    }
    let statements = [
        due!("UPDATE file_uses SET check_at = NULL", "EXISTS"),
        due!("DELETE FROM file_uses", "NOT EXISTS"),
    ];
    let statements = statements.map(|sql| Statement::new(sql).bind(ctx.now()).bind(USES).bind(DUE));
    ctx.db().batch(statements.to_vec()).await.map(drop)
}

/// Deletes the queued objects, and then their rows in the queue. If the sweep stops in between, the next sweep deletes the
/// objects again.
async fn delete_objects(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        object: String,
    }
    let Some(bucket) = &ctx.ports().objects else {
        return Ok(());
    };
    let due = Statement::new(
        "SELECT object FROM file_deletions WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2",
    );
    let due = ctx.db().query(due.bind(ctx.now()).bind(OBJECTS)).await?;
    let objects: Vec<String> = due
        .all::<Row>()?
        .into_iter()
        .map(|row| row.object)
        .collect();
    if objects.is_empty() {
        return Ok(());
    }
    let deleted = bucket.delete(&objects).await;
    deleted.map_err(DatabaseError::Unavailable)?;
    ctx.fail_point("file-deletion:deleted");
    let statement = Statement::new(
        "DELETE FROM file_deletions WHERE object IN (SELECT value FROM json_each(?1))",
    );
    ctx.db()
        .query(statement.bind_json(&objects)?)
        .await
        .map(drop)
}
