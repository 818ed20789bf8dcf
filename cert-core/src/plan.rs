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
//! somebody else; and whatever is wrong with data or evidence is found before anything is hashed.

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
    pub(crate) groups: Vec<Group>,
    /// The members of all groups, one group after the other.
    pub(crate) members: Vec<Member<'a>>,
    /// The paths of all groups, one after the other.
    pub(crate) steps: Vec<Step<'a>>,
    /// What the noncer gathered on the way to each group.
    pub(crate) texts: String,
}

/// An object or array.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Its path.
    pub(crate) steps: Range<usize>,
    /// What the noncer gathered on the way to it.
    pub(crate) text: Range<usize>,
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
        let depth = groups.last().map_or(0, |group| group.steps.len());
        let level = groups.iter().rev();
        let width = level.take_while(|group| group.steps.len() == depth).count();
        count.saturating_sub(width)..count
    }

    /// Where the hashes of a group begin: its imprint is the node there.
    pub(crate) fn start(&self, group: usize) -> usize {
        self.groups
            .get(group)
            .map_or(0, |group| group.members.start)
    }

    /// The path of a group.
    pub(crate) fn steps(&self, group: &Group) -> &[Step<'a>] {
        self.steps.get(group.steps.clone()).unwrap_or_default()
    }

    /// What the noncer gathered on the way to a group.
    pub(crate) fn text(&self, group: &Group) -> &str {
        self.texts.get(group.text.clone()).unwrap_or_default()
    }

    /// The place of a group's member.
    pub(crate) fn place(&self, group: &Group, at: usize) -> Place<'_> {
        let index = group.first.saturating_add(at);
        Place::new(self.steps(group), self.text(group), index)
    }

    /// Makes all nonces one after the other.
    pub(crate) fn nonce_each(
        &self,
        nonces: &mut [Text],
        nonce: &dyn Fn(Place<'_>) -> Result<Text, Failure>,
    ) -> Result<(), CertError> {
        for group in &self.groups {
            for (at, member) in group.members.clone().enumerate() {
                let needed = self.members.get(member).is_some_and(Member::needs_nonce);
                if needed && let Some(slot) = nonces.get_mut(member) {
                    let place = self.place(group, at);
                    *slot = nonce(place).map_err(|source| {
                        failed(ErrorCode::NoncerFailed, "the noncer failed", place, source)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Computes all hashes one after the other.
    pub(crate) fn hash_each(
        &self,
        hashes: &mut Hashes,
        hash: &dyn Fn(Input<'_>, Place<'_>) -> Result<Text, Failure>,
    ) -> Result<(), CertError> {
        for group in self.groups.iter().rev() {
            for (at, member) in group.members.clone().enumerate().rev() {
                let place = self.place(group, at);
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
