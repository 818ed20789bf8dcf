//! The decision of a handler, with its answer.

use serde::Serialize;

use super::{Response, Success};
use crate::db::Decision;
use crate::failure::Failure;
use crate::ports::{DatabaseError, Rows};

/// The result of a handler: a decision with its answer, or a failure.
pub(crate) type Handled = Result<Decision<Answer>, Failure>;

/// Builds an answer from the rows that a transaction returned.
type FromRows = Box<dyn FnOnce(Vec<Rows>) -> Result<Success, Failure>>;

/// The answer to a request once its decision is committed.
pub(crate) enum Answer {
    /// An answer that is known before the commit, so the transaction can store it for the request's idempotency key.
    Known(Success),
    /// An answer that is built from the rows that the transaction itself reads. It cannot be stored for an idempotency key.
    FromRows(FromRows),
}

impl Answer {
    /// Returns the answer. `rows` are the rows of the decision's transaction.
    pub(super) fn given(self, rows: Vec<Rows>) -> Result<Success, Failure> {
        match self {
            Self::Known(answer) => Ok(answer),
            Self::FromRows(answer) => answer(rows),
        }
    }

    /// Returns the answer for the transaction to store. Fails if the answer is built from the transaction's rows.
    pub(super) fn known(&self) -> Result<&Success, DatabaseError> {
        match self {
            Self::Known(answer) => Ok(answer),
            Self::FromRows(_) => Err(DatabaseError::Bug(
                "an answer built from rows cannot be stored".to_owned(),
            )),
        }
    }
}

impl<A> Decision<A> {
    /// Attaches the answer that `view` builds from the decided value.
    pub(crate) fn answered(self, view: impl FnOnce(&A) -> Result<Success, Failure>) -> Handled {
        let answer = view(&self.answer)?;
        Ok(self.map(|_| Answer::Known(answer)))
    }
}

impl Decision<()> {
    /// Attaches an answer that is built from the rows of the transaction.
    pub(crate) fn answered_from_rows(
        self,
        answer: impl FnOnce(Vec<Rows>) -> Result<Success, Failure> + 'static,
    ) -> Handled {
        Ok(self.map(|()| Answer::FromRows(Box::new(answer))))
    }
}

/// Answers 200 with `data`, without a change.
pub(crate) fn ok(data: impl Serialize) -> Handled {
    read(Success::ok(data)?)
}

/// Answers 200 with `data` and `meta`, without a change.
pub(crate) fn with_meta(data: impl Serialize, meta: impl Serialize) -> Handled {
    read(Success::with_meta(data, meta)?)
}

/// Answers without an envelope and without a change.
pub(crate) fn raw(response: Response) -> Handled {
    read(Success::Raw(response))
}

/// Gives this answer without a change.
pub(crate) fn read(answer: Success) -> Handled {
    Ok(Decision::read(Answer::Known(answer)))
}
