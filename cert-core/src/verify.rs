//! Holding data against evidence: which of its values the evidence covers, and whether they agree.
//!
//! The walk goes along the data, so that it takes no longer than the data is large, however large the
//! schema is; but for a null, which says of all values of an object that they are absent.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::linked::Linked;
use crate::path::Step;
use crate::report::ReasonCode;
use crate::schema::{ListNode, Node, ObjectNode};
use crate::text_order;
use crate::value::{Object, Scalar, Value};

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

/// What a walk finds.
pub(crate) trait Finds {
    /// A value.
    fn value(&mut self, path: &[Step<'_>], verdict: Verdict) -> ControlFlow<()>;
    /// A list with items, and its proof's number if there is one.
    fn list(&mut self, path: &[Step<'_>], proof: Option<usize>);
}

/// Walks along the data; breaks off when `finds` does.
pub(crate) fn walk(
    schema: &ObjectNode,
    data: &Value,
    evidence: Option<&Linked<'_>>,
    finds: &mut dyn Finds,
) -> ControlFlow<()> {
    let mut walk = Walk {
        evidence,
        steps: Vec::new(),
        finds,
    };
    match data {
        Value::Object(object) => walk.object(schema, object, evidence.map(|_| 0)),
        Value::Null => {
            let verdict = walk.all_absent(schema, evidence.map(|_| 0));
            walk.find(verdict)
        }
        _ => walk.find(Verdict::Contradicted(ReasonCode::DataTypeMismatch)),
    }
}

struct Walk<'a, 'e> {
    evidence: Option<&'a Linked<'e>>,
    steps: Vec<Step<'a>>,
    finds: &'a mut dyn Finds,
}

/// Where the evidence speaks of a value: the proof of its group and the position in it.
type At = Option<(usize, usize)>;

impl<'a> Walk<'a, '_> {
    fn object(
        &mut self,
        node: &ObjectNode,
        object: &'a Object,
        proof: Option<usize>,
    ) -> ControlFlow<()> {
        for (place, (key, value)) in object.iter().enumerate() {
            self.steps.push(Step::Key(key));
            match node.member_near(place, key) {
                None => self.find(Verdict::Unstated(ReasonCode::NotInSchema))?,
                Some(member) => {
                    self.value(&member.node, value, proof.zip(member.position), false)?;
                }
            }
            self.steps.pop();
        }
        ControlFlow::Continue(())
    }

    fn list(
        &mut self,
        node: &ListNode,
        items: &'a [Value],
        proof: Option<usize>,
    ) -> ControlFlow<()> {
        self.finds.list(&self.steps, proof);
        let length = self.proof_length(proof);
        for (index, item) in items.iter().enumerate() {
            self.steps.push(Step::Index(index));
            let position = text_order::position(index, length);
            self.value(&node.items, item, proof.zip(position), true)?;
            self.steps.pop();
        }
        ControlFlow::Continue(())
    }

    fn value(&mut self, node: &Node, value: &'a Value, at: At, in_list: bool) -> ControlFlow<()> {
        match (node, value) {
            // Only there to keep the place of an item that is not shown.
            (_, Value::Null) if in_list => ControlFlow::Continue(()),
            (Node::Leaf, value) => {
                let verdict = match value.as_scalar() {
                    None => Verdict::Contradicted(ReasonCode::DataTypeMismatch),
                    Some(Scalar::Null) => self.emptiness(at),
                    Some(scalar) => match self.disclosed(at) {
                        None => Verdict::Uncovered,
                        Some(value) if value == Some(scalar) => Verdict::Proven,
                        Some(_) => Verdict::Contradicted(ReasonCode::ValueMismatch),
                    },
                };
                self.find(verdict)
            }
            (Node::Object(node), Value::Object(object)) if !object.is_empty() => {
                self.object(node, object, self.child(at))
            }
            (Node::Object(_), Value::Object(_)) => {
                self.find(Verdict::Unstated(ReasonCode::NothingStated))
            }
            (Node::Object(node), Value::Null) => {
                let verdict = if node.width() == 0 {
                    Verdict::Unstated(ReasonCode::NothingStated)
                } else {
                    self.all_absent(node, self.child(at))
                };
                self.find(verdict)
            }
            (Node::List(_), Value::Null) => self.find(self.emptiness(at)),
            (Node::List(node), Value::Array(array)) => {
                let emptiness = self.emptiness(at);
                match (node.items.counts(), emptiness) {
                    _ if array.is_empty() => return self.find(emptiness),
                    (true, Verdict::Proven) => {
                        return self.find(Verdict::Contradicted(ReasonCode::ValueMismatch));
                    }
                    // Items that enter no hash are certified as none: that the list is empty says nothing of what is in them.
                    (true, _) | (false, Verdict::Proven) => {}
                    (false, other) => return self.find(other),
                }
                if array.iter().all(|item| matches!(item, Value::Null)) {
                    return self.find(Verdict::Unstated(ReasonCode::NothingStated));
                }
                self.list(node, array.as_slice(), self.child(at))
            }
            _ => self.find(Verdict::Contradicted(ReasonCode::DataTypeMismatch)),
        }
    }

    fn find(&mut self, verdict: Verdict) -> ControlFlow<()> {
        self.finds.value(&self.steps, verdict)
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
    fn value(&mut self, _: &[Step<'_>], verdict: Verdict) -> ControlFlow<()> {
        match verdict {
            Verdict::Proven | Verdict::Unstated(_) => ControlFlow::Continue(()),
            Verdict::Contradicted(_) | Verdict::Uncovered => ControlFlow::Break(()),
        }
    }

    fn list(&mut self, _: &[Step<'_>], _: Option<usize>) {}
}
