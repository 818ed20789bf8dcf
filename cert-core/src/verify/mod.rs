//! Holding data against evidence: which of its values the evidence covers, and whether they agree.
//!
//! The walk goes along the data, so that it takes no longer than the data is large, however large the
//! schema is; but for a null, which says of all values of an object that they are absent.

pub(crate) mod judge;
mod proven;
pub(crate) mod report;

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::aih1::connect::ConnectedProofs;
use crate::aih1::order;
use crate::json::path::PathStep;
use crate::json::value::{Object, Scalar, Value};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::verify::report::ReasonCode;

/// What the evidence says about one value of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Proven,
    /// The data states something that the evidence contradicts.
    Contradicted(ReasonCode),
    /// The data states something that the evidence says nothing about.
    Uncovered,
    /// The data states nothing that a certificate could cover.
    Unstated(ReasonCode),
}

/// Receives the findings of a walk, in the order of the data.
pub(crate) trait Finds {
    /// A value.
    fn value(&mut self, path: &[PathStep], value: &Value, verdict: Verdict) -> ControlFlow<()>;
    /// A list with items, and its proof's number if there is one.
    fn list(&mut self, path: &[PathStep], proof: Option<usize>) {
        let _ = (path, proof);
    }
    /// The walk enters this object or list.
    fn open(&mut self, outer: &Value) {
        let _ = outer;
    }
    /// The walk leaves the object or list at this path.
    fn close(&mut self, path: &[PathStep]) {
        let _ = path;
    }
}

/// Walks along the data; breaks off when `finds` does.
pub(crate) fn walk(
    schema: &ObjectNode,
    data: &Value,
    evidence: Option<&ConnectedProofs<'_>>,
    finds: &mut dyn Finds,
) -> ControlFlow<()> {
    let mut walk = Walk {
        evidence,
        steps: Vec::new(),
        finds,
    };
    match data {
        Value::Object(object) => walk.object(schema, data, object, evidence.map(|_| 0)),
        Value::Null => {
            let verdict = walk.all_absent(schema, evidence.map(|_| 0));
            walk.find(data, verdict)
        }
        _ => walk.find(data, Verdict::Contradicted(ReasonCode::DataTypeMismatch)),
    }
}

struct Walk<'a, 'e> {
    evidence: Option<&'a ConnectedProofs<'e>>,
    steps: Vec<PathStep>,
    finds: &'a mut dyn Finds,
}

/// Where the evidence speaks of a value: the proof of its group and the position in it.
type At = Option<(usize, usize)>;

impl Walk<'_, '_> {
    fn object(
        &mut self,
        node: &ObjectNode,
        outer: &Value,
        object: &Object,
        proof: Option<usize>,
    ) -> ControlFlow<()> {
        self.finds.open(outer);
        for (place, (key, value)) in object.entries().iter().enumerate() {
            self.steps.push(PathStep::Key(key.clone()));
            match node.member_near(place, key) {
                None => self.find(value, Verdict::Unstated(ReasonCode::NotInSchema))?,
                Some(member) => {
                    self.value(&member.node, value, proof.zip(member.position), false)?;
                }
            }
            self.steps.pop();
        }
        self.finds.close(&self.steps);
        ControlFlow::Continue(())
    }

    fn list(
        &mut self,
        node: &ListNode,
        outer: &Value,
        items: &[Value],
        proof: Option<usize>,
    ) -> ControlFlow<()> {
        self.finds.list(&self.steps, proof);
        self.finds.open(outer);
        let length = self.proof_length(proof);
        for (index, item) in items.iter().enumerate() {
            self.steps.push(PathStep::Index(index));
            let position = order::position(index, length);
            self.value(&node.items, item, proof.zip(position), true)?;
            self.steps.pop();
        }
        self.finds.close(&self.steps);
        ControlFlow::Continue(())
    }

    fn value(&mut self, node: &Node, value: &Value, at: At, in_list: bool) -> ControlFlow<()> {
        match (node, value) {
            // Only there to keep the place of an item that is not shown.
            (_, Value::Null) if in_list => ControlFlow::Continue(()),
            (Node::Leaf, _) => {
                let verdict = match value.as_scalar() {
                    None => Verdict::Contradicted(ReasonCode::DataTypeMismatch),
                    Some(Scalar::Null) => self.emptiness(at),
                    Some(scalar) => match self.disclosed(at) {
                        None => Verdict::Uncovered,
                        Some(shown) if shown == Some(scalar) => Verdict::Proven,
                        Some(_) => Verdict::Contradicted(ReasonCode::ValueMismatch),
                    },
                };
                self.find(value, verdict)
            }
            (Node::Object(node), Value::Object(object)) if !object.is_empty() => {
                self.object(node, value, object, self.child(at))
            }
            (Node::Object(_), Value::Object(_)) => {
                self.find(value, Verdict::Unstated(ReasonCode::NothingStated))
            }
            (Node::Object(node), Value::Null) => {
                let verdict = if node.width() == 0 {
                    Verdict::Unstated(ReasonCode::NothingStated)
                } else {
                    self.all_absent(node, self.child(at))
                };
                self.find(value, verdict)
            }
            (Node::List(_), Value::Null) => self.find(value, self.emptiness(at)),
            (Node::List(node), Value::Array(array)) => {
                let emptiness = self.emptiness(at);
                match (node.items.counts(), emptiness) {
                    _ if array.is_empty() => return self.find(value, emptiness),
                    (true, Verdict::Proven) => {
                        let mismatch = Verdict::Contradicted(ReasonCode::ValueMismatch);
                        return self.find(value, mismatch);
                    }
                    // Items that enter no hash are certified as none: that the list is empty says nothing of what is in them.
                    (true, _) | (false, Verdict::Proven) => {}
                    (false, other) => return self.find(value, other),
                }
                if array.iter().all(|item| matches!(item, Value::Null)) {
                    return self.find(value, Verdict::Unstated(ReasonCode::NothingStated));
                }
                self.list(node, value, array.as_slice(), self.child(at))
            }
            _ => self.find(value, Verdict::Contradicted(ReasonCode::DataTypeMismatch)),
        }
    }

    fn find(&mut self, value: &Value, verdict: Verdict) -> ControlFlow<()> {
        self.finds.value(&self.steps, value, verdict)
    }

    /// For the statement that there is nothing.
    fn emptiness(&self, at: At) -> Verdict {
        match self.is_empty(at) {
            None => Verdict::Uncovered,
            Some(true) => Verdict::Proven,
            Some(false) => Verdict::Contradicted(ReasonCode::ValueMismatch),
        }
    }

    /// For a null object: the statement that all its values are absent.
    fn all_absent(&self, node: &ObjectNode, proof: Option<usize>) -> Verdict {
        for member in node.members() {
            let Some(position) = member.position else {
                continue;
            };
            let at = proof.map(|proof| (proof, position));
            let verdict = match &member.node {
                Node::Object(node) => self.all_absent(node, self.child(at)),
                Node::Leaf | Node::List(_) => self.emptiness(at),
            };
            if verdict != Verdict::Proven {
                return verdict;
            }
        }
        Verdict::Proven
    }

    fn is_empty(&self, at: At) -> Option<bool> {
        Some(matches!(self.disclosed(at)?, None | Some(Scalar::Null)))
    }

    /// The value at a position, if it is disclosed: a scalar, or nothing where it is absent.
    fn disclosed(&self, at: At) -> Option<Option<Scalar<'_>>> {
        let (proof, position) = at?;
        let evidence = self.evidence?;
        let disclosed = evidence.disclosed(evidence.entry(proof, position)?)?;
        Some(disclosed.value)
    }

    fn child(&self, at: At) -> Option<usize> {
        let (proof, position) = at?;
        self.evidence?.entry(proof, position)?.child
    }

    fn proof_length(&self, proof: Option<usize>) -> usize {
        let of = self.evidence.zip(proof);
        of.map_or(0, |(evidence, proof)| evidence.length(proof))
    }
}

/// Breaks off at the first value that is stated and not proven.
pub(crate) struct All;

impl Finds for All {
    fn value(&mut self, _: &[PathStep], _: &Value, verdict: Verdict) -> ControlFlow<()> {
        match verdict {
            Verdict::Proven | Verdict::Unstated(_) => ControlFlow::Continue(()),
            Verdict::Contradicted(_) | Verdict::Uncovered => ControlFlow::Break(()),
        }
    }
}
