//! `/development`: routes of development instances, for tests. Each route exists only while its setting is on.

use order_core::Code;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::bodies::DevelopmentInput;
use crate::failure::Failure;
use crate::jobs;
use crate::ports::{Database, DatabaseError, Statement};
use crate::web::{Handled, Input, Route, ok, public};

pub(super) const ROUTES: &[Route] = &[
    Route::put("/development/clock", public!(set_clock))
        .json::<DevelopmentInput>()
        .unlimited(),
    Route::put("/development/abort", public!(abort_at)).json::<DevelopmentInput>(),
    Route::post("/development/sweep", public!(sweep)).unlimited(),
];

/// PUT /development/clock: sets how many milliseconds the service's clock is ahead of the host's clock.
pub(super) async fn set_clock(input: &Input<'_>) -> Handled {
    if !input.ctx.config().weakened.movable_clock {
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
    input
        .ctx
        .db()
        .query(Statement::new("UPDATE development SET clock_offset_ms = ?1").bind(offset))
        .await?;
    ok(json!({ "offsetMs": offset }))
}

/// PUT /development/abort: replaces the step of `ABORT_AT`, at which the Worker aborts. The replacement is lost when
/// the Worker aborts.
pub(super) async fn abort_at(input: &Input<'_>) -> Handled {
    let fail_points = input.ctx.fail_points();
    let fail_points = fail_points.ok_or_else(|| Failure::code(Code::InvalidPath))?;
    let step = input.body.get("step").and_then(Value::as_str);
    let step = step.ok_or_else(|| {
        Failure::one(
            Code::FieldNotValid,
            "step",
            "`step` must be the name of a step",
        )
    })?;
    fail_points.set(step.to_owned());
    ok(json!({ "step": step }))
}

/// POST /development/sweep: does the work of the periodic run now.
pub(super) async fn sweep(input: &Input<'_>) -> Handled {
    if !input.ctx.config().weakened.movable_clock {
        return Err(Failure::code(Code::InvalidPath));
    }
    jobs::sweep(input.ctx, input.ledger).await?;
    ok(json!({}))
}

/// Returns how many milliseconds the service's clock is ahead of the host's clock.
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
