//! From data to hashes: the walk along schema and data that computes every group's imprint, and on
//! the way keeps what proofs need.
//!
//! A group is hashed from its last member to its first, because that is the order in which its chain
//! of nodes is computed:
//!
//! ```text
//! leaf(i)   = hash(hash(value(i)) + nonce(i))
//! node(2n)  = hash(nonce(n))
//! node(2i)  = hash(leaf(i) + node(2i+2))
//! imprint   = node(0)
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::{Hasher, Input, Noncer, Part, Place};
use crate::join::join;
use crate::number::parse_index;
use crate::path::{Path, Step};
use crate::proof::{Proof, ProofNode, ProofValue};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::select::{Picked, Selection};
use crate::text::Text;
use crate::text_order;
use crate::value::{Object, Scalar, Value};

/// Arrays of more elements than this are ordered by text in another order than by number, so their
/// elements' positions depend on their length.
pub(crate) const SAME_ORDER: usize = 10;

/// What to keep of the hashes besides the imprint.
#[derive(Clone, Copy)]
pub(crate) enum Keep<'a> {
    Nothing,
    /// Every value and node of every group.
    Everything,
    /// What it takes to verify the selected values.
    Selected(&'a Selection),
}

/// Hashes the data: the imprint, and the proofs, the root's first.
pub(crate) fn walk(
    schema: &ObjectNode,
    hasher: &dyn Hasher,
    noncer: &dyn Noncer,
    data: &Value,
    keep: Keep<'_>,
) -> Result<(Text, Vec<Proof>), CertError> {
    let mut walk = Walk {
        hasher,
        noncer,
        keep,
        steps: Vec::new(),
        text: String::new(),
        proofs: Vec::new(),
    };
    let object = match data {
        Value::Null => None,
        Value::Object(object) => Some(object),
        other => return Err(walk.mismatch("an object", other)),
    };
    let picked = match keep {
        Keep::Nothing => Picked::Nothing,
        Keep::Everything => Picked::Everything,
        Keep::Selected(selection) => selection.root(),
    };
    let imprint = walk.group(Group::Object(schema, object), picked)?;
    Ok((imprint, reversed(walk.proofs)))
}

/// What a member of a group is, once schema and data are seen together.
enum Member<'a> {
    Leaf(Option<Scalar<'a>>),
    Group(Group<'a>),
}

#[derive(Clone, Copy)]
enum Group<'a> {
    Object(&'a ObjectNode, Option<&'a Object>),
    List(&'a ListNode, &'a [Value]),
}

struct Walk<'a> {
    hasher: &'a dyn Hasher,
    noncer: &'a dyn Noncer,
    keep: Keep<'a>,
    /// The path of the group at hand, and what the noncer made of it.
    steps: Vec<Step<'a>>,
    text: String,
    proofs: Vec<Proof>,
}

impl<'a> Walk<'a> {
    fn group(&mut self, group: Group<'a>, picked: Picked) -> Result<Text, CertError> {
        let width = match group {
            Group::Object(node, _) => node.width(),
            Group::List(_, items) => items.len(),
        };
        let mut record = self.record(group, picked);
        let nonce = self.nonce(width)?;
        let mut next = self.hash(Input::End(&nonce), self.place(width))?;
        if let Some(record) = &mut record {
            record.end(width, &next);
        }
        match group {
            Group::Object(node, data) => {
                for member in node.members().iter().rev() {
                    let value = data.and_then(|data| data.get(&member.key));
                    let step = Step::Key(&member.key);
                    next = match member.position {
                        Some(at) => {
                            let picked = self.child(picked, step, &member.node);
                            self.member(
                                (&member.node, value),
                                (at, step),
                                next,
                                picked,
                                &mut record,
                            )?
                        }
                        None => {
                            self.inside(step, |walk| walk.nothing(&member.node, value))?;
                            next
                        }
                    };
                }
            }
            Group::List(node, items) => {
                let mut at = width;
                let mut index = text_order::last(width);
                while let Some(i) = index {
                    at = at.saturating_sub(1);
                    let step = Step::Index(i);
                    let picked = self.child(picked, step, &node.items);
                    next = self.member(
                        (&node.items, items.get(i)),
                        (at, step),
                        next,
                        picked,
                        &mut record,
                    )?;
                    index = text_order::previous(i, width);
                }
            }
        }
        if let Some(record) = record {
            self.proofs
                .push(record.close(Path::from(self.steps.as_slice()), &next));
        }
        Ok(next)
    }

    /// Hashes one member, and with the node after it makes the node before it.
    fn member(
        &mut self,
        (node, value): (&'a Node, Option<&'a Value>),
        (at, step): (usize, Step<'a>),
        next: Text,
        picked: Picked,
        record: &mut Option<Record>,
    ) -> Result<Text, CertError> {
        let member = self.resolve(node, value, step)?;
        let is_group = matches!(member, Member::Group(_));
        let imprint;
        let scalar = match member {
            Member::Leaf(scalar) => scalar,
            Member::Group(group) => {
                imprint = self.inside(step, |walk| walk.group(group, picked))?;
                Some(Scalar::String(&imprint))
            }
        };
        let place = self.place(at);
        let of_value = Place {
            imprint: is_group,
            ..place
        };
        let value = self.hash(Input::Value(scalar), of_value)?;
        let nonce = self.nonce(at)?;
        let leaf = self.hash(Input::Leaf(Part::Made(&value), Part::Made(&nonce)), place)?;
        if let Some(record) = record {
            if picked.any() {
                record.value(at, scalar, &nonce, &leaf, &next);
            } else {
                record.leaf(at, &leaf);
            }
        }
        let node = self.hash(Input::Node(Part::Made(&leaf), Part::Made(&next)), place)?;
        if let Some(record) = record {
            record.node(at, &node);
        }
        Ok(node)
    }

    /// Holds the data against the schema.
    fn resolve(
        &mut self,
        node: &'a Node,
        value: Option<&'a Value>,
        step: Step<'a>,
    ) -> Result<Member<'a>, CertError> {
        match (node, value) {
            (Node::Object(node), None | Some(Value::Null)) => {
                Ok(Member::Group(Group::Object(node, None)))
            }
            (Node::Object(node), Some(Value::Object(object))) => {
                Ok(Member::Group(Group::Object(node, Some(object))))
            }
            (Node::List(node), Some(Value::Array(array))) if !array.is_empty() => {
                if node.items.counts() {
                    return Ok(Member::Group(Group::List(node, array.as_slice())));
                }
                // A list whose items contribute nothing is an empty one.
                self.inside(step, |walk| {
                    array.iter().enumerate().try_for_each(|(index, item)| {
                        walk.inside(Step::Index(index), |walk| {
                            walk.nothing(&node.items, Some(item))
                        })
                    })
                })?;
                Ok(Member::Leaf(None))
            }
            (Node::List(_), None | Some(Value::Null | Value::Array(_))) | (Node::Leaf, None) => {
                Ok(Member::Leaf(None))
            }
            (Node::Leaf, Some(value)) => match value.as_scalar() {
                Some(Scalar::Number(number)) if !number.is_finite() => Err(CertError::new(
                    ErrorCode::NumberNotFinite,
                    self.inside(step, |walk| walk.path()),
                    "a number has to be finite to be certified",
                )),
                Some(scalar) => Ok(Member::Leaf(Some(scalar))),
                None => self.inside(step, |walk| Err(walk.mismatch("a single value", value))),
            },
            (Node::Object(_), Some(value)) => {
                self.inside(step, |walk| Err(walk.mismatch("an object", value)))
            }
            (Node::List(_), Some(value)) => {
                self.inside(step, |walk| Err(walk.mismatch("an array", value)))
            }
        }
    }

    /// Holds data against a part of the schema that contributes nothing to a hash.
    fn nothing(&mut self, node: &'a Node, value: Option<&'a Value>) -> Result<(), CertError> {
        match (node.as_object(), value) {
            (Some(node), Some(Value::Object(object))) => {
                node.members().iter().try_for_each(|member| {
                    let value = object.get(&member.key);
                    self.inside(Step::Key(&member.key), |walk| {
                        walk.nothing(&member.node, value)
                    })
                })
            }
            (_, None | Some(Value::Null)) => Ok(()),
            (_, Some(value)) => Err(self.mismatch("an object", value)),
        }
    }

    /// Runs `walk` one step further in.
    fn inside<T>(&mut self, step: Step<'a>, walk: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.text.len();
        self.noncer.enter(&mut self.text, step);
        self.steps.push(step);
        let result = walk(self);
        self.steps.pop();
        self.text.truncate(length);
        result
    }

    fn nonce(&self, at: usize) -> Result<Text, CertError> {
        nonce(self.noncer, self.place(at))
    }

    fn hash(&self, input: Input<'_>, place: Place<'_>) -> Result<Text, CertError> {
        hash(self.hasher, input, place)
    }

    fn place(&self, index: usize) -> Place<'_> {
        Place::new(&self.steps, &self.text, index)
    }

    fn path(&self) -> Path {
        Path::from(self.steps.as_slice())
    }

    /// An error at the path at hand.
    fn mismatch(&self, expected: &str, found: &Value) -> CertError {
        let message = join(&[
            "the schema says ",
            expected,
            ", the data has ",
            found.kind(),
            ": certifying it would say nothing",
        ]);
        CertError::new(ErrorCode::DataTypeMismatch, self.path(), message)
    }

    /// How much is selected of a member.
    fn child(&self, picked: Picked, step: Step<'_>, node: &Node) -> Picked {
        let Keep::Selected(selection) = self.keep else {
            return picked;
        };
        match (selection.child(picked, step), node) {
            // A path that goes on below a single value names nothing.
            (Picked::Part(_), Node::Leaf) => Picked::Nothing,
            (picked, _) => picked,
        }
    }

    /// Where to keep what the proof of a group needs, if there is to be one.
    fn record(&self, group: Group<'_>, picked: Picked) -> Option<Record> {
        let selection = match self.keep {
            Keep::Nothing => return None,
            Keep::Everything => {
                return Some(Record {
                    everything: true,
                    ..Record::default()
                });
            }
            Keep::Selected(selection) => selection,
        };
        let to_end = match (group, picked) {
            (_, Picked::Nothing) => return None,
            (Group::List(_, items), _) if items.len() > SAME_ORDER => {
                let named = |key| parse_index(key).is_some_and(|index| index < items.len());
                matches!(picked, Picked::Everything)
                    || selection
                        .children(picked)
                        .into_iter()
                        .any(|(key, _)| named(key))
            }
            _ => false,
        };
        Some(Record {
            to_end,
            ..Record::default()
        })
    }
}

/// Makes a nonce with a noncer that may be a user's.
pub(crate) fn nonce(noncer: &dyn Noncer, place: Place<'_>) -> Result<Text, CertError> {
    noncer
        .nonce(place)
        .map_err(|source| failed(ErrorCode::NoncerFailed, "the noncer failed", place, source))
}

/// Hashes with a hasher that may be a user's.
pub(crate) fn hash(
    hasher: &dyn Hasher,
    input: Input<'_>,
    place: Place<'_>,
) -> Result<Text, CertError> {
    hasher
        .hash(input, place)
        .map_err(|source| failed(ErrorCode::HasherFailed, "the hasher failed", place, source))
}

#[cold]
fn failed(code: ErrorCode, message: &str, place: Place<'_>, source: Failure) -> CertError {
    CertError::new(code, place.path(), message).with_source(source)
}

/// A proof in the making, from its end to its beginning.
#[derive(Default)]
struct Record {
    everything: bool,
    /// The proof closes at the group's end, not after the last disclosed value.
    to_end: bool,
    closed: bool,
    nodes: Vec<ProofNode>,
    values: Vec<ProofValue>,
}

impl Record {
    fn end(&mut self, width: usize, node: &Text) {
        if self.everything || self.to_end {
            self.push(even(width), node);
            self.closed = true;
        }
    }

    /// A disclosed value, its leaf and the node after it.
    fn value(
        &mut self,
        at: usize,
        value: Option<Scalar<'_>>,
        nonce: &Text,
        leaf: &Text,
        next: &Text,
    ) {
        if !self.closed {
            self.push(even(at.saturating_add(1)), next);
            self.closed = true;
        }
        if self.everything {
            self.leaf(at, leaf);
        }
        let value = value.map(Scalar::to_value);
        self.values.push(ProofValue {
            index: at,
            value,
            nonce: nonce.clone(),
        });
    }

    fn leaf(&mut self, at: usize, leaf: &Text) {
        if self.closed {
            self.push(even(at).saturating_add(1), leaf);
        }
    }

    fn node(&mut self, at: usize, node: &Text) {
        if self.everything {
            self.push(even(at), node);
        }
    }

    fn push(&mut self, index: usize, hash: &Text) {
        self.nodes.push(ProofNode {
            index,
            hash: hash.clone(),
        });
    }

    fn close(mut self, path: Path, imprint: &Text) -> Proof {
        if !self.closed {
            self.push(0, imprint);
        }
        Proof {
            path,
            nodes: reversed(self.nodes),
            values: reversed(self.values),
        }
    }
}

/// The items from last to first.
fn reversed<T>(mut items: Vec<T>) -> Vec<T> {
    let mut reversed = Vec::with_capacity(items.len());
    while let Some(item) = items.pop() {
        reversed.push(item);
    }
    reversed
}

/// The index of the node at or after a position.
fn even(at: usize) -> usize {
    at.saturating_mul(2)
}
