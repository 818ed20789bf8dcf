//! Compares data with evidence: looks up each value of the data among the values that the evidence opens.
//!
//! The walk follows the data, so the size of the data bounds its time, however large the schema is. A `null` in place of an object is the
//! exception, because it states that all values of the object are absent. The walk needs positions but no hashes.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::aih1::connect::{ConnectedProofs, ProofId};
use crate::json::path::PathStep;
use crate::json::value::{Object, Scalar, Value};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::verify::report::ReasonCode;

/// The result of comparing one value of the data with the evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Proven,
    /// The data states something that the evidence contradicts.
    Contradicted(ReasonCode),
    /// The data states something that the evidence does not cover.
    Uncovered,
    /// The data states nothing that a certificate could cover.
    Unstated(ReasonCode),
}

/// Receives the values of a walk, in the order of the data.
pub(crate) trait Visitor {
    /// Receives a value and its verdict.
    fn value(&mut self, path: &[PathStep], value: &Value, verdict: Verdict) -> ControlFlow<()>;
    /// Receives a list with items, and its proof if it has one.
    fn list(&mut self, path: &[PathStep], proof: Option<ProofId>) {
        let _ = (path, proof);
    }
    /// Called when the walk enters this object or list.
    fn open(&mut self, outer: &Value) {
        let _ = outer;
    }
    /// Called when the walk leaves the object or list at this path.
    fn close(&mut self, path: &[PathStep]) {
        let _ = path;
    }
}

/// Walks along the data and stops when `visitor` breaks.
pub(crate) fn walk(
    schema: &ObjectNode,
    data: &Value,
    evidence: Option<&ConnectedProofs<'_>>,
    visitor: &mut dyn Visitor,
) -> ControlFlow<()> {
    let mut walk = Walk {
        evidence,
        steps: Vec::new(),
        visitor,
    };
    match data {
        Value::Object(object) => walk.object(schema, data, object, evidence.map(|_| ProofId::ROOT)),
        Value::Null => {
            let verdict = walk.all_absent(schema, evidence.map(|_| ProofId::ROOT));
            walk.find(data, verdict)
        }
        _ => walk.find(data, Verdict::Contradicted(ReasonCode::DataTypeMismatch)),
    }
}

struct Walk<'a> {
    evidence: Option<&'a ConnectedProofs<'a>>,
    steps: Vec<PathStep>,
    visitor: &'a mut dyn Visitor,
}

/// The location of a value in the evidence: the proof of its group and the position in it.
type At = Option<(ProofId, usize)>;

impl Walk<'_> {
    fn object(
        &mut self,
        node: &ObjectNode,
        outer: &Value,
        object: &Object,
        proof: Option<ProofId>,
    ) -> ControlFlow<()> {
        self.visitor.open(outer);
        for (index, (key, value)) in object.entries().iter().enumerate() {
            self.steps.push(PathStep::Key(key.clone()));
            match node.member_near(index, key) {
                None => self.find(value, Verdict::Unstated(ReasonCode::NotInSchema))?,
                Some(member) => {
                    self.value(&member.node, value, proof.zip(member.position), false)?;
                }
            }
            self.steps.pop();
        }
        self.visitor.close(&self.steps);
        ControlFlow::Continue(())
    }

    fn list(
        &mut self,
        node: &ListNode,
        outer: &Value,
        items: &[Value],
        proof: Option<ProofId>,
    ) -> ControlFlow<()> {
        self.visitor.list(&self.steps, proof);
        self.visitor.open(outer);
        for (index, item) in items.iter().enumerate() {
            self.steps.push(PathStep::Index(index));
            let at = proof.and_then(|proof| Some((proof, self.evidence?.item(proof, index)?)));
            self.value(&node.items, item, at, true)?;
            self.steps.pop();
        }
        self.visitor.close(&self.steps);
        ControlFlow::Continue(())
    }

    fn value(&mut self, node: &Node, value: &Value, at: At, in_list: bool) -> ControlFlow<()> {
        match (node, value) {
            // A null takes the place of a hidden item, so later items keep their indexes.
            (_, Value::Null) if in_list => ControlFlow::Continue(()),
            (Node::Leaf(_), _) => {
                let verdict = match value.as_scalar() {
                    None => Verdict::Contradicted(ReasonCode::DataTypeMismatch),
                    Some(Scalar::Null) => self.emptiness(at),
                    Some(scalar) => match self.opened(at) {
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
                match (node.items.has_position(), emptiness) {
                    _ if array.is_empty() => return self.find(value, emptiness),
                    (true, Verdict::Proven) => {
                        let mismatch = Verdict::Contradicted(ReasonCode::ValueMismatch);
                        return self.find(value, mismatch);
                    }
                    // Items that contribute nothing to a hash are certified as an empty list. A proof of emptiness therefore says nothing
                    // about their content.
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
        self.visitor.value(&self.steps, value, verdict)
    }

    /// Returns the verdict on a null or an empty list, each of which states that the value is absent.
    fn emptiness(&self, at: At) -> Verdict {
        match self.is_empty(at) {
            None => Verdict::Uncovered,
            Some(true) => Verdict::Proven,
            Some(false) => Verdict::Contradicted(ReasonCode::ValueMismatch),
        }
    }

    /// Returns the verdict on a null object, which states that all its values are absent.
    fn all_absent(&self, node: &ObjectNode, proof: Option<ProofId>) -> Verdict {
        for member in node.members() {
            let Some(position) = member.position else {
                continue;
            };
            let at = proof.map(|proof| (proof, position));
            let verdict = match &member.node {
                Node::Object(node) => self.all_absent(node, self.child(at)),
                Node::Leaf(_) | Node::List(_) => self.emptiness(at),
            };
            if verdict != Verdict::Proven {
                return verdict;
            }
        }
        Verdict::Proven
    }

    fn is_empty(&self, at: At) -> Option<bool> {
        Some(matches!(self.opened(at)?, None | Some(Scalar::Null)))
    }

    /// Returns the opened value at a location: a scalar, or `Some(None)` if the value is absent. `None` if the evidence does not open the
    /// location.
    fn opened(&self, at: At) -> Option<Option<Scalar<'_>>> {
        let (proof, position) = at?;
        self.evidence?.value(proof, position)
    }

    fn child(&self, at: At) -> Option<ProofId> {
        let (proof, position) = at?;
        self.evidence?.child(proof, position)
    }
}

/// Stops at the first value that the data states but the evidence does not prove.
pub(crate) struct AllProven;

impl Visitor for AllProven {
    fn value(&mut self, _: &[PathStep], _: &Value, verdict: Verdict) -> ControlFlow<()> {
        match verdict {
            Verdict::Proven | Verdict::Unstated(_) => ControlFlow::Continue(()),
            Verdict::Contradicted(_) | Verdict::Uncovered => ControlFlow::Break(()),
        }
    }
}
