//! The decision that a handler gives back, and its answer.

use serde::Serialize;

use super::{Response, Success};
use crate::db::Decision;
use crate::failure::Failure;
use crate::ports::{DatabaseError, Rows};

/// The decision of a handler.
pub(crate) type Handled = Result<Decision<Answer>, Failure>;

/// Makes an answer of the rows of a transaction.
type FromRows = Box<dyn FnOnce(Vec<Rows>) -> Result<Success, Failure>>;

/// The answer once it has happened.
pub(crate) enum Answer {
    /// It is known beforehand, and can be kept for the request's idempotency key by the same transaction.
    Known(Success),
    /// It is in the rows that the transaction itself reads.
    FromRows(FromRows),
}

impl Answer {
    /// The answer, from the rows of its transaction.
    pub(super) fn given(self, rows: Vec<Rows>) -> Result<Success, Failure> {
        match self {
            Self::Known(answer) => Ok(answer),
            Self::FromRows(answer) => answer(rows),
        }
    }

    /// The answer that the transaction can keep.
    pub(super) fn known(&self) -> Result<&Success, DatabaseError> {
        match self {
            Self::Known(answer) => Ok(answer),
            Self::FromRows(_) => Err(DatabaseError::Bug(
                "an answer of rows cannot be kept".to_owned(),
            )),
        }
    }
}

impl<A> Decision<A> {
    /// The decision with the answer that `view` makes of what is decided.
    pub(crate) fn answered(self, view: impl FnOnce(&A) -> Result<Success, Failure>) -> Handled {
        let answer = view(&self.answer)?;
        Ok(self.map(|_| Answer::Known(answer)))
    }
}

impl Decision<()> {
    /// The decision with an answer that is made of the rows of its transaction.
    pub(crate) fn answered_from_rows(
        self,
        answer: impl FnOnce(Vec<Rows>) -> Result<Success, Failure> + 'static,
    ) -> Handled {
        Ok(self.map(|()| Answer::FromRows(Box::new(answer))))
    }
}

/// Nothing changes; 200 with `data`.
pub(crate) fn ok(data: impl Serialize) -> Handled {
    read(Success::ok(data)?)
}

/// Nothing changes; 200 with a list and its `meta`.
pub(crate) fn list(data: impl Serialize, meta: impl Serialize) -> Handled {
    read(Success::list(data, meta)?)
}

/// Nothing changes; an answer without an envelope.
pub(crate) fn raw(response: Response) -> Handled {
    read(Success::Raw(response))
}

fn read(answer: Success) -> Handled {
    Ok(Decision::read(Answer::Known(answer)))
}
