//! Hashes leaves and nodes of groups in windows. A window holds a bounded number of positions of a few groups, enough to keep every lane of
//! `sha256-lanes` busy. Memory does not grow with the document (`docs/decisions/0003-hashing-in-windows.md`).

use alloc::vec::Vec;
use core::mem;

use sha256_lanes::LANES;

use crate::aih1::Input;
use crate::error::CertError;
use crate::hash::length::OneLength;
use crate::hash::text::Hash;
use crate::hash::{Chain, Job, Location};
use crate::invariant::certain;
use crate::json::value::Scalar;

/// The maximum number of positions of one group in a window.
pub(crate) const WINDOW: usize = 16;

/// Returns the number of next groups to hash together, given their lengths. This is one group for each lane if the groups are long, and
/// more if they are short.
pub(crate) fn together(lengths: impl Iterator<Item = usize>) -> usize {
    let mut positions = 0_usize;
    let fits = |length: &usize| {
        positions = positions.saturating_add((*length).clamp(1, WINDOW));
        positions <= LANES.saturating_mul(WINDOW)
    };
    lengths.take_while(fits).count()
}

/// A position of a group, before it is hashed.
#[derive(Debug)]
pub(crate) enum Slot<'a> {
    /// A single value; `None` if it is absent.
    Value(Option<Scalar<'a>>),
    /// An object or array, given by its imprint.
    Subtree(Hash),
    /// A leaf whose value is not known.
    Withheld(Hash),
}

/// Consecutive positions of some groups, one group after the other. All lists except `counts` and `values` have an entry for each
/// position.
#[derive(Debug, Default)]
pub(crate) struct Window<'a> {
    pub(crate) slots: Vec<Slot<'a>>,
    /// The nonce of each slot. The nonce of a withheld slot is not used.
    pub(crate) nonces: Vec<Hash>,
    /// The hashes of the values. Withheld slots have none.
    values: Vec<Hash>,
    pub(crate) leaves: Vec<Hash>,
    pub(crate) nodes: Vec<Hash>,
    /// The number of positions of each group.
    pub(crate) counts: Vec<usize>,
}

impl Window<'_> {
    /// Hashes the values and the leaves.
    pub(crate) fn hash_leaves(
        &mut self,
        hasher: OneLength<'_>,
        locations: &[Location<'_>],
    ) -> Result<(), CertError> {
        let mut jobs = Vec::with_capacity(self.slots.len());
        for (slot, location) in self.slots.iter().zip(locations) {
            let input = match slot {
                Slot::Value(value) => Input::Value(*value),
                Slot::Subtree(imprint) => Input::Imprint(imprint),
                Slot::Withheld(_) => continue,
            };
            let location = *location;
            jobs.push(Job { input, location });
        }
        self.values.clear();
        self.values.reserve(jobs.len());
        hasher.hash_all(&jobs, &mut self.values)?;
        jobs.clear();
        let mut hashed = self.values.iter();
        for ((slot, location), nonce) in self.slots.iter().zip(locations).zip(&self.nonces) {
            if !matches!(slot, Slot::Withheld(_))
                && let Some(value) = hashed.next()
            {
                let (input, location) = (Input::Leaf(value, nonce), *location);
                jobs.push(Job { input, location });
            }
        }
        self.leaves.clear();
        self.leaves.reserve(jobs.len());
        hasher.hash_all(&jobs, &mut self.leaves)?;
        if jobs.len() < self.slots.len() {
            let mut hashed = mem::take(&mut self.leaves).into_iter();
            for slot in &self.slots {
                self.leaves.extend(match slot {
                    Slot::Withheld(leaf) => Some(leaf.clone()),
                    Slot::Value(_) | Slot::Subtree(_) => hashed.next(),
                });
            }
        }
        Ok(())
    }

    /// Hashes the nodes. `nexts` has the node after the last position of each group in the window.
    pub(crate) fn hash_nodes(
        &mut self,
        hasher: OneLength<'_>,
        locations: &[Location<'_>],
        nexts: &[&Hash],
    ) -> Result<(), CertError> {
        self.nodes.clear();
        self.nodes.resize_with(self.leaves.len(), Hash::default);
        let mut chains = Vec::with_capacity(nexts.len());
        let (mut leaves, mut locations) = (&*self.leaves, locations);
        let mut nodes = &mut *self.nodes;
        for (count, next) in self.counts.iter().zip(nexts) {
            let all = "the counts add up to the positions of the window";
            chains.push(Chain {
                leaves: certain(leaves.split_off(..*count), all),
                locations: certain(locations.split_off(..*count), all),
                next,
                nodes: certain(nodes.split_off_mut(..*count), all),
            });
        }
        hasher.chain(&mut chains)
    }
}
