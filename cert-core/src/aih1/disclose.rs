//! Writes proofs while their groups are hashed from the last position to the first.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use crate::aih1::group::{Group, Members};
use crate::aih1::proof::{Proof, ProofNode, ProofValue};
use crate::aih1::tree::{Slot, Window};
use crate::aih1::{leaf_index, node_index};
use crate::hash::text::Hash;
use crate::invariant::certain;
use crate::json::number::parse_index;
use crate::json::path::{Path, Step};
use crate::json::value::{Scalar, Value};
use crate::schema::Node;
use crate::selection::{Selected, Selection};

/// The maximum length of a list whose indexes sort in the same order as strings and as numbers. In a longer list, an item's position
/// depends on the length.
const SAME_ORDER: usize = 10;

/// The proofs that are requested in addition to the imprint.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Disclosure<'s> {
    None,
    /// Every value, leaf and node of every group.
    All,
    /// Only the proofs that are needed to verify the selected values.
    Paths(&'s Selection),
}

impl Disclosure<'_> {
    /// Returns the disclosed part of the root.
    pub(crate) fn root(self) -> Selected {
        match self {
            Self::None => Selected::Nothing,
            Self::All => Selected::Everything,
            Self::Paths(selection) => selection.root(),
        }
    }

    /// Returns the disclosed part of a member. `group` is the disclosed part of the group that contains the member.
    pub(crate) fn member(self, group: Selected, step: Step<'_>, node: &Node) -> Selected {
        let Self::Paths(selection) = self else {
            return group;
        };
        match (selection.child(group, step), node) {
            // A path that continues below a single value selects nothing.
            (Selected::Inside(_), Node::Leaf(_)) => Selected::Nothing,
            (selected, _) => selected,
        }
    }

    /// Returns true if a list's proof has to close after the last item, because the positions of the disclosed items depend on the list's
    /// length.
    fn binds_length(self, group: &Group<'_>) -> bool {
        let (Self::Paths(selection), Members::List(_, items)) = (self, group.members) else {
            return false;
        };
        if items.len() <= SAME_ORDER {
            return false;
        }
        let is_item = |key| parse_index(key).is_some_and(|index| index < items.len());
        let mut children = selection.children(group.selected).into_iter();
        matches!(group.selected, Selected::Everything) || children.any(|(key, _)| is_item(key))
    }
}

/// The proof of one group. Its last entries are written first.
#[derive(Debug)]
pub(crate) struct Draft {
    proof: Proof,
    /// For each position, true if its value is disclosed.
    is_disclosed: Vec<bool>,
    /// True if the proof has every leaf and node.
    gives_all: bool,
    /// The position at which the proof closes.
    closing: usize,
}

impl Draft {
    /// Returns the draft for a group's proof, or `None` if the group is not disclosed.
    pub(crate) fn new(disclosure: Disclosure<'_>, group: &Group<'_>) -> Option<Self> {
        if !group.selected.is_disclosed() {
            return None;
        }
        let length = group.len();
        let gives_all = matches!(disclosure, Disclosure::All);
        let mut is_disclosed = vec![true; length];
        if matches!(disclosure, Disclosure::Paths(_)) {
            for (position, is_disclosed) in is_disclosed.iter_mut().enumerate() {
                let (step, node) = group.step(position);
                let member = disclosure.member(group.selected, step, node);
                *is_disclosed = member.is_disclosed();
            }
        }
        let last = is_disclosed.iter().rposition(|is_disclosed| *is_disclosed);
        let closing = match last {
            _ if gives_all || disclosure.binds_length(group) => length,
            Some(last) => last.saturating_add(1),
            None => 0,
        };
        let (nodes, values) = match gives_all {
            true => (node_index(length).saturating_add(1), length),
            false => (0, 0),
        };
        Some(Self {
            proof: Proof {
                path: Path::from(group.steps.as_slice()),
                nodes: Vec::with_capacity(nodes),
                values: Vec::with_capacity(values),
            },
            is_disclosed,
            gives_all,
            closing,
        })
    }

    /// Adds the node at a position if the proof closes there.
    pub(crate) fn take_closing(&mut self, position: usize, node: &Hash) {
        if position == self.closing {
            self.node(node_index(position), node.clone());
        }
    }

    /// Moves the nodes and values that the proof needs from a hashed window into the proof. `range` is the group's range in the window.
    /// `first` is the position of the range's first entry.
    pub(crate) fn take(&mut self, window: &mut Window<'_>, range: Range<usize>, first: usize) {
        let hashes = own(&mut window.leaves, &range).iter_mut();
        let hashes = hashes.zip(own(&mut window.nodes, &range));
        let slots = own(&mut window.slots, &range).iter_mut();
        let slots = slots.zip(own(&mut window.nonces, &range));
        for (at, ((slot, nonce), (leaf, node))) in slots.zip(hashes).enumerate().rev() {
            let position = first.saturating_add(at);
            let is_disclosed = self.is_disclosed.get(position) == Some(&true);
            if position < self.closing {
                if is_disclosed {
                    self.proof.values.push(ProofValue {
                        index: position,
                        value: value(slot),
                        nonce: mem::take(nonce),
                    });
                }
                if self.gives_all || !is_disclosed {
                    self.node(leaf_index(position), mem::take(leaf));
                }
            }
            if self.gives_all || position == self.closing {
                self.node(node_index(position), mem::take(node));
            }
        }
    }

    /// Returns the proof, with its entries in ascending order.
    pub(crate) fn finish(mut self) -> Proof {
        self.proof.nodes.reverse();
        self.proof.values.reverse();
        self.proof
    }

    fn node(&mut self, index: usize, hash: Hash) {
        self.proof.nodes.push(ProofNode { index, hash });
    }
}

fn own<'w, T>(window: &'w mut [T], range: &Range<usize>) -> &'w mut [T] {
    certain(
        window.get_mut(range.clone()),
        "a group's range lies within its window",
    )
}

/// Returns the value of a slot in the form that proofs use.
fn value(slot: &Slot<'_>) -> Option<Value> {
    match slot {
        Slot::Value(value) => value.map(Scalar::to_value),
        Slot::Subtree(imprint) | Slot::Withheld(imprint) => Some(imprint.as_str().into()),
    }
}
