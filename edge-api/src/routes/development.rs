//! `/development`: what only a development instance has, for tests. Without its setting the path does not exist.

use order_core::Code;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::http::{Failure, Success};
use crate::ports::{Database, DatabaseError, Statement};

/// PUT /development/clock: sets how many milliseconds ahead of the host's the service's clock is.
pub(super) async fn set_clock(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    if !call.config().weakened.movable_clock {
        return Err(Failure::code(Code::InvalidPath));
    }
    let offset = input
        .body
        .get("offsetMs")
        .and_then(Value::as_u64)
        .ok_or_else(|| {
            Failure::one(
                Code::FieldNotValid,
                "offsetMs",
                "`offsetMs` must be a whole number of milliseconds",
            )
        })?;
    call.db()
        .query(Statement::new("UPDATE development SET clock_offset_ms = ?1").bind(offset))
        .await?;
    Success::ok(json!({ "offsetMs": offset }))
}

/// PUT /development/abort: the step at which the Worker aborts from now on, in place of `ABORT_AT`'s. With the instance that aborts,
/// this is gone too.
pub(super) async fn abort_at(call: &Call<'_>, input: &Input<'_>) -> Result<Success, Failure> {
    if call.config().weakened.abort_at.is_none() {
        return Err(Failure::code(Code::InvalidPath));
    }
    let step = input.body.get("step").and_then(Value::as_str);
    let step = step
        .ok_or_else(|| Failure::one(Code::FieldNotValid, "step", "`step` must be a step's name"))?;
    call.isolate().abort_at.replace(Some(step.to_owned()));
    Success::ok(json!({ "step": step }))
}

/// POST /development/sweep: the periodic run, now.
pub(super) async fn sweep(call: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    if !call.config().weakened.movable_clock {
        return Err(Failure::code(Code::InvalidPath));
    }
    crate::app::sweep(call).await?;
    Success::ok(json!({}))
}

/// How far the clock is moved, in milliseconds.
pub(crate) async fn clock_offset(db: &dyn Database) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        clock_offset_ms: u64,
    }
    let row = db
        .query(Statement::new("SELECT clock_offset_ms FROM development"))
        .await?
        .first::<Row>()?;
    Ok(row.map_or(0, |row| row.clock_offset_ms))
}
