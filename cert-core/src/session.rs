//! Operations whose hashes or nonces come from elsewhere and may take their time.
//!
//! The operation runs twice. First with a hasher and a noncer that compute nothing: they note every
//! request and which earlier results it is made from. Whoever has the real hasher then answers the
//! requests, many at a time, in any order in which they become answerable. At last the operation
//! runs again and is given the answers in the order in which it asked. So there is one
//! implementation of every operation, whoever hashes, and none of it waits.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;

use crate::error::{CertError, Failure};
use crate::given::Evidence;
use crate::hash::{Hasher, Input, Noncer, Part, Place, Position};
use crate::join::join;
use crate::number::{Digits, parse_index};
use crate::ops::Ops;
use crate::path::{Path, Step};
use crate::proof::Proof;
use crate::report::Report;
use crate::schema::ObjectNode;
use crate::text::Text;
use crate::value::{Scalar, Value};

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
pub enum Outcome {
    /// Of [`Task::Imprint`].
    Imprint(String),
    /// Of [`Task::Notarize`] and [`Task::Disclose`].
    Proofs(Vec<Proof>),
    /// Of [`Task::Calculate`].
    Calculated(Option<String>),
    /// Of [`Task::Verify`].
    Report(Report),
}

/// What is asked for from outside; the rest the [`Cert`](crate::Cert) does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callers {
    /// Hashes.
    pub hasher: bool,
    /// Nonces.
    pub noncer: bool,
}

/// A request for one hash or nonce.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// To be given back with the answer.
    pub id: usize,
    /// The path of the group with the position in it appended.
    pub path: Path,
    /// What is asked for.
    pub ask: Ask,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A nonce.
    Nonce,
    /// The hash of a value, `None` where it is absent.
    Value(Option<Value>),
    /// The hash of a text, for a leaf or a node.
    Text(Position, String),
}

/// An operation under way.
pub struct Session {
    task: Task,
    callers: Callers,
    trace: Cell<Trace>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut session = f.debug_struct("Session");
        session.field("task", &self.task).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn start(ops: Ops<'_>, task: Task, callers: Callers) -> Result<Self, CertError> {
        let trace = Cell::new(Trace::default());
        if callers.hasher || callers.noncer {
            let outside = Outside {
                trace: &trace,
                next: Cell::new(0),
                hashes: if callers.hasher {
                    Source::Note
                } else {
                    Source::Nowhere
                },
                nonces: if callers.noncer {
                    Source::Note
                } else {
                    Source::Own(ops.noncer)
                },
            };
            run(outside.ops(ops.schema), &task)?;
        }
        Ok(Self {
            task,
            callers,
            trace,
        })
    }

    /// Up to `limit` requests that can be answered now. Each is given once; when there is none left
    /// and all are answered, the session can be finished.
    pub fn requests(&mut self, limit: usize) -> Vec<Request> {
        let trace = self.trace.get_mut();
        let mut requests = Vec::with_capacity(trace.ready.len().min(limit));
        while requests.len() < limit {
            let Some(id) = trace.ready.pop() else {
                break;
            };
            if let Some(request) = trace.request(id) {
                requests.push(request);
            }
        }
        requests
    }

    /// Answers a request. An answer to what was not asked, or was answered before, has no effect.
    pub fn answer(&mut self, id: usize, result: String) {
        self.trace.get_mut().answer(id, result);
    }

    pub(crate) fn finish(&self, ops: Ops<'_>) -> Result<Outcome, CertError> {
        if !self.callers.hasher && !self.callers.noncer {
            return run(ops, &self.task);
        }
        let outside = Outside {
            trace: &self.trace,
            next: Cell::new(0),
            hashes: if self.callers.hasher {
                Source::Answers
            } else {
                Source::Own(ops.hasher)
            },
            nonces: if self.callers.noncer {
                Source::Answers
            } else {
                Source::Own(ops.noncer)
            },
        };
        run(outside.ops(ops.schema), &self.task)
    }
}

fn run(ops: Ops<'_>, task: &Task) -> Result<Outcome, CertError> {
    Ok(match task {
        Task::Imprint(data) => Outcome::Imprint(ops.imprint(data)?),
        Task::Notarize(data) => Outcome::Proofs(ops.notarize(data)?),
        Task::Disclose(data, paths) => Outcome::Proofs(ops.disclose(data, paths)?),
        Task::Calculate(data, evidence) => {
            Outcome::Calculated(ops.calculate(data, evidence.as_ref())?)
        }
        Task::Verify(data, evidence, imprint) => {
            Outcome::Report(ops.verify(data, evidence.as_ref(), imprint)?)
        }
    })
}

/// What was asked for, in the order in which it was.
#[derive(Debug, Default)]
struct Trace {
    calls: Vec<Call>,
    /// Requests that can be answered and have not been given out.
    ready: Vec<usize>,
}

#[derive(Debug)]
struct Call {
    /// What the caller is told of the place.
    path: Path,
    input: CallInput,
    /// Of how many results the input still has to be made.
    waits: u8,
    /// The call that takes the result.
    then: Option<usize>,
    result: Option<String>,
}

#[derive(Debug)]
enum CallInput {
    Nonce,
    Value(Option<Value>),
    /// The imprint of a group.
    Imprint(Operand),
    Leaf(Operand, Operand),
    Node(Operand, Operand),
    End(Operand),
}

#[derive(Debug)]
enum Operand {
    Text(String),
    Result(usize),
}

impl Trace {
    /// Notes a call; gives its number.
    fn push(&mut self, place: Place<'_>, input: CallInput) -> usize {
        let id = self.calls.len();
        let mut waits = 0_u8;
        for part in input.parts().into_iter().flatten() {
            if let Operand::Result(of) = part
                && let Some(call) = self.calls.get_mut(*of)
            {
                call.then = Some(id);
                waits = waits.saturating_add(1);
            }
        }
        if waits == 0 {
            self.ready.push(id);
        }
        self.calls.push(Call {
            path: place.path(),
            input,
            waits,
            then: None,
            result: None,
        });
        id
    }

    fn request(&self, id: usize) -> Option<Request> {
        let call = self.calls.get(id)?;
        let path = call.path.clone();
        let text = |part: &Operand| match part {
            Operand::Text(text) => Some(text.clone()),
            Operand::Result(of) => self.calls.get(*of)?.result.clone(),
        };
        let joined = |left, right| Some(join(&[&text(left)?, &text(right)?]));
        let ask = match &call.input {
            CallInput::Nonce => Ask::Nonce,
            CallInput::Value(value) => Ask::Value(value.clone()),
            CallInput::Imprint(part) => Ask::Value(Some(text(part)?.into())),
            CallInput::Leaf(left, right) => Ask::Text(Position::Leaf, joined(left, right)?),
            CallInput::Node(left, right) => Ask::Text(Position::Node, joined(left, right)?),
            CallInput::End(part) => Ask::Text(Position::Node, text(part)?),
        };
        Some(Request { id, path, ask })
    }

    fn answer(&mut self, id: usize, result: String) {
        let Some(call) = self.calls.get_mut(id) else {
            return;
        };
        if call.waits > 0 || call.result.is_some() {
            return;
        }
        call.result = Some(result);
        let then = call.then;
        if let Some((id, call)) = then.and_then(|id| Some((id, self.calls.get_mut(id)?))) {
            call.waits = call.waits.saturating_sub(1);
            if call.waits == 0 {
                self.ready.push(id);
            }
        }
    }
}

impl CallInput {
    fn parts(&self) -> [Option<&Operand>; 2] {
        match self {
            Self::Nonce | Self::Value(_) => [None, None],
            Self::Imprint(part) | Self::End(part) => [Some(part), None],
            Self::Leaf(left, right) | Self::Node(left, right) => [Some(left), Some(right)],
        }
    }
}

/// The hasher and noncer of a session's two runs.
///
/// While they only note what they are asked for, their results are numbers of calls. Only what comes
/// from here is read that way: what evidence brings along and values of data are taken as they are,
/// whatever they look like.
struct Outside<'t> {
    trace: &'t Cell<Trace>,
    /// The call that the next answer belongs to.
    next: Cell<usize>,
    hashes: Source<&'t dyn Hasher>,
    nonces: Source<&'t dyn Noncer>,
}

/// Where results come from.
enum Source<T> {
    /// They are only asked for.
    Note,
    /// They do not matter yet.
    Nowhere,
    /// From the answers, in the order of the calls.
    Answers,
    /// From the certification's own hasher or noncer.
    Own(T),
}

impl Outside<'_> {
    fn ops<'c>(&'c self, schema: &'c ObjectNode) -> Ops<'c> {
        Ops {
            schema,
            hasher: self,
            noncer: self,
        }
    }

    fn note(&self, place: Place<'_>, input: CallInput) -> String {
        let mut trace = self.trace.take();
        let number = trace.push(place, input);
        self.trace.set(trace);
        Digits::new(number).as_str().into()
    }

    /// A nonce, which may be the certification's own while hashes come from outside.
    fn nonce_part(&self, nonce: Part<'_>) -> Operand {
        match nonce {
            Part::Made(nonce) if !matches!(self.nonces, Source::Note) => {
                Operand::Text(nonce.as_str().to_owned())
            }
            nonce => operand(nonce),
        }
    }

    fn input(&self, input: Input<'_>, place: Place<'_>) -> CallInput {
        match input {
            Input::Value(Some(Scalar::String(imprint))) if place.imprint => {
                CallInput::Imprint(made(imprint))
            }
            Input::Value(value) => CallInput::Value(value.map(Scalar::to_value)),
            Input::Leaf(value, nonce) => CallInput::Leaf(operand(value), self.nonce_part(nonce)),
            Input::Node(leaf, next) => CallInput::Node(operand(leaf), operand(next)),
            Input::End(nonce) => CallInput::End(self.nonce_part(Part::Made(nonce))),
        }
    }

    fn next_answer(&self) -> Result<Text, Failure> {
        let at = self.next.get();
        self.next.set(at.saturating_add(1));
        let trace = self.trace.take();
        let result = trace.calls.get(at).and_then(|call| call.result.clone());
        self.trace.set(trace);
        result.map(Text::from).ok_or_else(|| Unanswered.into())
    }
}

/// Why an operation cannot be finished yet. (A `&str` as an error would bring along what it takes to
/// print any text with escapes.)
struct Unanswered;

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was not answered")
    }
}

impl fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Unanswered {}

fn operand(part: Part<'_>) -> Operand {
    match part {
        Part::Made(text) => made(text),
        Part::Given(text) => Operand::Text(text.to_owned()),
    }
}

/// Reads a result.
fn made(number: &str) -> Operand {
    match parse_index(number) {
        Some(of) => Operand::Result(of),
        // While only nonces are asked for, hashes are nothing.
        None => Operand::Text(String::new()),
    }
}

impl Hasher for Outside<'_> {
    fn hash(&self, input: Input<'_>, place: Place<'_>) -> Result<Text, Failure> {
        match self.hashes {
            Source::Note => Ok(self.note(place, self.input(input, place)).into()),
            Source::Nowhere => Ok(String::new().into()),
            Source::Answers => self.next_answer(),
            Source::Own(hasher) => hasher.hash(input, place),
        }
    }

    fn can_be(&self, text: &str) -> bool {
        match self.hashes {
            Source::Note | Source::Nowhere | Source::Answers => true,
            Source::Own(hasher) => hasher.can_be(text),
        }
    }

    /// Until hashes are known, every question is asked that might have to be.
    fn matches(&self, computed: &Text, given: &str) -> bool {
        matches!(self.hashes, Source::Note | Source::Nowhere)
            || computed.as_bytes() == given.as_bytes()
    }
}

impl Noncer for Outside<'_> {
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure> {
        match self.nonces {
            Source::Note => Ok(self.note(place, CallInput::Nonce).into()),
            Source::Nowhere => Ok(String::new().into()),
            Source::Answers => self.next_answer(),
            Source::Own(noncer) => noncer.nonce(place),
        }
    }

    fn enter(&self, text: &mut String, step: Step<'_>) {
        if let Source::Own(noncer) = self.nonces {
            noncer.enter(text, step);
        }
    }
}
