//! Performing, exactly once: the state change and the ledger's changes are one transaction, guarded by the record's
//! version and by every value that the rules read. Whoever comes second finds the guard broken, reads again and
//! sees that nothing is left to do. A queue message is a hint; the sweep finds what a lost hint left behind.

use order_core::{FieldError, Status};
use serde_json::json;

use super::waiting::{Task, set_aside, take_back, waiting};
use super::{Made, Record, RecordError, store};
use crate::app::{Call, commit};
use crate::ledger::{LedgerError, Performed};
use crate::ports::{DatabaseError, Level};

/// Tries against others that change the same values, before the record is left to the next sweep.
const RACES: usize = 16;

/// Records of each kind that one sweep looks at.
const SWEEP: u32 = 100;

/// Milliseconds until a suspended record is tried again: 1, 5, 30 minutes, 2 and 12 hours.
const RETRY_AFTER: [u64; 5] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

/// Performs a record if it is due. Safe to call at any time, any number of times, from anywhere.
pub(crate) async fn perform(call: &Call<'_>, reference: &str) -> Result<(), DatabaseError> {
    for _ in 0..RACES {
        let Some(record) = store::any_by_reference(call.db(), reference).await? else {
            return Ok(());
        };
        if !record.due(call.now()) {
            return Ok(());
        }
        call.reach("perform:read");
        match once(call, &record).await {
            Err(DatabaseError::Guard) => {}
            result => return result,
        }
    }
    call.log(
        Level::Warn,
        json!({ "event": "perform.contended", "ref": reference }),
    );
    Ok(())
}

/// One try; [`DatabaseError::Guard`] when somebody else was faster.
async fn once(call: &Call<'_>, record: &Record) -> Result<(), DatabaseError> {
    if record.expired(call.now()) {
        return settle(call, record, failed(record, &[record.work.expired()])).await;
    }
    let made = record
        .work
        .ledger_to_make(&*call.instance().await?)
        .map(|ledger_id| Made {
            ledger_ref: call.new_reference(),
            ledger_id,
        });
    let finished = finished(record, made, call.now());
    let ledger = call.ledger().await?;
    match ledger
        .perform(
            &record.reference,
            &record.work,
            finished.made.as_ref(),
            store::replace(call, record, &finished)?,
        )
        .await
    {
        Ok(Performed::Applied) => {
            log(call, &finished);
            Ok(())
        }
        Ok(Performed::Refused {
            errors,
            without_wildcard,
            only_payment,
        }) => {
            let next = match without_wildcard {
                // The order is as good as before; the account that filled its empty place is not.
                Some(work) => Record {
                    work,
                    status: Status::Initialized,
                    error: None,
                    attempts: 0,
                    retry_at: None,
                    ..record.clone()
                },
                None if only_payment => suspended(record, call.now(), &errors),
                None => failed(record, &errors),
            };
            settle(call, record, next).await
        }
        Err(LedgerError::Raced) => Err(DatabaseError::Guard),
        Err(LedgerError::Unavailable(why)) => {
            call.log(
                Level::Error,
                json!({ "event": "ledger.unavailable", "ref": record.reference, "why": why }),
            );
            Err(DatabaseError::Unavailable(why))
        }
    }
}

/// The record after the ledger applied it. The embedded ledger's changes are irreversible at once, so that
/// Processing and Success last no longer than the transaction.
fn finished(record: &Record, made: Option<Made>, now: u64) -> Record {
    Record {
        status: Status::Finalized,
        made,
        error: None,
        retry_at: None,
        updated_at: now,
        ..record.clone()
    }
}

fn failed(record: &Record, errors: &[FieldError]) -> Record {
    Record {
        status: Status::Failure,
        error: first(errors),
        retry_at: None,
        ..record.clone()
    }
}

fn suspended(record: &Record, now: u64, errors: &[FieldError]) -> Record {
    let tries = usize::try_from(record.attempts).unwrap_or(usize::MAX);
    match RETRY_AFTER.get(tries) {
        None => failed(record, errors),
        Some(delay) => Record {
            status: Status::Suspended,
            error: first(errors),
            attempts: record.attempts.saturating_add(1),
            retry_at: Some(now.saturating_add(*delay)),
            ..record.clone()
        },
    }
}

fn first(errors: &[FieldError]) -> Option<RecordError> {
    errors.first().map(|error| RecordError {
        code: error.code.number(),
        message: error.message.clone(),
    })
}

/// Writes a state that changes nothing on the ledger.
async fn settle(call: &Call<'_>, record: &Record, next: Record) -> Result<(), DatabaseError> {
    let next = Record {
        updated_at: call.now(),
        ..next
    };
    commit(call, "settle", store::replace(call, record, &next)?).await?;
    log(call, &next);
    Ok(())
}

fn log(call: &Call<'_>, record: &Record) {
    call.log(
        Level::Info,
        json!({
            "event": "record.changed",
            "ref": record.reference,
            "kind": record.work.kind() as u8,
            "status": record.status.number(),
            "error": record.error.as_ref().map(|error| error.code),
        }),
    );
}

/// Does everything that waits for the service itself: performs what is pending, tries again what was suspended, cancels what lapsed.
/// A record that cannot be read or worked on is set aside, and keeps no other waiting.
pub(crate) async fn sweep(call: &Call<'_>) -> Result<(), DatabaseError> {
    for (task, reference) in waiting(call.db(), call.now(), SWEEP).await? {
        // Each record gets the time at which it is looked at, not that of the first record.
        call.go_on();
        let done = match task {
            Task::Perform => perform(call, &reference).await,
            Task::Lapse => lapse(call, &reference).await,
            Task::Again => again(call, &reference).await,
        };
        if let Err(error) = done {
            let why = error.to_string();
            call.log(
                Level::Error,
                json!({ "event": "perform.failed", "ref": reference, "why": why }),
            );
            aside(call, &reference).await;
        }
    }
    Ok(())
}

/// Works on a record that was set aside.
async fn again(call: &Call<'_>, reference: &str) -> Result<(), DatabaseError> {
    perform(call, reference).await?;
    lapse(call, reference).await?;
    call.db().query(take_back(reference)).await.map(drop)
}

async fn aside(call: &Call<'_>, reference: &str) {
    let result = match set_aside(reference, call.now()) {
        Ok(statement) => call.db().query(statement).await.map(drop),
        Err(error) => Err(error),
    };
    if let Err(error) = result {
        let why = error.to_string();
        call.log(
            Level::Error,
            json!({ "event": "record.not-set-aside", "ref": reference, "why": why }),
        );
    }
}

/// Cancels an order that is still open and has lapsed.
async fn lapse(call: &Call<'_>, reference: &str) -> Result<(), DatabaseError> {
    let Some(record) = store::any_by_reference(call.db(), reference).await? else {
        return Ok(());
    };
    if record.status != Status::Initialized || call.now() < record.lapses_at {
        return Ok(());
    }
    match settle(call, &record, record.canceled(None)).await {
        // A change in between means that the order is no longer both open and lapsed.
        Ok(()) | Err(DatabaseError::Guard) => Ok(()),
        Err(error) => Err(error),
    }
}
