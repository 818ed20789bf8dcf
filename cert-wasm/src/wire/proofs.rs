//! Packs and reads proofs. Evidence is read in place, without copies of its strings.

use alloc::vec::Vec;

use cert_core::{Evidence, Path, Proof, RawEvidence, Reason, ReasonCode, Scalar, Step};

use super::read::{Packed, Reader};
use super::write::Writer;
use super::{ABSENT, ARRAY, STRING, WHOLE, WORD, index_of};

/// Packs proofs.
pub(crate) fn pack_proofs(proofs: &[Proof]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.array(proofs.len());
    for proof in proofs {
        writer.path(proof.path.steps());
        // Reserves memory for nodes and values. Most of their strings are hashes of 64 characters.
        // Each node has two numbers in the list, each value three.
        let count = proof.nodes.len().saturating_add(proof.values.len());
        writer.text.reserve(count.saturating_mul(80));
        writer.list.reserve(count.saturating_mul(3));
        writer.array(proof.nodes.len());
        for node in &proof.nodes {
            writer.index(node.index);
            writer.text(&node.hash);
        }
        writer.array(proof.values.len());
        for value in &proof.values {
            writer.index(value.index);
            match &value.value {
                Some(value) => writer.value(value),
                None => writer.put(WORD, ABSENT),
            }
            writer.text(&value.nonce);
        }
    }
    writer.finish()
}

/// Packed evidence, read in place.
pub(crate) struct PackedProofs(Packed);

impl PackedProofs {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Packed::new(bytes))
    }
}

impl Evidence for PackedProofs {
    fn read<'e>(&'e self, raw: &mut RawEvidence<'e>) -> Result<(), Reason> {
        let mut reader = self.0.reader();
        let count = reader.count().map_err(|code| Reason {
            code,
            path: Path::root(),
        })?;
        for _ in 0..count {
            raw.proof(|raw| reader.proof(raw))?;
        }
        Ok(())
    }
}

impl<'p> Reader<'p> {
    fn proof(&mut self, raw: &mut RawEvidence<'p>) -> Result<(), ReasonCode> {
        for _ in 0..self.count()? {
            raw.step(match self.cell()? {
                Cell::Whole(index) => Step::Index(index),
                Cell::Scalar(Some(Scalar::String(key))) => Step::Key(key),
                Cell::Scalar(_) => return Err(ReasonCode::EvidenceMalformed),
            });
        }
        for _ in 0..self.count()? {
            let index = self.index()?;
            raw.node(index, self.string()?);
        }
        for _ in 0..self.count()? {
            let index = self.index()?;
            let value = match self.cell()? {
                Cell::Whole(number) => Some(Scalar::Number(number.into())),
                Cell::Scalar(scalar) => scalar,
            };
            raw.value(index, value, self.string()?)?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<usize, ReasonCode> {
        match self.next() {
            Some((ARRAY, count)) => Ok(count),
            _ => Err(ReasonCode::EvidenceMalformed),
        }
    }

    fn index(&mut self) -> Result<usize, ReasonCode> {
        match self.cell()? {
            Cell::Whole(index) => Ok(index),
            Cell::Scalar(None) => Err(ReasonCode::EvidenceMalformed),
            Cell::Scalar(Some(_)) => Err(ReasonCode::IndexOutOfRange),
        }
    }

    fn string(&mut self) -> Result<&'p str, ReasonCode> {
        match self.next() {
            Some((STRING, units)) => self.text(units).ok_or(ReasonCode::EvidenceMalformed),
            _ => Err(ReasonCode::EvidenceMalformed),
        }
    }

    fn cell(&mut self) -> Result<Cell<'p>, ReasonCode> {
        let (kind, size) = self.next().ok_or(ReasonCode::EvidenceMalformed)?;
        if kind == WHOLE {
            return Ok(Cell::Whole(size));
        }
        let scalar = self.scalar(kind, size);
        Ok(match scalar.ok_or(ReasonCode::EvidenceMalformed)? {
            Some(Scalar::Number(number)) if let Some(index) = index_of(&number) => {
                Cell::Whole(index)
            }
            scalar => Cell::Scalar(scalar),
        })
    }
}

/// An element of a packed proof.
enum Cell<'p> {
    /// A whole number below 2^32 − 1.
    Whole(usize),
    /// A scalar, or `None` for an absent value.
    Scalar(Option<Scalar<'p>>),
}
