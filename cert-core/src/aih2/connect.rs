//! Connects proofs to the schema and to the shown values, and checks every rule that does not depend on a hash.
//!
//! A proof may claim a list of 2^32 items or demand millions of hashes. The needed hashes are therefore counted first, and a proof that needs more than
//! 2^22 is refused before the first one is computed. Attached evidence creates no placeholders for hidden items, so evidence for an item at the
//! end of a list costs only the tokens of this item. A document with its key counts as a proof with a single part, so `disclose` and `reduce` share
//! the code that makes proofs.

use alloc::vec::Vec;

use crate::aih2::blocks::{Block, Blocks};
use crate::aih2::findings::Findings;
use crate::aih2::formula::Hash;
use crate::aih2::message::refusal;
use crate::aih2::pairs::Pairs;
use crate::aih2::proof::{Open, Part, Shaped, Token};
use crate::aih2::shape::Shape;
use crate::aih2::work::Counter;
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step};
use crate::json::value::Value;

/// The shown part of a document at a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shown<'a> {
    Nothing,
    /// A value of a document. In a list, `null` may be the placeholder of a hidden item.
    Value(&'a Value),
    /// The pairs of attached evidence at and below the place.
    Pairs(Pairs<'a>),
}

/// Reads a proof together with the schema and the shown values.
pub(super) struct Connector<'a, 'f> {
    pub(super) proof: &'a [u8],
    /// The work so far and the current path.
    pub(super) counter: Counter<'a>,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) findings: &'f mut dyn Findings,
}

impl<'a> Connector<'a, '_> {
    /// Reads the whole proof of the root.
    pub(super) fn root(&mut self, shape: &'a Shape, shown: Shown<'a>) -> Result<(), CertError> {
        match self.token()? {
            Token::Hidden(_) => {
                return Err(self.error(ErrorCode::NothingOpen, "the proof opens nothing"));
            }
            Token::Open(key) => {
                let value = match shown {
                    Shown::Value(value) => Some(value),
                    Shown::Pairs(pairs) => pairs.value(),
                    Shown::Nothing => None,
                };
                let value = value.filter(|value| value.as_object().is_some());
                let value = value.ok_or_else(|| {
                    self.mismatch(
                        "the proof opens the whole document, so the whole document must be given",
                    )
                })?;
                self.counter.slot(shape, Some(value), self.findings)?;
                self.push_open(key, 0, 0, Vec::from([Some((shape, value))]));
            }
            Token::Halves => {
                return Err(self.shape("a slot has no halves"));
            }
            place => {
                self.place(place, shape, shown)?;
            }
        }
        if !self.proof.is_empty() {
            return Err(self.error(ErrorCode::ProofLong, "the proof continues after its end"));
        }
        Ok(())
    }

    pub(super) fn token(&mut self) -> Result<Token, CertError> {
        Token::read(&mut self.proof).map_err(|(code, message)| self.error(code, message))
    }

    /// Connects an object or a list that is open in part. Returns true if the detached document shows the object or list.
    pub(super) fn place(
        &mut self,
        token: Token,
        shape: &'a Shape,
        shown: Shown<'a>,
    ) -> Result<bool, CertError> {
        let unsplit = |place: &Self| place.shape("the schema does not split this value");
        if let Shown::Pairs(pairs) = shown
            && pairs.value().is_some()
        {
            return Err(self.mismatch(
                "the evidence gives this value as a whole, but the proof opens only a part of it",
            ));
        }
        self.counter.add(1)?;
        match token {
            Token::List(depth) => {
                let shape = shape.list.as_ref().ok_or_else(|| unsplit(self))?;
                self.list(shape, depth, shown)
            }
            Token::Object => {
                let shape = shape.object.as_ref().ok_or_else(|| unsplit(self))?;
                self.object(shape, shown)?;
                Ok(true)
            }
            _ => {
                Err(self.shape("this token does not begin an object or list that is open in part"))
            }
        }
    }

    pub(super) fn push_open(
        &mut self,
        key: Hash,
        level: u8,
        start: u64,
        slots: Vec<Option<Shaped<'a>>>,
    ) {
        self.parts.push(Part::Open(Open {
            key,
            level,
            start,
            slots,
        }));
    }

    pub(super) fn halves(&mut self, blocks: &mut Blocks, block: Block) -> Result<(), CertError> {
        blocks
            .halve(block)
            .ok_or_else(|| self.shape("a slot has no halves"))?;
        self.counter.add(1)?;
        self.parts.push(Part::Halves);
        Ok(())
    }

    pub(super) fn hide(
        &mut self,
        blocks: &mut Blocks,
        block: Block,
        hash: Hash,
    ) -> Result<(), CertError> {
        blocks
            .hide(block)
            .ok_or_else(|| self.shape("both halves of a block are hidden"))?;
        self.parts.push(Part::Hidden(hash));
        Ok(())
    }

    /// Returns the value that a pair gives for an open slot; `None` if there is no such pair.
    pub(super) fn pair(
        &self,
        pairs: Pairs<'a>,
        step: Step<'a>,
        used: &mut usize,
    ) -> Result<Option<&'a Value>, CertError> {
        let pairs = pairs.child(step);
        *used = used.saturating_add(pairs.len());
        match pairs.value() {
            None if pairs.len() > 0 => Err(self.mismatch(
                "the evidence gives this value in parts, but the proof opens it as a whole",
            )),
            value => Ok(value),
        }
    }

    /// Refuses pairs that do not belong to a slot.
    pub(super) fn require_used(&self, shown: Shown<'a>, used: usize) -> Result<(), CertError> {
        match shown {
            Shown::Pairs(pairs) if pairs.len() != used => {
                Err(self.mismatch("the evidence gives a value here that the proof does not open"))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error at the current path.
    pub(super) fn error(&self, code: ErrorCode, message: &str) -> CertError {
        refusal(code, Path::from(self.counter.path.as_slice()), message)
    }

    pub(super) fn shape(&self, message: &str) -> CertError {
        self.error(ErrorCode::ProofShape, message)
    }

    pub(super) fn mismatch(&self, message: &str) -> CertError {
        self.error(ErrorCode::ValueMismatch, message)
    }
}
