//! Puts evidence in order: connects every proof to the proof of its parent group, and places every entry at its position.
//!
//! Evidence may state any index. Memory and time depend only on the size of the evidence, never on a stated index.

use alloc::vec::Vec;
use core::ops::Range;

use crate::aih1::evidence::{RawEvidence, RawProof, RawValue};
use crate::aih1::order;
use crate::invariant::certain;
use crate::json::path::{Path, Step};
use crate::json::sort;
use crate::json::value::Scalar;
use crate::schema::{ListNode, Node, ObjectNode};
use crate::verify::report::{Reason, ReasonCode};

/// The proofs of one root, each connected to its parent's proof.
pub(crate) struct ConnectedProofs<'e> {
    raw: RawEvidence<'e>,
    /// Parents before children; the root first.
    proofs: Vec<Proof<'e>>,
    /// The entries of all proofs, one after the other.
    entries: Vec<Entry<'e>>,
}

/// The index of a proof among the connected proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProofId(usize);

impl ProofId {
    pub(crate) const ROOT: Self = Self(0);
}

/// A connected proof.
pub(crate) struct Proof<'e> {
    steps: Range<usize>,
    /// The entries: one for each position before the closing node.
    entries: Range<usize>,
    /// The node at which the proof closes.
    pub(crate) closing: &'e [u8],
    /// The imprint that the parent's proof states for this proof; `None` for the root, which has no parent.
    pub(crate) expected: Option<&'e str>,
    /// True if the group is a list. The schema gives the number of members of an object, but not the length of a list.
    pub(crate) is_list: bool,
}

#[derive(Clone, Copy)]
enum Group<'e> {
    Object(&'e ObjectNode),
    List(&'e ListNode),
}

/// The contents of a proof at one position.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry<'e> {
    /// The index of the disclosed value among the evidence's values.
    disclosed: Option<usize>,
    pub(crate) leaf: Option<&'e [u8]>,
    pub(crate) node: Option<&'e [u8]>,
    /// The proof of the object or array at this position.
    child: Option<ProofId>,
}

impl Entry<'_> {
    pub(crate) fn is_disclosed(&self) -> bool {
        self.disclosed.is_some()
    }
}

impl<'e> ConnectedProofs<'e> {
    /// Connects the proofs of evidence. The error is a reason to refuse the evidence: a proof cannot be connected, or the root's proof is
    /// missing.
    pub(crate) fn new(schema: &'e ObjectNode, raw: RawEvidence<'e>) -> Result<Self, Reason> {
        // The proofs are sorted by depth, so a parent always comes before its children.
        let depth = |at: usize| raw.proofs.get(at).map(|proof| proof.steps.len());
        let order = sort::indexes(raw.proofs.len(), &|one, other| {
            depth(one).cmp(&depth(other))
        });
        let mut connected = Self {
            proofs: Vec::with_capacity(raw.proofs.len()),
            // Complete evidence has two nodes for each entry.
            entries: Vec::with_capacity(raw.nodes.len().wrapping_div(2)),
            raw,
        };
        for at in order {
            if let Some(proof) = connected.raw.proofs.get(at).cloned() {
                let steps = proof.steps.clone();
                if connected.proofs.is_empty() && !steps.is_empty() {
                    break;
                }
                if let Err(code) = connected.connect(schema, proof) {
                    let steps = connected.raw.steps.get(steps).unwrap_or_default();
                    return Err(refusal(code, steps));
                }
            }
        }
        if connected.proofs.is_empty() {
            return Err(refusal(ReasonCode::RootMissing, &[]));
        }
        // The entries are built, so these lists are dropped. This frees memory for the hashes that follow.
        connected.raw.nodes = Vec::new();
        connected.raw.proofs = Vec::new();
        Ok(connected)
    }

    /// Returns the proofs, parents before children.
    pub(crate) fn ids(&self) -> Vec<ProofId> {
        (0..self.proofs.len()).map(ProofId).collect()
    }

    pub(crate) fn proof(&self, id: ProofId) -> &Proof<'e> {
        let proof = self.proofs.get(id.0);
        certain(
            proof,
            "each identifier belongs to a proof, and proofs are never removed",
        )
    }

    /// Returns the path of a proof.
    pub(crate) fn steps(&self, id: ProofId) -> &[Step<'e>] {
        let steps = self.raw.steps.get(self.proof(id).steps.clone());
        certain(steps, "steps are never removed")
    }

    /// Returns the entries of a proof: one for each position before the position at which it closes.
    pub(crate) fn entries(&self, id: ProofId) -> &[Entry<'e>] {
        let entries = self.entries.get(self.proof(id).entries.clone());
        certain(entries, "entries are never removed")
    }

    /// Returns the raw value of an entry, or `None` if it is not disclosed.
    pub(crate) fn disclosed(&self, entry: &Entry<'e>) -> Option<&RawValue<'e>> {
        self.raw.values.get(entry.disclosed?)
    }

    /// Returns the value at a position, or `None` if it is not disclosed. The inner `None` is a disclosed absent value.
    pub(crate) fn value(&self, id: ProofId, position: usize) -> Option<Option<Scalar<'e>>> {
        let entry = self.entries(id).get(position)?;
        Some(self.disclosed(entry)?.value)
    }

    /// Returns the proof of the object or array at a position, or `None` if the evidence has no proof for it.
    pub(crate) fn child(&self, id: ProofId, position: usize) -> Option<ProofId> {
        self.entries(id).get(position)?.child
    }

    /// Returns the position of the item with this index in a list, or `None` if the proof covers too few positions.
    pub(crate) fn item(&self, id: ProofId, index: usize) -> Option<usize> {
        order::position(index, self.length(id))
    }

    /// Returns the number of positions that a proof covers.
    pub(crate) fn length(&self, id: ProofId) -> usize {
        self.entries(id).len()
    }

    /// Returns a reason for refusing a proof, with the proof's path.
    pub(crate) fn refusal(&self, id: ProofId, code: ReasonCode) -> Reason {
        refusal(code, self.steps(id))
    }

    fn entry_mut(&mut self, id: ProofId, position: usize) -> Option<&mut Entry<'e>> {
        let entries = self.proof(id).entries.clone();
        self.entries.get_mut(entries)?.get_mut(position)
    }

    /// Connects a proof to its parent's proof, which is already connected. The first proof must be the root's.
    fn connect(&mut self, schema: &'e ObjectNode, proof: RawProof) -> Result<(), ReasonCode> {
        let steps = self.raw.steps.get(proof.steps.clone()).unwrap_or_default();
        let new = ProofId(self.proofs.len());
        let mut group = Group::Object(schema);
        let mut parent = None;
        for &step in steps {
            // The proof of the group that this step starts from.
            let at = match parent {
                None => ProofId::ROOT,
                Some((id, position)) => self
                    .child(id, position)
                    .ok_or(ReasonCode::ProofUnconnected)?,
            };
            let (position, node) = match (group, step) {
                (Group::Object(object), Step::Key(key)) => {
                    let member = object.member(key).ok_or(ReasonCode::PathUnknown)?;
                    (member.position, &member.node)
                }
                (Group::List(list), Step::Index(index)) => (self.item(at, index), &*list.items),
                _ => return Err(ReasonCode::PathUnknown),
            };
            group = match node {
                Node::Leaf(_) => return Err(ReasonCode::PathUnknown),
                Node::Object(object) => Group::Object(object),
                Node::List(list) => Group::List(list),
            };
            let position = position.ok_or(ReasonCode::ProofUnconnected)?;
            parent = Some((at, position));
        }
        let expected = match parent {
            None if new == ProofId::ROOT => None,
            None => return Err(ReasonCode::ProofDuplicate),
            Some((at, position)) => {
                let Some(Some(Scalar::String(imprint))) = self.value(at, position) else {
                    return Err(ReasonCode::ProofUnconnected);
                };
                let entry = self.entry_mut(at, position);
                let entry = entry.ok_or(ReasonCode::ProofUnconnected)?;
                if entry.child.replace(new).is_some() {
                    return Err(ReasonCode::ProofDuplicate);
                }
                Some(imprint)
            }
        };
        let (entries, closing) = order(&self.raw, &proof, group, &mut self.entries)?;
        self.proofs.push(Proof {
            steps: proof.steps,
            entries,
            closing,
            expected,
            is_list: matches!(group, Group::List(_)),
        });
        Ok(())
    }
}

/// Sorts the nodes and values of a proof by position. Appends an entry to `all` for each position before the closing node. Returns the
/// range of these entries, and the closing node.
///
/// The proof closes at the highest node with an even index. Every position before this node must have a value or a leaf. No node or value
/// may come after it, because such an entry would not affect the imprint.
fn order<'e>(
    raw: &RawEvidence<'e>,
    proof: &RawProof,
    group: Group<'_>,
    all: &mut Vec<Entry<'e>>,
) -> Result<(Range<usize>, &'e [u8]), ReasonCode> {
    let nodes = raw.nodes.get(proof.nodes.clone()).unwrap_or_default();
    let values = raw.values.get(proof.values.clone()).unwrap_or_default();
    let evens = nodes.iter().filter(|node| node.index.wrapping_rem(2) == 0);
    let closing = evens
        .max_by_key(|node| node.index)
        .ok_or(ReasonCode::ProofIncomplete)?;
    let width = closing.index.wrapping_div(2);
    match group {
        Group::Object(object) if width > object.width() => return Err(ReasonCode::IndexOutOfRange),
        _ if width > nodes.len().saturating_add(values.len()) => {
            return Err(ReasonCode::ProofIncomplete);
        }
        _ => {}
    }

    let start = all.len();
    all.resize(start.saturating_add(width), Entry::default());
    let entries = all.get_mut(start..).unwrap_or_default();
    let mut closings = 0_usize;
    for node in nodes {
        if node.index == closing.index {
            closings = closings.saturating_add(1);
            continue;
        }
        let entry = entries
            .get_mut(node.index.wrapping_div(2))
            .ok_or(ReasonCode::IndexOutOfRange)?;
        let slot = if node.index.wrapping_rem(2) == 0 {
            &mut entry.node
        } else {
            &mut entry.leaf
        };
        if slot.replace(node.hash).is_some() {
            return Err(ReasonCode::IndexDuplicate);
        }
    }
    if closings != 1 {
        return Err(ReasonCode::IndexDuplicate);
    }
    for (value, at) in values.iter().zip(proof.values.clone()) {
        let entry = entries
            .get_mut(value.index)
            .ok_or(ReasonCode::IndexOutOfRange)?;
        if entry.disclosed.replace(at).is_some() {
            return Err(ReasonCode::IndexDuplicate);
        }
    }
    if entries
        .iter()
        .any(|entry| entry.disclosed.is_none() && entry.leaf.is_none())
    {
        return Err(ReasonCode::ProofIncomplete);
    }
    Ok((start..all.len(), closing.hash))
}

fn refusal(code: ReasonCode, steps: &[Step<'_>]) -> Reason {
    Reason {
        code,
        path: Path::from(steps),
    }
}
