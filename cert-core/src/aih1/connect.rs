//! Evidence put in order: every proof in its place below its parent's, every entry at its position.
//!
//! Nothing here is allocated or repeated in proportion to a number that the evidence names: whatever
//! it names has to be there as entries, too.

use alloc::vec::Vec;
use core::ops::Range;

use crate::aih1::evidence::{RawEvidence, RawProof, RawValue};
use crate::aih1::order;
use crate::json::path::{Path, Step};
use crate::json::sort;
use crate::json::value::Scalar;
use crate::schema::{ListNode, Node, ObjectNode};
use crate::verify::report::{Reason, ReasonCode};

/// The proofs of one root, each connected to its parent's.
pub(crate) struct ConnectedProofs<'e> {
    given: RawEvidence<'e>,
    /// Parents before children; the root first.
    pub(crate) proofs: Vec<Proof<'e>>,
    /// Those of all proofs, one after the other.
    entries: Vec<Entry<'e>>,
}

/// A proof in its place.
pub(crate) struct Proof<'e> {
    steps: Range<usize>,
    /// What is known of every position before the one at which the proof closes.
    pub(crate) entries: Range<usize>,
    /// The node at which it closes.
    pub(crate) end: &'e [u8],
    /// The imprint that the parent's proof has for it; the root has no parent.
    pub(crate) expected: Option<&'e str>,
    /// The parent, and the last step of the path.
    pub(crate) parent: Option<(usize, Step<'e>)>,
    /// Whether it is about a list: only of an object the schema says how many members there are.
    pub(crate) is_list: bool,
}

#[derive(Clone, Copy)]
enum Group<'e> {
    Object(&'e ObjectNode),
    List(&'e ListNode),
}

/// What a proof has for one position.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry<'e> {
    /// Which of the values that were given is the one at this position.
    disclosed: Option<usize>,
    pub(crate) leaf: Option<&'e [u8]>,
    pub(crate) node: Option<&'e [u8]>,
    /// Which proof covers the object or array at this position.
    pub(crate) child: Option<usize>,
}

impl<'e> ConnectedProofs<'e> {
    /// Puts what was given in order.
    pub(crate) fn new(schema: &'e ObjectNode, given: RawEvidence<'e>) -> Result<Self, Reason> {
        // So that a parent is always there before its children.
        let depth = |at: usize| given.proofs.get(at).map(|proof| proof.steps.len());
        let order = sort::indexes(given.proofs.len(), &|one, other| {
            depth(one).cmp(&depth(other))
        });
        let mut linked = Self {
            proofs: Vec::with_capacity(given.proofs.len()),
            // Whole evidence has two nodes for each.
            entries: Vec::with_capacity(given.nodes.len().wrapping_div(2)),
            given,
        };
        for at in order {
            if let Some(proof) = linked.given.proofs.get(at).cloned() {
                let steps = proof.steps.clone();
                if linked.proofs.is_empty() && !steps.is_empty() {
                    break;
                }
                if let Err(code) = linked.link(schema, proof) {
                    let steps = linked.given.steps.get(steps).unwrap_or_default();
                    return Err(refusal(code, steps));
                }
            }
        }
        if linked.proofs.is_empty() {
            return Err(refusal(ReasonCode::RootMissing, &[]));
        }
        // They are in the entries: what comes next can have their memory.
        linked.given.nodes = Vec::new();
        linked.given.proofs = Vec::new();
        Ok(linked)
    }

    /// The number of positions of all proofs, with those at which they close.
    pub(crate) fn count(&self) -> usize {
        self.entries.len().saturating_add(self.proofs.len())
    }

    /// The path of a proof.
    pub(crate) fn steps(&self, proof: &Proof<'e>) -> &[Step<'e>] {
        self.given
            .steps
            .get(proof.steps.clone())
            .unwrap_or_default()
    }

    /// What a proof has for the positions before the one at which it closes.
    pub(crate) fn entries(&self, proof: &Proof<'e>) -> &[Entry<'e>] {
        self.entries.get(proof.entries.clone()).unwrap_or_default()
    }

    /// What a proof has for a position.
    pub(crate) fn entry(&self, proof: usize, position: usize) -> Option<&Entry<'e>> {
        self.entries.get(self.entry_at(proof, position)?)
    }

    /// The value at a position, if it is disclosed.
    pub(crate) fn disclosed(&self, entry: &Entry<'e>) -> Option<&RawValue<'e>> {
        self.given.values.get(entry.disclosed?)
    }

    /// The number of positions before the one at which a proof closes.
    pub(crate) fn length(&self, proof: usize) -> usize {
        self.proofs
            .get(proof)
            .map_or(0, |proof| proof.entries.len())
    }

    /// Why a proof is refused.
    pub(crate) fn refusal(&self, proof: usize, code: ReasonCode) -> Reason {
        let proof = self.proofs.get(proof);
        refusal(code, proof.map_or(&[], |proof| self.steps(proof)))
    }

    /// The node at which a proof closes.
    pub(crate) fn end(&self, proof: usize) -> &'e [u8] {
        self.proofs.get(proof).map_or(&[], |proof| proof.end)
    }

    fn entry_at(&self, proof: usize, position: usize) -> Option<usize> {
        let entries = &self.proofs.get(proof)?.entries;
        let at = entries.start.checked_add(position)?;
        entries.contains(&at).then_some(at)
    }

    /// Puts a proof in its place below the proofs that are there.
    fn link(&mut self, schema: &'e ObjectNode, proof: RawProof) -> Result<(), ReasonCode> {
        let steps = self
            .given
            .steps
            .get(proof.steps.clone())
            .unwrap_or_default();
        let new = self.proofs.len();
        let mut group = Group::Object(schema);
        let mut parent = None;
        for &step in steps {
            // The proof of the group that this step starts from.
            let at = match parent {
                None => 0,
                Some((proof, position)) => self
                    .entry(proof, position)
                    .and_then(|entry| entry.child)
                    .ok_or(ReasonCode::ProofUnconnected)?,
            };
            let (position, node) = match (group, step) {
                (Group::Object(object), Step::Key(key)) => {
                    let member = object.member(key).ok_or(ReasonCode::PathUnknown)?;
                    (member.position, &member.node)
                }
                (Group::List(list), Step::Index(index)) => {
                    (order::position(index, self.length(at)), &*list.items)
                }
                _ => return Err(ReasonCode::PathUnknown),
            };
            group = match node {
                Node::Leaf => return Err(ReasonCode::PathUnknown),
                Node::Object(object) => Group::Object(object),
                Node::List(list) => Group::List(list),
            };
            let position = position.ok_or(ReasonCode::ProofUnconnected)?;
            parent = Some((at, position));
        }
        let expected = match parent {
            None if new == 0 => None,
            None => return Err(ReasonCode::ProofDuplicate),
            Some((at, position)) => {
                let at = self.entry_at(at, position);
                let entry = at.and_then(|at| self.entries.get_mut(at));
                let entry = entry.ok_or(ReasonCode::ProofUnconnected)?;
                let value = entry.disclosed.and_then(|at| self.given.values.get(at));
                let Some(Scalar::String(imprint)) = value.and_then(|value| value.value) else {
                    return Err(ReasonCode::ProofUnconnected);
                };
                if entry.child.replace(new).is_some() {
                    return Err(ReasonCode::ProofDuplicate);
                }
                Some(imprint)
            }
        };
        let last = self.given.steps.get(proof.steps.clone());
        let last = last.and_then(<[_]>::last).copied();
        let (entries, end) = order(&self.given, &proof, group, &mut self.entries)?;
        self.proofs.push(Proof {
            steps: proof.steps,
            entries,
            end,
            expected,
            parent: parent.map(|(at, _)| at).zip(last),
            is_list: matches!(group, Group::List(_)),
        });
        Ok(())
    }
}

/// Puts the nodes and values of a proof in order: what is known of each position before the one at
/// which the proof closes, and the node at which it does.
///
/// That is the highest node with an even index. Everything before it has to be known, as a value or
/// as a leaf, and nothing may lie after it, because it would not enter the imprint.
fn order<'e>(
    given: &RawEvidence<'e>,
    proof: &RawProof,
    group: Group<'_>,
    all: &mut Vec<Entry<'e>>,
) -> Result<(Range<usize>, &'e [u8]), ReasonCode> {
    let nodes = given.nodes.get(proof.nodes.clone()).unwrap_or_default();
    let values = given.values.get(proof.values.clone()).unwrap_or_default();
    let evens = nodes.iter().filter(|node| node.index.wrapping_rem(2) == 0);
    let end = evens
        .max_by_key(|node| node.index)
        .ok_or(ReasonCode::ProofIncomplete)?;
    let width = end.index.wrapping_div(2);
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
    let mut ends = 0_usize;
    for node in nodes {
        if node.index == end.index {
            ends = ends.saturating_add(1);
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
    if ends != 1 {
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
    Ok((start..all.len(), end.hash))
}

fn refusal(code: ReasonCode, steps: &[Step<'_>]) -> Reason {
    Reason {
        code,
        path: Path::from(steps),
    }
}
