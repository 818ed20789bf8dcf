//! What is to be hashed: the groups of some data or of some evidence, and what is in them.
//!
//! ```text
//! leaf(i)   = hash(hash(value(i)) + nonce(i))
//! node(2n)  = hash(nonce(n))
//! node(2i)  = hash(leaf(i) + node(2i+2))
//! imprint   = node(0)
//! ```
//!
//! The plan is made first and hashed after that. So what does not depend on each other is seen, and can be hashed at once, or by
//! somebody else; and whatever is wrong with the form of data or evidence is found before anything is hashed.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use sha256_lanes::LANES;

use crate::aih1::evidence::RawValue;
use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::lanes::Queue;
use crate::hash::text::{EMPTY, Hash};
use crate::hash::{Input, Location};
use crate::json::path::Step;
use crate::json::value::Scalar;

/// The groups of an imprint.
#[derive(Debug, Default)]
pub(crate) struct Plan<'a> {
    /// Those that contain others before these, and those of one depth together; the root's first.
    pub(crate) groups: Vec<Group<'a>>,
    /// The members of all groups, one group after the other.
    pub(crate) members: Vec<Member<'a>>,
    /// Whether every nonce is known.
    pub(crate) has_nonces: bool,
}

/// An object or array. Paths are not spelled out: of a large document they would be larger than the document.
#[derive(Clone, Debug)]
pub(crate) struct Group<'a> {
    /// The group that contains it and the step from there; the root has none.
    pub(crate) parent: Option<(usize, Step<'a>)>,
    /// The number of steps from the root.
    pub(crate) depth: usize,
    /// What is in it; the last one is its end.
    pub(crate) members: Range<usize>,
    /// The position of the first of them.
    pub(crate) first: usize,
    /// Those of its members, if they are the same for all data.
    pub(crate) nonces: &'a [Hash],
    /// Whether it is a list, and not an object.
    pub(crate) is_list: bool,
}

/// What a group has at one position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'a> {
    /// A single value, or nothing where it is absent.
    Value(Option<Scalar<'a>>),
    /// A value whose nonce is known, and what leaf and node are claimed to be, if both are.
    Disclosed(&'a RawValue<'a>, Option<(&'a [u8], &'a [u8])>),
    /// A group, by its number.
    Group(usize),
    /// Something whose leaf is known, and no more than that.
    Hidden(&'a [u8]),
    /// The end of the group.
    Closing,
    /// An end whose node is known.
    Closed(&'a [u8]),
}

/// Groups whose hashes are computed together, with these hashes. Of a plan one such batch is there at a time, the deepest groups
/// first: so besides the plan memory is needed for four groups, and for what becomes of the hashes.
#[derive(Debug)]
pub struct Batch<'p> {
    pub(crate) plan: &'p Plan<'p>,
    /// Whether nonces that are the same for all data are taken.
    takes_fixed: bool,
    /// All of one depth.
    level: Range<usize>,
    /// Some of these, as many as there are lanes to compute them in.
    pub(crate) groups: Range<usize>,
    /// Where their members begin in the plan.
    pub(crate) first: usize,
    /// Of every member from there on, as of the nonces, its node and its leaf, in the order of the tree. An end has no leaf.
    pub(crate) hashes: Vec<Hash>,
    /// Of every group of the plan, once it is computed.
    pub(crate) imprints: Vec<Hash>,
    /// What waits to be hashed.
    pub(crate) queue: Queue,
}

/// Is shown the batch with the nonces, where a nonce belongs among them, and its place in the document.
type EachNonce<'e, 'p> =
    dyn FnMut(&mut Batch<'p>, &mut [Hash], usize, Location<'_>) -> Result<(), CertError> + 'e;

impl Member<'_> {
    /// Whether the noncer is to make its nonce.
    pub(crate) fn needs_nonce(&self) -> bool {
        matches!(self, Self::Value(_) | Self::Group(_) | Self::Closing)
    }

    /// The node at its position, as it is claimed to be.
    pub(crate) fn node(&self) -> Option<&[u8]> {
        match self {
            Self::Disclosed(_, claimed) => claimed.map(|(_, node)| node),
            Self::Closed(node) => Some(node),
            _ => None,
        }
    }
}

impl<'p> Batch<'p> {
    /// Of no group yet.
    pub(crate) fn new(plan: &'p Plan<'p>, takes_fixed: bool) -> Self {
        let count = plan.groups.len();
        let mut imprints = Vec::new();
        imprints.resize_with(count, || Hash::ROOM);
        Self {
            plan,
            takes_fixed,
            level: count..count,
            groups: count..count,
            first: 0,
            hashes: Vec::new(),
            imprints,
            queue: Queue::default(),
        }
    }

    /// Goes on to the next groups, with room for their nonces; says whether there are any.
    pub(crate) fn next(&mut self, nonces: &mut Vec<Hash>) -> bool {
        if self.groups.end == self.level.end {
            let groups = self.plan.groups.get(..self.level.start);
            let groups = groups.unwrap_or_default();
            let depth = groups.last().map_or(0, |group| group.depth);
            let start = groups.partition_point(|group| group.depth < depth);
            self.level = start..groups.len();
            self.groups = start..start;
        }
        let start = self.groups.end;
        self.groups = start..self.level.end.min(start.saturating_add(LANES));
        let Some(last) = self.groups.clone().last() else {
            return false;
        };
        let last = self.plan.groups.get(last);
        let end = last.map_or(0, |group| group.members.end);
        self.first = self.plan.start(self.groups.start);
        let members = self.plan.members.get(self.first..end);
        let members = members.unwrap_or_default();
        let count = members.len();
        for (texts, count) in [(nonces, count), (&mut self.hashes, node_at(count))] {
            if texts.len() < count {
                texts.resize_with(count, || Hash::ROOM);
            }
        }
        for (at, member) in members.iter().enumerate() {
            match member {
                Member::Hidden(leaf) => put(&mut self.hashes, leaf_at(at), Hash::of(leaf)),
                Member::Closed(node) => put(&mut self.hashes, node_at(at), Hash::of(node)),
                _ => {}
            }
        }
        true
    }

    /// Notes the imprints of the groups.
    pub(crate) fn close(&mut self) {
        for group in self.groups.clone() {
            let at = self.at(self.plan.start(group));
            let imprint = text(&self.hashes, node_at(at)).clone();
            put(&mut self.imprints, group, imprint);
        }
    }

    /// Where what belongs to a member is.
    pub(crate) fn at(&self, member: usize) -> usize {
        member.saturating_sub(self.first)
    }

    /// Goes through the members that need a nonce which is not there yet, by where it belongs; `enter` gathers what the noncer wants to know of their paths.
    pub(crate) fn each_nonce(
        &mut self,
        nonces: &mut [Hash],
        enter: &dyn Fn(&mut String, Step<'_>),
        each: &mut EachNonce<'_, 'p>,
    ) -> Result<(), CertError> {
        let plan = self.plan;
        if plan.has_nonces {
            return Ok(());
        }
        let mut text = String::new();
        for group in plan.groups.get(self.groups.clone()).unwrap_or_default() {
            let first = self.at(group.members.start);
            if self.takes_fixed && !group.nonces.is_empty() {
                let places = nonces.iter_mut().skip(first);
                for (place, nonce) in places.zip(group.nonces) {
                    place.clone_from(nonce);
                }
                continue;
            }
            let members = plan.members.get(group.members.clone());
            let members = members.unwrap_or_default();
            let steps = plan.steps(group);
            text.clear();
            for step in &steps {
                enter(&mut text, *step);
            }
            for (nth, member) in members.iter().enumerate() {
                if member.needs_nonce() {
                    let place = Location::new(&steps, &text, group.first.saturating_add(nth));
                    each(self, nonces, first.saturating_add(nth), place)?;
                }
            }
        }
        Ok(())
    }

    /// Makes all nonces one after the other.
    pub(crate) fn nonce_each(
        &mut self,
        nonces: &mut [Hash],
        enter: &dyn Fn(&mut String, Step<'_>),
        nonce: &dyn Fn(Location<'_>) -> Result<Hash, Failure>,
    ) -> Result<(), CertError> {
        self.each_nonce(nonces, enter, &mut |_, nonces, at, place| {
            let nonce = nonce(place).map_err(|source| {
                failed(ErrorCode::NoncerFailed, "the noncer failed", place, source)
            })?;
            put(nonces, at, nonce);
            Ok(())
        })
    }

    /// Computes all hashes one after the other.
    pub(crate) fn hash_each(
        &mut self,
        nonces: &[Hash],
        hash: &dyn Fn(Input<'_>, Location<'_>) -> Result<Hash, Failure>,
    ) -> Result<(), CertError> {
        let plan = self.plan;
        let groups = plan.groups.get(self.groups.clone()).unwrap_or_default();
        for group in groups.iter().rev() {
            let steps = plan.steps(group);
            for (back, number) in group.members.clone().enumerate().rev() {
                let place = Location::new(&steps, "", group.first.saturating_add(back));
                let hash = |input: Input<'_>| {
                    hash(input, place).map_err(|source| {
                        failed(ErrorCode::HasherFailed, "the hasher failed", place, source)
                    })
                };
                let at = self.at(number);
                let member = plan.members.get(number);
                let nonce = match member {
                    Some(Member::Disclosed(given, _)) => Hash::of(given.nonce),
                    _ => text(nonces, at).clone(),
                };
                let value = match member {
                    None | Some(Member::Closed(_)) => continue,
                    Some(Member::Hidden(_) | Member::Closing) => None,
                    Some(Member::Value(value)) => Some(Input::Value(*value)),
                    Some(Member::Disclosed(given, _)) => Some(Input::Value(given.value)),
                    Some(Member::Group(group)) => {
                        Some(Input::Imprint(text(&self.imprints, *group)))
                    }
                };
                if let Some(value) = value {
                    let value = hash(value)?;
                    let leaf = hash(Input::Leaf(&value, &nonce))?;
                    put(&mut self.hashes, leaf_at(at), leaf);
                }
                let leaf = text(&self.hashes, leaf_at(at));
                let next = text(&self.hashes, next_at(at));
                let node = match member {
                    Some(Member::Closing) => hash(Input::Closing(&nonce))?,
                    _ => hash(Input::Node(leaf, next))?,
                };
                put(&mut self.hashes, node_at(at), node);
            }
        }
        Ok(())
    }
}

impl<'a> Plan<'a> {
    /// Where the members of a group begin.
    pub(crate) fn start(&self, group: usize) -> usize {
        self.groups
            .get(group)
            .map_or(0, |group| group.members.start)
    }

    /// The path of a group.
    pub(crate) fn steps(&self, group: &Group<'a>) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        steps.resize(group.depth, Step::Index(0));
        let mut group = Some(group);
        for place in steps.iter_mut().rev() {
            if let Some((parent, step)) = group.and_then(|group| group.parent) {
                *place = step;
                group = self.groups.get(parent);
            }
        }
        steps
    }
}

/// Where the node of a member is among the hashes.
pub(crate) fn node_at(member: usize) -> usize {
    member.saturating_mul(2)
}

/// Where the leaf of a member is among the hashes.
pub(crate) fn leaf_at(member: usize) -> usize {
    node_at(member).saturating_add(1)
}

/// Where the node of the next member is among the hashes.
pub(crate) fn next_at(member: usize) -> usize {
    node_at(member).saturating_add(2)
}

/// One of the texts.
pub(crate) fn text(texts: &[Hash], at: usize) -> &Hash {
    texts.get(at).unwrap_or(&EMPTY)
}

/// Puts one of the texts in its place.
pub(crate) fn put(texts: &mut [Hash], at: usize, text: Hash) {
    if let Some(slot) = texts.get_mut(at) {
        *slot = text;
    }
}

/// The error of an operation whose hasher or noncer failed.
#[cold]
pub(crate) fn failed(
    code: ErrorCode,
    message: &str,
    place: Location<'_>,
    source: Failure,
) -> CertError {
    CertError::new(code, place.path(), message).with_source(source)
}
