//! Decisions and the one place that commits them.
//!
//! A request or a job reads and decides; [`decide_and_commit`] makes it happen in one transaction. Guards are the
//! first statements of a decision: where one breaks, somebody else changed what was read, and it is decided again.

use order_core::Address;
use serde_json::Value;

use super::storage::{self, Payment};
use crate::context::Context;
use crate::ports::{DatabaseError, Job, Level, Rows, Statement};

/// Decisions about the same request or job before others have changed too often what it reads.
const MAX_CONFLICT_RETRIES: usize = 64;

/// A change that is decided and not yet committed, with its answer.
pub(crate) struct Decision<A> {
    /// The transaction; none where nothing changes.
    pub(crate) statements: Vec<Statement>,
    /// The answer, once the transaction is committed.
    pub(crate) answer: A,
    /// Queue messages sent after the commit.
    pub(crate) hints: Vec<Job>,
    /// The line that the log gets once the transaction is committed.
    line: Option<Value>,
    /// Name of the fail points before and after the commit.
    step: &'static str,
    /// How the transaction is paid for; none where it is free.
    payment: Option<Payment>,
    is_final: bool,
}

impl<A> Decision<A> {
    /// Nothing changes.
    pub(crate) fn read(answer: A) -> Self {
        Self::new("read", Vec::new(), answer)
    }

    /// A transaction whose fail points have that name.
    pub(crate) fn new(step: &'static str, statements: Vec<Statement>, answer: A) -> Self {
        Self {
            statements,
            answer,
            hints: Vec::new(),
            line: None,
            step,
            payment: Some(storage::WORK.into()),
            is_final: false,
        }
    }

    /// Announces the change by a message.
    pub(crate) fn hint(mut self, job: Job) -> Self {
        self.hints.push(job);
        self
    }

    /// Has the commit logged.
    pub(crate) fn logged(self, line: Value) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }

    /// Sets how the transaction is paid for.
    pub(crate) fn paid_by(self, payment: impl Into<Payment>) -> Self {
        Self {
            payment: Some(payment.into()),
            ..self
        }
    }

    /// Counts nothing, so that no quota can prevent the change.
    pub(crate) fn free(self) -> Self {
        Self {
            payment: None,
            ..self
        }
    }

    /// Is not decided again after a conflict: an effect outside of the database stands behind it.
    pub(crate) fn once(self) -> Self {
        Self {
            is_final: true,
            ..self
        }
    }

    /// Maps the answer and keeps the statements.
    pub(crate) fn map<B>(self, shape: impl FnOnce(A) -> B) -> Decision<B> {
        Decision {
            answer: shape(self.answer),
            statements: self.statements,
            hints: self.hints,
            line: self.line,
            step: self.step,
            payment: self.payment,
            is_final: self.is_final,
        }
    }
}

impl<A> Decision<A> {
    /// Makes it happen, or nothing of it.
    ///
    /// # Errors
    /// Errors of the transaction.
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
        self.hints.into_iter().for_each(|job| ctx.hint(job));
        if let Some(line) = self.line {
            ctx.log(Level::Info, line);
        }
        Ok((self.answer, rows))
    }
}

/// Decides, commits, and decides again where somebody else was faster. `payer` is the account of a request.
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

/// Runs a batch between two fail points. The batch of a request counts what it stores ([`storage`]).
///
/// # Errors
/// Errors of the batch, which then changed nothing.
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
    statements.splice(..0, payment);
    let mut rows = ctx.db().batch(statements).await?;
    rows.drain(..paying.min(rows.len()));
    ctx.fail_point(&format!("{step}:after"));
    Ok(rows)
}
