//! Hashes and nonces that come from outside and may take their time, such as those of a key service or a JavaScript callback.
//!
//! The operation runs twice. The first time each deferred hash or nonce is noted as a question, which says the earlier answers that it
//! is made from. These are then answered, many at a time and in any order that leaves no question without its parts. At last the
//! operation runs again and takes the answers in the order of the questions. Every operation thus has one implementation, and none of
//! it waits.

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

/// The part of the hashing that is answered from outside. The rest the [`Cert`](crate::Cert) does itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deferred {
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
    /// The hash or nonce that is asked for.
    pub ask: Ask,
}

/// The subject of a question.
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
    /// A known text.
    Text(String),
    /// The answer to the question with this number, which comes earlier. No other question asks for the hash of it.
    Answer(usize),
}

/// A hasher and noncer for the first run: it notes questions.
#[derive(Default)]
pub(crate) struct Asking {
    questions: Cell<Vec<Question>>,
    /// The group of the last question: questions share the keys of its path.
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

/// A hasher for the first run where only nonces are deferred: nothing is worth hashing yet.
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

/// A hasher and noncer for the second run: it takes answers.
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

/// The failure of a hash or nonce whose question has no answer. (A `&str` as an error would bring along the code that prints any text with
/// escapes.)
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
