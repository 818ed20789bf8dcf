//! Reads evidence without verifying it. The proofs, and the entries of each proof, stay in the order of the input.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::aih1::proof::{Proof, ProofNode};
use crate::json::path::{Path, Step};
use crate::json::value::{Object, Scalar, Value};
use crate::verify::report::{Reason, ReasonCode};

/// Evidence: untrusted JSON in one of several forms.
///
/// [`Value`]: a list of proofs, or an evidence object with such a list as its `data`. `Vec<Proof>`: the result of
/// [`Cert::notarize`](crate::Cert::notarize) or [`Cert::disclose`](crate::Cert::disclose). Other forms can implement
/// this trait, for example the form in which the JavaScript binding passes proofs.
pub trait Evidence: Send + Sync {
    /// Adds each proof to `raw` with [`RawEvidence::proof`].
    ///
    /// # Errors
    /// Returns a [`Reason`] with the path of the malformed proof, as far as it is known. Its code is [`ReasonCode::IndexOutOfRange`] if the
    /// `index` of a node or value is not a whole number, and otherwise [`ReasonCode::EvidenceMalformed`].
    fn read<'e>(&'e self, raw: &mut RawEvidence<'e>) -> Result<(), Reason>;
}

/// The output omits the proofs. Otherwise the code that formats them would be linked into every program that stores evidence.
impl fmt::Debug for dyn Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Evidence(…)")
    }
}

/// Unverified evidence: only its form has been checked. Its strings are borrowed from the input.
#[derive(Debug, Default, PartialEq)]
pub struct RawEvidence<'e> {
    pub(crate) proofs: Vec<RawProof>,
    /// The paths of all proofs, one after the other. `nodes` and `values` are stored the same way.
    pub(crate) steps: Vec<Step<'e>>,
    pub(crate) nodes: Vec<RawNode<'e>>,
    pub(crate) values: Vec<RawValue<'e>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawProof {
    pub(crate) steps: Range<usize>,
    pub(crate) nodes: Range<usize>,
    pub(crate) values: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawNode<'e> {
    pub(crate) index: usize,
    /// The bytes of the hash as the evidence has it, not decoded. All hashes and nonces of evidence are stored and compared in this form.
    pub(crate) hash: &'e [u8],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawValue<'e> {
    pub(crate) index: usize,
    /// The value; `None` if it is absent.
    pub(crate) value: Option<Scalar<'e>>,
    pub(crate) nonce: &'e [u8],
}

impl<'e> RawEvidence<'e> {
    /// Adds a proof. `fill` adds the steps of its path, its nodes and its values.
    ///
    /// # Errors
    /// The code that `fill` returns, with the path of the proof as far as it is known.
    pub fn proof(
        &mut self,
        fill: impl FnOnce(&mut Self) -> Result<(), ReasonCode>,
    ) -> Result<(), Reason> {
        let (steps, nodes, values) = (self.steps.len(), self.nodes.len(), self.values.len());
        fill(self).map_err(|code| Reason {
            code,
            path: Path::from(self.steps.get(steps..).unwrap_or_default()),
        })?;
        self.proofs.push(RawProof {
            steps: steps..self.steps.len(),
            nodes: nodes..self.nodes.len(),
            values: values..self.values.len(),
        });
        Ok(())
    }

    /// Adds a step to the path of the proof.
    pub fn step(&mut self, step: Step<'e>) {
        self.steps.push(step);
    }

    /// Adds a hash to the proof.
    pub fn node(&mut self, index: usize, hash: &'e str) {
        let hash = hash.as_bytes();
        self.nodes.push(RawNode { index, hash });
    }

    /// Adds a value to the proof; `None` if it is absent.
    ///
    /// # Errors
    /// [`ReasonCode::EvidenceMalformed`] for a number that is not finite.
    pub fn value(
        &mut self,
        index: usize,
        value: Option<Scalar<'e>>,
        nonce: &'e str,
    ) -> Result<(), ReasonCode> {
        self.push(index, value, nonce.as_bytes())
    }

    fn push(
        &mut self,
        index: usize,
        value: Option<Scalar<'e>>,
        nonce: &'e [u8],
    ) -> Result<(), ReasonCode> {
        match value {
            Some(Scalar::Number(number)) if !number.is_finite() => {
                Err(ReasonCode::EvidenceMalformed)
            }
            value => {
                self.values.push(RawValue {
                    index,
                    value,
                    nonce,
                });
                Ok(())
            }
        }
    }
}

/// Returns the reason to refuse JSON that is not a list of proofs.
pub(crate) fn malformed() -> Reason {
    Reason {
        code: ReasonCode::EvidenceMalformed,
        path: Path::root(),
    }
}

impl Evidence for Vec<Proof> {
    fn read<'e>(&'e self, raw: &mut RawEvidence<'e>) -> Result<(), Reason> {
        raw.proofs.reserve(self.len());
        raw.nodes
            .reserve(self.iter().map(|proof| proof.nodes.len()).sum());
        raw.values
            .reserve(self.iter().map(|proof| proof.values.len()).sum());
        for proof in self {
            raw.proof(|raw| {
                for step in proof.path.steps() {
                    raw.step(step.as_step());
                }
                for ProofNode { index, hash } in &proof.nodes {
                    let (index, hash) = (*index, hash.as_bytes());
                    raw.nodes.push(RawNode { index, hash });
                }
                for value in &proof.values {
                    let nonce = value.nonce.as_bytes();
                    raw.push(value.index, scalar(value.value.as_ref())?, nonce)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl Evidence for Value {
    fn read<'e>(&'e self, raw: &mut RawEvidence<'e>) -> Result<(), Reason> {
        let list = match self {
            Self::Array(list) => list,
            Self::Object(object) => object
                .get("data")
                .and_then(Self::as_array)
                .ok_or_else(malformed)?,
            _ => return Err(malformed()),
        };
        for proof in list {
            let proof = proof.as_object().ok_or_else(malformed)?;
            raw.proof(|raw| read_proof(proof, raw))?;
        }
        Ok(())
    }
}

/// Reads a proof. Its keys may be in any order.
fn read_proof<'e>(proof: &'e Object, raw: &mut RawEvidence<'e>) -> Result<(), ReasonCode> {
    let list = |key| {
        let list = proof.get(key).and_then(Value::as_array);
        list.ok_or(ReasonCode::EvidenceMalformed)
    };
    for step in list("path")? {
        raw.step(match step {
            Value::String(key) => Step::Key(key),
            other => Step::Index(other.to_index().ok_or(ReasonCode::EvidenceMalformed)?),
        });
    }
    for node in list("nodes")? {
        let node = node.as_object().ok_or(ReasonCode::EvidenceMalformed)?;
        let (index, hash) = indexed(node, "hash")?;
        raw.node(index, hash);
    }
    for value in list("values")? {
        let value = value.as_object().ok_or(ReasonCode::EvidenceMalformed)?;
        let (index, nonce) = indexed(value, "nonce")?;
        raw.value(index, scalar(value.get("value"))?, nonce)?;
    }
    Ok(())
}

/// Returns a scalar, or `None` if the value is absent. Arrays and objects are refused: a proof has the imprint of an array or object
/// instead.
fn scalar(value: Option<&Value>) -> Result<Option<Scalar<'_>>, ReasonCode> {
    let scalar = value.map(|value| value.as_scalar().ok_or(ReasonCode::EvidenceMalformed));
    scalar.transpose()
}

/// Returns the index of a node or value, and its hash or nonce.
fn indexed<'e>(entry: &'e Object, key: &str) -> Result<(usize, &'e str), ReasonCode> {
    let text = entry.get(key).and_then(Value::as_str);
    let text = text.ok_or(ReasonCode::EvidenceMalformed)?;
    let at = entry.get("index").ok_or(ReasonCode::EvidenceMalformed)?;
    let index = at.to_index().ok_or(ReasonCode::IndexOutOfRange)?;
    Ok((index, text))
}
