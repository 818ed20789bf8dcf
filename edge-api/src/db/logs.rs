//! The database of logs (`LOG_DATABASE`). It contains rows that no decision depends on. On a busy service, these rows have most
//! of the stored bytes. See `docs/decisions/0054-database-of-logs.md`.
//!
//! The log of requests is written directly to this database. The periodic run moves other rows to it: webhook deliveries
//! that have ended, and requests that were logged in the main database before `LOG_DATABASE` was on. The run copies a row
//! under its key, and then deletes the original. After a crash in between, the row is in both databases. The next run then
//! repeats the copy, which has no effect, and deletes the original.

use serde_json::Value;

use crate::api::delivery_state;
use crate::context::Context;
use crate::ports::{Database, DatabaseError, Statement};

/// Milliseconds for which deliveries stay in the main database after their creation: a day. Waiting deliveries stay longer.
const DELIVERIES_STAY_MS: u64 = 86_400_000;
/// Maximum number of rows in a chunk. A statement gets a chunk as one parameter, which D1 limits to 2 MB. A row has at most
/// about 3 KB.
const CHUNK: u32 = 250;
/// Maximum number of chunks that one run moves for each table.
const CHUNKS: u32 = 8;

/// The SQL that moves the rows of a table.
struct Moved {
    /// The column with the rows' key.
    key: &'static str,
    /// Selects at most `?1` rows that were created no later than `?2`.
    select: &'static str,
    /// Copies the rows in the JSON list `?1`. Leaves out a row if the personal data of its account was erased after the
    /// row was created.
    copy: &'static str,
    /// Deletes the rows with the keys in the JSON list `?1`.
    delete: &'static str,
}

/// The end of a statement that copies rows.
macro_rules! copied {
    () => {
        " FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = value ->> 'account_id' \
         AND e.erased_at >= value ->> 'created_at') ON CONFLICT DO NOTHING"
    };
}

const REQUESTS: Moved = Moved {
    key: "ref",
    select: "SELECT ref, account_id, method, host, path, url, status, errors, duration_ms, created_at FROM requests \
             WHERE ref > '' AND created_at <= ?2 ORDER BY ref LIMIT ?1",
    copy: concat!(
        "INSERT INTO requests (ref, account_id, method, host, path, url, status, errors, duration_ms, created_at) \
         SELECT value ->> 'ref', value ->> 'account_id', value ->> 'method', value ->> 'host', value ->> 'path', \
         value ->> 'url', value ->> 'status', value ->> 'errors', value ->> 'duration_ms', value ->> 'created_at'",
        copied!()
    ),
    delete: "DELETE FROM requests WHERE ref IN (SELECT value FROM json_each(?1))",
};

const DELIVERIES: Moved = Moved {
    key: "id",
    select: concat!(
        "SELECT id, ref, account_id, event_id, ordering_key, body, state, attempts, response_status, error, created_at, \
         updated_at FROM webhook_deliveries WHERE state <> ",
        delivery_state!(Waiting),
        " AND created_at <= ?2 ORDER BY created_at LIMIT ?1"
    ),
    copy: concat!(
        "INSERT INTO webhook_deliveries (id, ref, account_id, event_id, ordering_key, body, state, attempts, response_status, \
         error, created_at, updated_at) SELECT value ->> 'id', value ->> 'ref', value ->> 'account_id', value ->> 'event_id', \
         value ->> 'ordering_key', value ->> 'body', value ->> 'state', value ->> 'attempts', value ->> 'response_status', \
         value ->> 'error', value ->> 'created_at', value ->> 'updated_at'",
        copied!()
    ),
    delete: "DELETE FROM webhook_deliveries WHERE id IN (SELECT value FROM json_each(?1))",
};

impl Moved {
    /// Moves at most [`CHUNKS`] chunks of rows that were created no later than `before`.
    async fn run(
        &self,
        ctx: &Context<'_>,
        log: &dyn Database,
        before: u64,
    ) -> Result<(), DatabaseError> {
        for _ in 0..CHUNKS {
            let select = Statement::new(self.select).bind(CHUNK).bind(before);
            let rows = ctx.db().query(select).await?.list;
            let keys = rows.iter().filter_map(|row| row.get(self.key).cloned());
            let delete = Statement::new(self.delete).bind(Value::from_iter(keys).to_string());
            let count = u32::try_from(rows.len()).unwrap_or(CHUNK);
            if count > 0 {
                let copy = Statement::new(self.copy).bind(Value::Array(rows).to_string());
                log.query(copy).await?;
                ctx.db().query(delete).await?;
            }
            if count < CHUNK {
                break;
            }
        }
        Ok(())
    }
}

/// Moves rows to the database of logs, if there is one. If one table fails, the other is still moved. Returns the first error.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    let Some(log) = ctx.log_db()? else {
        return Ok(());
    };
    let ended = ctx.now().saturating_sub(DELIVERIES_STAY_MS);
    let mut result = Ok(());
    for (table, before) in [(REQUESTS, ctx.now()), (DELIVERIES, ended)] {
        result = result.and(table.run(ctx, log, before).await);
    }
    result
}
