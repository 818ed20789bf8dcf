//! Operations whose hashes or nonces come from elsewhere and may take their time.
//!
//! The operation runs twice. The first time it computes nothing of what comes from elsewhere: it notes every question, and which
//! earlier answers it is made from. Whoever has the real hasher then answers, in any order that leaves no question without its
//! parts, many at a time. At last the operation runs again and is given the answers in the order in which it asked. So there is
//! one implementation of every operation, whoever hashes, and none of it waits.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;

use crate::aih1::disclose::Collect;
use crate::aih1::evidence::Evidence;
use crate::aih1::proof::Proof;
use crate::aih1::tree::Batch;
use crate::error::{CertError, Failure};
use crate::hash::text::Hash;
use crate::hash::{Hasher, Input, Location, Noncer, Role};
use crate::json::path::{Path, Step};
use crate::json::value::{Scalar, Value};
use crate::ops::Ops;
use crate::verify::report::Report;

/// What to do, with everything it takes.
#[derive(Debug)]
pub enum Task {
    /// [`Cert::imprint`](crate::Cert::imprint) of the data.
    Imprint(Value),
    /// [`Cert::notarize`](crate::Cert::notarize) of the data.
    Notarize(Value),
    /// [`Cert::disclose`](crate::Cert::disclose) of the data, for these paths.
    Disclose(Value, Vec<Path>),
    /// [`Cert::calculate`](crate::Cert::calculate) of data and evidence.
    Calculate(Value, Box<dyn Evidence>),
    /// [`Cert::verify`](crate::Cert::verify) of data and evidence under an imprint.
    Verify(Value, Box<dyn Evidence>, String),
}

/// What came of a [`Task`].
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<P = Vec<Proof>> {
    /// Of [`Task::Imprint`].
    Imprint(String),
    /// Of [`Task::Notarize`] and [`Task::Disclose`].
    Proofs(P),
    /// Of [`Task::Calculate`].
    Calculated(Option<String>),
    /// Of [`Task::Verify`].
    Report(Report),
}

/// What is asked for from elsewhere; the rest the [`Cert`](crate::Cert) does itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// Hashes.
    pub hasher: bool,
    /// Nonces.
    pub noncer: bool,
}

/// A question for one hash or nonce.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The path of the group with the position in it appended.
    pub path: Path,
    /// What is asked for.
    pub ask: Ask,
}

/// What a question asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A nonce.
    Nonce,
    /// The hash of a value, `None` where it is absent.
    Value(Option<Value>),
    /// The hash of some texts, one after the other: an imprint as a value, or the parts of a leaf or a node.
    Text(Role, Vec<Part>),
}

/// A text that is to be hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is known.
    Text(String),
    /// It is the answer to the question with this number, which comes earlier. No other question asks for the hash of it.
    Answer(usize),
}

pub(crate) fn run<H: Hasher, C: Collect>(
    ops: &Ops<'_, H>,
    task: &Task,
) -> Result<Outcome<C::All>, CertError> {
    Ok(match task {
        Task::Imprint(data) => Outcome::Imprint(ops.imprint(data)?),
        Task::Notarize(data) => Outcome::Proofs(ops.notarize::<C>(data)?),
        Task::Disclose(data, paths) => Outcome::Proofs(ops.disclose::<C>(data, paths)?),
        Task::Calculate(data, evidence) => {
            Outcome::Calculated(ops.calculate(data, evidence.as_ref())?)
        }
        Task::Verify(data, evidence, imprint) => {
            Outcome::Report(ops.verify(data, evidence.as_ref(), imprint)?)
        }
    })
}

/// What comes from elsewhere, in one of the two runs.
pub(crate) struct Outside<'o> {
    pub(crate) callers: Callers,
    pub(crate) side: Side<'o>,
    /// The group that was asked about last: questions share the keys of its path.
    pub(crate) group: Cell<Path>,
}

pub(crate) enum Side<'o> {
    /// What is needed is noted.
    Ask(Cell<Vec<Question>>),
    /// It is there: the answers, and how many of them have been taken.
    Take(&'o [String], Cell<usize>),
}

impl<'o> Outside<'o> {
    /// For the second run.
    pub(crate) fn answered(callers: Callers, answers: &'o [String]) -> Self {
        Self {
            callers,
            side: Side::Take(answers, Cell::default()),
            group: Cell::default(),
        }
    }

    /// Whether answers are still to come.
    pub(crate) fn asks(&self) -> bool {
        matches!(self.side, Side::Ask(_))
    }

    /// Computes what is not to come from elsewhere, and asks for or takes what is.
    pub(crate) fn fill<H: Hasher>(
        &self,
        batch: &mut Batch<'_>,
        nonces: &mut [Hash],
        hasher: &H,
        noncer: &dyn Noncer,
    ) -> Result<(), CertError> {
        if self.callers.noncer {
            let nonce = |place: Location<'_>| self.text(place, None);
            batch.nonce_each(nonces, &|_, _| {}, &nonce)?;
        } else {
            noncer.all(batch, nonces)?;
        }
        if self.callers.hasher {
            return batch.hash_each(nonces, &|input, place| self.text(place, Some(input)));
        }
        match self.side {
            Side::Ask(_) => Ok(()),
            Side::Take(..) => hasher.all(batch, nonces),
        }
    }

    fn path(&self, place: Location<'_>) -> Path {
        let mut group = self.group.take();
        if !group.is(place.group) {
            group = Path::from(place.group);
        }
        let mut path = Path::from(group.steps());
        path.push(place.position);
        self.group.set(group);
        path
    }

    /// The nonce of a position in the group at a path.
    pub(crate) fn nonce(&self, steps: &[Step<'_>], index: usize) -> Result<Hash, Failure> {
        self.text(Location::new(steps, "", index), None)
    }

    /// A hash, or a nonce if there is nothing to hash.
    fn text(&self, place: Location<'_>, input: Option<Input<'_>>) -> Result<Hash, Failure> {
        match &self.side {
            Side::Ask(questions) => {
                let mut asked = questions.take();
                let number = asked.len();
                asked.push(Question {
                    path: self.path(place),
                    ask: input.map_or(Ask::Nonce, ask),
                });
                questions.set(asked);
                Ok(Hash::answer(number))
            }
            Side::Take(answers, taken) => {
                let at = taken.get();
                taken.set(at.saturating_add(1));
                let answer = answers.get(at).ok_or(Unanswered)?;
                Ok(answer.as_str().into())
            }
        }
    }
}

fn ask(input: Input<'_>) -> Ask {
    let position = input.role();
    let mut parts = Vec::with_capacity(2);
    match input {
        Input::Value(value) => return Ask::Value(value.map(Scalar::to_value)),
        Input::Imprint(text) | Input::Closing(text) => parts.push(part(text)),
        Input::Leaf(one, other) | Input::Node(one, other) => {
            parts.push(part(one));
            parts.push(part(other));
        }
    }
    Ask::Text(position, parts)
}

fn part(text: &Hash) -> Part {
    match text.as_answer() {
        Some(number) => Part::Answer(number),
        None => Part::Text(text.as_str().into()),
    }
}

/// Why an operation cannot be finished yet. (A `&str` as an error would bring along what it takes to
/// print any text with escapes.)
struct Unanswered;

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the question was not answered")
    }
}

impl fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Unanswered {}
