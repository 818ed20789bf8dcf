//! Deferred hashes and nonces. The caller computes them, for example with a key service or a JavaScript callback, and may take time.
//!
//! The operation runs twice. The first run records each deferred hash or nonce as a question. A question names the earlier questions whose
//! answers are part of its input. The caller then answers many questions at a time, each after the questions that it names. The second run
//! takes the answers in the order of the questions. So each operation needs only one implementation, and the implementation never waits.
//! Both runs must ask the same questions in the same order, whatever the answers are.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;

use crate::aih1::Input;
use crate::error::Failure;
use crate::hash::text::Hash;
use crate::hash::{Hasher, Location, Noncer, Role};
use crate::json::path::Path;
use crate::json::value::{Scalar, Value};

/// The part of the hashing that the caller computes. The [`Cert`](crate::Cert) does the rest itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deferred {
    /// True if hashes are computed by the caller.
    pub hasher: bool,
    /// True if nonces are computed by the caller.
    pub noncer: bool,
}

/// A question for one hash or nonce.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The path of the group, with the position in the group appended.
    pub path: Path,
    /// The requested hash or nonce.
    pub ask: Ask,
}

/// The kind of a question and its input.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A nonce.
    Nonce,
    /// The hash of a value; `None` if the value is absent.
    Value(Option<Value>),
    /// The hash of concatenated parts: an imprint as a value, the two parts of a leaf or a node, or the nonce of a closing node.
    Text(Role, Vec<Part>),
}

/// A part of a string that is to be hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A known string.
    Text(String),
    /// The answer to an earlier question, given by the number of that question. At most one question uses each answer.
    Answer(usize),
}

/// The hasher and noncer of the first run. They record questions.
#[derive(Default)]
pub(crate) struct Asking {
    questions: Cell<Vec<Question>>,
    /// The group of the last question. Questions of one group share the keys of its path.
    group: Cell<Path>,
}

impl Asking {
    pub(crate) fn into_questions(self) -> Vec<Question> {
        self.questions.into_inner()
    }

    fn note(&self, location: Location<'_>, ask: Ask) -> Hash {
        let mut group = self.group.take();
        if !group.is(location.group()) {
            group = Path::from(location.group());
        }
        let mut path = group.clone();
        path.push(location.position());
        self.group.set(group);
        let mut questions = self.questions.take();
        let number = questions.len();
        questions.push(Question { path, ask });
        self.questions.set(questions);
        Hash::unknown(Some(number))
    }
}

impl Hasher for Asking {
    fn hash(&self, input: Input<'_>, location: Location<'_>) -> Result<Hash, Failure> {
        let ask = match input {
            Input::Value(value) => Ask::Value(value.map(Scalar::to_value)),
            Input::Imprint(one) | Input::Closing(one) => {
                Ask::Text(input.role(), [part(one)].into())
            }
            Input::Leaf(one, other) | Input::Node(one, other) => {
                Ask::Text(input.role(), [part(one), part(other)].into())
            }
        };
        Ok(self.note(location, ask))
    }
}

fn part(hash: &Hash) -> Part {
    match hash.question() {
        Some(number) => Part::Answer(number),
        None => Part::Text(hash.as_str().into()),
    }
}

impl Noncer for Asking {
    fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure> {
        Ok(self.note(location, Ask::Nonce))
    }
}

/// The hasher of the first run if only nonces are deferred. It computes no hashes, because no nonce is known yet.
pub(crate) struct Skipping<'h>(pub(crate) &'h dyn Hasher);

impl Hasher for Skipping<'_> {
    fn hash(&self, _: Input<'_>, _: Location<'_>) -> Result<Hash, Failure> {
        Ok(Hash::unknown(None))
    }

    fn hash_length(&self) -> Option<usize> {
        self.0.hash_length()
    }

    fn can_be(&self, text: &[u8]) -> bool {
        self.0.can_be(text)
    }
}

/// The hasher and noncer of the second run. They return the caller's answers.
pub(crate) struct Answering<'a> {
    answers: Cell<core::slice::Iter<'a, String>>,
}

impl<'a> Answering<'a> {
    pub(crate) fn new(answers: &'a [String]) -> Self {
        Self {
            answers: Cell::new(answers.iter()),
        }
    }

    fn take(&self) -> Result<Hash, Failure> {
        let mut answers = self.answers.take();
        let answer = answers.next();
        self.answers.set(answers);
        Ok(answer.ok_or(Unanswered)?.as_str().into())
    }
}

impl Hasher for Answering<'_> {
    fn hash(&self, _: Input<'_>, _: Location<'_>) -> Result<Hash, Failure> {
        self.take()
    }
}

impl Noncer for Answering<'_> {
    fn nonce(&self, _: Location<'_>) -> Result<Hash, Failure> {
        self.take()
    }
}

/// The failure of a hash or nonce whose question has no answer. It has its own type, because an error of type `&str` would also link the
/// code that prints strings with escapes.
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
