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

use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::{Input, Place};
use crate::path::Step;
use crate::text::{EMPTY, Text};
use crate::value::Scalar;

/// The groups of an imprint.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// Those that contain others before these, and those of one depth together; the root's first.
    pub(crate) groups: Vec<Group<'a>>,
    /// The members of all groups, one group after the other.
    pub(crate) members: Vec<Member<'a>>,
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
}

/// What a group has at one position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'a> {
    /// A value, or nothing where it is absent.
    Value(Option<Scalar<'a>>),
    /// A value whose nonce is known.
    Disclosed(Option<Scalar<'a>>, &'a str),
    /// A group, by its number.
    Group(usize),
    /// Something whose leaf is known, and no more than that.
    Hidden,
    /// The end of the group.
    End,
    /// An end whose node is known.
    Closed,
}

/// The nonces and hashes of a plan: one each for every member, of no meaning where it has none.
#[derive(Debug, Default)]
pub struct Hashes {
    pub(crate) nonces: Vec<Text>,
    pub(crate) leaves: Vec<Text>,
    /// Of each member the node before it; of a group's end the last one.
    pub(crate) nodes: Vec<Text>,
}

impl Member<'_> {
    /// Whether the noncer is to make its nonce.
    pub(crate) fn needs_nonce(&self) -> bool {
        matches!(self, Self::Value(_) | Self::Group(_) | Self::End)
    }
}

impl Hashes {
    /// Makes room for the nonces of so many members.
    pub(crate) fn make_room_for_nonces(&mut self, count: usize) {
        self.nonces.resize_with(count, || Text::ROOM);
    }

    /// Makes room for the hashes of so many members.
    pub(crate) fn make_room(&mut self, count: usize) {
        self.leaves.resize_with(count, || Text::ROOM);
        self.nodes.resize_with(count, || Text::ROOM);
    }
}

impl<'a> Plan<'a> {
    /// The groups of greatest depth among the first `count`, of which there is at least one.
    pub(crate) fn deepest(&self, count: usize) -> Range<usize> {
        let groups = self.groups.get(..count).unwrap_or_default();
        let depth = groups.last().map_or(0, |group| group.depth);
        let level = groups.iter().rev();
        let width = level.take_while(|group| group.depth == depth).count();
        count.saturating_sub(width)..count
    }

    /// Where the hashes of a group begin: its imprint is the node there.
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

    /// Goes through the members that need a nonce; `enter` gathers what the noncer wants to know of their paths.
    pub(crate) fn each_nonce(
        &self,
        enter: &dyn Fn(&mut String, Step<'_>),
        each: &mut dyn FnMut(usize, Place<'_>) -> Result<(), CertError>,
    ) -> Result<(), CertError> {
        let mut text = String::new();
        for group in &self.groups {
            let steps = self.steps(group);
            text.clear();
            for step in &steps {
                enter(&mut text, *step);
            }
            for (at, member) in group.members.clone().enumerate() {
                if self.members.get(member).is_some_and(Member::needs_nonce) {
                    let index = group.first.saturating_add(at);
                    each(member, Place::new(&steps, &text, index))?;
                }
            }
        }
        Ok(())
    }

    /// Makes all nonces one after the other.
    pub(crate) fn nonce_each(
        &self,
        nonces: &mut [Text],
        enter: &dyn Fn(&mut String, Step<'_>),
        nonce: &dyn Fn(Place<'_>) -> Result<Text, Failure>,
    ) -> Result<(), CertError> {
        self.each_nonce(enter, &mut |member, place| {
            let nonce = nonce(place).map_err(|source| {
                failed(ErrorCode::NoncerFailed, "the noncer failed", place, source)
            })?;
            put(nonces, member, nonce);
            Ok(())
        })
    }

    /// Computes all hashes one after the other.
    pub(crate) fn hash_each(
        &self,
        hashes: &mut Hashes,
        hash: &dyn Fn(Input<'_>, Place<'_>) -> Result<Text, Failure>,
    ) -> Result<(), CertError> {
        for group in self.groups.iter().rev() {
            let steps = self.steps(group);
            for (at, member) in group.members.clone().enumerate().rev() {
                let place = Place::new(&steps, "", group.first.saturating_add(at));
                let hash = |input: Input<'_>| {
                    hash(input, place).map_err(|source| {
                        failed(ErrorCode::HasherFailed, "the hasher failed", place, source)
                    })
                };
                let nonce = match self.members.get(member) {
                    Some(Member::Disclosed(_, nonce)) => Text::from(*nonce),
                    _ => text(&hashes.nonces, member).clone(),
                };
                let value = match self.members.get(member) {
                    None | Some(Member::Closed) => continue,
                    Some(Member::Hidden | Member::End) => None,
                    Some(Member::Value(value) | Member::Disclosed(value, _)) => {
                        Some(Input::Value(*value))
                    }
                    Some(Member::Group(group)) => {
                        Some(Input::Imprint(text(&hashes.nodes, self.start(*group))))
                    }
                };
                if let Some(value) = value {
                    let value = hash(value)?;
                    let leaf = hash(Input::Leaf(&value, &nonce))?;
                    put(&mut hashes.leaves, member, leaf);
                }
                let next = text(&hashes.nodes, member.saturating_add(1));
                let node = match self.members.get(member) {
                    Some(Member::End) => hash(Input::End(&nonce))?,
                    _ => hash(Input::Node(text(&hashes.leaves, member), next))?,
                };
                put(&mut hashes.nodes, member, node);
            }
        }
        Ok(())
    }
}

/// One of the texts.
pub(crate) fn text(texts: &[Text], at: usize) -> &Text {
    texts.get(at).unwrap_or(&EMPTY)
}

/// Puts one of the texts in its place.
pub(crate) fn put(texts: &mut [Text], at: usize, text: Text) {
    if let Some(slot) = texts.get_mut(at) {
        *slot = text;
    }
}

#[cold]
fn failed(code: ErrorCode, message: &str, place: Place<'_>, source: Failure) -> CertError {
    CertError::new(code, place.path(), message).with_source(source)
}
