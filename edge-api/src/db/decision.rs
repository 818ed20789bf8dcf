//! Decisions, and the functions that commit them.
//!
//! The handler of a request or of a job reads the database and returns a decision. [`decide_and_commit`] and [`run`]
//! commit a decision in one transaction. If a guard of the transaction fails, the data has changed since it was read. The
//! handler then runs again.

use order_core::Address;
use serde_json::Value;

use super::storage::{self, Payment};
use crate::backoff;
use crate::context::{Context, Hint};
use crate::ports::{DatabaseError, Job, Level, Rows, Statement};
use crate::single_flight::Permit;

/// Maximum number of attempts to decide and commit one request. A conflict in the last attempt is an error.
const MAX_CONFLICT_RETRIES: usize = 64;

/// A change that is not committed yet, and the value to return after the commit.
pub(crate) struct Decision<A> {
    /// The statements of the transaction. Empty if nothing changes.
    pub(crate) statements: Vec<Statement>,
    /// The value to return after the commit.
    pub(crate) answer: A,
    /// The queue messages to send after the commit.
    hints: Vec<Hint>,
    /// The lines to log after the commit.
    lines: Vec<Value>,
    /// The name of the fail points before and after the commit.
    step: &'static str,
    /// The quota that pays for the transaction. `None` if the transaction is free.
    payment: Option<Payment>,
    is_final: bool,
    /// Held until the transaction has ended.
    permit: Option<Box<Permit>>,
}

impl<A> Decision<A> {
    /// Returns a decision that changes nothing.
    pub(crate) fn read(answer: A) -> Self {
        Self::new("read", Vec::new(), answer)
    }

    /// Returns a decision with a transaction. `step` names its fail points.
    pub(crate) fn new(step: &'static str, statements: Vec<Statement>, answer: A) -> Self {
        Self {
            statements,
            answer,
            hints: Vec::new(),
            lines: Vec::new(),
            step,
            payment: Some(storage::WORK.into()),
            is_final: false,
            permit: None,
        }
    }

    /// Adds a queue message to send after the commit.
    pub(crate) fn hint(self, job: Job) -> Self {
        self.hint_after(job, 0)
    }

    /// Like [`Self::hint`], for work that starts in this number of seconds.
    pub(crate) fn hint_after(mut self, job: Job, seconds: u32) -> Self {
        self.hints.push(Hint { job, seconds });
        self
    }

    /// Adds a line to log after the commit.
    pub(crate) fn logged(mut self, line: Value) -> Self {
        self.lines.push(line);
        self
    }

    /// Adds the statements, hints and log lines of another decision. Drops the other decision's answer, fail points,
    /// payment and [`once`](Self::once) setting.
    pub(crate) fn and<B>(mut self, other: Decision<B>) -> Self {
        self.statements.extend(other.statements);
        self.hints.extend(other.hints);
        self.lines.extend(other.lines);
        self
    }

    /// Sets the quota that pays for the transaction.
    pub(crate) fn paid_by(self, payment: impl Into<Payment>) -> Self {
        Self {
            payment: Some(payment.into()),
            ..self
        }
    }

    /// Makes the change free, so no quota can prevent it.
    pub(crate) fn free(self) -> Self {
        Self {
            payment: None,
            ..self
        }
    }

    /// Prevents a second decision after a conflict. Used if the first decision already had an
    /// effect outside the database.
    pub(crate) fn once(self) -> Self {
        Self {
            is_final: true,
            ..self
        }
    }

    /// Holds a permit until the transaction has ended.
    pub(crate) fn holding(self, permit: Permit) -> Self {
        Self {
            permit: Some(Box::new(permit)),
            ..self
        }
    }

    /// Maps the answer and keeps everything else.
    pub(crate) fn map<B>(self, shape: impl FnOnce(A) -> B) -> Decision<B> {
        Decision {
            answer: shape(self.answer),
            statements: self.statements,
            hints: self.hints,
            lines: self.lines,
            step: self.step,
            payment: self.payment,
            is_final: self.is_final,
            permit: self.permit,
        }
    }
}

impl<A> Decision<A> {
    /// Commits all statements or none, then adds the hints and logs the lines. `payer` is the account whose quota pays, if
    /// the decision has a payment. Returns the answer and the rows of the statements.
    ///
    /// # Errors
    /// Errors of the transaction, which then has changed nothing.
    pub(crate) async fn commit(
        self,
        ctx: &Context<'_>,
        payer: Option<Address>,
    ) -> Result<(A, Vec<Rows>), DatabaseError> {
        let mut rows = Vec::new();
        if !self.statements.is_empty() {
            let payer = payer.zip(self.payment);
            rows = commit(ctx, payer, self.step, self.statements).await?;
        }
        for Hint { job, seconds } in self.hints {
            ctx.hint_after(job, seconds);
        }
        for line in self.lines {
            ctx.log(Level::Info, line);
        }
        Ok((self.answer, rows))
    }
}

/// Decides and commits the change of a request. After a conflict, decides again immediately, because a client waits for the
/// answer. `payer` is the account that sent the request.
///
/// # Errors
/// Errors of the decision, errors of the commit, and [`DatabaseError::Guard`] after too many conflicts.
pub(crate) async fn decide_and_commit<A, E: From<DatabaseError>>(
    ctx: &Context<'_>,
    payer: Option<Address>,
    mut decide: impl AsyncFnMut() -> Result<Decision<A>, E>,
) -> Result<(A, Vec<Rows>), E> {
    for _ in 0..MAX_CONFLICT_RETRIES {
        let decision = decide().await?;
        let is_final = decision.is_final;
        match decision.commit(ctx, payer).await {
            Err(error) if error.is_conflict() && !is_final => {}
            result => return Ok(result?),
        }
    }
    Err(DatabaseError::Guard.into())
}

/// Decides and commits the change of a job. After a conflict, waits before it decides again, because a decision about a ledger on
/// a chain needs JSON-RPC calls. If all retries conflict, a later periodic run does the job's work.
///
/// # Errors
/// Errors of the decision, errors of the commit, and [`DatabaseError::Guard`] after too many conflicts.
pub(crate) async fn run<A>(
    ctx: &Context<'_>,
    mut decide: impl AsyncFnMut() -> Result<Decision<A>, DatabaseError>,
) -> Result<A, DatabaseError> {
    let mut retries = 0;
    loop {
        let decision = decide().await?;
        let is_final = decision.is_final;
        match decision.commit(ctx, None).await {
            Err(error) if error.is_conflict() && !is_final => {
                let delay = backoff::CONFLICT.delay(retries);
                ctx.pause(delay.ok_or(DatabaseError::Guard)?).await;
                retries = retries.saturating_add(1);
            }
            result => return result.map(|(answer, _)| answer),
        }
    }
}

/// Runs a batch between two fail points. If there is a payer, the batch also counts its stored bytes against the payer's
/// quota ([`storage`]). After the batch, adds the hints of statements that wrote deliveries. Returns the rows of `statements`.
///
/// # Errors
/// Errors of the batch, which then has changed nothing.
pub(crate) async fn commit(
    ctx: &Context<'_>,
    payer: Option<(Address, Payment)>,
    step: &str,
    mut statements: Vec<Statement>,
) -> Result<Vec<Rows>, DatabaseError> {
    ctx.fail_point(&format!("{step}:before"));
    let payment = match payer {
        Some((account, payment)) => storage::pay(ctx, &account, &payment, &statements)?.to_vec(),
        None => Vec::new(),
    };
    let paying = payment.len();
    let keys = statements.iter_mut().map(|one| one.delivers.take());
    let keys: Vec<Option<String>> = keys.collect();
    statements.splice(..0, payment);
    let mut rows = ctx.db().batch(statements).await?;
    rows.drain(..paying.min(rows.len()));
    for (key, rows) in keys.into_iter().zip(&rows) {
        if let Some(ordering_key) = key.filter(|_| !rows.is_empty()) {
            ctx.hint_after(Job::Deliver { ordering_key }, 0);
        }
    }
    ctx.fail_point(&format!("{step}:after"));
    Ok(rows)
}
