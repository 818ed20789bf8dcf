//! Performs a record in the transaction that stores it, on a ledger that the service's own database has.
//!
//! The requests of an isolate perform records one after another, so that they do not change the values that another one has read. Requests
//! of different isolates can still conflict. After some conflicts, or a long wait, the record is queued instead.

use order_core::{FieldError, ReadSet, Snapshot};
use serde_json::Value;

use super::Record;
use super::advance::{line, transition};
use super::costs::Paid;
use crate::context::Context;
use crate::ledger::{
    Applied, Identity, Ledger, LedgerError, Next, Outcome, apply_at_once, projection,
};
use crate::ports::{DatabaseError, Rows, Statement};
use crate::single_flight::Permit;
use crate::text::day_of;

/// Number of conflicts after which a record is queued.
const CONFLICTS_MAX: u32 = 3;
/// Maximum milliseconds that a request waits for others to perform their records.
const WAIT_MS: u64 = 1_000;

/// An attempt to perform a record at once.
pub(super) struct Attempt<'a> {
    identity: &'a Identity,
    permit: Permit,
    keys: ReadSet,
    paid: Paid,
    day: u64,
}

impl<'a> Attempt<'a> {
    /// Starts an attempt. `None` if the record must be queued. `conflicts` is the number of
    /// earlier attempts of this request.
    pub(super) async fn start(
        ctx: &Context<'_>,
        ledger: &dyn Ledger,
        identity: &'a Identity,
        record: &Record,
        conflicts: u32,
    ) -> Option<Self> {
        let performing = ledger.performing().filter(|_| conflicts < CONFLICTS_MAX)?;
        let clock = ctx.ports().clock.as_ref();
        let permit = performing.wait("", clock, WAIT_MS).await?;
        Some(Self {
            identity,
            permit,
            keys: record.request.read_set(&identity.instance),
            paid: Paid::of(&record.request, &identity.instance.gateways),
            day: day_of(ctx.now()),
        })
    }

    /// Returns statements that read the values that the ledger's rules need, and the sums of costs.
    pub(super) fn reads(&self) -> Result<Vec<Statement>, DatabaseError> {
        let mut reads = projection::reads(&self.keys);
        reads.push(self.paid.select(self.day)?);
        Ok(reads)
    }

    /// Returns the values in the rows of [`Self::reads`].
    pub(super) fn read(mut rows: Vec<Rows>) -> Result<(Snapshot, Rows), DatabaseError> {
        let sums = rows.pop().unwrap_or_default();
        Ok((projection::snapshot(rows)?, sums))
    }

    /// Performs a pending record. The inner `Err` has the errors that the ledger's rules find.
    pub(super) fn perform(
        self,
        ctx: &Context<'_>,
        record: &Record,
        (snapshot, sums): (&Snapshot, Rows),
    ) -> Result<Result<Performed, Vec<FieldError>>, LedgerError> {
        let execution = record.execution();
        let applied = apply_at_once(ctx, self.identity, &execution, &self.keys, snapshot)?;
        let Applied {
            mut statements,
            deployed,
            ..
        } = match applied {
            Ok(applied) => applied,
            Err(errors) => return Ok(Err(errors)),
        };
        let outcome = Outcome {
            tx_hash: None,
            deployed,
        };
        statements.extend(self.paid.booked(self.day, sums)?);
        let record = transition(record, Next::Finalized(outcome), ctx.now());
        Ok(Ok(Performed {
            line: line(&record),
            record,
            statements,
            permit: self.permit,
        }))
    }
}

/// A performed record, which is not committed yet.
pub(super) struct Performed {
    pub(super) record: Record,
    /// The changes of the ledger and the costs.
    pub(super) statements: Vec<Statement>,
    /// The line that logs the record.
    pub(super) line: Value,
    /// Held until the commit, so that other requests wait for it.
    pub(super) permit: Permit,
}
