//! Leaves and nodes of groups, in windows: so many positions of up to four groups at once that every lane has work, and few enough
//! that memory does not grow with the document.

use alloc::vec::Vec;

use crate::aih1::Input;
use crate::error::CertError;
use crate::hash::text::Hash;
use crate::hash::{Chain, Hasher, Job, Location, hashes};
use crate::json::path::Step;
use crate::json::value::Scalar;

/// The number of positions of one group in a window.
pub(crate) const WINDOW: usize = 16;

/// One position of a group, before it is hashed.
#[derive(Debug)]
pub(crate) enum Slot<'a> {
    /// A single value, or nothing where it is absent.
    Value(Option<Scalar<'a>>),
    /// An object or array, by its imprint.
    Subtree(Hash),
    /// A leaf of which nothing else is known.
    Withheld(Hash),
}

/// Consecutive positions of one group.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    /// The path of the group.
    pub(crate) group: &'a [Step<'a>],
    /// The position of the first slot.
    pub(crate) first: usize,
    pub(crate) slots: Vec<Slot<'a>>,
    /// One for each slot; that of a withheld slot has no meaning.
    pub(crate) nonces: Vec<Hash>,
    /// One for each slot, once they are hashed.
    pub(crate) leaves: Vec<Hash>,
    /// The node after the last slot.
    pub(crate) next: Hash,
}

impl Window<'_> {
    /// The place of a slot, for a hasher.
    pub(crate) fn location(&self, slot: usize) -> Location<'_> {
        Location::new(self.group, "", self.first.saturating_add(slot))
    }

    /// The slots whose leaves are to be hashed.
    fn known(&self) -> impl Iterator<Item = (Location<'_>, &Slot<'_>, &Hash)> {
        let slots = self.slots.iter().zip(&self.nonces).enumerate();
        let known = slots.filter(|(_, (slot, _))| !matches!(slot, Slot::Withheld(_)));
        known.map(|(at, (slot, nonce))| (self.location(at), slot, nonce))
    }
}

/// Hashes the values and the leaves of some windows.
pub(crate) fn hash_leaves(
    hasher: &dyn Hasher,
    windows: &mut [Window<'_>],
) -> Result<(), CertError> {
    let mut jobs = Vec::with_capacity(windows.len().saturating_mul(WINDOW));
    for (location, slot, _) in windows.iter().flat_map(Window::known) {
        let input = match slot {
            Slot::Value(value) => Input::Value(*value),
            Slot::Subtree(imprint) | Slot::Withheld(imprint) => Input::Imprint(imprint),
        };
        jobs.push(Job { input, location });
    }
    let values = hashes(hasher, &jobs)?;
    jobs.clear();
    for ((location, _, nonce), value) in windows.iter().flat_map(Window::known).zip(&values) {
        let input = Input::Leaf(value, nonce);
        jobs.push(Job { input, location });
    }
    let mut leaves = hashes(hasher, &jobs)?.into_iter();
    for window in windows {
        let leaf = |slot: &Slot<'_>| match slot {
            Slot::Withheld(leaf) => Some(leaf.clone()),
            Slot::Value(_) | Slot::Subtree(_) => leaves.next(),
        };
        window.leaves = window.slots.iter().filter_map(leaf).collect();
    }
    Ok(())
}

/// Hashes the nodes of some windows whose leaves are known: of each the nodes from its last slot to its first.
pub(crate) fn hash_nodes(
    hasher: &dyn Hasher,
    windows: &[Window<'_>],
) -> Result<Vec<Vec<Hash>>, CertError> {
    let mut chains = Vec::with_capacity(windows.len());
    for window in windows {
        chains.push(Chain {
            group: window.group,
            first: window.first,
            leaves: &window.leaves,
            next: &window.next,
            nodes: Vec::with_capacity(window.leaves.len()),
        });
    }
    hasher.chain(&mut chains)?;
    let mut nodes = Vec::with_capacity(chains.len());
    for chain in chains {
        assert!(
            chain.nodes.len() == chain.leaves.len(),
            "a hasher makes a node of every leaf"
        );
        nodes.push(chain.nodes);
    }
    Ok(nodes)
}
