//! Evidence: read from JSON that anyone may have made, put in order, and hashed.
//!
//! Nothing here is allocated or repeated in proportion to a number that the evidence names: whatever
//! it names has to be there as entries, too.

use alloc::vec::Vec;
use core::mem;

use crate::error::CertError;
use crate::hash::{Hasher, Input, Place, Text};
use crate::json::index;
use crate::path::{Path, Step};
use crate::report::{Reason, ReasonCode};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::sort;
use crate::text_order;
use crate::value::{Object, Scalar, Value};
use crate::walk::hash;

/// The proofs of one root, each connected to its parent's.
pub(crate) struct Evidence<'e> {
    /// Parents before children; the root first.
    proofs: Vec<Linked<'e>>,
}

/// A proof in its place.
pub(crate) struct Linked<'e> {
    pub(crate) steps: Vec<Step<'e>>,
    /// What is known of every position before the one at which the proof closes.
    entries: Vec<Entry<'e>>,
    /// The node at which it closes.
    end: &'e str,
    /// The imprint that the parent's proof has for it; the root has no parent.
    expected: Option<&'e str>,
}

#[derive(Clone, Copy)]
enum Group<'e> {
    Object(&'e ObjectNode),
    List(&'e ListNode),
}

/// What a proof has for one position.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry<'e> {
    given: Option<Given<'e>>,
    leaf: Option<&'e str>,
    node: Option<&'e str>,
    /// Which proof covers the object or array at this position.
    pub(crate) child: Option<usize>,
}

#[derive(Clone, Copy)]
struct Given<'e> {
    value: Option<Scalar<'e>>,
    nonce: &'e str,
}

impl<'e> Entry<'e> {
    /// The value at the position, if it is disclosed: a scalar, or nothing where it is absent.
    pub(crate) fn value(&self) -> Option<Option<Scalar<'e>>> {
        self.given.map(|given| given.value)
    }
}

impl<'e> Evidence<'e> {
    /// Reads a list of proofs, or an evidence object with such a list as its `data`.
    pub(crate) fn read(schema: &'e ObjectNode, evidence: &'e Value) -> Result<Self, Reason> {
        let malformed = || refusal(ReasonCode::EvidenceMalformed, &[]);
        let list = match evidence {
            Value::Array(list) => list,
            Value::Object(object) => object
                .get("data")
                .and_then(Value::as_array)
                .ok_or_else(malformed)?,
            _ => return Err(malformed()),
        };
        let mut read = Vec::with_capacity(list.len());
        for proof in list {
            let proof = proof.as_object().ok_or_else(malformed)?;
            read.push((path(proof).ok_or_else(malformed)?, proof));
        }
        // So that a parent is always there before its children.
        let depth = |at: usize| read.get(at).map(|(steps, _): &(Vec<_>, _)| steps.len());
        let order = sort::indexes(read.len(), &|one, other| depth(one).cmp(&depth(other)));
        let mut evidence = Self {
            proofs: Vec::with_capacity(read.len()),
        };
        for at in order {
            if let Some((steps, proof)) = read.get_mut(at) {
                evidence.link(schema, mem::take(steps), proof)?;
            }
        }
        if evidence.proofs.is_empty() {
            return Err(refusal(ReasonCode::RootMissing, &[]));
        }
        Ok(evidence)
    }

    pub(crate) fn proof(&self, at: usize) -> Option<&Linked<'e>> {
        self.proofs.get(at)
    }

    /// Computes every proof's imprint and holds it against the parent's; gives the root's.
    pub(crate) fn imprint(&self, hasher: &dyn Hasher) -> Result<Result<Text, Reason>, CertError> {
        let mut root = None;
        for proof in &self.proofs {
            match proof.imprint(hasher)? {
                Err(code) => return Ok(Err(refusal(code, &proof.steps))),
                Ok(imprint) => match proof.expected {
                    None => root = Some(imprint),
                    Some(expected) if hasher.matches(&imprint, expected) => {}
                    Some(_) => return Ok(Err(refusal(ReasonCode::LinkMismatch, &proof.steps))),
                },
            }
        }
        Ok(root.ok_or_else(|| refusal(ReasonCode::RootMissing, &[])))
    }

    /// Puts a proof in its place below the proofs that are there.
    fn link(
        &mut self,
        schema: &'e ObjectNode,
        steps: Vec<Step<'e>>,
        proof: &'e Object,
    ) -> Result<(), Reason> {
        let new = self.proofs.len();
        if new == 0 && !steps.is_empty() {
            return Err(refusal(ReasonCode::RootMissing, &[]));
        }
        let mut group = Group::Object(schema);
        let mut parent = None;
        for &step in &steps {
            // The proof of the group that this step starts from.
            let at = match parent {
                None => 0,
                Some((proof, position)) => self
                    .entry(proof, position)
                    .and_then(|entry| entry.child)
                    .ok_or_else(|| refusal(ReasonCode::ProofUnconnected, &steps))?,
            };
            let unknown = || refusal(ReasonCode::PathUnknown, &steps);
            let (position, node) = match (group, step) {
                (Group::Object(object), Step::Key(key)) => {
                    let member = object.member(key).ok_or_else(unknown)?;
                    (member.position, &member.node)
                }
                (Group::List(list), Step::Index(index)) => {
                    let length = self.proof(at).map_or(0, Linked::length);
                    (text_order::position(index, length), &*list.items)
                }
                _ => return Err(unknown()),
            };
            group = match node {
                Node::Leaf => return Err(unknown()),
                Node::Object(object) => Group::Object(object),
                Node::List(list) => Group::List(list),
            };
            let position = position.ok_or_else(|| refusal(ReasonCode::ProofUnconnected, &steps))?;
            parent = Some((at, position));
        }
        let expected = match parent {
            None if new == 0 => None,
            None => return Err(refusal(ReasonCode::ProofDuplicate, &steps)),
            Some((at, position)) => {
                let unconnected = || refusal(ReasonCode::ProofUnconnected, &steps);
                let entry = self.entry_mut(at, position).ok_or_else(unconnected)?;
                let Some(Some(Scalar::String(imprint))) = entry.value() else {
                    return Err(unconnected());
                };
                if entry.child.replace(new).is_some() {
                    return Err(refusal(ReasonCode::ProofDuplicate, &steps));
                }
                Some(imprint)
            }
        };
        let (entries, end) = entries(proof, group).map_err(|code| refusal(code, &steps))?;
        self.proofs.push(Linked {
            steps,
            entries,
            end,
            expected,
        });
        Ok(())
    }

    fn entry(&self, proof: usize, position: usize) -> Option<&Entry<'e>> {
        self.proofs.get(proof)?.entries.get(position)
    }

    fn entry_mut(&mut self, proof: usize, position: usize) -> Option<&mut Entry<'e>> {
        self.proofs.get_mut(proof)?.entries.get_mut(position)
    }
}

impl<'e> Linked<'e> {
    pub(crate) fn entry(&self, position: usize) -> Option<&Entry<'e>> {
        self.entries.get(position)
    }

    /// The number of positions before the one at which the proof closes.
    pub(crate) fn length(&self) -> usize {
        self.entries.len()
    }

    /// The node at which the proof closes.
    pub(crate) fn end(&self) -> &'e str {
        self.end
    }

    /// Computes the imprint from the end to the beginning. A supplied hash is used only where none
    /// can be computed; where one can, both have to be equal.
    fn imprint(&self, hasher: &dyn Hasher) -> Result<Result<Text, ReasonCode>, CertError> {
        let Some(mut next) = hasher.read(self.end) else {
            return Ok(Err(ReasonCode::HashMalformed));
        };
        for (index, entry) in self.entries.iter().enumerate().rev() {
            let place = Place::new(&self.steps, "", index);
            let leaf = match entry.given {
                Some(Given { value, nonce }) => {
                    let value = hash(hasher, Input::Value(value), place)?;
                    let texts = Input::Leaf(&value, nonce);
                    let leaf = hash(hasher, texts, place)?;
                    if entry
                        .leaf
                        .is_some_and(|supplied| !hasher.matches(&leaf, supplied))
                    {
                        return Ok(Err(ReasonCode::HashMismatch));
                    }
                    leaf
                }
                None => match entry.leaf.and_then(|leaf| hasher.read(leaf)) {
                    Some(leaf) => leaf,
                    None => return Ok(Err(ReasonCode::HashMalformed)),
                },
            };
            let texts = Input::Node(&leaf, &next);
            next = hash(hasher, texts, place)?;
            if entry
                .node
                .is_some_and(|supplied| !hasher.matches(&next, supplied))
            {
                return Ok(Err(ReasonCode::HashMismatch));
            }
        }
        Ok(Ok(next))
    }
}

/// The path of a proof: keys are strings, indexes are numbers.
fn path(proof: &Object) -> Option<Vec<Step<'_>>> {
    let path = proof.get("path")?.as_array()?;
    let mut steps = Vec::with_capacity(path.len());
    for step in path {
        steps.push(match step {
            Value::String(key) => Step::Key(key),
            other => Step::Index(index(other)?),
        });
    }
    Some(steps)
}

/// Puts the nodes and values of a proof in order: what is known of each position before the one at
/// which the proof closes, and the node at which it does.
///
/// That is the highest node with an even index. Everything before it has to be known, as a value or
/// as a leaf, and nothing may lie after it, because it would not enter the imprint.
fn entries<'e>(
    proof: &'e Object,
    group: Group<'_>,
) -> Result<(Vec<Entry<'e>>, &'e str), ReasonCode> {
    let list = |key| {
        proof
            .get(key)
            .and_then(Value::as_array)
            .ok_or(ReasonCode::EvidenceMalformed)
    };
    let number = |entry: &Object| {
        entry
            .get("index")
            .ok_or(ReasonCode::EvidenceMalformed)
            .and_then(|value| index(value).ok_or(ReasonCode::IndexOutOfRange))
    };
    let given = list("nodes")?;
    let mut nodes = Vec::with_capacity(given.len());
    for node in given {
        let node = node.as_object().ok_or(ReasonCode::EvidenceMalformed)?;
        let hash = node
            .get("hash")
            .and_then(Value::as_str)
            .ok_or(ReasonCode::EvidenceMalformed)?;
        nodes.push((number(node)?, hash));
    }
    let values = list("values")?;
    let evens = nodes.iter().filter(|(index, _)| index.wrapping_rem(2) == 0);
    let &(last, end) = evens
        .max_by_key(|(index, _)| *index)
        .ok_or(ReasonCode::ProofIncomplete)?;
    let width = last.wrapping_div(2);
    match group {
        Group::Object(object) if width > object.width() => return Err(ReasonCode::IndexOutOfRange),
        _ if width > nodes.len().saturating_add(values.len()) => {
            return Err(ReasonCode::ProofIncomplete);
        }
        _ => {}
    }

    let mut entries: Vec<Entry<'e>> = Vec::new();
    entries.resize(width, Entry::default());
    let mut ends = 0_usize;
    for (index, hash) in nodes {
        if index == last {
            ends = ends.saturating_add(1);
            continue;
        }
        let entry = entries
            .get_mut(index.wrapping_div(2))
            .ok_or(ReasonCode::IndexOutOfRange)?;
        let slot = if index.wrapping_rem(2) == 0 {
            &mut entry.node
        } else {
            &mut entry.leaf
        };
        if slot.replace(hash).is_some() {
            return Err(ReasonCode::IndexDuplicate);
        }
    }
    if ends != 1 {
        return Err(ReasonCode::IndexDuplicate);
    }
    for value in values {
        let value = value.as_object().ok_or(ReasonCode::EvidenceMalformed)?;
        let entry = entries
            .get_mut(number(value)?)
            .ok_or(ReasonCode::IndexOutOfRange)?;
        let nonce = value
            .get("nonce")
            .and_then(Value::as_str)
            .ok_or(ReasonCode::EvidenceMalformed)?;
        let value = match value.get("value").map(Value::as_scalar) {
            None => None,
            Some(Some(Scalar::Number(number))) if !number.is_finite() => {
                return Err(ReasonCode::EvidenceMalformed);
            }
            Some(Some(scalar)) => Some(scalar),
            Some(None) => return Err(ReasonCode::EvidenceMalformed),
        };
        if entry.given.replace(Given { value, nonce }).is_some() {
            return Err(ReasonCode::IndexDuplicate);
        }
    }
    if entries
        .iter()
        .any(|entry| entry.given.is_none() && entry.leaf.is_none())
    {
        return Err(ReasonCode::ProofIncomplete);
    }
    Ok((entries, end))
}

fn refusal(code: ReasonCode, steps: &[Step<'_>]) -> Reason {
    Reason {
        code,
        path: Path::from(steps),
    }
}
